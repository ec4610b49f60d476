"""The end of a tournament: standings, prizes, the outright market, an empty escrow, and the revealed seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from games import services as games
from games import state
from ledger.models import Account
from tournaments import formats, record
from tournaments.betting import meetings, outrights
from tournaments.formats.protocol import Standing
from tournaments.formats.scoring import prizes
from tournaments.models import Award, SecretSeed, Status, TableGame, Tournament
from tournaments.prizes import money
from tournaments.record import Happening
from tournaments.rounds.services import CHUNK


class RoundsRemain(Exception):
    """A defect: the tournament was to finish before every round was closed."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """The result of a settlement, in pence. `awards` has every entry, including those without a prize.

    Awards and rake are together the pool, which is the fees and the overlay that the bank adds.
    """

    pool: int
    overlay: int
    rake: int
    awards: dict[int, int]


def settle(tournament: Tournament, standings: Sequence[Standing], *, pool: int) -> Settlement:
    """Settle by the tournament's terms. `pool` is what the entrants paid in."""
    overlay = prizes.overlay(pool, rake=tournament.rake, guarantee=tournament.guarantee)
    rake, awards = prizes.divide(
        pool,
        rake=tournament.rake,
        basis_points=tournament.prizes,
        standings=standings,
        amounts=tournament.amounts,
        guarantee=tournament.guarantee,
    )
    return Settlement(pool, overlay, rake, awards)


def finish(*, tournament_id: UUID, now: datetime) -> None:
    """Rank, pay, and reveal the seed, once, and not while paused. Raises RoundsRemain."""
    tournament = record.locked(tournament_id)
    if tournament.status != Status.RUNNING or tournament.paused:
        return
    history = record.load(tournament.pk)
    if not record.is_played_out(tournament):
        if history.corrections:
            # A correction has undone the end after this was scheduled; the next round is scheduled instead.
            return
        raise RoundsRemain(f"{history.closed} of {tournament.rounds} rounds are closed")
    standings = formats.get(tournament.format).standings(history.snapshot())
    settlement = settle(tournament, standings, pool=money.fees(tournament))
    seed = _seed(tournament)
    version = record.append(
        tournament,
        *end_events(standings, settlement),
        ("finished", {"seed": seed.hex()}),
        now=now,
    )
    market = outrights.locked_on(tournament)
    paid_too = [*outrights.accounts(market), *meetings.accounts(tournament)]
    _pay(tournament, standings, settlement, event=version - 1, now=now, paid_too=paid_too)
    outrights.settle(market, standings, event=version, now=now)
    meetings.take_back(tournament, version=version, now=now)
    tournament.status = Status.FINISHED
    tournament.stalled = ""
    tournament.ended_at = now
    tournament.save(update_fields=["status", "stalled", "ended_at"])
    games.reveal_tournament_seed(tournament=tournament.pk, seed=seed)


def end_events(standings: Sequence[Standing], settlement: Settlement) -> tuple[Happening, Happening]:
    """Return the events of the end, or of the new end after a correction."""
    ranked = {"standings": [standing.document() for standing in standings]}
    return ("standings", ranked), ("prizes", _prizes(standings, settlement))


def _prizes(standings: Sequence[Standing], settlement: Settlement) -> dict[str, object]:
    return {
        "pool": settlement.pool,
        "overlay": settlement.overlay,
        "rake": settlement.rake,
        "awards": [
            {"entry": standing.entry, "place": standing.place, "amount": settlement.awards[standing.entry]}
            for standing in standings
            if settlement.awards[standing.entry]
        ],
    }


def _pay(
    tournament: Tournament,
    standings: Sequence[Standing],
    settlement: Settlement,
    *,
    event: int,
    now: datetime,
    paid_too: Sequence[Account],
) -> None:
    entries = {entry.number: entry for entry in tournament.entries.standing()}
    Award.objects.bulk_create(
        Award(
            entry=entries[standing.entry],
            place=standing.place,
            amount=settlement.awards[standing.entry],
        )
        for standing in standings
    )
    awards = [(entries[standing.entry], settlement.awards[standing.entry]) for standing in standings]
    money.pay_out(
        tournament,
        awards,
        rake=settlement.rake,
        overlay=settlement.overlay,
        event=event,
        now=now,
        paid_too=paid_too,
    )


def _seed(tournament: Tournament) -> bytes:
    return bytes(SecretSeed.objects.get(tournament=tournament).seed)


def clear(*, tournament_id: UUID, now: datetime) -> bool:
    """Void a chunk of the unfinished games of a cancelled tournament, and reveal its seed after the last.

    Returns whether more games remain. Raises StillPaid.
    """
    tournament = record.locked(tournament_id)
    if tournament.status != Status.CANCELLED or record.load(tournament.pk).seed is not None:
        return False
    games_left = TableGame.objects.filter(table__round__tournament=tournament).running()
    for one in games_left.order_by("pk")[:CHUNK]:
        games.void_game(game_id=one.game, reason="the tournament was cancelled", now=now)
        ended = "finished" if _was_played(one.game) else "void"
        TableGame.objects.filter(pk=one.pk, ended_at=None).update(ended_at=now, ended=ended)
    if games_left.exists():
        return True
    meetings.require_settled(tournament)
    seed = _seed(tournament)
    version = record.append(tournament, ("seed-revealed", {"seed": seed.hex()}), now=now)
    meetings.take_back(tournament, version=version, now=now)
    games.reveal_tournament_seed(tournament=tournament.pk, seed=seed)
    return False


def _was_played(game_id: UUID) -> bool:
    return state.load(game_id)[1].status == "finished"
