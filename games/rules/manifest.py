"""The manifest of a game: everything that the platform asks about it, besides its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from games.rules.protocol import Game, UnknownGame
from games.rules.scoring import Scoring
from ledger.stakes.terms import Figures

if TYPE_CHECKING:
    from games.bots.protocol import Bot

View = dict[str, Any]
Outcome = Mapping[str, Any]

MoveWithFacts = Mapping[str, Any]
"""`move` and `facts` of an event, with their private parts."""

BUY_IN_TABLE = Figures(minimum=100, maximum=100_000, step=10, default=500)
"""The usual stake table of a game for pots: £1 to £1,000 a seat, without a bank."""

RESERVED = frozenset({"created", "seated", "left", "dealt", "expired", "finished", "voided"})
"""Events that are not moves."""


class CannotDecide(ValueError):
    """An outcome that the game cannot have; the message is a sentence for the auditor."""


class Ended(NamedTuple):
    """An ended game; `outcome` is None if it is void."""

    config: Any
    seats: int
    outcome: Outcome | None

    @property
    def recorded(self) -> Outcome:
        """The recorded outcome. Raises CannotDecide for a void game."""
        if self.outcome is None:
            raise CannotDecide("A void game has no outcome: replay it instead.")
        return self.outcome


@dataclass(frozen=True, slots=True)
class Stakes:
    """How a game is played for money at stake tables, and the stake tables of a new installation by slug.

    `bank`: one seat stakes against the bank. The config has `stake` in pence and `win_rate`, the view `max_win`, and
    the outcome `winnings`. `pot`: each seat pays a buy-in. `bets`: the stake tables set the bounds of bets.
    """

    kind: Literal["bank", "pot", "bets"]
    tables: Mapping[str, Figures]
    mean_cards: Mapping[str, Fraction] = field(default_factory=dict)
    """`bank`: the cards that a careful player is paid for on average, by mode (`option=value`), as far as measured."""


@dataclass(frozen=True, slots=True)
class BuyIns:
    """A game whose seats may pay a buy-in. The pot is divided by the outcome's `places`, lists of seats."""

    accepts: Callable[[Mapping[str, Any]], bool] = lambda config: True
    """Whether the game can be played for buy-ins under this config, written as JSON."""
    unless: str = ""
    """The condition in words, for the refusal of other configs."""
    winner_takes_all: bool = False
    """Whether the first place takes the whole pot, without a rake."""


@dataclass(frozen=True, slots=True)
class Decides:
    """The member of an outcome that a ruling decides, for a form that names the players.

    `choice`: one of `choices`, values with their words. `number`: from `least` to `most`. `numbers`: one for each seat.
    `places`: lists of seats, the first place first.
    """

    name: str
    label: str
    kind: Literal["choice", "number", "numbers", "places"]
    choices: tuple[tuple[Any, str], ...] = ()
    least: int = 0
    most: int = 0


OnDraw = Literal["refund", "lose"]


class Odds(NamedTuple):
    """The exact chances in a race."""

    suits: tuple[Fraction, ...]
    """The chance of each suit, C D H S."""
    no_winner: Fraction

    def fair_return(self, suit: int, *, on_draw: OnDraw) -> Fraction | None:
        """Return the fair return on one unit, including the unit; None if the suit cannot win.

        1/p where a race without a winner loses, (1 − p(no winner))/p where it refunds.
        """
        chance = self.suits[suit]
        if not chance:
            return None
        return (1 - self.no_winner if on_draw == "refund" else 1) / chance


@dataclass(frozen=True, slots=True)
class WinMarket:
    """A game without decisions, whose winning suit can be bet on. Its outcome names the `winner`, or null."""

    first_move: dict[str, Any]
    """The operator's move that closes the market and makes the deal."""
    odds: Callable[[Any], Odds]
    """The odds for anyone who sees the table in this state of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A game. Every function is pure."""

    versions: tuple[Game, ...]
    """The rules, the oldest first. Changed rules are a new version; the old ones remain, to read old games."""
    chapter: str
    """Where the rules are published."""
    bots: tuple[Bot, ...] = ()
    """The one named `steady` is the default."""
    hints: bool = False
    """Whether a player may ask the strongest bot for a move."""
    results: Mapping[str, str] = field(default_factory=dict)
    """The words for the outcome's `result`."""
    sentences: Mapping[str, Callable[[MoveWithFacts], str]] = field(default_factory=dict)
    """What a seat did, by the type of the move, to follow "Seat 1"."""
    open_view: Callable[[View, Any], View] = lambda view, state: view
    """The spectator's view and the state, with every card where it is; face-down piles are lists, top last."""
    decided: Callable[[Ended, Outcome], dict[str, Any]] | None = None
    """The complete outcome from the part that a ruling decides; the rest is derived, so that an outcome cannot
    contradict itself. Raises CannotDecide. None: no ruling can decide an outcome."""
    decides: Decides | None = None
    """The part that `decided` takes, for the staff pages. None: only the API can decide an outcome."""
    scoring: Scoring | None = None
    """None: the game is not played in tournaments."""
    stakes: Stakes | None = None
    buy_ins: BuyIns | None = None
    market: WinMarket | None = None
    idle: timedelta = timedelta(hours=24)
    """After this time the server plays for absent seats."""

    def __post_init__(self) -> None:
        """Raise ValueError for a contradiction."""
        if not self.versions or len({game.version for game in self.versions}) < len(self.versions):
            raise ValueError("a manifest has the rules of at least one version, each once")
        if any(game.slug != self.slug for game in self.versions):
            raise ValueError("all versions have the same slug")
        if taken := _move_types(self.newest) & RESERVED:
            raise ValueError(f"events of the table have the names of the moves {', '.join(sorted(taken))}")
        if self.bots and "steady" not in [bot.name for bot in self.bots]:
            raise ValueError("one bot is named `steady`")
        if self.stakes is not None and self.stakes.kind == "pot" and self.buy_ins is None:
            raise ValueError("a game for pots has buy-ins")

    @property
    def slug(self) -> str:
        return self.versions[0].slug

    @property
    def newest(self) -> Game:
        return self.versions[-1]

    def rules(self, version: int) -> Game:
        """Return the rules of a version. Raises UnknownGame."""
        for game in self.versions:
            if game.version == version:
                return game
        known = ", ".join(str(game.version) for game in self.versions)
        raise UnknownGame(f"no version {version} of {self.slug}; there are {known}")

    def document(self) -> dict[str, Any]:
        """Return what the catalogue adds to the rules."""
        return {
            "chapter": self.chapter,
            "results": dict(self.results),
            "bots": [bot.name for bot in self.bots],
            "hints": self.hints,
            "matches": self.newest.match_rules is not None,
            "stakes": None if self.stakes is None else self.stakes.kind,
            "tournaments": self.scoring is not None,
        }


def _move_types(game: Game) -> set[str]:
    return {form["properties"]["type"]["const"] for form in game.move_schema["oneOf"]}
