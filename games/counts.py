"""How many moves are made, by whom, for the scraper."""

from __future__ import annotations

from collections.abc import Iterable

from api.metrics import Counter
from games.rules import Fact

MOVES = Counter("racecard_moves", "Moves that were accepted", ["rules", "by"])


def count_moves(rules: str, facts: Iterable[Fact], *, commanded: bool) -> None:
    """Those among the facts; `commanded` if a client asked for them under a command."""
    for fact in facts:
        if "move" in fact.data:
            MOVES.labels(rules, _by(fact, commanded)).inc()


def _by(fact: Fact, commanded: bool) -> str:
    if fact.type == "expired" or (fact.seat is None and not commanded):
        return "server"
    return "player" if commanded else "bot"
