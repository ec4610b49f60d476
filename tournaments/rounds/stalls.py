"""Pauses and stalls: why a tournament does not continue, and the actions that help.

A step that cannot be done, or has failed for good, appends `stalled` with a cause and a code. Internal details are
not public; administrators find them in the job.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Q
from django.urls import reverse

from accounts.models import Player
from core.errors import Problem
from jobs.services import WorkerLost
from tournaments import formats, record, roles, schedules
from tournaments.access import Viewer, may_manage
from tournaments.errors import AlreadyPaused, NotStalled, WrongStatus
from tournaments.formats.history import History
from tournaments.formats.sizes import CannotBeSeated
from tournaments.models import RoundState, Status, Tournament
from tournaments.rounds import steps

Step = Literal["start", "open", "close", "finish", "clear"]
Cause = Literal["too-few-players", "no-seating", "layout-broken", "table-goes-on", "refused", "failed"]
OVER = (Status.FINISHED, Status.CANCELLED)
STALLED = ~Q(stalled="") & Q(status__in=[status for status in Status if status not in OVER])
"""The condition of a tournament in which a step has failed, or that waits for its organizer."""

NEEDS_ORGANIZER = "needs-organizer"
PAUSED = "paused"


class FaultyPairing(Exception):
    """A defect: an engine made a pairing that its checker refuses."""


class GameNotEnding(Exception):
    """A defect: a game whose time is up cannot be ended."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """The data of the event `stalled`. `code` is stable; `round` is None if no round is concerned."""

    cause: Cause
    code: str
    reason: str
    round: int | None = None


# --- why -----------------------------------------------------------------------------------------------


def describe_failure(error: Exception, *, step: Step, round: int | None, attempts: int) -> Trouble:
    """Describe a step that has failed. Raises nothing and repeats nothing that could be private."""
    step_name, times = _step_name(step, round), f"in {attempts} attempts" if attempts > 1 else "once"
    match error:
        case Problem():
            cause: Cause = "no-seating" if error.code == "cannot-seat" else "refused"
            return Trouble(cause, error.code, f"{step_name} was refused: {error.detail}", round)
        case GameNotEnding():
            return Trouble("table-goes-on", "table-goes-on", f"{step_name} failed {times}: {error}.", round)
        case FaultyPairing():
            reason = f"{step_name} failed {times}: the engine's tables do not pass the checker ({error})."
            return Trouble("no-seating", "faulty-pairing", reason, round)
        case WorkerLost():
            return Trouble("failed", "worker-lost", f"{step_name} failed: {error}.", round)
    code, what = "internal-error", "an internal error occurred"
    if isinstance(error, DatabaseError):
        code, what = "database-error", "the database failed"
    elif isinstance(error, OSError):
        code, what = "system-error", "the operating system reported an error"
    reason = f"{step_name} failed {times}: {what}. Administrators find details in the job on the staff pages."
    return Trouble("failed", code, reason, round)


def describe_no_seating(state: History, round: int, error: CannotBeSeated) -> Trouble:
    """Describe a round for which the engine finds no pairing."""
    left, fewest = len(state.snapshot().present(round)), min(state.sizes)
    if left < fewest:
        reason = f"Round {round} has {left} players left, and a table needs {fewest}."
        return Trouble("too-few-players", "cannot-seat", reason, round)
    reason = f"Round {round} cannot be seated: {error}."
    return Trouble("no-seating", "cannot-seat", reason, round)


def describe_invalid_pairing(round: int, faults: tuple[str, ...]) -> Trouble:
    reason = f"The manual pairing of round {round} is invalid: {'; '.join(faults)}."
    return Trouble("layout-broken", "faulty-layout", reason, round)


def _step_name(step: Step, round: int | None) -> str:
    match step:
        case "start":
            return "The start"
        case "open":
            return f"Opening round {round}"
        case "close":
            return f"Closing round {round}"
        case "finish":
            return "The ranking and payment of prizes"
    return "Clearing the cancelled tournament"


# --- what would help -----------------------------------------------------------------------------------


def state_of(tournament: Tournament) -> str:
    """Return the status, or that the tournament waits for its organizer or is paused."""
    if tournament.stalled:
        return NEEDS_ORGANIZER
    return PAUSED if tournament.paused else tournament.status


class ActionOutput(TypedDict):
    action: str
    method: str
    path: Annotated[str, "the organizer replaces `{entry}`"]
    effect: str


class NeedsOrganizerOutput(TypedDict):
    cause: Cause
    code: str
    reason: Annotated[str, "in plain words"]
    round: int | None
    actions: Annotated[
        list[ActionOutput], "actions that help; empty unless the viewer manages the tournament"
    ]


def needed(tournament: Tournament, viewer: Viewer) -> NeedsOrganizerOutput | None:
    """Return why the organizer is needed, with helpful actions for managers; None if not."""
    if not tournament.stalled:
        return None
    state = record.load(tournament.pk)
    trouble = trouble_of(tournament, state)
    helps = _actions(tournament, state, trouble) if may_manage(viewer, tournament) else ()
    return {
        "cause": trouble.cause,
        "code": trouble.code,
        "reason": trouble.reason,
        "round": trouble.round,
        "actions": list(helps),
    }


def trouble_of(tournament: Tournament, state: History) -> Trouble:
    """Return the trouble of a stalled tournament. Early events have only a reason."""
    data = state.trouble
    return Trouble(
        cause=data.get("cause", "failed"),
        code=data.get("code", "internal-error"),
        reason=tournament.stalled,
        round=data.get("round"),
    )


def _actions(tournament: Tournament, state: History, trouble: Trouble) -> Iterator[ActionOutput]:
    known = state.snapshot()
    following = state.closed + 1
    waits = (
        tournament.status == Status.RUNNING and not tournament.played_rounds.filter(number=following).exists()
    )
    if trouble.cause == "layout-broken":
        path = _path("tournament-round-pairing", tournament, following)
        yield _action("delete-pairing", "DELETE", path, "drop the manual pairing, then resume")
    if waits and not record.is_played_out(tournament):
        if formats.get(tournament.format).takes_manual_pairings(known):
            path = _path("tournament-round-pairing", tournament, following)
            yield _action("pair-manually", "PUT", path, "pair the round manually, then resume")
        if known.together:
            path = _path("tournament-pairs-release", tournament)
            yield _action("release", "POST", path, "release required meetings, then resume")
    yield _action("resume", "POST", _path("tournament-resume", tournament), "retry the step")
    if tournament.status == Status.RUNNING:
        path = _path("tournament-entry-disqualify", tournament, 0).replace("/0/", "/{entry}/")
        yield _action("disqualify", "POST", path, "disqualify an entrant from further rounds")
    if tournament.status in (Status.PUBLISHED, Status.RUNNING):
        path = _path("tournament-cancel", tournament)
        yield _action("cancel", "POST", path, "cancel and refund every fee")


def _action(action: str, method: str, path: str, effect: str) -> ActionOutput:
    return {"action": action, "method": method, "path": path, "effect": effect}


def _path(name: str, tournament: Tournament, *which: int) -> str:
    return reverse(name, args=[tournament.pk, *which])


# --- pause, resume, stall ----------------------------------------------------------------------------


@transaction.atomic
def stall(*, tournament_id: UUID, trouble: Trouble, now: datetime) -> None:
    """Stall the tournament: a step is impossible or has failed for good, and the organizer is needed."""
    tournament = record.locked(tournament_id)
    if tournament.status in (Status.FINISHED, Status.DRAFT):
        return
    tournament.stalled = trouble.reason
    tournament.save(update_fields=["stalled"])
    record.append(tournament, ("stalled", asdict(trouble)), now=now)


@transaction.atomic
def pause(*, tournament_id: UUID, actor: Player, reason: str, now: datetime) -> Tournament:
    """Open no further round and pay no prizes until the tournament is resumed. An open round continues.

    Raises InterestedParty, WrongStatus, AlreadyPaused.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.RUNNING:
        raise WrongStatus(f"The tournament is {tournament.status}; only a running one can be paused.")
    if tournament.paused:
        raise AlreadyPaused
    tournament.paused = reason
    tournament.save(update_fields=["paused"])
    record.append(tournament, ("paused", {"reason": reason, "by": str(actor.pk)}), now=now)
    return tournament


