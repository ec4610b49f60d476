"""The scorings of the registered games."""

from __future__ import annotations

from collections.abc import Sequence

from games.rules import registry
from games.rules.protocol import UnknownGame
from games.rules.scoring import NoScoring, Scoring


def get(rules: str) -> Scoring:
    """Return the scoring of a game. Raises NoScoring."""
    try:
        scoring = registry.manifest(rules).scoring
    except UnknownGame as error:
        raise NoScoring(str(error)) from None
    if scoring is None:
        raise NoScoring(f"{rules} has no scoring for tournaments")
    return scoring


def impossible(rules: str, scores: Sequence[tuple[int, ...]]) -> str:
    """Return `Scoring.impossible`; empty for a game without a scoring."""
    return get(rules).impossible(scores) if rules in known() else ""


def known() -> tuple[str, ...]:
    """Return the games that have a scoring."""
    return tuple(sorted(slug for slug, about in registry.manifests().items() if about.scoring))
