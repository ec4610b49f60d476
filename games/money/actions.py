"""The staff action that opens the market on a race."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from games import access
from games.models import GameRecord
from games.money import markets
from games.rules import title
from ledger.betting.actions import OpenMarket
from ledger.betting.forms import AnyTermsForm
from ledger.betting.terms import Terms
from ledger.models import Market
from staff.actions import FormData


class OpenRaceMarket(OpenMarket[GameRecord]):
    page = "games_gamerecord_market"
    route = "<uuid:pk>/market/"
    operations = ("games_market_create",)
    form = AnyTermsForm
    lead = "A market on the winning suit. Betting is open until the first draw. The terms cannot be changed."

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> GameRecord:
        return access.visible_game(actor, pk, now=timezone.now())

    def permits(self) -> bool:
        """Return whether the game has no market yet; whether it is early enough is checked by the action."""
        return markets.takes_markets(self.row.rules) and markets.market_on(self.row.pk) is None

    @property
    def title(self) -> str:
        return f"Open a market on {title(self.row.rules)}"

    def opened(self, data: FormData, terms: Terms, now: datetime) -> Market:
        return markets.open_market(game=self.row, kind=data["kind"], terms=terms, opened_by=self.by, now=now)
