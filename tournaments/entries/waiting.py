"""The waiting list of a full tournament.

A waiting player has given a client seed and paid nothing. When a place becomes free before the start, the first
player in line who may enter and can pay is admitted in the same transaction and pays the fee. A player who cannot
enter is passed over and leaves the list. The reason is shown only to them, since it may be a limit or a
self-exclusion. Locks are taken in this order: the tournament's row, its market, the protection of the admitted
players, and then all accounts that pay or are paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.models import Player
from core.errors import Problem
from games.rules import fairness
from ledger.models import Account, Market
from rest.documents import one_of
from tournaments import record
from tournaments.betting import outrights
from tournaments.entries import admission, check_in
from tournaments.errors import AlreadyWaiting, CheckInClosed, EntriesClosed, NotWaiting, TournamentFull
from tournaments.models import Status, Tournament, Waiting, WaitingEnd
from tournaments.prizes import money


def wait(
    tournament: Tournament, player: Player, client_seed: str, now: datetime, *, shown_as: str
) -> Waiting:
    """Add the player to the list of a locked, published, and full tournament.

    Raises AlreadyWaiting, TournamentFull if the list is full, and the errors of entering.
    """
    fairness.client_seed(client_seed)
    admission.require_eligible(tournament, player)
    line = tournament.waiting.in_line()
    if line.filter(player=player).exists():
        raise AlreadyWaiting
    if line.count() >= tournament.waiting_list:
        raise TournamentFull("The tournament and its waiting list are full.")
    number = (tournament.waiting.aggregate(last=Max("number"))["last"] or 0) + 1
    waiting = Waiting.objects.create(
        tournament=tournament,
        player=player,
        number=number,
        client_seed=client_seed,
        shown_as=shown_as,
        since=now,
        checked_in_at=now if check_in.is_open(tournament, now) else None,
    )
    record.append(tournament, ("waitlisted", {"waiting": number, "player": str(player.pk)}), now=now)
    return waiting


@transaction.atomic
def leave(*, tournament_id: UUID, player: Player, now: datetime) -> None:
    """Remove the player from the list. Raises NotWaiting, EntriesClosed."""
    tournament = record.locked(tournament_id)
    if tournament.status != Status.PUBLISHED:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    end(tournament, [_own(tournament, player)], WaitingEnd.LEFT, now)


@transaction.atomic
def check_in_waiting(*, tournament_id: UUID, player: Player, now: datetime) -> Waiting:
    """Check a waiting player in; a second check-in has no effect.

    At the start, only checked-in players replace absent entrants. Raises CheckInClosed, NotWaiting.
    """
    tournament = record.locked(tournament_id)
    if not check_in.is_open(tournament, now):
        raise CheckInClosed
    waiting = _own(tournament, player)
    if waiting.checked_in_at is None:
        waiting.checked_in_at = now
        waiting.save(update_fields=["checked_in_at"])
    return waiting


def _own(tournament: Tournament, player: Player) -> Waiting:
    waiting = tournament.waiting.in_line().filter(player=player).first()
    if waiting is None:
        raise NotWaiting
    return waiting


# --- when a place is free, in the transaction that frees it --------------------------------------------


def next_in_line(
    tournament: Tournament,
    market: Market | None,
    places: int,
    now: datetime,
    *,
    only_checked_in: bool = False,
) -> list[Waiting]:
    """Return the first `count` players who may enter and can pay; ineligible ones before them are passed over.

    With `only_checked_in`, only checked-in players are considered, and the others stay in line.
    """
    chosen: list[Waiting] = []
    line = tournament.waiting.in_line()
    if only_checked_in:
        line = line.filter(checked_in_at__isnull=False)
    for waiting in line if places > 0 else ():
        try:
            admission.require_eligible(tournament, waiting.player)
            outrights.refuse_rival(market, waiting.player_id)
            money.require_funds(tournament, waiting.player_id, now)
        except Problem as refused:
            _pass_over(tournament, waiting, refused, now)
            continue
        chosen.append(waiting)
        if len(chosen) == places:
            break
    return chosen


def purses(tournament: Tournament, chosen: Iterable[Waiting]) -> list[Account]:
    """Return the accounts from which admitted players pay, to be locked with those of removed entrants."""
    return [money.cash(tournament, waiting.player_id) for waiting in chosen] if tournament.fee else []


def admit(
    tournament: Tournament,
    market: Market | None,
    chosen: Sequence[Waiting],
    now: datetime,
    *,
    only_checked_in: bool = False,
) -> None:
    """Admit the chosen players with the seeds that they gave.

    A player who can no longer pay is passed over, and the next one is chosen in the same way (`only_checked_in`).
    """
    while chosen:
        refused = [waiting for waiting in chosen if not _admitted(tournament, market, waiting, now)]
        # Only after all chosen players are admitted or out of line, so that none is chosen again.
        chosen = next_in_line(tournament, market, len(refused), now, only_checked_in=only_checked_in)


def _admitted(tournament: Tournament, market: Market | None, waiting: Waiting, now: datetime) -> bool:
    data = {"waiting": waiting.number, "player": str(waiting.player_id)}
    is_here = waiting.checked_in_at is not None
    try:
        with transaction.atomic():
            record.append(tournament, ("admitted", data), now=now)
            admission.admit(
                tournament,
                market,
                waiting.player,
                waiting.client_seed,
                now,
                is_here=is_here,
                shown_as=waiting.shown_as,
            )
    except Problem as refused:
        # Their money was spent elsewhere since they were chosen.
        _pass_over(tournament, waiting, refused, now)
        return False
    _close([waiting], WaitingEnd.ADMITTED, now)
    return True


def _pass_over(tournament: Tournament, waiting: Waiting, refused: Problem, now: datetime) -> None:
    waiting.code = refused.code
    end(tournament, [waiting], WaitingEnd.PASSED_OVER, now)


def close_list(tournament: Tournament, why: WaitingEnd, now: datetime) -> None:
    """Close the list, because the tournament starts or is cancelled."""
    end(tournament, list(tournament.waiting.in_line()), why, now)


def end(tournament: Tournament, ending: Sequence[Waiting], why: WaitingEnd, now: datetime) -> None:
    if ending:
        _close(ending, why, now)
        data = {"waiting": [one.number for one in ending], "why": str(why)}
        record.append(tournament, ("waiting-ended", data), now=now)


def _close(ending: Sequence[Waiting], why: WaitingEnd, now: datetime) -> None:
    for one in ending:
        one.ended, one.ended_at = why, now
    Waiting.objects.bulk_update(ending, ["ended", "ended_at", "code"])


# --- what is shown -------------------------------------------------------------------------------------


def place(waiting: Waiting) -> int | None:
    """Return the place in line from 1; None for a player who no longer waits."""
    if waiting.ended_at is not None:
        return None
    return waiting.tournament.waiting.in_line().filter(number__lte=waiting.number).count()


class OwnWaitingOutput(TypedDict):
    place: Annotated[int | None, "the place in line; null: no longer waiting"]
    since: datetime
    client_seed: str
    checked_in: bool
    ended: Annotated[str, one_of(WaitingEnd)] | None
    code: Annotated[str | None, "why the player was passed over; visible only to them"]


def own(tournament: Tournament, player: Player) -> OwnWaitingOutput | None:
    """Return the player's last waiting row. Only the player sees why the player was passed over."""
    last = tournament.waiting.filter(player=player).order_by("-number").first()
    return None if last is None else document(last)


def document(waiting: Waiting) -> OwnWaitingOutput:
    """Return the document for the player."""
    return {
        "place": place(waiting),
        "since": waiting.since,
        "client_seed": waiting.client_seed,
        "checked_in": waiting.checked_in_at is not None,
        "ended": waiting.ended or None,
        "code": waiting.code or None,
    }
