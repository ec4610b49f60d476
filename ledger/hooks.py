"""Functions and data that other packages register with the ledger at start-up.

The ledger knows no games and no tournaments. Their packages register who takes part in an event, which bets to refuse,
which games are played for money, how their money follows from their events, and the stake tables of a new
installation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, NamedTuple, Protocol
from uuid import UUID

from core.commands import Condition
from ledger.errors import BadStakeTable
from ledger.reconciliation.derivations import Derivation as Derivation
from ledger.reconciliation.derivations import Derived as Derived
from ledger.reconciliation.derivations import Flow as Flow
from ledger.reconciliation.derivations import by_key as by_key
from ledger.reconciliation.derivations import register_derivation as register_derivation
from ledger.stakes.terms import Figures

if TYPE_CHECKING:
    from ledger.betting.models import Market, Runner

# --- participants ------------------------------------------------------------------------------------

ParticipantCheck = Callable[[UUID, UUID], bool]
"""Whether a player (second id) takes part in an event (first id)."""

_participant_checks: dict[str, ParticipantCheck] = {}


def register_participants(kind: str, check: ParticipantCheck) -> None:
    """Register the check for events of a kind, such as `game`."""
    _participant_checks[kind] = check


def participant_check(kind: str) -> ParticipantCheck | None:
    return _participant_checks.get(kind)


# --- names of subjects -------------------------------------------------------------------------------


class SubjectName(NamedTuple):
    """The name of a game or tournament for a player, and what came of it for the player.

    rules, title  the slug of the game; the title of a tournament
    place, of     the player's place from 1, and the number of places
    cards         the player's cards at the end of a game against the bank
    """

    rules: str = ""
    title: str = ""
    place: int | None = None
    of: int | None = None
    cards: int | None = None


Names = Callable[[UUID, Collection[UUID]], Mapping[UUID, SubjectName]]
_names: dict[str, Names] = {}


def register_names(kind: str, names: Names) -> None:
    """Register a function that returns the names of subjects of a kind for a player, in a few queries for all."""
    _names[kind] = names


def names_of(kind: str, player: UUID, ids: Collection[UUID]) -> Mapping[UUID, SubjectName]:
    """Return the names of those that exist."""
    names = _names.get(kind)
    return names(player, ids) if names and ids else {}


RunnerNames = Callable[[str, Collection[str]], Mapping[str, str]]
_runner_names: dict[str, RunnerNames] = {}


def register_runner_names(kind: str, names: RunnerNames) -> None:
    """Register a function that returns runners of markets on subjects of a kind in words, by their names."""
    _runner_names[kind] = names


def runner_names(subject: str, names: Collection[str]) -> dict[str, str]:
    """Return the runners of a market on a subject as staff read them, such as `H` as "Hearts"."""
    kind, _, key = subject.partition(":")
    known = _runner_names[kind](key, names) if kind in _runner_names else {}
    return {name: known.get(name, name) for name in names}


_title_of_game: Callable[[str], str] = str


def register_game_titles(title: Callable[[str], str]) -> None:
    """Register a function that returns the title of a game of these rules."""
    global _title_of_game
    _title_of_game = title


def game_title(rules: str) -> str:
    """Return the title of the game of these rules, such as "Ace Race"."""
    return _title_of_game(rules)


# --- self-exclusion ----------------------------------------------------------------------------------

OnExclusion = Callable[[UUID], None]
_on_exclusion: list[OnExclusion] = []


def register_exclusion(hook: OnExclusion) -> None:
    """Call `hook` in the transaction in which a player is excluded from play."""
    _on_exclusion.append(hook)


def player_excluded(player: UUID) -> None:
    for hook in _on_exclusion:
        hook(player)


# --- bets --------------------------------------------------------------------------------------------

BetGuard = Callable[["Market", "Runner", UUID], None]
BetCondition = Callable[["Market", UUID], Condition]


class _Guard(NamedTuple):
    check: BetGuard
    condition: BetCondition | None


_bet_guards: dict[str, list[_Guard]] = {}


def register_bet_guard(kind: str, condition: BetCondition | None = None) -> Callable[[BetGuard], BetGuard]:
    """Register a function that may refuse bets by raising. The market's row is locked then.

    `kind` is the kind of subject that is bet on, such as `game`, or `play` for bets of play money. With `condition`,
    which is true if the function does not raise, the function runs only after the statement that stores the bet has
    found it false.
    """

    def register(guard: BetGuard) -> BetGuard:
        _bet_guards.setdefault(kind, []).append(_Guard(guard, condition))
        return guard

    return register


def check_bet(market: Market, runner: Runner, player: UUID) -> None:
    """Raise what the first guard without a condition that refuses the bet raises."""
    for guard in _guards(market):
        if guard.condition is None:
            guard.check(market, runner, player)


def bet_condition(market: Market, player: UUID) -> Condition:
    """Return the conditions of the guards that have one."""
    conditions = [each.condition(market, player) for each in _guards(market) if each.condition]
    return reduce(and_, conditions, Condition("1 = 1", ()))


def explain_refused_bet(market: Market, runner: Runner, player: UUID) -> None:
    """Raise what the first guard raises whose condition was false."""
    for guard in _guards(market):
        guard.check(market, runner, player)


def _guards(market: Market) -> list[_Guard]:
    kind = market.subject.partition(":")[0]
    return [*_bet_guards.get(kind, ()), *(_bet_guards.get("play", ()) if market.play else ())]


# --- staked games ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StakeQuote:
    """The possible results of a stake, in pence.

    pay_per_card, max_win  against the bank: the pay per card, and the pay for all cards
    break_even_cards       against the bank: the number of cards that return the stake
    returns                against the bank: what a careful player wins back on average, by mode, in basis points
    pot, rake, places      among players: the sum of the buy-ins, the site's rake, the award of each unshared place
    """

    pay_per_card: int | None = None
    max_win: int | None = None
    break_even_cards: int | None = None
    returns: Mapping[str, int] = field(default_factory=dict)
    pot: int | None = None
    rake: int | None = None
    places: tuple[int, ...] = ()


class StakedGame(Protocol):
    """A game that is played for money."""

    @property
    def pooled(self) -> bool:
        """Whether the players play for a pot, without a bank."""
        ...

    @property
    def takes_bets(self) -> bool:
        """Whether the stake tables of this game set the bounds and the bank of bets."""
        ...

    @property
    def from_cash(self) -> bool:
        """Whether a player pays from cash instead of a play session."""
        ...

    def mode_faults(self, mode: str) -> list[str]:
        """Return what is wrong with a mode, one sentence each."""
        ...

    def faults(self, mode: str, figures: Figures) -> list[str]:
        """Return why the game cannot be played for these valid figures, one sentence each."""
        ...

    def risk(self, mode: str, figures: Figures) -> int:
        """Return the pence that the bank may lose in one game at the maximum stake; 0 without a bank."""
        ...

    def quote(self, mode: str, figures: Figures, *, stake: int, seats: int) -> StakeQuote:
        """Return the possible results of a valid stake at a table of this many seats."""
        ...


_staked_games: dict[str, StakedGame] = {}


def register_staked_game(rules: str, game: StakedGame) -> None:
    _staked_games[rules] = game


def staked_games() -> list[str]:
    """Return the slugs of the games that are played for money."""
    return sorted(_staked_games)


def staked_game(rules: str) -> StakedGame:
    """Raises BadStakeTable if the game is unknown or not played for money."""
    found = _staked_games.get(rules)
    if found is None:
        raise BadStakeTable(f"Games for money are {', '.join(staked_games())}.")
    return found


def pooled_games() -> list[str]:
    """Return the slugs of the games whose tables have no bank."""
    return sorted(rules for rules, game in _staked_games.items() if game.pooled)


def betting_games() -> list[str]:
    """Return the slugs of the games whose stake tables are for bets."""
    return sorted(rules for rules, game in _staked_games.items() if game.takes_bets)


# --- stake tables ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InitialTable:
    """A stake table that every installation has from its first migration on."""

    slug: str
    rules: str
    figures: Figures


_initial_tables: dict[str, InitialTable] = {}


def register_stake_table(slug: str, rules: str, figures: Figures) -> None:
    """Register a stake table to be created by `migrate` if it is missing."""
    _initial_tables[slug] = InitialTable(slug, rules, figures)


def initial_tables() -> list[InitialTable]:
    return list(_initial_tables.values())
