"""What an organizer can do with a tournament as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse

from accounts.models import Player
from games.office.deeds import person
from ledger import participants
from tournaments import access, services
from tournaments.models import Status, Tournament
from tournaments.office.desk import Deed, Desk, address, deed_page


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


TAKES_PART = "You take part in this tournament. Another organizer or an administrator does this."


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
    takes_part = participants.takes_part(tournament.subject, viewer.pk)
    return [
        Offered(
            command,
            address("tournaments_tournament_command", tournament, command.name),
            TAKES_PART if takes_part else "" if command.when(tournament) else command.otherwise,
        )
        for command in COMMANDS.values()
    ]


@deed_page("tournaments_tournament_command", "do/<slug:name>/")
def command_page(desk: Desk, request: HttpRequest, tournament: Tournament, name: str) -> HttpResponse:
    command = COMMANDS.get(name)
    if command is None:
        raise Http404
    deed = Deed(
        title=f"{command.title} {tournament.name}",
        action=f"{name}-tournament",
        carry_out=lambda given, now: command.carry_out(tournament, person(request), given["reason"], now),
        said=f"{command.title}: done.",
        back=address("tournament_console", tournament),
        lead=command.explained,
        button=command.title,
        grave=command.grave,
    )
    return desk.do(request, tournament, deed)
