"""The rounds of a tournament, and the tables of one: who sits where, what is still played."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from games.office.deeds import person
from tournaments import access, by_hand, progress, record, selectors, wishes
from tournaments.formats.protocol import Pairing
from tournaments.models import Round, RoundState, Table, TableGame, Tournament
from tournaments.office.by_hand import can_be_laid_out
from tournaments.office.pages import GOES_ON, show, tournament_page, whole_number
from tournaments.office.pairs import heeds_wishes

PAGE = 50
"""Tables of one page."""


@tournament_page("tournament_rounds", "rounds/")
def rounds_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    state = record.load(tournament.pk)
    following = state.closed + 1
    may_manage = access.may_manage(person(request), tournament)
    return show(
        request,
        tournament,
        tab="tournament_rounds",
        template="rounds.html",
        rounds=selectors.rounds(tournament)[::-1],
        may_lay_out=may_manage and can_be_laid_out(tournament),
        following=following,
        is_by_hand=by_hand.laid_out(state, following) is not None,
        wishes=wishes.said(tournament),
        may_wish=tournament.status in GOES_ON and may_manage and heeds_wishes(tournament),
    )


@tournament_page("tournament_round", "rounds/<int:number>/")
def round_page(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    round = tournament.played_rounds.filter(number=number).first()
    after = whole_number(request.GET.get("after", "0"))
    if round is None:
        raise Http404
    goes_on = "going" in request.GET
    tables = list(_tables(round, goes_on=goes_on).filter(number__gt=after)[: PAGE + 1])
    closed = round.state == RoundState.CLOSED
    pairing = _pairing(tournament, number)
    return show(
        request,
        tournament,
        tab="tournament_rounds",
        template="round.html",
        round=round,
        progress=None if closed else progress.of_round(round, now=timezone.now()),
        tables=tables[:PAGE],
        more=tables[PAGE - 1].number if len(tables) > PAGE else None,
        goes_on=goes_on,
        paged=after != 0,
        shows_scores=closed,
        may_correct=closed and access.may_rule(person(request), tournament),
        byes=pairing.byes if pairing else (),
        relaxed=pairing.relaxed if pairing else (),
    )


def _tables(round: Round, *, goes_on: bool) -> QuerySet[Table]:
    """With their seats and games; of those that go on alone, if asked."""
    tables = round.tables.order_by("number").prefetch_related("seats__entry__player", "games__scores__entry")
    if not goes_on:
        return tables
    return tables.filter(Exists(TableGame.objects.filter(table=OuterRef("pk"), ended_at=None)))


def _pairing(tournament: Tournament, number: int) -> Pairing | None:
    return next((one for one in record.load(tournament.pk).played if one.round == number), None)
