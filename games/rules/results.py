"""The result of a game for one seat, from the outcome that its events record. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RUNNING, WON, LOST, DRAWN, PLAYED, VOID = "running", "won", "lost", "drawn", "played", "void"

RESULTS = (
    (RUNNING, "the game has not ended"),
    (WON, "alone in first place; alone at the table: the game was solved, or returned more than its stake"),
    (LOST, "behind the first place; alone at the table: not solved, or returned less than its stake"),
    (DRAWN, "first place was shared or had no seat; alone at the table: the stake was returned"),
    (PLAYED, "a game for points that is neither won nor lost"),
    (VOID, "the game ended without an outcome"),
)
NAMES = tuple(name for name, _ in RESULTS)


def result_for(outcome: Mapping[str, Any], seat: int, *, stake: int = 0) -> str:
    """Return the result for a seat. `stake` is what the seat staked against the bank, in pence."""
    if stake and "winnings" in outcome:
        gain = outcome["winnings"] - stake
        return WON if gain > 0 else LOST if gain < 0 else DRAWN
    best = outcome["places"][0] if "places" in outcome else outcome.get("winners")
    if best is not None:
        return DRAWN if not best else LOST if seat not in best else WON if len(best) == 1 else DRAWN
    if "complete" in outcome:
        return WON if outcome["complete"] else PLAYED
    return outcome["result"] if outcome.get("result") in (WON, LOST) else PLAYED
