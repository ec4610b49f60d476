"""Sentences that describe events, with everything that they reveal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from games.evidence.differences import said
from games.rules.cards import SUIT_NAMES
from games.rules.registry import get

Whole = Mapping[str, Any]
"""Move and facts with their private parts."""

_NUMBERS = ("no cards", "one card", "two cards", "three cards", "four cards", "five cards", "six cards")


def sentence(event: Mapping[str, Any], slug: str) -> str:
    """Describe an event, its actor first. The event is as in a bundle. An unknown move is only named."""
    type, data = event["type"], event["data"]
    if "move" in data:
        whole = event["private"] if event["private"] and "move" in event["private"] else data
        did = _MOVES.get(slug, {}).get(whole["move"]["type"])
        text = did(whole) if did else f"makes the move {whole['move'].get('type')}"
        if type == "expired":
            return f"The server plays for {_seat(data.get('seat'))}, past its limit: {text}."
        return f"{_who(event['seat'])} {text}."
    describe = _TABLE.get(type)
    return describe(data) if describe else f"The event {type}."


def _who(seat: int | None) -> str:
    return "The operator" if seat is None else f"Seat {seat}"


def _seat(seat: int | None) -> str:
    return "the operator" if seat is None else f"seat {seat}"


def _cards(cards: list[str]) -> str:
    return " ".join(cards) or "nothing"


def _pile(name: str) -> str:
    """
    >>> _pile("column:3")
    'column 3'
    """
    return name.replace(":", " ")


# --- the table -------------------------------------------------------------------------------------


def _created(data: Whole) -> str:
    rules = get(data["rules"], data["rules_version"])
    parent = data.get("parent")
    continued = f" It continues game {parent['game']} from version {parent['version']}." if parent else ""
    return f"A table of {rules.name} is opened, its seed committed to as {data['commitment']}.{continued}"


def _finished(data: Whole) -> str:
    outcome = data["outcome"]
    text = ", ".join(
        f"{name.replace('_', ' ')} {said(value)}" for name, value in outcome.items() if _plain(value)
    )
    return f"The game is over: {text}."


def _plain(value: Any) -> bool:
    return isinstance(value, str | int) or (
        isinstance(value, list) and all(isinstance(item, int) for item in value)
    )


_TABLE: dict[str, Callable[[Whole], str]] = {
    "created": _created,
    "seated": lambda data: (
        f"Player {data['player']} sits down in seat {data['seat']}"
        + (f" with {SUIT_NAMES.get(data['suit'], data['suit'])}." if "suit" in data else ".")
    ),
    "left": lambda data: f"Seat {data['seat']} is left again.",
    "dealt": lambda data: "The cards are dealt.",
    "expired": lambda data: "The time is up.",
    "voided": lambda data: f"The game is called off: {data['reason']}.",
    "finished": _finished,
}

# --- moves, by game --------------------------------------------------------------------------------


def _race_draw(whole: Whole) -> str:
    return f"draws {_cards(whole['facts']['cards'])}"


def _auto(whole: Whole) -> str:
    up = whole["facts"].get("auto")
    return f"; the rest goes up by itself: {_cards(up)}" if up else ""


def _vegas_move(whole: Whole) -> str:
    move = whole["move"]
    moved = _cards(whole["facts"]["cards"])
    return f"moves {moved} from {_pile(move['from'])} to {_pile(move['to'])}{_auto(whole)}"


def _collect(whole: Whole) -> str:
    facts = whole["facts"]
    return f"collects: {facts['cards']} cards on the foundations, winnings {facts['winnings']}"


def _idle_play(whole: Whole) -> str:
    move = whole["move"]
    return f"plays {whole['facts']['card']} from {_pile(move['from'])} to {_pile(move['to'])}"


def _bidding_ends(whole: Whole) -> str:
    facts = whole["facts"]
    if "winner" not in facts:
        return ""
    return f"; seat {facts['winner']} wins the bidding and takes {_cards(facts['cards'])}"


def _bid(whole: Whole) -> str:
    return f"bids {_NUMBERS[whole['move']['cards']]}{_bidding_ends(whole)}"


def _rule(rule: Mapping[str, Any]) -> str:
    return f"{rule['name']} of {rule['suit']}" if "suit" in rule else str(rule["name"])


def _give(whole: Whole) -> str:
    gifts = (f"{gift['card']} to seat {gift['to']}" for gift in whole["move"]["gifts"])
    return f"gives {' and '.join(gifts)}"


def _ace_play(whole: Whole) -> str:
    move, facts = whole["move"], whole["facts"]
    text = f"plays {_cards(move['cards'])}"
    if "joker" in move:
        text += f" with the joker {move['joker']}"
    if "rule" in move:
        text += f" and names the rule {_rule(move['rule'])}"
    if "direction" in move:
        text += f", the next to be {move['direction']}"
    if "draw_pile" in facts:
        text += f"; the discards are shuffled into the draw pile, of {facts['draw_pile']} cards now"
    return text + ("; that earns a giveaway" if facts.get("giveaway") else "")


def _turn(whole: Whole) -> str:
    first = "turns the waste over to be the stock, then " if whole["facts"].get("flipped") else ""
    return f"{first}turns up {_cards(whole['facts']['cards'])}{_settled(whole)}"


def _demon_move(whole: Whole) -> str:
    move, facts = whole["move"], whole["facts"]
    target = f"foundation {facts['foundation']}, a new one" if "foundation" in facts else _pile(move["to"])
    text = f"moves {_cards(facts['cards'])} from {_pile(move['from'])} to {target}"
    if "filled" in facts:
        text += f"; {facts['filled']} fills the empty pile"
    return text + _settled(whole)


def _settled(whole: Whole) -> str:
    return "".join(f"; {_settling(step)}" for step in whole["facts"].get("settled", ()))


def _settling(step: Mapping[str, Any]) -> str:
    if "marked" in step:
        return f"seat {step['marked']} is marked stuck"
    return "every new stock turns its cards" if "burned" in step else f"the game ends: {step['ended']}"


Did = Callable[[Whole], str]

_MOVES: dict[str, dict[str, Did]] = {
    "racing-aces": {"draw": _race_draw},
    "vegas-solitaire": {
        "draw": lambda whole: f"draws {_cards(whole['facts']['cards'])} from the stock",
        "recycle": lambda whole: "turns the waste over to be the stock",
        "flip": lambda whole: (
            f"turns up {whole['facts']['card']} in column {whole['move']['column']}{_auto(whole)}"
        ),
        "move": _vegas_move,
        "undo": lambda whole: "takes the last move back",
        "collect": _collect,
    },
    "idle-aces": {
        "draw": lambda whole: f"draws {whole['facts']['card']} from the stock",
        "redeal": lambda whole: "turns the waste over to be the stock",
        "play": _idle_play,
        "resign": lambda whole: "resigns",
    },
    "ace-race": {
        "bid": _bid,
        "pass": lambda whole: f"passes{_bidding_ends(whole)}",
        "rule": lambda whole: f"names the rule {_rule(whole['move']['rule'])}",
        "give": _give,
        "decline": lambda whole: "gives nothing away",
        "play": _ace_play,
        "draw": lambda whole: f"draws {whole['facts']['card']}",
    },
    "racing-demons": {
        "turn": _turn,
        "move": _demon_move,
        "stuck": lambda whole: f"says to be stuck{_settled(whole)}",
        "pass": lambda whole: f"passes{_settled(whole)}",
    },
}
