"""The games that are played in matches, and what their rules say about several deals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.rules.ace_race import match as ace_race


@dataclass(frozen=True, slots=True)
class Series:
    next_config: Callable[[Mapping[str, Any], Mapping[str, Any]], dict[str, Any]]
    """The config of the next deal, from that of a deal and its outcome."""
    standings: Callable[[Sequence[Mapping[str, Any]], int], Sequence[Any]]
    """How the seats stand after these outcomes, the best first."""


SERIES = {"ace-race": Series(ace_race.next_config, ace_race.standings)}
