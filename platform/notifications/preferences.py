"""What players have chosen, and by which channels they can be reached."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from core.errors import InvalidInput
from notifications import kinds, times
from notifications.kinds import Channel
from notifications.models import Choices, Digest, Preference
from webhooks import services as webhooks
from webpush import services as webpush

DUMMY = "django.core.mail.backends.dummy.EmailBackend"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The settings of a player, with the defaults filled in."""

    language: str
    zone: ZoneInfo
    quiet: tuple[time, time] | None
    digest: Digest

    @property
    def has_digest(self) -> bool:
        return self.digest != Digest.NONE

    def due(self, channel: Channel, now: datetime) -> datetime:
        """Return when a message is sent: at once, with the next digest, or when quiet hours end. Programs do not
        sleep.
        """
        if channel == Channel.WEBHOOK:
            return now
        at = now
        if channel == Channel.EMAIL and self.digest == Digest.HOURLY:
            at = times.next_hour(now.astimezone(UTC))
        elif channel == Channel.EMAIL and self.digest == Digest.DAILY:
            at = times.next_day(self.zone, now)
        return self.quiet_end(at) or at

    def quiet_end(self, now: datetime) -> datetime | None:
        """Return the end of the quiet hours that `now` is in; None outside of them."""
        return None if self.quiet is None else times.quiet_end(*self.quiet, self.zone, now)


def chosen(row: Choices) -> Chosen:
    zone = ZoneInfo(row.time_zone or settings.RACECARD_TIME_ZONE)
    quiet = None
    if row.quiet_from is not None and row.quiet_until is not None:
        quiet = (row.quiet_from, row.quiet_until)
    language = row.language or kinds.known_language(settings.LANGUAGE_CODE)
    return Chosen(language, zone, quiet, Digest(row.digest))


def choices_of(player: UUID) -> Choices:
    """Return the row of a player, or one with the defaults that is not stored."""
    return Choices.objects.filter(pk=player).first() or Choices(player_id=player)


# --- who is reached, and how ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reach:
    """How one player can be reached."""

    choices: Chosen
    possible: frozenset[Channel]
    preferred: Mapping[tuple[str, str], bool]

    def channels(self, kind: str) -> set[Channel]:
        """Return the channels by which the player wants a kind and can be reached."""
        return {channel for channel in self.possible if self.wants(kind, channel)}

    def wants(self, kind: str, channel: Channel) -> bool:
        known = kinds.find(kind)
        return known is not None and self.preferred.get((kind, channel), channel in known.channels)


def reach(players: Collection[UUID]) -> dict[UUID, Reach]:
    """Return how players can be reached, without bots and accounts that have ended. Seven statements at most."""
    if not players:
        return {}
    people = get_user_model()._default_manager.filter(pk__in=players, is_active=True, is_bot=False)
    guests = dict(people.values_list("pk", "guest_until"))
    settled = Choices.objects.in_bulk(guests)
    preferred: dict[UUID, dict[tuple[str, str], bool]] = {}
    for row in Preference.objects.filter(player__in=guests):
        preferred.setdefault(row.player_id, {})[row.kind, row.channel] = row.wanted
    members = [player for player, until in guests.items() if until is None]
    addressed = set(addresses(members)) if has_mail() else set()
    by_push, by_webhook = webpush.reached(members), webhooks.reached(members)

    def possible(player: UUID) -> frozenset[Channel]:
        ways = {Channel.PAGE: {player}, Channel.EMAIL: addressed, Channel.PUSH: by_push}
        return frozenset(
            channel for channel, some in (ways | {Channel.WEBHOOK: by_webhook}).items() if player in some
        )

    return {
        player: Reach(
            chosen(settled.get(player) or Choices(player_id=player)),
            possible(player),
            preferred.get(player, {}),
        )
        for player in guests
    }


def has_mail() -> bool:
    """Return whether this installation can send e-mail whose links lead somewhere."""
    return settings.EMAIL_BACKEND != DUMMY and bool(settings.RACECARD_SITE_URL)


def addresses(players: Collection[UUID]) -> dict[UUID, str]:
    """Return the verified address of each player that has one; the primary one of several."""
    verified = EmailAddress.objects.filter(user__in=players, verified=True).order_by("primary", "-pk")
    return dict(verified.values_list("user", "email"))


# --- changes -------------------------------------------------------------------------------------------


@transaction.atomic
def change(
    *, player: UUID, changes: Mapping[str, Any], wanted: Mapping[tuple[str, Channel], bool]
) -> Choices:
    """Change settings (fields of `Choices`) and preferences by kind and channel.

    Raises BadTimeZone, BadQuietHours.
    """
    # The lock makes the second of two concurrent requests see the row of the first.
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=player)
    row = choices_of(player)
    for name, value in changes.items():
        setattr(row, name, value)
    _check_zone(row.time_zone)
    if (row.quiet_from is None) != (row.quiet_until is None) or (
        row.quiet_from is not None and row.quiet_from == row.quiet_until
    ):
        raise BadQuietHours(field="quiet_from")
    if changes:
        row.save()
    prefer(player, wanted)
    return row


def _check_zone(name: str) -> None:
    """Raises BadTimeZone."""
    try:
        ZoneInfo(name or "UTC")
    except (LookupError, ValueError, OSError):  # OSError: the name of a folder
        raise BadTimeZone(f"time_zone: {name} is not known.", field="time_zone") from None


def prefer(player: UUID, wanted: Mapping[tuple[str, Channel], bool]) -> None:
    """Store preferences by kind and channel."""
    Preference.objects.bulk_create(
        [
            Preference(player_id=player, kind=kind, channel=channel, wanted=is_wanted)
            for (kind, channel), is_wanted in wanted.items()
        ],
        update_conflicts=True,
        unique_fields=["player", "kind", "channel"],
        update_fields=["wanted"],
    )


class BadTimeZone(InvalidInput):
    code = "bad-time-zone"
    title = "This is not the name of a time zone; Europe/London is one"


class BadQuietHours(InvalidInput):
    code = "bad-quiet-hours"
    title = "Quiet hours have a beginning and a different end, or neither"
