"""Opening the market on a tournament's winner from its console, by those who may over REST, by the same services."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from api.deeds import Done, Given, Preview, rehearse
from games.office import market as race
from ledger.betting import office_terms
from ledger.betting.access import allowed_terms
from ledger.betting.models import Market
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
    if not race.may_open(request):
        raise PermissionDenied
    back = address("tournament_console", tournament)

    def opened(given: Given) -> Market:
        return markets.open_market(
            tournament_id=tournament.pk,
            terms=allowed_terms(request.user, office_terms.terms_of(given)),
            opened_by=actor(request),
            now=timezone.now(),
        )

    def shown(given: Given) -> Preview:
        return rehearse(lambda: office_terms.preview(opened(given)))

    def carry_out(given: Given, key: str) -> Done:
        return race.done(request, opened(given), back)

    return desk.command(
        request,
        title=f"Open a market on {tournament.name}",
        action="open-market",
        form_class=office_terms.PoolTermsForm,
        preview=shown,
        deed=carry_out,
        button="Open it",
        lead="A pool on its winner. Betting is open until it starts; who enters later becomes a runner.",
        cancel=back,
    )
