"""A bot for Racing Aces: it chooses a suit when it takes a seat, and draws if it is the operator of the race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from racecard_client.bot import Move, Table, View


class RacingAces:
    rules = ("racing-aces",)

    def seat(self, table: Table) -> Mapping[str, Any]:
        """Every suit has the same chance; fewer seats share the prize of a suit that is still free."""
        return {"suit": table.free_suits[0]} if table.free_suits else {}

    def choose(self, view: View, legal: Sequence[Move]) -> Move:
        return legal[0]
