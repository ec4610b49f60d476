"""What an organizer can do with a tournament from the back office, and what each of it would come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max, Sum
from django.urls import reverse

from accounts.models import Player
from ledger.formats import money
from ledger.models import Transfer
from ledger.office.commands import Preview
from tournaments import access, services
from tournaments.models import Status, Tournament


@dataclass(frozen=True, slots=True)
class Command:
    """`when` says whether a tournament is in a state for it, `otherwise` what people are told if it is not."""

    name: str
    title: str
    explained: str
    carry_out: Callable[[Tournament, Player, str, datetime], object]
    when: Callable[[Tournament], bool]
    otherwise: str
    grave: bool = False
    """It cannot be taken back."""


COMMANDS = {
    command.name: command
    for command in (
        Command(
            "publish",
            "Publish",
            "A seed is drawn and committed to, and players can enter. The terms cannot be changed any more.",
            lambda tournament, by, reason, now: services.publish(
                tournament_id=tournament.pk, actor=by, now=now
            ),
            when=lambda tournament: tournament.status == Status.DRAFT,
            otherwise="It has been published already.",
        ),
        Command(
            "start",
            "Start",
            "Entries close, bots fill the field as agreed, and the first round is opened.",
            lambda tournament, by, reason, now: services.start(
                tournament_id=tournament.pk, actor=by, now=now
            ),
            when=lambda tournament: tournament.status == Status.PUBLISHED,
            otherwise="Only a tournament that takes entries can start.",
        ),
        Command(
            "pause",
            "Pause",
            "No further round is opened, and no prize paid, until it is resumed. A round that runs is played to its "
            "end.",
            lambda tournament, by, reason, now: services.pause(
                tournament_id=tournament.pk, actor=by, reason=reason, now=now
            ),
            when=lambda tournament: tournament.status == Status.RUNNING and not tournament.paused,
            otherwise="Only a tournament that runs, and is not paused, can be paused.",
        ),
        Command(
            "resume",
            "Resume",
            "A pause ends; the step that failed is tried again.",
            lambda tournament, by, reason, now: services.resume(
                tournament_id=tournament.pk, actor=by, now=now
            ),
            when=lambda tournament: bool(tournament.stalled or tournament.paused),
            otherwise="It is not paused, and no step of it has failed.",
        ),
        Command(
            "cancel",
            "Cancel",
            "Every fee is given back, games still being played are voided, and the seed is shown. For good.",
            lambda tournament, by, reason, now: services.cancel(
                tournament_id=tournament.pk, actor=by, reason=reason, now=now
            ),
            when=lambda tournament: tournament.status not in (Status.FINISHED, Status.CANCELLED),
            otherwise="It is over.",
            grave=True,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Offered:
    """A command as the console shows it; `why_not` is empty where it can be given."""

    command: Command
    url: str
    why_not: str


def offered(viewer: Player, tournament: Tournament) -> list[Offered]:
    """What `viewer` may do with the tournament; nothing for who does not manage it."""
    if not access.may_manage(viewer, tournament):
        return []
    return [
        Offered(
            command,
            reverse("admin:tournaments_tournament_command", args=[tournament.pk, command.name]),
            "" if command.when(tournament) else command.otherwise,
        )
        for command in COMMANDS.values()
    ]


def previewed(tournament: Tournament, deed: Callable[[], object]) -> Preview:
    """What a deed would change, found out by doing it and taking it back. It refuses as the deed itself would."""
    with transaction.atomic():
        before = _state(tournament)
        last = Transfer.objects.aggregate(last=Max("position"))["last"] or 0
        deed()
        after = _state(Tournament.objects.get(pk=tournament.pk))
        moved = _moved(tournament, last)
        transaction.set_rollback(True)
    changes = [
        (label, was if was == will else f"{was} → {will}")
        for (label, was), (_, will) in zip(before, after, strict=True)
    ]
    return Preview(facts=[*changes, *moved])


def _state(tournament: Tournament) -> Sequence[tuple[str, str]]:
    standing = tournament.entries.standing()
    return (
        ("Status", str(tournament.status)),
        ("Entries", str(standing.count())),
        ("Of them bots", str(standing.filter(bot=True).count())),
        ("Rounds", str(tournament.rounds or "as many as it takes")),
        ("Paused", tournament.paused or "no"),
        ("Stands still", tournament.stalled or "no"),
    )


def _moved(tournament: Tournament, last: int) -> list[tuple[str, str]]:
    """By reason, the transfers that came after the one at `last`."""
    new = Transfer.objects.filter(position__gt=last, subject=tournament.subject).order_by("reason")
    by_reason = new.values("reason", "currency").annotate(number=Count("pk"), sum=Sum("amount"))
    return [
        (f"Money: {row['reason']}", f"{row['number']} × together {money(row['sum'], row['currency'])}")
        for row in by_reason
    ]
