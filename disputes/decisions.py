"""What an auditor says: a finding, a remedy with its terms, and why. Pure.

| remedy | terms |
|---|---|
| `dismissed` | none; on appeal the result is again what it was before the first ruling |
| `void` | none: what was staked goes back, in a tournament the game is worth nothing |
| `corrected` | `options`: judged again under these options (none: as it was played); or `outcome`: what is decided |
| `points` | in a tournament: `way` (`score`, `forfeit`, `swap`) with `scores` or `entries` |
| `replay` | of a suspended game `version`, from which it goes on; of one that has ended none: a new deal |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from disputes import states

Terms = Mapping[str, Any]


class BadDecision(ValueError):
    """A decision that cannot be; says why in a sentence."""


@dataclass(frozen=True, slots=True)
class Decision:
    finding: str
    remedy: str
    reason: str
    terms: Terms = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises BadDecision."""
        if self.finding not in states.FINDINGS:
            raise BadDecision(f"A finding is one of {', '.join(states.FINDINGS)}.")
        if self.remedy not in states.REMEDIES:
            raise BadDecision(f"A remedy is one of {', '.join(states.REMEDIES)}.")
        if (self.finding == states.REJECTED) != (self.remedy == states.DISMISSED):
            raise BadDecision("A claim that is rejected is dismissed, and no other is.")
        if not self.reason.strip():
            raise BadDecision("A ruling has a reason.")
        _TERMS[self.remedy](self.terms)

    def document(self) -> dict[str, Any]:
        return {
            "finding": self.finding,
            "remedy": self.remedy,
            "terms": dict(self.terms),
            "reason": self.reason,
        }


def _none(terms: Terms) -> None:
    if terms:
        raise BadDecision("This remedy has no terms.")


def _replay(terms: Terms) -> None:
    if terms and (terms.keys() != {"version"} or not _whole(terms["version"]) or terms["version"] < 1):
        raise BadDecision("A replay goes on from a `version` of the game; after its end it has no terms.")


def _corrected(terms: Terms) -> None:
    if terms.keys() not in ({"options"}, {"outcome"}) or not all(
        isinstance(one, Mapping) for one in terms.values()
    ):
        raise BadDecision("A result is corrected by `options`, judged again, or by a decided `outcome`.")


def _points(terms: Terms) -> None:
    wanted = {"score": {"way", "scores"}, "forfeit": {"way", "entries"}, "swap": {"way", "entries"}}
    if set(terms) != wanted.get(str(terms.get("way")), {""}):
        raise BadDecision("Points are adjusted by `score` with `scores`, `forfeit` or `swap` with `entries`.")
    if "entries" in terms and not (isinstance(terms["entries"], list) and all(map(_whole, terms["entries"]))):
        raise BadDecision("`entries` are numbers of entries.")
    if "scores" in terms:
        _check_scores(terms["scores"])


def _check_scores(scores: Any) -> None:
    if not isinstance(scores, list) or not all(
        isinstance(row, Mapping)
        and row.keys() == {"entry", "score"}
        and _whole(row["entry"])
        and isinstance(row["score"], list)
        and all(map(_whole, row["score"]))
        for row in scores
    ):
        raise BadDecision("`scores` have an `entry` and its `score`, a number for each measure.")
    if len({row["entry"] for row in scores}) != len(scores):
        raise BadDecision("Each entry is named once.")


def _whole(value: object) -> bool:
    return type(value) is int and abs(value) <= 10**9


_TERMS: Mapping[str, Callable[[Terms], None]] = {
    states.DISMISSED: _none,
    states.VOID: _none,
    states.REPLAY: _replay,
    states.CORRECTED: _corrected,
    states.POINTS: _points,
}
