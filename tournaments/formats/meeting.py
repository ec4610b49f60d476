"""`meeting`: a card of races, on which everyone bets play money from equal banks. The largest bank wins.

No one sits at a race. All entrants of a round stand at its one table, and their result is what they staked and what
it returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from tournaments.formats.protocol import (
    BaseFormat,
    Measure,
    Pairing,
    Part,
    Reckoning,
    Result,
    Snapshot,
    Standing,
    Table,
    added,
)
from tournaments.formats.scoring.tiebreaks import by_totals

BANK = Measure("bank", "most", "play money after the last race that was settled, in pence")
AHEAD = Measure("ahead", "most", "races that brought back more than was staked on them")
BEST = Measure("best", "most", "the most that one race brought beyond what was staked on it, in pence")
COLUMNS = (BANK, AHEAD, BEST)


class Meeting(BaseFormat):
    slug = "meeting"
    name = "Race meeting"
    fewest_rounds = 1
    on_bets = True

    def suits(self, seats: Sequence[int]) -> bool:
        """Return whether the game runs without seats."""
        return 0 in seats

    def algorithm(self, snapshot: Snapshot) -> str:
        return "meeting@1"

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """Return one race with all entrants in entry order, or no table if all have left."""
        present = tuple(entrant.entry for entrant in snapshot.present(round))
        return Pairing(round, (Table(1, present),) if present else ())

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        return COLUMNS

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        counted_rows = self.arithmetic(snapshot)
        totals = {
            entry: tuple(reckoned[column.name].value for column in COLUMNS)
            for entry, reckoned in counted_rows.items()
        }
        return by_totals(snapshot, totals, COLUMNS)

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        races: dict[int, list[Result]] = {entrant.entry: [] for entrant in snapshot.entrants}
        for result in snapshot.results:
            races[result.entry].append(result)
        return {entry: _reckoned(snapshot.bank, results) for entry, results in races.items()}


def gain(result: Result) -> int:
    """Return what a race added to the bank or took from it."""
    returned, staked = result.score
    return returned - staked


def banks(snapshot: Snapshot) -> dict[int, int]:
    """Return each entrant's bank after the recorded races."""
    left = {entrant.entry: snapshot.bank for entrant in snapshot.entrants}
    for result in snapshot.results:
        left[result.entry] += gain(result)
    return left


def counted(snapshot: Snapshot, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    """Return the banks before and after a race. `snapshot` is what was known before it."""
    before = banks(snapshot)
    counted_rows = []
    for row in rows:
        returned, staked = row["score"]
        had = before[row["entry"]]
        counted_rows.append(
            {
                "entry": row["entry"],
                "before": had,
                "staked": staked,
                "returned": returned,
                "after": had - staked + returned,
            }
        )
    return counted_rows


def faults(rows: Sequence[Mapping[str, int]]) -> list[str]:
    """Return impossible amounts: stakes beyond the bank, and play money that appears or disappears."""
    found = [f"entry {row['entry']} staked more than it had" for row in rows if row["staked"] > row["before"]]
    staked, returned = (sum(row[name] for row in rows) for name in ("staked", "returned"))
    if staked != returned:
        found.append(f"{staked} pence were staked and {returned} came back")
    return found


def _reckoned(opening: int, results: Sequence[Result]) -> dict[str, Reckoning]:
    parts = [Part("at the start", opening)]
    for result in results:
        returned, staked = result.score
        parts += [Part("staked", -staked, result.round)] if staked else []
        parts += [Part("returned", returned, result.round)] if returned else []
    won = [Part("ahead", 1, result.round) for result in results if gain(result) > 0]
    best = max(results, key=lambda result: (gain(result), -result.round), default=None)
    top = () if best is None or gain(best) <= 0 else (Part("beyond the stakes", gain(best), best.round),)
    return {BANK.name: added(parts), AHEAD.name: added(won), BEST.name: added(top)}


Bets = Mapping[str, int]
"""Pence by runner: each at least 1, and together at most the bank."""


DEFAULT = "steady"


class UnknownBettingBot(LookupError):
    """There is no betting bot of that name."""


@dataclass(frozen=True, slots=True)
class Board:
    """The bot's bank, the stakes on each runner, and the number of races left, including this one."""

    bank: int
    staked: Mapping[str, int]
    races: int


class BettingBot(Protocol):
    @property
    def name(self) -> str: ...

    def bets(self, board: Board, rng: Random) -> Bets: ...


class Steady:
    """Bets a tenth of the bank: half on the least backed runner, half on a random one."""

    name = "steady"

    def bets(self, board: Board, rng: Random) -> Bets:
        stake = _part(board.bank, 10)
        least = min(board.staked, key=lambda runner: (board.staked[runner], rng.random()))
        return _together((least, stake - stake // 2), (rng.choice(sorted(board.staked)), stake // 2))


class Chance:
    """Bets up to a quarter of the bank on a random runner."""

    name = "random"

    def bets(self, board: Board, rng: Random) -> Bets:
        most = _part(board.bank, 4)
        return _together((rng.choice(sorted(board.staked)), rng.randint(min(most, 1), most)))


class Bold:
    """Divides the bank by the races left, and bets this race's part on the least backed runner."""

    name = "bold"

    def bets(self, board: Board, rng: Random) -> Bets:
        least = min(board.staked, key=lambda runner: (board.staked[runner], rng.random()))
        return _together((least, _part(board.bank, board.races)))


_punters: tuple[BettingBot, ...] = (Steady(), Bold(), Chance())


def get(name: str) -> BettingBot:
    """Return the bot of that name. Raises UnknownBettingBot."""
    for punter in _punters:
        if punter.name == name:
            return punter
    raise UnknownBettingBot(f"no bot {name!r} bets; there are {', '.join(names())}")


def names() -> list[str]:
    return [punter.name for punter in _punters]


def _part(bank: int, of: int) -> int:
    """Return a share of the bank: at least one penny if there is one."""
    return min(bank, max(1, bank // of))


def _together(*bets: tuple[str, int]) -> Bets:
    sums: dict[str, int] = {}
    for runner, stake in bets:
        if stake > 0:
            sums[runner] = sums.get(runner, 0) + stake
    return sums
