"""Who may open markets – administrators as they like, organizers within a limit to each – and who may rule on one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings

from api.errors import Forbidden
from ledger.betting.models import Bet, BetStatus
from ledger.betting.terms import Terms


def allowed_terms(user: Any, terms: Terms) -> Terms:
    """The terms on which this account may open a market; an organizer's without a cap get the highest allowed.

    Raises Forbidden.
    """
    if user.has_perm("ledger.open_market"):
        return terms
    if not user.has_perm("ledger.offer_market"):
        raise Forbidden("Markets are opened by administrators, and by organizers within their limit.")
    most = settings.RACECARD_ORGANIZER_MARKET_CAP
    if terms.cap is None:
        return replace(terms, cap=most)
    if terms.cap > most:
        raise Forbidden(f"An organizer's market is capped at {most} pence at most.")
    return terms


def check_disinterested(*, market: UUID, ruling: UUID) -> None:
    """Raises Forbidden if who rules on the market has a bet in it, whatever has become of it."""
    if Bet.objects.filter(market=market, player=ruling).exclude(status=BetStatus.CANCELLED).exists():
        raise Forbidden("Nobody rules on a market that they have bet in.")
