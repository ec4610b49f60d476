"""REST of what an organizer takes along: entries, pairings and standings as CSV, the pairings of all rounds as JSON."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponseBase
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response

from api.budgets import BudgetedView
from api.errors import NotFound
from api.query import query
from api.schema import describe
from ledger.records import csvs
from ledger.records.api import Csv, describe_csv
from tournaments import access, exports
from tournaments.api_rounds import AT, asked_version
from tournaments.exports import PAIRING, Sheet
from tournaments.serializers_exports import PairingsOutput


class TournamentCsv(BudgetedView, Csv):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"


def _attached(sheet: Sheet, name: str) -> HttpResponseBase:
    return csvs.attachment(csvs.table(sheet.heads, sheet.rows), name=f"{name}.csv")


class EntriesCsv(TournamentCsv):
    @describe_csv("tournament_entries_csv", "Who has entered, as CSV", parameters=[])
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(exports.entries(tournament, request.user), "entries")


class StandingsCsv(TournamentCsv):
    @describe_csv("tournament_standings_csv", "The standings, now or as of an event, as CSV", parameters=[AT])
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        at = asked_version(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(exports.standings(tournament, request.user, at=at), "standings")


class PairingsCsv(TournamentCsv):
    @describe_csv("tournament_pairings_csv", "Every seat of every game of every round, as CSV", parameters=[])
    def get(self, request: Request, tournament_id: UUID) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        return _attached(exports.pairings(tournament, request.user), "pairings")


class RoundCsv(TournamentCsv):
    @describe_csv("tournament_round_csv", "Every seat of every game of a round, as CSV", parameters=[])
    def get(self, request: Request, tournament_id: UUID, number: int) -> HttpResponseBase:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        if not tournament.played_rounds.filter(number=number).exists():
            raise NotFound
        return _attached(exports.pairings(tournament, request.user, number=number), f"round-{number}")


class Pairings(BudgetedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    budget = "history"

    @describe("tournament_pairings", "Every seat of every game of every round", response=PairingsOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        query(request)
        tournament = access.visible(request.user, tournament_id)
        sheet = exports.pairings(tournament, request.user)
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


def _score(cells: exports.Row) -> exports.Row | None:
    return None if None in cells else cells
