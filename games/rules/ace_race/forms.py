"""The form of a config and of moves, and the moves as they are written (RULEBOOK 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.rules.ace_race.position import CHAINED, DIRECTIONS, SEATS, STRICT
from games.rules.ace_race.rules import ACES, RULES
from games.rules.cards import CARD, SUITS, TEXT
from games.rules.forms import LARGEST, Among, Field, Form, MoveForms, Whole
from games.rules.refusals import FORM, Refused, because

MOST_CARDS = 4
"""In one play: there are four cards of a value."""
MOST_GIFTS = 2
RULE_NAMES = tuple(dict.fromkeys(rule.name for rule in RULES))


@dataclass(frozen=True, slots=True)
class OrNull:
    form: Form

    def fault(self, value: object) -> str | None:
        return None if value is None else self.form.fault(value)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.form.schema(), {"type": "null"}]}


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of 1 to `most` values of one form."""

    form: Form
    most: int

    def fault(self, value: object) -> str | None:
        if not isinstance(value, list) or not 1 <= len(value) <= self.most:
            return f"must be a list of 1…{self.most}"
        return next((f"holds an item that {why}" for item in value if (why := self.form.fault(item))), None)

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.form.schema(), "minItems": 1, "maxItems": self.most}


@dataclass(frozen=True, slots=True)
class Exactly:
    """An object with these keys and no other."""

    keys: Mapping[str, Form]

    def fault(self, value: object) -> str | None:
        if not isinstance(value, dict) or value.keys() != self.keys.keys():
            return f"must be an object of {', '.join(f'`{key}`' for key in self.keys)}"
        return next(
            (f"`{key}` {why}" for key, form in self.keys.items() if (why := form.fault(value[key]))), None
        )

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {key: form.schema() for key, form in self.keys.items()},
            "required": list(self.keys),
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True)
class NamedRule:
    """`{"name":"high"}`; only Suits has, and must have, a `suit` too."""

    def fault(self, value: object) -> str | None:
        if isinstance(value, dict) and value in _RULE_DOCUMENTS:
            return None
        return f"must be an object with one of the names {', '.join(RULE_NAMES)}, and with `suit` for suits alone"

    def schema(self) -> dict[str, Any]:
        plain = [name for name in RULE_NAMES if name != "suits"]
        return {"oneOf": [_rule_schema(plain), _rule_schema(["suits"], suit={"enum": list(SUITS)})]}


def _rule_schema(names: list[str], **more: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"name": {"enum": names}, **more},
        "required": ["name", *more],
        "additionalProperties": False,
    }


_RULE_DOCUMENTS = [rule.document() for rule in RULES]

SEAT = Whole(0, max(SEATS) - 1)
CARDS = Among(TEXT)
FIELDS = {
    "dealer": Field(SEAT, 0, about="seat; the deal and the bidding begin at its left", title="Dealer"),
    "previous_winner": Field(
        OrNull(SEAT),
        optional=True,
        about="seat that may give cards away before the first play; null for none and after a shared win",
        title="Winner of the previous deal",
    ),
    "continuation": Field(
        Among((STRICT, CHAINED)),
        STRICT,
        about="whether a single card that continues a multiple or a series may be continued in its turn",
        ruling="continuation",
        title="Single card after a multiple or series",
        labels={STRICT: "Cannot be continued", CHAINED: "Can be continued"},
    ),
}
FORMS = MoveForms(
    {
        "bid": {"cards": Field(Whole(-LARGEST, LARGEST), about="0…6, and more than the last bid")},
        "pass": {},
        "rule": {"rule": Field(NamedRule())},
        "give": {"gifts": Field(Listed(Exactly({"card": CARDS, "to": SEAT}), MOST_GIFTS))},
        "decline": {},
        "play": {
            "cards": Field(Listed(CARDS, MOST_CARDS)),
            "joker": Field(Among(("X1", "X2")), optional=True, about="lies under the one card of `cards`"),
            "rule": Field(NamedRule(), optional=True, about="with an Ace, and only with one"),
            "direction": Field(
                Among(("higher", "lower")), optional=True, about="with the first play under above-below alone"
            ),
        },
        "draw": {},
    }
)


def check(move: object, seats: int) -> None:
    """Check the form. `seats` is 0 if it is unknown. Raises Refused: `malformed-move` or `unknown-move`."""
    FORMS.check(move)
    assert isinstance(move, dict)
    if move["type"] == "play":
        _check_ace(move)
    elif move["type"] == "give" and seats:
        for gift in move["gifts"]:
            if gift["to"] >= seats:
                raise Refused("malformed-move", FORM, because("seat-beyond", seat=gift["to"]))


def _check_ace(move: dict[str, Any]) -> None:
    ace = next((text for text in move["cards"] if CARD[text] in ACES), None)
    if ace is None and "rule" in move:
        raise Refused("malformed-move", FORM, because("rule-without-ace"))
    if ace is not None and "rule" not in move:
        raise Refused("malformed-move", FORM, because("rule-missing", card=ace))
    if ace is not None and "direction" in move:
        raise Refused("malformed-move", FORM, because("direction-with-ace", card=ace))


def rule_of(document: Mapping[str, Any]) -> int:
    """The index of a rule that is written in its form."""
    return _RULE_DOCUMENTS.index(dict(document))


def direction_of(text: str | None) -> int:
    return DIRECTIONS.index(text)
