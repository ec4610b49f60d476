"""What a ruling changes in a tournament: the game's result is corrected there, and all that follows from it follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Player
from disputes import results
from disputes.effects import Document
from disputes.results import Result
from games import state
from games.models import GameRecord
from tournaments import corrections, record, selectors_corrections
from tournaments.corrections import Asked, Evidence
from tournaments.formats import corrected, scoring
from tournaments.formats.corrected import Worth
from tournaments.formats.corrections import Forfeited, Game, Scored, Swapped, Void, Way
from tournaments.formats.history import History
from tournaments.models import Seat, TableGame
from tournaments.problems import NoSuchResult

TOLD = ("correction", "standings", "pairings", "prizes", "outright", "ratings_stay")
"""Of what a correction shows; its token and version are the tournament's own."""


@dataclass(frozen=True, slots=True)
class AsFirstTold:
    """What the game was worth before anything about it was corrected."""

    results: Mapping[int, Worth]

    def __call__(self, state: History, known: Mapping[int, Worth]) -> dict[int, Worth]:
        return {entry: self.results[entry] for entry in known}


def correct(
    game: GameRecord, result: Result, *, reason: str, evidence: Evidence, actor: Player, now: datetime
) -> tuple[Document, Document]:
    """Correct the game's result in its tournament: what that changes, and where it stands.

    Raises NoSuchResult, and what `tournaments.corrections.correct` raises.
    """
    assert game.tournament is not None
    one = TableGame.objects.select_related("table__round").filter(game=game.pk).first()
    if one is None:
        raise NoSuchResult("Another game has replaced it at its table.")
    asked = Asked(
        game=Game(one.table.round.number, one.table.number, one.number),
        way=_way(game, one, result),
        reason=reason,
        evidence=evidence,
    )
    shown = corrections.preview(tournament_id=game.tournament, asked=asked, actor=actor, now=now)
    done = corrections.correct(
        tournament_id=game.tournament, asked=asked, token=shown.token, actor=actor, now=now
    )
    document = selectors_corrections.previewed(done)
    subject = f"tournament:{game.tournament}"
    caused = {"kind": "tournament", "subject": subject, "number": done.correction.number}
    return {name: document[name] for name in TOLD}, caused


def _way(game: GameRecord, one: TableGame, result: Result) -> Way:
    if result.kind == results.VOID:
        return Void()
    if result.kind == results.POINTS:
        return _adjusted(result)
    if result.kind == results.CORRECTED:
        return Scored(_scores(game, one, result))
    return AsFirstTold(_first_told(game, one))


def _adjusted(result: Result) -> Way:
    told = result.value
    if told["way"] == "score":
        return Scored({row["entry"]: tuple(row["score"]) for row in told["scores"]})
    return Forfeited(told["entries"]) if told["way"] == "forfeit" else Swapped(told["entries"])


def _scores(game: GameRecord, one: TableGame, result: Result) -> dict[int, tuple[int, ...]]:
    """By entry, what the outcome that counts is worth."""
    _, table = state.load(game.pk)
    counted = scoring.get(game.rules)
    seats = Seat.objects.filter(table=one.table_id).select_related("entry")
    return {
        seat.entry.number: tuple(counted.score(result.value, seat=seat.index, moves=table.moves))
        for seat in seats
    }


def _first_told(game: GameRecord, one: TableGame) -> dict[int, Worth]:
    assert game.tournament is not None
    known = record.load(game.tournament)
    first = corrected.first_told(known.snapshot())
    return {
        told.entry: corrected.worth(told)
        for told in (first.get(corrected.key(now), now) for now in known.results)
        if (told.round, told.table, told.deal) == (one.table.round.number, one.table.number, one.deal)
    }
