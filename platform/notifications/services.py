"""Notifications of players: announced by followers, listed, read, exported, and erased."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from core.sql import among, as_uuid, stored
from jobs import services as jobs
from jobs.services import Planned
from notifications import kinds, preferences, watching
from notifications.kinds import Channel, Values
from notifications.models import Choices, Delivery, Notification, Outcome, Preference
from notifications.preferences import Reach

SEND, DIGEST = "notifications.send", "notifications.digest"
MOST_UNREAD = 100
"""Unread notifications are counted up to this number."""

MOST_READ = 1_000
"""Notifications that one command marks as read."""

AT_ONCE = 1_000
"""Notifications that are written, or deleted, together."""

LOST = timedelta(hours=1)
"""After this time a claim whose worker has ended counts as failed."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """A notification for one player, written once for each kind, subject, and occurrence."""

    kind: str
    player: UUID
    subject: str
    occurrence: str
    values: Values


def announce(announcements: Iterable[Announcement], *, now: datetime) -> int:
    """Write notifications with their deliveries in the caller's transaction, and return how many are new.

    Bots and players whose account has ended get none.
    """
    given = list(announcements)
    return sum(_announce(given[start : start + AT_ONCE], now) for start in range(0, len(given), AT_ONCE))


def _announce(given: Sequence[Announcement], now: datetime) -> int:
    reached = preferences.reach({one.player for one in given})
    rows = [row for one in given if (row := _row(one, reached, now)) is not None]
    Notification.objects.bulk_create(rows, ignore_conflicts=True)
    new = set(Notification.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", flat=True))
    fresh = [row for row in rows if row.pk in new]
    deliveries = [each for row in fresh for each in _deliveries(row, reached[row.player_id], now)]
    Delivery.objects.bulk_create(deliveries)
    jobs.schedule_all(_planned(each, reached[each.player_id]) for each in deliveries)
    return len(fresh)


def _row(one: Announcement, reached: dict[UUID, Reach], now: datetime) -> Notification | None:
    reach = reached.get(one.player)
    if reach is None or not (channels := reach.channels(one.kind)):
        return None
    return Notification(
        player_id=one.player,
        kind=one.kind,
        subject=one.subject,
        occurrence=one.occurrence,
        values=dict(one.values),
        in_page=Channel.PAGE in channels,
        created_at=now,
    )


def _deliveries(row: Notification, reach: Reach, now: datetime) -> list[Delivery]:
    return [
        Delivery(
            notification=row, player_id=row.player_id, channel=channel, due=reach.choices.due(channel, now)
        )
        for channel in sorted(reach.channels(row.kind) - {Channel.PAGE})
    ]


def _planned(delivery: Delivery, reach: Reach) -> Planned:
    """The job that sends a delivery. All e-mails of a player's digest have one."""
    if delivery.channel == Channel.EMAIL and reach.choices.has_digest:
        due = delivery.due.isoformat()
        payload = {"player": str(delivery.player_id), "due": due}
        return Planned(DIGEST, f"{DIGEST}:{delivery.player_id}:{due}", payload, delivery.due)
    return Planned(SEND, f"{SEND}:{delivery.pk}", {"delivery": delivery.pk}, delivery.due)


# --- in the page ---------------------------------------------------------------------------------------


def unread(player: UUID) -> int:
    """Return the number of unread notifications, at most `MOST_UNREAD`."""
    return unread_of([player])[player]


def unread_of(players: Collection[UUID]) -> dict[UUID, int]:
    """Return the number of unread notifications of each player, at most `MOST_UNREAD`, with one statement."""
    condition, parameters = among("p.id", [stored(player) for player in players])
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT p.id, (SELECT count(*) FROM (SELECT 1 FROM {Notification._meta.db_table} n "  # noqa: S608 (names of our own)
            f"WHERE n.player_id = p.id AND n.in_page AND n.read_at IS NULL LIMIT {MOST_UNREAD}) AS counted) "
            f"FROM {get_user_model()._meta.db_table} p WHERE {condition}",
            parameters,
        )
        found = {as_uuid(player): count for player, count in cursor.fetchall()}
    return {player: found.get(player, 0) for player in players}


def mark_read(*, player: UUID, ids: Sequence[UUID] | None, now: datetime) -> None:
    """Mark notifications as read, or all of them (None), `MOST_READ` at most; the newest last."""
    wanted = _unread(player)
    if ids is not None:
        wanted = wanted.filter(pk__in=ids)
    chosen = list(wanted.values_list("pk", flat=True)[:MOST_READ])
    Notification.objects.filter(pk__in=chosen, read_at=None).update(read_at=now)


def _unread(player: UUID) -> QuerySet[Notification]:
    return Notification.objects.filter(player=player, in_page=True, read_at=None)


# --- retention and personal data -----------------------------------------------------------------------


def prune(*, now: datetime) -> int:
    """Delete old notifications and return their number; end claims whose worker was lost."""
    old = Notification.objects.filter(
        created_at__lt=now - timedelta(days=settings.RACECARD_NOTIFICATION_DAYS)
    )
    lost = Delivery.objects.filter(ended_at=None, claimed_at__lt=now - LOST)
    lost.update(ended_at=now, outcome=Outcome.FAILED, error="the worker ended while it was sending")
    watching.prune(now=now)
    deleted = 0
    while chunk := list(old.order_by("created_at").values_list("pk", flat=True)[:AT_ONCE]):
        Notification.objects.filter(pk__in=chunk).delete()
        deleted += len(chunk)
    return deleted


@transaction.atomic
def forget(*, owner: UUID) -> None:
    """Delete the notifications and choices of an erased account."""
    for model in (Notification, Preference, Choices):
        model._default_manager.filter(player=owner).delete()
    watching.forget(owner=owner)


def export(*, owner: UUID) -> dict[str, Any]:
    """Return what is stored of a person."""
    chosen = preferences.choices_of(owner)
    return {
        "settings": {
            "language": chosen.language,
            "time_zone": chosen.time_zone,
            "quiet_from": chosen.quiet_from,
            "quiet_until": chosen.quiet_until,
            "digest": chosen.digest,
        },
        "preferences": list(
            Preference.objects.filter(player=owner)
            .order_by("kind", "channel")
            .values("kind", "channel", "wanted")
        ),
        "received": [
            {
                "kind": row.kind,
                "title": title_of(row),
                "created": row.created_at,
                "read": row.read_at,
            }
            for row in _received(owner)
        ],
    }


def _received(player: UUID) -> Iterator[Notification]:
    """Yield all notifications of a player, the oldest first, in parts."""
    rows = Notification.objects.filter(player=player).order_by("created_at", "pk")
    part = list(rows[:AT_ONCE])
    while part:
        yield from part
        last = part[-1]
        later = Q(created_at__gt=last.created_at) | Q(pk__gt=last.pk)
        part = list(rows.filter(later, created_at__gte=last.created_at)[:AT_ONCE])


def title_of(row: Notification, language: str = kinds.LANGUAGES[0]) -> str:
    kind = kinds.find(row.kind)
    return row.kind if kind is None else kind.render(row.values, language)[0]
