"""Exports of entries, pairings, and standings as CSV, and of all pairings as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import name_for
from core.errors import NotFound
from ledger.reports import spreadsheets
from ledger.reports.api import Csv, attachment, describe_csv
from ledger.reports.spreadsheets import Cell
from rest.budgets import BudgetedView
from rest.pagination import query
from rest.schema import describe
from tournaments import access, record, selectors
from tournaments.access import Viewer
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

    def row(entry: Entry) -> Row:
        shown = selectors.entry_document(entry, viewer, where=where)
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


def pairings(tournament: Tournament, viewer: Viewer, *, number: int | None = None) -> Sheet:
    """Return the pairings of one round or of all: a row for each seat of each game, and one for each bye.

    Scores appear once a round is closed, a game's id once it is dealt.
    """
    measures = [measure.name for measure in record.load(tournament.pk).measures]
    wanted = tournament.played_rounds.order_by("number")
    if number is not None:
        wanted = wanted.filter(number=number)
    where = round_selectors.stage_map(tournament)
    rows = (row for round in wanted for row in _pairings_of(round, viewer, where, measures=len(measures)))
    return Sheet((*PAIRING, *measures), rows)


def _pairings_of(round: Round, viewer: Viewer, where: StageMap, *, measures: int) -> Iterator[Row]:
    """Yield rows in the order of tables, games, and seats, then the byes."""
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
            shown = results.of(one.table.number, one.deal, seat.entry.number)
            number = results.correction(one.table.number, one.deal)
            ended = shown.ended if shown is not None and number is not None else one.ended or None
            score = [None] * measures if shown is None else shown.score
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


# --- serializers -------------------------------------------------------------------------------------


class PairingOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    table = serializers.IntegerField(allow_null=True, help_text="null: a bye")
    seat = serializers.IntegerField(allow_null=True)
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null unless the viewer has signed in")
    number = serializers.IntegerField(
        allow_null=True, help_text="the game's number at the table in the round"
    )
    deal = serializers.IntegerField(allow_null=True)
    game = serializers.UUIDField(allow_null=True)
    ended = serializers.CharField(
        allow_null=True, help_text="null: not yet; bye: no opponent; otherwise how the game ended"
    )
    correction = serializers.IntegerField(
        allow_null=True, help_text="the number of the last correction of the game; null: not corrected"
    )
    stage = serializers.IntegerField(allow_null=True, help_text="1 or 2 in the format `stages`")
    group = serializers.IntegerField(allow_null=True, help_text="the group in the first stage, from 1")
    score = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="null until the round has been closed"
    )


class PairingsOutput(serializers.Serializer[Any]):
    measures = serializers.ListField(
        child=serializers.CharField(), help_text="the measures of a score, in order"
    )
    results = PairingOutput(many=True)


# --- views -------------------------------------------------------------------------------------------


class TournamentCsv(BudgetedView, Csv):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"


def _attached(sheet: Sheet, name: str) -> HttpResponseBase:
    return attachment(spreadsheets.table(sheet.heads, sheet.rows), name=f"{name}.csv")


class EntriesCsv(TournamentCsv):
    @describe_csv("tournament_entries_csv", "Export the entries as CSV", parameters=[])
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(entries(tournament, request.user), "entries")


class StandingsCsv(TournamentCsv):
    @describe_csv(
        "tournament_standings_csv", "Export the standings, now or at an event, as CSV", parameters=[AT]
    )
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        at = asked_version(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(standings(tournament, request.user, at=at), "standings")


class PairingsCsv(TournamentCsv):
    @describe_csv("tournament_pairings_csv", "Export every seat of every game as CSV", parameters=[])
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(pairings(tournament, request.user), "pairings")


class RoundCsv(TournamentCsv):
    @describe_csv("tournament_round_csv", "Export every seat of every game of a round as CSV", parameters=[])
    def get(self, request: Request, tournament_id: UUID, number: int) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        if not tournament.played_rounds.filter(number=number).exists():
            raise NotFound
        return _attached(pairings(tournament, request.user, number=number), f"round-{number}")


class Pairings(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe("tournament_pairings", "List every seat of every game", response=PairingsOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        sheet = pairings(tournament, request.user)
        known = len(PAIRING)
        return Response(
            {
                "measures": sheet.heads[known:],
                "results": [
                    {**dict(zip(PAIRING, row[:known], strict=True)), "score": _score(row[known:])}
                    for row in sheet.rows
                ],
            }
        )


def _score(cells: Row) -> Row | None:
    return None if None in cells else cells
