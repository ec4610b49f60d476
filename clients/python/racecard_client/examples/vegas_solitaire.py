"""A bot for Vegas Solitaire: it uncovers hidden cards first, draws last, and ends, since no move is ever undone."""

from __future__ import annotations

from collections.abc import Sequence

from racecard_client.bot import Move, View


class VegasSolitaire:
    rules = ("vegas-solitaire",)

    def choose(self, view: View, legal: Sequence[Move]) -> Move:
        return min(legal, key=lambda move: preference(view, move))


def preference(view: View, move: Move) -> int:
    """The best move has the lowest number."""
    if move["type"] != "move":
        return {"flip": 0, "draw": 60, "recycle": 70, "collect": 80}.get(move["type"], 99)
    source, _, number = move["from"].partition(":")
    if source == "foundation":
        return 99
    if move["to"] == "foundation":
        return 10
    if source == "waste":
        return 50
    column = view["columns"][int(number)]
    uncovers = move["count"] == len(column["up"]) and column["down"] > 0
    return 40 - column["down"] if uncovers else 99
