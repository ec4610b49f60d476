"""Entries, pairings and standings as tables: heads and rows, names as the viewer may see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.names import name_for
from ledger.records.csvs import Cell
from tournaments import record, selectors, whereabouts
from tournaments.access import Viewer
from tournaments.models import Entry, Round, Seat, TableGame, Tournament
from tournaments.results import results_of
from tournaments.whereabouts import Whereabouts

Row = Sequence[Cell]

PAIRING = (
    "round", "table", "seat", "entry", "player", "name", "number", "deal", "game", "ended", "correction", "stage",
    "group",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sheet:
    heads: Sequence[str]
    rows: Iterator[Row]


def entries(tournament: Tournament, viewer: Viewer) -> Sheet:
    """The field in entry order."""
    heads = (
        "entry", "player", "name", "kind", "client_seed", "entered_at", "retired_after", "disqualified",
        "group",
    )  # fmt: skip
    where = whereabouts.of(tournament)

    def row(entry: Entry) -> Row:
        told = selectors.entry_document(entry, viewer, where=where)
        return [
            *(told[head] for head in heads[:5]),
            entry.entered_at.isoformat(),
            entry.retired_after,
            _yes(told["disqualified"]),
            told["group"],
        ]

    return Sheet(heads, (row(entry) for entry in selectors.entries(tournament)))


def standings(tournament: Tournament, viewer: Viewer, *, at: int | None = None) -> Sheet:
    """The standings, with a column for each of what parts the field. Raises NoSuchVersion."""
    told = selectors.standings(tournament, viewer, at=at)
    columns = [measure["name"] for measure in told["measures"]]
    heads = (
        "place", "entry", "player", "name", *columns, "games", "disqualified", "prize", "currency",
        "stage", "group",
    )  # fmt: skip
    rows = (
        [
            one["place"], one["entry"], one["player"], one["name"], *one["totals"], one["games"],
            _yes(one["disqualified"]), one["prize"], tournament.currency,
            one["stage"], one["group"],
        ]
        for one in told["standings"]
    )  # fmt: skip
    return Sheet(heads, rows)


def pairings(tournament: Tournament, viewer: Viewer, *, number: int | None = None) -> Sheet:
    """Who sat where and what came of it, a row for each seat of each game; who sat out has a row without a table.

    Of one round or of all. Scores are shown once a round has been closed, a game's id once it has been dealt.
    """
    measures = [measure.name for measure in record.load(tournament.pk).measures]
    wanted = tournament.played_rounds.order_by("number")
    if number is not None:
        wanted = wanted.filter(number=number)
    where = whereabouts.of(tournament)
    rows = (row for round in wanted for row in _pairings_of(round, viewer, where, measures=len(measures)))
    return Sheet((*PAIRING, *measures), rows)


def _pairings_of(round: Round, viewer: Viewer, where: Whereabouts, *, measures: int) -> Iterator[Row]:
    """In the order of tables, games and seats, then the byes."""
    seated: dict[int | None, list[Seat]] = {}
    for seat in (
        Seat.objects.filter(round=round).select_related("entry__player").order_by("index", "entry__number")
    ):
        seated.setdefault(seat.table_id, []).append(seat)
    results = results_of(round.tournament, round)

    def at(seat: Seat) -> Row:
        return where.stage(round.number), where.group_at(round.number, seat.entry.number)

    for one in TableGame.objects.of_round(round).select_related("table"):
        game = (one.number, one.deal, str(one.game) if one.dealt_at else None)
        for seat in seated[one.table_id]:
            told = results.of(one.table.number, one.deal, seat.entry.number)
            number = results.correction(one.table.number, one.deal)
            ended = told.ended if told is not None and number is not None else one.ended or None
            score = [None] * measures if told is None else told.score
            yield [
                round.number, one.table.number, seat.index, *_who(seat, viewer), *game, ended, number, *at(seat),
                *score,
            ]  # fmt: skip
    for seat in seated.get(None, []):
        yield [
            round.number, None, None, *_who(seat, viewer), None, None, None, "bye", None, *at(seat),
            *[None] * measures,
        ]  # fmt: skip


def _who(seat: Seat, viewer: Viewer) -> tuple[int, str, str | None]:
    player = seat.entry.player
    return seat.entry.number, str(player.pk), name_for(viewer, player)


def _yes(value: Any) -> str:
    return "yes" if value else "no"
