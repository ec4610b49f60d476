"""The line of those who wait for a place in a tournament that is full.

Who waits has given a client seed and paid nothing. When a place is free before the start, the first in line who may
enter and can pay is admitted in the transaction that frees it, and pays the fee then. Who cannot is passed over and out
of the line; why is told to nobody else, for it may be a limit or a self-exclusion. Whoever locks several locks the
tournament's row first, its market, the protection of those who come in, then the accounts of all who are paid or pay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.models import Player
from api.errors import Problem
from games.rules import fairness
from ledger.betting.models import Market
from ledger.models import Account
from tournaments import admission, check_in, markets, money, record
from tournaments.models import Status, Tournament
from tournaments.models_waiting import Waiting, WaitingEnd
from tournaments.problems import AlreadyWaiting, CheckInClosed, EntriesClosed, NotWaiting, TournamentFull


def wait(tournament: Tournament, player: Player, client_seed: str, now: datetime) -> Waiting:
    """Wait at the end of the line of a tournament that is locked, published and full.

    Raises AlreadyWaiting, TournamentFull where the line is full too, and what entering raises of who may not.
    """
    fairness.client_seed(client_seed)
    admission.refuse_unfit(tournament, player)
    line = tournament.waiting.in_line()
    if line.filter(player=player).exists():
        raise AlreadyWaiting
    if line.count() >= tournament.waiting_list:
        raise TournamentFull("All places of the tournament are taken, and all in its waiting list.")
    number = (tournament.waiting.aggregate(last=Max("number"))["last"] or 0) + 1
    waiting = Waiting.objects.create(
        tournament=tournament,
        player=player,
        number=number,
        client_seed=client_seed,
        since=now,
        checked_in_at=now if check_in.is_open(tournament, now) else None,
    )
    record.append(tournament, ("waitlisted", {"waiting": number, "player": str(player.pk)}), now=now)
    return waiting


@transaction.atomic
def leave(*, tournament_id: UUID, player: Player, now: datetime) -> None:
    """Wait no longer. Raises NotWaiting, EntriesClosed."""
    tournament = record.locked(tournament_id)
    if tournament.status != Status.PUBLISHED:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    end(tournament, [_own(tournament, player)], WaitingEnd.LEFT, now)


@transaction.atomic
def is_there(*, tournament_id: UUID, player: Player, now: datetime) -> Waiting:
    """Check in while waiting: at the start only those take the places of the absent who have. Twice is as good as once.

    Raises CheckInClosed, NotWaiting.
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
    tournament: Tournament, market: Market | None, places: int, now: datetime, *, who_are_there: bool = False
) -> list[Waiting]:
    """The first so many who may enter and can pay; those before them who may not are passed over.

    `who_are_there`: only of those who have checked in, and the others are left in line.
    """
    chosen: list[Waiting] = []
    line = tournament.waiting.in_line()
    if who_are_there:
        line = line.filter(checked_in_at__isnull=False)
    for waiting in line if places > 0 else ():
        try:
            admission.refuse_unfit(tournament, waiting.player)
            markets.refuse_rival(market, waiting.player_id)
            money.refuse_broke(tournament, waiting.player_id, now)
        except Problem as refused:
            _pass_over(tournament, waiting, refused, now)
            continue
        chosen.append(waiting)
        if len(chosen) == places:
            break
    return chosen


def purses(tournament: Tournament, chosen: Iterable[Waiting]) -> list[Account]:
    """What those who come in will pay from, to be locked with what is paid to those who go."""
    return [money.cash(tournament, waiting.player_id) for waiting in chosen] if tournament.fee else []


def admit(
    tournament: Tournament,
    market: Market | None,
    chosen: Sequence[Waiting],
    now: datetime,
    *,
    who_are_there: bool = False,
) -> None:
    """Let them into the field, with the seed that they gave when they began to wait. Who cannot pay any more is passed
    over, and the next come instead; `who_are_there` as they were chosen."""
    while chosen:
        refused = [waiting for waiting in chosen if not _admitted(tournament, market, waiting, now)]
        # Only when all who were chosen have come in or are out of line: none of them is chosen again.
        chosen = next_in_line(tournament, market, len(refused), now, who_are_there=who_are_there)


def _admitted(tournament: Tournament, market: Market | None, waiting: Waiting, now: datetime) -> bool:
    told = {"waiting": waiting.number, "player": str(waiting.player_id)}
    is_here = waiting.checked_in_at is not None
    try:
        with transaction.atomic():
            record.append(tournament, ("admitted", told), now=now)
            admission.admit(tournament, market, waiting.player, waiting.client_seed, now, is_here=is_here)
    except Problem as refused:
        # Their money has gone elsewhere since they were chosen.
        _pass_over(tournament, waiting, refused, now)
        return False
    _close([waiting], WaitingEnd.ADMITTED, now)
    return True


def _pass_over(tournament: Tournament, waiting: Waiting, refused: Problem, now: datetime) -> None:
    waiting.code = refused.code
    end(tournament, [waiting], WaitingEnd.PASSED_OVER, now)


def dismiss(tournament: Tournament, why: WaitingEnd, now: datetime) -> None:
    """The tournament begins, or is called off: nobody waits any more."""
    end(tournament, list(tournament.waiting.in_line()), why, now)


def end(tournament: Tournament, ending: Sequence[Waiting], why: WaitingEnd, now: datetime) -> None:
    if ending:
        _close(ending, why, now)
        told = {"waiting": [one.number for one in ending], "why": str(why)}
        record.append(tournament, ("waiting-ended", told), now=now)


def _close(ending: Sequence[Waiting], why: WaitingEnd, now: datetime) -> None:
    for one in ending:
        one.ended, one.ended_at = why, now
    Waiting.objects.bulk_update(ending, ["ended", "ended_at", "code"])


# --- what is shown -------------------------------------------------------------------------------------


def place(waiting: Waiting) -> int | None:
    """Counted from 1; None for who waits no longer."""
    if waiting.ended_at is not None:
        return None
    return waiting.tournament.waiting.in_line().filter(number__lte=waiting.number).count()


def own(tournament: Tournament, player: Player) -> dict[str, Any] | None:
    """The last that became of the player in this line, and to them alone why they were passed over."""
    last = tournament.waiting.filter(player=player).order_by("-number").first()
    return None if last is None else document(last)


def document(waiting: Waiting) -> dict[str, Any]:
    """For the player themselves."""
    return {
        "place": place(waiting),
        "since": waiting.since,
        "client_seed": waiting.client_seed,
        "checked_in": waiting.checked_in_at is not None,
        "ended": waiting.ended or None,
        "code": waiting.code or None,
    }
