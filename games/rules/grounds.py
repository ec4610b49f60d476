"""Grounds of refusals: why a move is illegal in the present position, as sentences with placeholders.

The sentence is English; the key and the values serve translations and contain nothing that the sentence does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
