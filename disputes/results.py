"""What a game has come to, after the rulings that stand on it. Pure.

A game's stream says what happened, and is never changed; a ruling says what it counts as. Of several the last that
changes anything counts. On appeal the first ruling counts no longer, so a claim that is dismissed then leaves the game
as it was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from disputes import states

RECORDED = "recorded"
VOID = "void"
CORRECTED = "corrected"
POINTS = "points"


@dataclass(frozen=True, slots=True)
class Result:
    """`recorded`: as the stream tells it. `corrected` has the outcome that counts, `points` how they are adjusted."""

    kind: str = RECORDED
    value: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        return {"kind": self.kind, **({"value": dict(self.value)} if self.value else {})}


AS_RECORDED = Result()


def of(remedy: str, value: Mapping[str, Any]) -> Result | None:
    """The result that a remedy makes; None where it leaves what there was."""
    if remedy in (states.VOID, states.REPLAY):
        return Result(VOID)
    if remedy == states.CORRECTED:
        return Result(CORRECTED, value)
    if remedy == states.POINTS:
        return Result(POINTS, value)
    return None


def read(document: Mapping[str, Any]) -> Result:
    return Result(document["kind"], document.get("value", {}))


def standing(rulings: Iterable[tuple[str, Mapping[str, Any]]]) -> Result:
    """After these rulings, in the order in which they were made: remedy and what it makes the result."""
    last = AS_RECORDED
    for remedy, becomes in rulings:
        if remedy != states.DISMISSED:
            last = read(becomes)
    return last
