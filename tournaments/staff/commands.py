"""Commands on a whole tournament, including the opening of its outright market."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from accounts.models import Player
from games.staff import market as race
from games.staff.actions import person
from ledger.betting import forms as staff_terms
from ledger.betting.terms import Terms
from ledger.models import Market
from ledger.selectors import takes_part
from ledger.staff.actions import actor
from staff.actions import FormData
from tournaments import access, services
from tournaments.betting import outrights
from tournaments.models import Status, Tournament
from tournaments.staff.actions import ActionAdmin, StaffAction, action_page, address


@dataclass(frozen=True, slots=True)
class Command:
    """A command. `when` says whether the tournament is in a state for it, `otherwise` explains why not."""

    name: str
    title: str
    explained: str
    carry_out: Callable[[Tournament, Player, str, datetime], object]
    when: Callable[[Tournament], bool]
    otherwise: str
    grave: bool = False
    """Whether it cannot be undone."""


COMMANDS = {
    command.name: command
    for command in (
        Command(
            "publish",
            "Publish",
            "The seed is committed to, and players can enter. The terms can no longer be changed.",
            lambda tournament, by, reason, now: services.publish(
                tournament_id=tournament.pk, actor=by, now=now
            ),
            when=lambda tournament: tournament.status == Status.DRAFT,
            otherwise="It is published already.",
        ),
        Command(
            "start",
            "Start",
            "Entries close, bots fill the field according to the terms, and the first round opens.",
            lambda tournament, by, reason, now: services.start(
                tournament_id=tournament.pk, actor=by, now=now
            ),
            when=lambda tournament: tournament.status == Status.PUBLISHED,
            otherwise="Only a published tournament can start.",
        ),
        Command(
            "pause",
            "Pause",
            "No round opens and no prize is paid until it is resumed. An open round is played to its end.",
            lambda tournament, by, reason, now: services.pause(
                tournament_id=tournament.pk, actor=by, reason=reason, now=now
            ),
            when=lambda tournament: tournament.status == Status.RUNNING and not tournament.paused,
            otherwise="Only a running tournament that is not paused can be paused.",
        ),
        Command(
            "resume",
            "Resume",
            "Ends a pause, and retries a failed step.",
            lambda tournament, by, reason, now: services.resume(
                tournament_id=tournament.pk, actor=by, now=now
            ),
            when=lambda tournament: bool(tournament.stalled or tournament.paused),
            otherwise="It is neither paused nor stalled.",
        ),
        Command(
            "cancel",
            "Cancel",
            "Every fee is refunded, unfinished games are voided, and the seed is revealed. This is final.",
            lambda tournament, by, reason, now: services.cancel(
                tournament_id=tournament.pk, actor=by, reason=reason, now=now
            ),
            when=lambda tournament: tournament.status not in (Status.FINISHED, Status.CANCELLED),
            otherwise="It is over.",
            grave=True,
        ),
    )
}


TAKES_PART = "You take part in this tournament. Another organizer or an administrator must do this."


@dataclass(frozen=True, slots=True)
class Offered:
    """A command on the console; `why_not` is empty if it is available."""

    command: Command
    url: str
    why_not: str


def offered(viewer: Player, tournament: Tournament) -> list[Offered]:
    """Return the commands for a viewer who manages the tournament."""
    if not access.may_manage(viewer, tournament):
        return []
    involved = takes_part(tournament.subject, viewer.pk)
    return [
        Offered(
            command,
            address("tournaments_tournament_command", tournament, command.name),
            TAKES_PART if involved else "" if command.when(tournament) else command.otherwise,
        )
        for command in COMMANDS.values()
    ]


@action_page("tournaments_tournament_command", "do/<slug:name>/")
def command_page(
    model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament, name: str
) -> HttpResponse:
    command = COMMANDS.get(name)
    if command is None:
        raise Http404
    action = StaffAction(
        title=f"{command.title} {tournament.name}",
        action=f"{name}-tournament",
        carry_out=lambda given, now: command.carry_out(tournament, person(request), given["reason"], now),
        said=f"{command.title}: done.",
        back=address("tournament_console", tournament),
        lead=command.explained,
        button=command.title,
        grave=command.grave,
    )
    return model_admin.do(request, tournament, action)


# --- outright market ---------------------------------------------------------------------------------


def market_offered(request: HttpRequest, tournament: Tournament) -> str:
    """Return the address of the form to open a market, while that is possible."""
    is_time = tournament.status == Status.PUBLISHED and outrights.market_on(tournament.pk) is None
    return address("tournament_market", tournament) if is_time and race.may_open(request) else ""


@action_page("tournament_market", "market/")
def market_page(model_admin: ActionAdmin, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    race.require_may_open(request)

    def opened(given: FormData, terms: Terms) -> Market:
        return outrights.open_market(
            tournament_id=tournament.pk, terms=terms, opened_by=actor(request), now=timezone.now()
        )

    return race.opening(
        model_admin,
        request,
        opened,
        form_class=staff_terms.PoolTermsForm,
        title=f"Open a market on {tournament.name}",
        lead="A pool on its winner. Betting is open until the start; later entrants become runners.",
        back=address("tournament_console", tournament),
    )
