"""What an organizer is told of a tournament that stands still: why, in plain words, and what would help.

A step that cannot be done, or has failed as often as it is tried, leaves the event `stalled` with a cause and a code.
What exactly went wrong inside is nobody's business outside: it stands with the job, for administrators.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from django.db import DatabaseError
from django.urls import reverse

from api.errors import Problem
from jobs.services import WorkerLost
from tournaments import formats, record
from tournaments.access import Viewer, may_manage
from tournaments.formats.history import History
from tournaments.formats.sizes import CannotBeSeated
from tournaments.models import Status, Tournament

Step = Literal["start", "open", "close", "finish", "clear"]
Cause = Literal["too-few-players", "no-seating", "layout-broken", "table-goes-on", "refused", "failed"]
CAUSES: tuple[Cause, ...] = (
    "too-few-players", "no-seating", "layout-broken", "table-goes-on", "refused", "failed",
)  # fmt: skip
NEEDS_ORGANIZER = "needs-organizer"
PAUSED = "paused"


class FaultyPairing(Exception):
    """A defect of ours: an engine has laid out a round that its checker refuses."""


class GoesOn(Exception):
    """A defect of ours: a game whose time is up cannot be ended."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """As the event `stalled` tells it. `code` is stable; `round` None where it is of none."""

    cause: Cause
    code: str
    reason: str
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """Something that would help: a request, and what it does. `{entry}` in a path is for the organizer to choose."""

    action: str
    method: str
    path: str
    what: str


# --- why -----------------------------------------------------------------------------------------------


def of_an_error(error: Exception, *, step: Step, round: int | None, attempts: int) -> Trouble:
    """What is told of a step that was tried so often. Raises nothing and repeats nothing that could be private."""
    deed, times = _deed(step, round), f"in {attempts} attempts" if attempts > 1 else "once"
    match error:
        case Problem():
            cause: Cause = "no-seating" if error.code == "cannot-seat" else "refused"
            return Trouble(cause, error.code, f"{deed} is refused: {error.detail}", round)
        case GoesOn():
            return Trouble("table-goes-on", "table-goes-on", f"{deed} failed {times}: {error}.", round)
        case FaultyPairing():
            told = f"{deed} failed {times}: the engine's tables do not pass the checker ({error})."
            return Trouble("no-seating", "faulty-pairing", told, round)
        case WorkerLost():
            return Trouble("failed", "worker-lost", f"{deed} failed: {error}.", round)
    code, what = "internal-error", "something went wrong inside the server"
    if isinstance(error, DatabaseError):
        code, what = "database-error", "the database did not do what was asked of it"
    elif isinstance(error, OSError):
        code, what = "system-error", "the server's machine did not do what was asked of it"
    told = f"{deed} failed {times}: {what}. The job in the back office says more to administrators."
    return Trouble("failed", code, told, round)


def of_no_seating(state: History, round: int, error: CannotBeSeated) -> Trouble:
    """Where the engine finds no way to lay a round out."""
    left, fewest = len(state.snapshot().present(round)), min(state.sizes)
    if left < fewest:
        told = f"Round {round} has {left} players left, and a table needs {fewest}."
        return Trouble("too-few-players", "cannot-seat", told, round)
    told = f"Round {round} cannot be seated: {error}."
    return Trouble("no-seating", "cannot-seat", told, round)


def of_a_broken_layout(round: int, faults: tuple[str, ...]) -> Trouble:
    told = f"Round {round} was laid out by hand, and since then: {'; '.join(faults)}."
    return Trouble("layout-broken", "faulty-layout", told, round)


def _deed(step: Step, round: int | None) -> str:
    match step:
        case "start":
            return "The start"
        case "open":
            return f"Opening round {round}"
        case "close":
            return f"Closing round {round}"
        case "finish":
            return "Ranking and paying out"
    return "Clearing away what was called off"


# --- what would help -----------------------------------------------------------------------------------


def state_of(tournament: Tournament) -> str:
    """Its status, or that it waits for its organizer, or is paused."""
    if tournament.stalled:
        return NEEDS_ORGANIZER
    return PAUSED if tournament.paused else tournament.status


def needed(tournament: Tournament, viewer: Viewer) -> dict[str, Any] | None:
    """Why the organizer is needed and, for who manages the tournament, what would help; None if nobody is."""
    if not tournament.stalled:
        return None
    state = record.load(tournament.pk)
    trouble = trouble_of(tournament, state)
    helps = _actions(tournament, state, trouble) if may_manage(viewer, tournament) else ()
    return {**asdict(trouble), "actions": [asdict(one) for one in helps]}


def trouble_of(tournament: Tournament, state: History) -> Trouble:
    """Events from before causes were told give the reason alone."""
    told = state.trouble
    return Trouble(
        cause=told.get("cause", "failed"),
        code=told.get("code", "internal-error"),
        reason=tournament.stalled,
        round=told.get("round"),
    )


def _actions(tournament: Tournament, state: History, trouble: Trouble) -> Iterator[Action]:
    known = state.snapshot()
    following = state.closed + 1
    waits = (
        tournament.status == Status.RUNNING and not tournament.played_rounds.filter(number=following).exists()
    )
    if trouble.cause == "layout-broken":
        path = _path("tournament-round-pairing", tournament, following)
        yield Action("give-back", "DELETE", path, "leave the round to the engine, then resume")
    if waits and not record.is_played_out(tournament):
        if formats.get(tournament.format).takes_layouts(known):
            path = _path("tournament-round-pairing", tournament, following)
            yield Action("lay-out", "PUT", path, "lay the round out by hand, then resume")
        if known.together:
            path = _path("tournament-pairs-release", tournament)
            yield Action("release", "POST", path, "take back who must meet, then resume")
    yield Action("resume", "POST", _path("tournament-resume", tournament), "have the step tried again")
    if tournament.status == Status.RUNNING:
        path = _path("tournament-entry-disqualify", tournament, 0).replace("/0/", "/{entry}/")
        yield Action("disqualify", "POST", path, "take an entrant out of the rounds to come")
    if tournament.status in (Status.PUBLISHED, Status.RUNNING):
        path = _path("tournament-cancel", tournament)
        yield Action("cancel", "POST", path, "call it off and give every fee back")


def _path(name: str, tournament: Tournament, *which: int) -> str:
    return reverse(name, args=[tournament.pk, *which])
