"""The staff action that opens the market on a race, with the same services as REST."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from core.errors import NotFound
from games import selectors
from games.models import GameRecord
from games.money import markets
from games.staff.actions import person
from ledger.betting import forms as staff_terms
from ledger.betting.terms import Terms
from ledger.models import Market
from ledger.services import allowed_terms
from ledger.staff.actions import actor
from staff.actions import ActionAdmin, Done, FormData, dry_run


def may_open(request: HttpRequest) -> bool:
    return any(request.user.has_perm(permission) for permission in staff_terms.MAY_OPEN)


def require_may_open(request: HttpRequest) -> None:
    if not may_open(request):
        raise PermissionDenied


def is_offered(request: HttpRequest, game: GameRecord) -> bool:
    """Return whether the game's page offers the action; its availability is checked when it runs."""
    return may_open(request) and markets.takes_markets(game.rules) and markets.market_on(game.pk) is None


def page(model_admin: ActionAdmin, request: HttpRequest, game_id: UUID) -> HttpResponse:
    require_may_open(request)
    try:
        game = selectors.visible_game(person(request), game_id, now=timezone.now())
    except NotFound:
        raise Http404 from None

    def opened(given: FormData, terms: Terms) -> Market:
        return markets.open_market(
            game=game, kind=given["kind"], terms=terms, opened_by=actor(request), now=timezone.now()
        )

    return opening(
        model_admin,
        request,
        opened,
        form_class=staff_terms.AnyTermsForm,
        title=f"Open a market on {game}",
        lead="A market on the winning suit. Betting is open until the first draw. The terms cannot be changed.",
        back=reverse("admin:games_gamerecord_change", args=[game.pk]),
    )


def opening(
    model_admin: ActionAdmin,
    request: HttpRequest,
    opened: Callable[[FormData, Terms], Market],
    *,
    form_class: type[staff_terms.PoolTermsForm],
    title: str,
    lead: str,
    back: str,
) -> HttpResponse:
    """Show the page on which a market is opened. `opened` is called with the form and its allowed terms."""

    def carry_out(given: FormData) -> Market:
        return opened(given, allowed_terms(request.user, staff_terms.terms_of(given)))

    return model_admin.run_action(
        request,
        title=title,
        action="open-market",
        form_class=form_class,
        preview=lambda given: dry_run(lambda: staff_terms.preview(carry_out(given))),
        perform=lambda given, key: _done(request, carry_out(given), back),
        button="Open market",
        lead=lead,
        cancel=back,
    )


def _done(request: HttpRequest, market: Market, back: str) -> Done:
    """Return the result, with a link to the market's page if the user may see it."""
    if request.user.has_perm("ledger.view_market"):
        back = reverse("admin:ledger_market_change", args=[market.pk])
    return Done("The market is open.", market.subject, back, result=f"market:{market.pk}")
