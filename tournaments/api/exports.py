"""Exports of entries, pairings, and standings as CSV, and of all pairings as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.http import HttpResponseBase
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from core.errors import NotFound
from ledger.reports import spreadsheets
from ledger.reports.api import Csv, attachment, describe_csv
from ledger.reports.spreadsheets import Cell
from rest.budgets import BudgetedView
from rest.documents import Uuid
from rest.pagination import query
from rest.schema import describe
from rest.scopes import Scope
from tournaments import access, record, selectors
from tournaments.access import Names, Viewer
from tournaments.api.rounds import AT, asked_version
from tournaments.models import Entry, Round, Seat, TableGame, Tournament
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds.selectors import StageMap, results_of

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
    """Return the field in entry order."""
    heads = (
        "entry", "player", "name", "kind", "client_seed", "entered_at", "retired_after", "disqualified",
        "group",
    )  # fmt: skip
    where = round_selectors.stage_map(tournament)
    names = Names(viewer, tournament)

    def row(entry: Entry) -> Row:
        shown: Mapping[str, Any] = selectors.entry_document(entry, viewer, where=where, names=names)
        return [
            *(shown[head] for head in heads[:5]),
            entry.entered_at.isoformat(),
            entry.retired_after,
            _yes(shown["disqualified"]),
            shown["group"],
        ]

    return Sheet(heads, (row(entry) for entry in selectors.entries(tournament)))


def standings(tournament: Tournament, viewer: Viewer, *, at: int | None = None) -> Sheet:
    """Return the standings, with one column for each tie-break. Raises NoSuchVersion."""
    shown = round_selectors.standings(tournament, viewer, at=at)
    columns = [measure["name"] for measure in shown["measures"]]
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
        for one in shown["standings"]
    )  # fmt: skip
    return Sheet(heads, rows)


class PairingOutput(TypedDict):
    round: int
    table: Annotated[int | None, "null: a bye"]
    seat: int | None
    entry: int
    player: Uuid
    name: Annotated[str | None, "null if the viewer may not see it"]
    number: Annotated[int | None, "the game's number at the table in the round"]
    deal: int | None
    game: Uuid | None
    ended: Annotated[str | None, "null: not yet; bye: no opponent; otherwise how the game ended"]
    correction: Annotated[int | None, "the number of the last correction of the game; null: not corrected"]
    stage: Annotated[int | None, "1 or 2 in the format `stages`"]
    group: Annotated[int | None, "the group in the first stage, from 1"]
    score: Annotated[list[int] | None, "null until the round has been closed"]


class PairingsOutput(TypedDict):
    measures: Annotated[list[str], "the measures of a score, in order"]
    results: list[PairingOutput]


def _measures(tournament: Tournament) -> list[str]:
    return [measure.name for measure in record.load(tournament.pk).measures]


def pairings(tournament: Tournament, viewer: Viewer, *, number: int | None = None) -> Iterator[PairingOutput]:
    """Yield the pairings of one round or of all: one for each seat of each game, and one for each bye.

    Scores appear once a round is closed, a game's id once it is dealt.
    """
    wanted = tournament.played_rounds.order_by("number")
    if number is not None:
        wanted = wanted.filter(number=number)
    where = round_selectors.stage_map(tournament)
    names = Names(viewer, tournament)
    for round in wanted:
        yield from _pairings_of(round, names, where)


def _pairings_of(round: Round, names: Names, where: StageMap) -> Iterator[PairingOutput]:
    """Yield the pairings in the order of tables, games, and seats, then the byes."""
    seated: dict[int | None, list[Seat]] = {}
    for seat in (
        Seat.objects.filter(round=round).select_related("entry__player").order_by("index", "entry__number")
    ):
        seated.setdefault(seat.table_id, []).append(seat)
    results = results_of(round.tournament, round)

    def as_bye(seat: Seat) -> PairingOutput:
        return {
            "round": round.number,
            "table": None,
            "seat": None,
            "entry": seat.entry.number,
            "player": str(seat.entry.player_id),
            "name": names.of(seat.entry),
            "number": None,
            "deal": None,
            "game": None,
            "ended": "bye",
            "correction": None,
            "stage": where.stage(round.number),
            "group": where.group_at(round.number, seat.entry.number),
            "score": None,
        }

    for one in TableGame.objects.of_round(round).select_related("table"):
        for seat in seated[one.table_id]:
            result = results.of(one.table.number, one.deal, seat.entry.number)
            correction = results.correction(one.table.number, one.deal)
            yield {
                **as_bye(seat),
                "table": one.table.number,
                "seat": seat.index,
                "number": one.number,
                "deal": one.deal,
                "game": str(one.game) if one.dealt_at else None,
                "ended": result.ended if result is not None and correction is not None else one.ended or None,
                "correction": correction,
                "score": None if result is None else list(result.score),
            }
    for seat in seated.get(None, []):
        yield as_bye(seat)


def _pairings_sheet(tournament: Tournament, viewer: Viewer, *, number: int | None = None) -> Sheet:
    measures = _measures(tournament)

    def row(one: Mapping[str, Any]) -> Row:
        return [*(one[name] for name in PAIRING), *(one["score"] or [None] * len(measures))]

    return Sheet((*PAIRING, *measures), map(row, pairings(tournament, viewer, number=number)))


def _yes(value: Any) -> str:
    return "yes" if value else "no"


# --- views -------------------------------------------------------------------------------------------


class TournamentCsv(BudgetedView, Csv):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"


def _attached(sheet: Sheet, name: str) -> HttpResponseBase:
    return attachment(spreadsheets.table(sheet.heads, sheet.rows), name=f"{name}.csv")


class EntriesCsv(TournamentCsv):
    @describe_csv("tournament_entries_csv", "Export the entries as CSV", scope=Scope.READ, parameters=[])
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(entries(tournament, request.user), "entries")


class StandingsCsv(TournamentCsv):
    @describe_csv(
        "tournament_standings_csv",
        "Export the standings, now or at an event, as CSV",
        scope=Scope.READ,
        parameters=[AT],
    )
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        at = asked_version(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(standings(tournament, request.user, at=at), "standings")


class PairingsCsv(TournamentCsv):
    @describe_csv(
        "tournament_pairings_csv", "Export every seat of every game as CSV", scope=Scope.READ, parameters=[]
    )
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(_pairings_sheet(tournament, request.user), "pairings")


class RoundCsv(TournamentCsv):
    @describe_csv(
        "tournament_round_csv",
        "Export every seat of every game of a round as CSV",
        scope=Scope.READ,
        parameters=[],
    )
    def get(self, request: Request, tournament_id: UUID, number: int) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        if not tournament.played_rounds.filter(number=number).exists():
            raise NotFound
        return _attached(_pairings_sheet(tournament, request.user, number=number), f"round-{number}")


class Pairings(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe(
        "tournament_pairings", "List every seat of every game", scope=Scope.READ, response=PairingsOutput
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        found: PairingsOutput = {
            "measures": _measures(tournament),
            "results": list(pairings(tournament, request.user)),
        }
        return Response(found)
