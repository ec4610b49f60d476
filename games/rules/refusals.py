"""Refusals of moves and configs: their codes, the rulings that they cite, and their grounds in the present position.

A game's own rulings are its `rulings`; those that apply in every game are here. Each refusal names a code from here and
a ruling of either kind. A ground is an English sentence with placeholders; its key and values serve translations and
contain nothing that the sentence does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

Value = str | int

GROUNDS: Mapping[str, str] = {
    # The form of a move.
    "no-object": "the move is not a JSON object",
    "no-type": "`type` is missing or is not text",
    "known-moves": "the moves are {moves}",
    "unknown-key": "`{move}` has no key {key!r}",
    "key-form": "`{key}` {why}",
    "missing-key": "`{move}` needs `{key}`",
    "seat-beyond": "there is no seat {seat}",
    "rule-without-ace": "`rule` stands with an Ace only",
    "rule-missing": "`rule` is missing: {card} names one",
    "direction-with-ace": "`direction` does not stand with {card}",
    "direction-missing": "`direction` is missing: this is the first play under above-below",
    "direction-not-due": "no first play under above-below is due",
    # The table.
    "seat-taken": "seat {seat} is taken",
    "suit-needed": "`suit` is missing: the suits left are {suits}",
    "no-suits": "`suit` is not chosen at this table",
    "no-such-suit": "`suit` must be one of {suits}",
    "suit-taken": "{suit} are taken; still free are {suits}",
    "suit-of-too-many": "too many seats have {suit}",
    "nobody-seated": "no player has seat {seat}",
    "seated": "seated: {seats}",
    "dealt": "the cards have been dealt",
    "seat-of-config": "the config names seat {seat} of {seats}",
    "caps-apart": "each seat has its own cap",
    "long-before-cap": "a race ends long before the cap of moves",
    "nobody-waited-for": "no seat is waited for in a race",
    # Whose turn it is.
    "turn-of": "it is the turn of seat {seat}",
    "no-turns": "no seat has a turn to pass",
    "no-move-of-phase": "`{move}` is no move of this phase",
    "moves-spent": "seat {seat} has made its {moves:,} moves",
    "stuck-already": "seat {seat} is stuck already",
    # Where cards come from.
    "stock-empty": "the stock is empty",
    "stock-left": "{count} cards are left in the stock",
    "last-pass-over": "the last pass is over",
    "stock-empty-last-pass": "the stock is empty and the last pass is over",
    "no-redeal": "no redeal is left",
    "waste-empty": "the waste is empty",
    "stock-and-waste-empty": "stock and waste are empty",
    "draw-pile-empty": "the draw pile is empty",
    "draw-pile-left": "{count} cards are left in the draw pile",
    "drawn-already": "{card} has been drawn",
    "drawn-left-out": "{card} has been drawn and is not among the cards",
    "not-in-hand": "{card} is not in the hand, or named twice",
    "pile-is-empty": "{pile} is empty",
    "only-base": "{pile} holds nothing but its base, {card}",
    "lies-face-up": "{card} lies face up",
    "lies-face-down": "the last card of {pile} lies face down",
    "few-face-up": "{pile} has {count} cards face up",
    "few-cards": "{pile} has {count} cards",
    "lies-there": "{card} lies there already",
    "all-on-foundations": "every card is on the foundations",
    # Where they go.
    "no-ace": "{card} is no Ace",
    "no-king": "{card} is no King",
    "aces-full": "aces holds four already",
    "complete": "{pile} is complete with {card}",
    "complete-put": "{pile} is complete: seat {seat} was first with {top}",
    "complete-before": "{pile} is complete: seat {seat} was first with {top}, before {card}",
    "shows": "{pile} shows {top}, the card is {card}",
    "shows-nothing": "{pile} shows nothing, the card is {card}",
    "shows-before": "{pile} shows {top}: seat {seat} was first with {other}, before {card}",
    "suit-of-pile": "{pile} is of {suit}, the card is {card}",
    "foundations-started": "{count} foundations have been started",
    "not-one-higher-on": "{card} is not one rank higher than {top} on {pile}",
    "not-one-lower-on": "{card} is not one rank lower than {top} on {pile}",
    "not-one-lower": "{card} is not one lower than {top}",
    "same-colour": "{card} is of the colour of {top}",
    # Bids, gifts and plays of Ace Race.
    "highest-bid": "the highest bid is {bid}",
    "lowest-bid": "the lowest bid is 0",
    "last-bid": "the last bid is {bid}",
    "gift-to-itself": "a gift goes to another seat",
    "joker-among-cards": "a joker stands in `joker`, with a card 2…K in `cards`",
    "joker-with": "{joker} goes with one card 2…K, not with {cards}",
    "cards-together": "{count} cards are played together",
    "names-other-rule": "{card} does not name {rule}",
    "suit-of-rule": "the suit is {suit}, the card is {card}",
    "nothing-to-continue": "nothing that one card could continue was played",
    "not-higher": "{card} is not higher than the value {value}",
    "not-lower": "{card} is not lower than the value {value}",
    "does-not-continue": "{card} does not continue the value {value}",
    "has-value": "{card} has the value {value}",
    "not-one-value": "the cards are not of one value",
    "not-consecutive": "the values do not follow one another as listed",
}


@dataclass(frozen=True, slots=True)
class Ground:
    key: str
    values: Mapping[str, Value]

    @property
    def text(self) -> str:
        return GROUNDS[self.key].format(**self.values)


def because(key: str, /, **values: Value) -> Ground:
    """`card`, `top`, `other`, `joker` are cards, `cards` are several; `pile` a pile, `seat` counts from 0."""
    return Ground(key, values)


@dataclass(frozen=True, slots=True)
class Ruling:
    """A sentence that a refusal cites, its place in the rulebook, and the source sentence that it settles."""

    key: str
    reference: str
    text: str
    source: str = ""

    def document(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "reference": self.reference,
            "text": self.text,
            "source": self.source or None,
        }


class Refused(Exception):
    """An illegal move: a stable code, the ruling that it breaks, and the ground if the seat may know it.

    Nothing has changed when this is raised.
    """

    def __init__(self, code: str, ruling: Ruling, ground: Ground | None = None) -> None:
        self.code = code
        self.ruling = ruling
        self.ground = ground
        super().__init__(f"{code}: {self.rule}" + (f" ({self.fact})" if ground else ""))

    @property
    def rule(self) -> str:
        """The ruling's sentence."""
        return self.ruling.text

    @property
    def fact(self) -> str | None:
        """The ground in words."""
        return None if self.ground is None else self.ground.text


