"""What each stage of a tournament of stages is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the two stages of a tournament of stages, in the named format.

    The first has so many `rounds` (0: one cycle of its largest group) in so many `groups`; `qualify` of all its
    entrants go on. The second is a knockout and needs no more than its format.
    """

    format: str
    rounds: int = 0
    groups: int = 1
    qualify: int = 0

    def document(self) -> dict[str, Any]:
        return asdict(self)
