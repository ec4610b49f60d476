"""Bots of a meeting: how much of a bank on which runner, from what everybody may see of the market. Pure.

punters.get("steady").bets(Board(bank=1000, staked={"C": 40, "D": 0, "H": 10, "S": 0}, races=3), rng)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

Bets = Mapping[str, int]
"""Pence by runner, each at least 1, together no more than the bank."""


DEFAULT = "steady"


class UnknownPunter(LookupError):
    """Nobody bets by that name."""


@dataclass(frozen=True, slots=True)
class Board:
    """What the bot has to bet with, what stands on each runner, and how many races are left, this one included."""

    bank: int
    staked: Mapping[str, int]
    races: int


class Punter(Protocol):
    @property
    def name(self) -> str: ...

    def bets(self, board: Board, rng: Random) -> Bets: ...


class Steady:
    """A tenth of the bank, half of it on the runner least backed (all win equally often), half on one by chance."""

    name = "steady"

    def bets(self, board: Board, rng: Random) -> Bets:
        stake = _part(board.bank, 10)
        least = min(board.staked, key=lambda runner: (board.staked[runner], rng.random()))
        return _together((least, stake - stake // 2), (rng.choice(sorted(board.staked)), stake // 2))


class Chance:
    """Up to a quarter of the bank on a runner by chance."""

    name = "random"

    def bets(self, board: Board, rng: Random) -> Bets:
        most = _part(board.bank, 4)
        return _together((rng.choice(sorted(board.staked)), rng.randint(min(most, 1), most)))


class Bold:
    """The bank divided among the races that are left, all of this one's part on the runner least backed."""

    name = "bold"

    def bets(self, board: Board, rng: Random) -> Bets:
        least = min(board.staked, key=lambda runner: (board.staked[runner], rng.random()))
        return _together((least, _part(board.bank, board.races)))


_punters: tuple[Punter, ...] = (Steady(), Bold(), Chance())


def get(name: str) -> Punter:
    """Raises UnknownPunter."""
    for punter in _punters:
        if punter.name == name:
            return punter
    raise UnknownPunter(f"no bot {name!r} bets; there are {', '.join(names())}")


def names() -> list[str]:
    return [punter.name for punter in _punters]


def _part(bank: int, of: int) -> int:
    """At least a penny, if there is one."""
    return min(bank, max(1, bank // of))


def _together(*bets: tuple[str, int]) -> Bets:
    sums: dict[str, int] = {}
    for runner, stake in bets:
        if stake > 0:
            sums[runner] = sums.get(runner, 0) + stake
    return sums
