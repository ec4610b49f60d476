"""Opening the market on a race from the back office, by those who may over REST, by the same services."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from api.deeds import Commands, Done, Given, Preview, rehearse
from api.errors import NotFound
from games import markets, selectors
from games.models import GameRecord
from games.office.deeds import person
from ledger.betting import office_terms
from ledger.betting.access import allowed_terms
from ledger.betting.models import Market
from ledger.office.commands import actor


def may_open(request: HttpRequest) -> bool:
    return any(request.user.has_perm(permission) for permission in office_terms.MAY_OPEN)


def is_offered(request: HttpRequest, game: GameRecord) -> bool:
    """Whether the page of a game offers it; whether it can be done is asked when it is."""
    return may_open(request) and markets.takes_markets(game.rules) and markets.market_on(game.pk) is None


def page(desk: Commands, request: HttpRequest, game_id: UUID) -> HttpResponse:
    if not may_open(request):
        raise PermissionDenied
    try:
        game = selectors.visible_game(person(request), game_id, now=timezone.now())
    except NotFound:
        raise Http404 from None
    back = reverse("admin:games_gamerecord_change", args=[game.pk])

    def opened(given: Given) -> Market:
        return markets.open_market(
            game=game,
            kind=given["kind"],
            terms=allowed_terms(request.user, office_terms.terms_of(given)),
            opened_by=actor(request),
            now=timezone.now(),
        )

    def shown(given: Given) -> Preview:
        return rehearse(lambda: office_terms.preview(opened(given)))

    def carry_out(given: Given, key: str) -> Done:
        return done(request, opened(given), back)

    return desk.command(
        request,
        title=f"Open a market on {game}",
        action="open-market",
        form_class=office_terms.AnyTermsForm,
        preview=shown,
        deed=carry_out,
        button="Open it",
        lead="On the suit that wins. Betting is open until the first draw; its terms stay as they are.",
        cancel=back,
    )


def done(request: HttpRequest, market: Market, back: str) -> Done:
    """The market's page is shown then, to who may see it."""
    if request.user.has_perm("ledger.view_market"):
        back = reverse("admin:ledger_market_change", args=[market.pk])
    return Done("The market is open.", market.subject, back, made=f"market:{market.pk}")
