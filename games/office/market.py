"""Opening the market on a race from the back office, by those who may over REST, by the same services."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from api.deeds import Commands, Done, Given, rehearse
from api.errors import NotFound
from games import markets, selectors
from games.models import GameRecord
from games.office.deeds import person
from ledger.betting import office_terms
from ledger.betting.access import allowed_terms
from ledger.betting.models import Market
from ledger.betting.terms import Terms
from ledger.office.commands import actor


def may_open(request: HttpRequest) -> bool:
    return any(request.user.has_perm(permission) for permission in office_terms.MAY_OPEN)


def require_may_open(request: HttpRequest) -> None:
    if not may_open(request):
        raise PermissionDenied


def is_offered(request: HttpRequest, game: GameRecord) -> bool:
    """Whether the page of a game offers it; whether it can be done is asked when it is."""
    return may_open(request) and markets.takes_markets(game.rules) and markets.market_on(game.pk) is None


def page(desk: Commands, request: HttpRequest, game_id: UUID) -> HttpResponse:
    require_may_open(request)
    try:
        game = selectors.visible_game(person(request), game_id, now=timezone.now())
    except NotFound:
        raise Http404 from None

    def opened(given: Given, terms: Terms) -> Market:
        return markets.open_market(
            game=game, kind=given["kind"], terms=terms, opened_by=actor(request), now=timezone.now()
        )

    return opening(
        desk,
        request,
        opened,
        form_class=office_terms.AnyTermsForm,
        title=f"Open a market on {game}",
        lead="On the suit that wins. Betting is open until the first draw; its terms stay as they are.",
        back=reverse("admin:games_gamerecord_change", args=[game.pk]),
    )


def opening(
    desk: Commands,
    request: HttpRequest,
    opened: Callable[[Given, Terms], Market],
    *,
    form_class: type[office_terms.PoolTermsForm],
    title: str,
    lead: str,
    back: str,
) -> HttpResponse:
    """The page on which a market is opened; `opened` is given the form and its terms, as far as they are allowed."""

    def carry_out(given: Given) -> Market:
        return opened(given, allowed_terms(request.user, office_terms.terms_of(given)))

    return desk.command(
        request,
        title=title,
        action="open-market",
        form_class=form_class,
        preview=lambda given: rehearse(lambda: office_terms.preview(carry_out(given))),
        deed=lambda given, key: _done(request, carry_out(given), back),
        button="Open it",
        lead=lead,
        cancel=back,
    )


def _done(request: HttpRequest, market: Market, back: str) -> Done:
    """The market's page is shown then, to who may see it."""
    if request.user.has_perm("ledger.view_market"):
        back = reverse("admin:ledger_market_change", args=[market.pk])
    return Done("The market is open.", market.subject, back, made=f"market:{market.pk}")
