"""A bot for Idle Aces: it builds the card of the waste when that is possible, and draws otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from racecard_client.bot import Move, View


class IdleAces:
    rules = ("idle-aces",)

    def choose(self, view: View, legal: Sequence[Move]) -> Move:
        built = [move for move in legal if move.get("from") == "waste"]
        return built[0] if built else self.without_a_card(legal)

    def without_a_card(self, legal: Sequence[Move]) -> Move:
        by_type = {move["type"]: move for move in legal}
        return by_type.get("draw") or by_type.get("redeal") or by_type["resign"]
