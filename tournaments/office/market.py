"""Opening the market on a tournament's winner from its console, by those who may over REST, by the same services."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from api.deeds import Given
from games.office import market as race
from ledger.betting import office_terms
from ledger.betting.models import Market
from ledger.betting.terms import Terms
from ledger.office.commands import actor
from tournaments import markets
from tournaments.models import Status, Tournament
from tournaments.office.desk import Desk, address, deed_page


def offered(request: HttpRequest, tournament: Tournament) -> str:
    """The address at which it is done, while it can be; empty else."""
    is_time = tournament.status == Status.PUBLISHED and markets.market_on(tournament.pk) is None
    return address("tournament_market", tournament) if is_time and race.may_open(request) else ""


@deed_page("tournament_market", "market/")
def market_page(desk: Desk, request: HttpRequest, tournament: Tournament) -> HttpResponse:
    race.require_may_open(request)

    def opened(given: Given, terms: Terms) -> Market:
        return markets.open_market(
            tournament_id=tournament.pk, terms=terms, opened_by=actor(request), now=timezone.now()
        )

    return race.opening(
        desk,
        request,
        opened,
        form_class=office_terms.PoolTermsForm,
        title=f"Open a market on {tournament.name}",
        lead="A pool on its winner. Betting is open until it starts; who enters later becomes a runner.",
        back=address("tournament_console", tournament),
    )