class ConfigError(ValueError):
    """An invalid config; `field` names the key (empty: the whole config)."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}" if field else why)
        self.field = field
        self.why = why


class Code(NamedTuple):
    meaning: str
    malformed: bool = False
    """A move that no state would allow: the request itself is wrong."""


CODES = {
    "unknown-move": Code("There is no move of that type in this game.", malformed=True),
    "malformed-move": Code(
        "The move lacks a key, has one too many, or a value out of its form.", malformed=True
    ),
    "game-over": Code("The game has ended."),
    "not-your-turn": Code("Another seat is to act."),
    "rule-forbids": Code("The phase, or a rule that has no separate code, forbids it."),
    "no-such-card": Code("That card is not where the move says."),
    "no-such-pile": Code("There is no such pile."),
    "pile-empty": Code("Nothing lies there to be taken."),
    "pile-complete": Code("Nothing more can be put there."),
    "wrong-suit": Code("The card's suit does not fit."),
    "wrong-rank": Code("The card's rank does not fit."),
    "wrong-colour": Code("The card's colour does not fit."),
    "no-passes-left": Code("The stock has been gone through as often as allowed."),
    "cannot-undo": Code("The last move cannot be taken back."),
    "bid-too-low": Code("A bid must beat the last."),
    "bid-too-high": Code("A bid beyond the most that can be bid."),
    "must-draw-first": Code("The draw pile is not empty: draw before passing."),
    "no-such-seat": Code("There is no such seat."),
    "seat-taken": Code("Somebody sits there."),
    "seats-open": Code("The deal is made when every seat is taken."),
    "suit-needed": Code("At this table each seat chooses a suit: name one of C, D, H, S.", malformed=True),
    "no-suits": Code("The seats of this table have no suit.", malformed=True),
    "no-such-suit": Code("A suit is one of C, D, H, S.", malformed=True),
    "suit-taken": Code("No further seat may have that suit."),
}
"""In the order in which the rulebook names them, then those of the table."""

FORM_CODES = frozenset(code for code, about in CODES.items() if about.malformed)

A_MOVE = Ruling("a-move", "RULEBOOK 1", "A move is a JSON object with `type`.")
KNOWN_MOVES = Ruling("known-moves", "RULEBOOK 1", "Only the moves of the game are known.")
FORM = Ruling("form", "RULEBOOK 1", "An unknown or missing key, or a value outside its form, is malformed.")
SEATING = Ruling("seating", "RULEBOOK 1", "Every seat is seated at `dealt`, numbered from 0.")
CHOSEN_SUITS = Ruling(
    "chosen-suits",
    "RULEBOOK 2",
    "Under `chosen` each seat races with a suit that is chosen on sitting down; at tables of up to four "
    "seats no two have the same, at larger ones at most two.",
    "The primary goal in Racing Aces Solitaire is to be the first to advance your chosen suit (represented "
    "by an Ace) to the finish line.",
)
"""The sentence of Racing Aces that decides who may sit down with which suit."""

STARTED = Ruling("started", "RULEBOOK 1", "The deal is made when all seats have contributed (at the start).")
ENDED = Ruling("ended", "RULEBOOK 1", "`finished` or `voided` is last and nothing follows it.")

GENERAL = (A_MOVE, KNOWN_MOVES, FORM, SEATING, STARTED, ENDED)
"""Rulings that apply to every move of every game."""

NOT_DEALT = Ruling(
    "not-dealt", "RULEBOOK 1", "The deal is made when all seats have contributed (at the start)."
)
OVER = Ruling("over", "RULEBOOK 1", "`finished` or `voided` is last and nothing follows it.")
"""The same sentences as rulings of a game, which its own moves cite."""

Fault = tuple[str, Ruling, Ground | None]
"""Why a move is illegal: the code, the ruling that forbids it, and the ground."""
