"""Stopping a disputed game before its end, and letting it go on."""

from __future__ import annotations

from datetime import datetime

from disputes.models import Dispute


def let_go_on(dispute: Dispute, *, now: datetime) -> None:
    """Resume the game where this dispute was all that it waited for."""