@transaction.atomic
def resume(*, tournament_id: UUID, actor: Player, now: datetime) -> Tournament:
    """End a pause, and retry a failed step. Raises InterestedParty, NotStalled."""
    tournament = roles.locked_for(tournament_id, actor)
    if not tournament.stalled and not tournament.paused:
        raise NotStalled
    tournament.stalled = tournament.paused = ""
    tournament.save(update_fields=["stalled", "paused"])
    record.append(tournament, ("resumed", {"by": str(actor.pk)}), now=now)
    reschedule(tournament, now)
    return tournament


def reschedule(tournament: Tournament, now: datetime) -> None:
    """Schedule the next step of a locked tournament as a new job, regardless of earlier jobs."""
    tournament.resumptions += 1
    tournament.save(update_fields=["resumptions"])
    _schedule_next_step(tournament, now)


def _schedule_next_step(tournament: Tournament, now: datetime) -> None:
    if tournament.status == Status.PUBLISHED:
        steps.start(tournament, due=now)
        return
    if tournament.status == Status.CANCELLED:
        steps.clear(tournament, due=now)
        return
    latest = tournament.played_rounds.order_by("-number").first()
    if latest is None or latest.state == RoundState.OPENING:
        steps.open_round(tournament, latest.number if latest else 1, due=now)
    elif latest.state == RoundState.OPEN:
        steps.close_round(tournament, latest, due=now)
    elif not record.is_played_out(tournament):
        assert latest.closed_at is not None
        following = latest.number + 1
        opens = schedules.next_opens(tournament, following, after=latest.closed_at)
        steps.open_round(tournament, following, due=max(now, opens))
    else:
        steps.finish(tournament, due=now)
