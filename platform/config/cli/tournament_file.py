"""The file of `racecard tournament run`: a seed, the terms as the REST API takes them, and the bots.

seed = "club night"

[tournament]
name = "Club night"
format = "swiss"
rules = "ace-race"
rounds = 3

[[bots]]
count = 8
strategy = "steady"
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tournaments.automatic import Plan

MOST_BOTS = 10_000
OWN = (
    "opens_at", "check_in_seconds", "check_in_at", "round_times", "fill_to", "capacity", "currency", "no_show_seconds",
    "late_until",
)  # fmt: skip
"""Terms that the command decides: it starts at once, with exactly the bots of the file."""


class BadFile(ValueError):
    """The file does not say what tournament is meant; the text names the place."""


def read(text: str) -> Plan:
    """Raises BadFile, and BadTerms for terms that no tournament can have."""
    from django.conf import settings
    from rest_framework.exceptions import ValidationError

    from tournaments.automatic import Plan
    from tournaments.serializers_terms import TermsInput, terms_of

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"no TOML: {error}") from None
    if unknown := sorted(set(document) - {"seed", "tournament", "bots"}):
        raise BadFile(f"{unknown[0]}: unknown; known are seed, [tournament] and [[bots]]")
    seed, terms = document.get("seed"), document.get("tournament")
    if not isinstance(seed, str) or not seed:
        raise BadFile('seed: a text is needed, such as seed = "club night"')
    if not isinstance(terms, dict):
        raise BadFile("tournament: a table of terms is needed")
    if taken := [name for name in OWN if name in terms]:
        raise BadFile(f"tournament.{taken[0]}: decided by the command, not by the file")
    strategies = _strategies(document.get("bots"))
    judged = TermsInput(data={"config": {}, **terms})
    try:
        judged.is_valid(raise_exception=True)
    except ValidationError as error:
        raise BadFile(f"tournament: {_first(error.detail)}") from None
    given = {
        **judged.validated_data,
        "currency": settings.RACECARD_CURRENCY,
        "capacity": max(len(strategies), 2),
    }
    return Plan(seed, terms_of(given), strategies)


def _strategies(groups: Any) -> tuple[str, ...]:
    if not isinstance(groups, list) or not groups:
        raise BadFile("bots: at least one [[bots]] with count and strategy")
    found: list[str] = []
    for number, group in enumerate(groups, start=1):
        where = f"bots {number}"
        if not isinstance(group, dict) or set(group) - {"count", "strategy"}:
            raise BadFile(f"{where}: count and strategy, nothing else")
        count, strategy = group.get("count"), group.get("strategy", "steady")
        if type(count) is not int or not 1 <= count <= MOST_BOTS:
            raise BadFile(f"{where}: count is from 1 to {MOST_BOTS}")
        if not isinstance(strategy, str):
            raise BadFile(f"{where}: strategy is a text")
        found += [strategy] * count
    if len(found) > MOST_BOTS:
        raise BadFile(f"bots: at most {MOST_BOTS} in all")
    return tuple(found)


def _first(detail: Any, path: str = "") -> str:
    """`field: what is wrong with it`, of the first that is."""
    while isinstance(detail, (dict, list)) and detail:
        if isinstance(detail, dict):
            name, detail = next(iter(detail.items()))
            path = f"{path}.{name}".lstrip(".")
        else:
            detail = detail[0]
    return f"{path}: {detail}" if path else str(detail)
