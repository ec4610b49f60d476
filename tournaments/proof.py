"""Whether the games of a tournament that is over prove themselves, and are worth what its results say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from games import selectors_proof, state
from games.models import GameRecord
from games.rules import fairness, lineage
from games.rules.bundle import verify
from tournaments import meetings, record
from tournaments.formats import corrected, scoring
from tournaments.models import Score, Seat, TableGame, Tournament

PLAYED = ("finished", "expired")
"""Results that are the game's own; what was forfeited or void is the tournament's to say."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Of one game: what is wrong with it in plain words, empty if nothing is."""

    game: str
    round: int
    table: int
    fault: str


def proofs(tournament: Tournament) -> Iterator[Proof]:
    """Game by game, in the order of rounds and tables: bundle, deal and worth."""
    games = TableGame.objects.filter(table__round__tournament=tournament, dealt_at__isnull=False)
    for one in games.select_related("table__round").order_by(
        "table__round__number", "table__number", "number"
    ):
        yield Proof(str(one.game), one.table.round.number, one.table.number, _fault(tournament, one))


def _fault(tournament: Tournament, one: TableGame) -> str:
    game = GameRecord.objects.get(pk=one.game)
    bundle = selectors_proof.bundle(game, None)
    report = verify(bundle)
    if not report.ok:
        return report.why or "the bundle does not prove the game"
    seed = record.load(tournament.pk).seed
    if seed is None:
        return "the tournament has not shown its seed"
    derived = fairness.tournament_server_seed(
        bytes.fromhex(seed), round=one.table.round.number, deal=one.deal
    )
    if fairness.commitment(derived) != game.commitment:
        return f"the deal is not deal {one.deal} of round {one.table.round.number}"
    return _before(game, bundle) or _worth(tournament, one)


def _before(game: GameRecord, bundle: dict[str, Any]) -> str:
    """What is wrong with the games that this one has replaced at its table."""
    while game.parent is not None:
        replaced = selectors_proof.bundle(game.parent, None)
        if game.parent_version is not None:
            fault = lineage.compare(bundle, {replaced["game"]["id"]: replaced}).why
        else:
            fault = verify(replaced).why
        if fault:
            return f"game {game.parent_id}, which it replaced: {fault}"
        game, bundle = game.parent, replaced
    return ""


def _worth(tournament: Tournament, one: TableGame) -> str:
    """Each result that is the game's own, counted again from its outcome."""
    worth = _worth_by_entry(one)
    recorded = {score.entry_id: score.measures for score in Score.objects.filter(table_game=one)}
    known = record.load(tournament.pk).snapshot()
    first = corrected.first_told(known)
    # What was corrected since is the tournament's to say; the game gave what was told first.
    told = (first.get(corrected.key(result), result) for result in known.results)
    own = {
        (result.table, result.deal, result.entry)
        for result in told
        if result.round == one.table.round.number and result.ended in PLAYED
    }
    for seat in Seat.objects.filter(table=one.table_id).select_related("entry"):
        if (one.table.number, one.deal, seat.entry.number) not in own:
            continue
        due = worth.get(seat.entry_id)
        if recorded.get(seat.entry_id) != due:
            return f"entry {seat.entry.number} has {recorded.get(seat.entry_id)}, but the game gives {due}"
    return ""


def _worth_by_entry(one: TableGame) -> dict[int, list[int]]:
    """By the entry's key. What bets on a race came to follows from its winner, which reconciliation shows."""
    _, table = state.load(one.game)
    counted = scoring.get(table.game.slug)
    if counted.on_bets:
        return {entry.pk: list(score) for entry, score in meetings.scores(one)}
    return {
        seat.entry_id: list(counted.score(table.outcome, seat=seat.index, moves=table.moves))
        for seat in Seat.objects.filter(table=one.table_id)
    }
