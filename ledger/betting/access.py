"""Who may open markets: administrators on any terms, organizers within a limit to each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.conf import settings

from api.errors import Forbidden
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
