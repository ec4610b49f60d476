"""A bot for Racing Demons: its demon and the foundations first, then the waste. Then it says that it is stuck."""

from __future__ import annotations

from collections.abc import Sequence

from racecard_client.bot import Move, View


class RacingDemons:
    rules = ("racing-demons",)

    def __init__(self) -> None:
        self.turns = 0
        """The number of turns since the last play."""

    def choose(self, view: View, legal: Sequence[Move]) -> Move | None:
        best = max(legal, key=lambda move: value(view["you"], move))
        if value(view["you"], best) > 0:
            self.turns = 0
            return best
        by_type = {move["type"]: move for move in legal}
        self.turns += 1
        if "turn" in by_type and self.turns <= view["you"]["stock"] + view["you"]["waste_count"]:
            return by_type["turn"]
        return by_type.get("stuck") or by_type.get("pass")  # neither: wait for the other seats


def value(you: View, move: Move) -> int:
    """The best move has the highest number; 0 for one that plays no card of the demon or the waste."""
    if move["type"] != "move":
        return 0
    source, goes_up = move["from"], move["to"].startswith("foundation")
    whole = source.startswith("work") and move.get("count", 1) == len(you["work"][int(source[-1])])
    from_demon = source == "demon" or whole  # the demon fills an empty pile
    return int(3 * from_demon + 2 * goes_up + (source == "waste"))
