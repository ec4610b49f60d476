"""Sentences that describe events, with everything that they reveal, and the differences between two tables in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypedDict

from games.rules.cards import SUIT_NAMES
from games.rules.registry import get, manifest

Whole = Mapping[str, Any]
"""Move and facts with their private parts."""

Amount = Callable[[int], str]
"""Formats pence."""

AMOUNTS = frozenset({"stake", "winnings", "win_rate", "max_win"})
"""The keys under which a game for money has pence."""

_NUMBERS = ("no cards", "one card", "two cards", "three cards", "four cards", "five cards", "six cards")


def sentence(event: Mapping[str, Any], slug: str, amount: Amount | None = None) -> str:
    """Describe an event, its actor first. The event is as in a bundle. An unknown move is only named.

    `amount` formats the amounts of a game for money.
    """
    if amount is not None:
        event = with_amounts(event, amount)
    type, data = event["type"], event["data"]
    if "move" in data:
        whole = event["private"] if event["private"] and "move" in event["private"] else data
        did = manifest(slug).sentences.get(whole["move"]["type"])
        text = did(whole) if did else f"makes the move {whole['move'].get('type')}"
        if type == "expired":
            return f"The server plays for {_seat(data.get('seat'))}, past its limit: {text}."
        return f"{_who(event['seat'])} {text}."
    describe = _TABLE.get(type)
    return describe(data) if describe else f"The event {type}."


def with_amounts(value: Any, amount: Amount) -> Any:
    """Return a JSON value with its amounts as text."""
    if isinstance(value, Mapping):
        return {
            key: amount(item) if key in AMOUNTS and type(item) is int else with_amounts(item, amount)
            for key, item in value.items()
        }
    return [with_amounts(item, amount) for item in value] if isinstance(value, list) else value


def _who(seat: int | None) -> str:
    return "The operator" if seat is None else f"Seat {seat}"


def _seat(seat: int | None) -> str:
    return "the operator" if seat is None else f"seat {seat}"


# --- the table -------------------------------------------------------------------------------------


def _created(data: Whole) -> str:
    rules = get(data["rules"], data["rules_version"])
    parent = data.get("parent")
    continued = f" It continues game {parent['game']} from version {parent['version']}." if parent else ""
    return f"A table of {rules.name} is opened, its seed committed to as {data['commitment']}.{continued}"


def _finished(data: Whole) -> str:
    outcome = data["outcome"]
    text = as_text({name: value for name, value in outcome.items() if _plain(value)})
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


# --- differences -----------------------------------------------------------------------------------


class TableChangeOutput(TypedDict):
    path: str
    before: Any
    after: Any
    text: str


class Change(NamedTuple):
    path: tuple[str | int, ...]
    """Keys and indices from the root; an index counts from 0."""
    before: Any
    """None if there was nothing."""
    after: Any

    def document(self, amount: Amount | None = None) -> TableChangeOutput:
        return {
            "path": "/".join(map(str, self.path)),
            "before": self.before,
            "after": self.after,
            "text": self.text(amount),
        }

    def text(self, amount: Amount | None = None) -> str:
        """`amount` formats the amounts of a game for money."""
        where = " ".join(str(step).replace("_", " ") for step in self.path) or "all"
        before, after = self.before, self.after
        if amount is not None:
            key = self.path[-1] if self.path else ""
            before, after = (with_amounts({key: value}, amount)[key] for value in (before, after))
        return f"{where}: {_difference(before, after)}"


def differences(before: Any, after: Any) -> list[Change]:
    """Return the smallest parts that differ; a list of plain values (a pile of cards) is one part."""
    return list(_walk((), before, after))


def _walk(path: tuple[str | int, ...], before: Any, after: Any) -> Iterator[Change]:
    if type(before) is type(after) and before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _walk((*path, key), before.get(key), after.get(key))
    elif isinstance(before, list) and isinstance(after, list) and (_of_parts(before) or _of_parts(after)):
        for place in range(max(len(before), len(after))):
            yield from _walk((*path, place), *(_at(each, place) for each in (before, after)))
    else:
        yield Change(path, before, after)


def _of_parts(values: list[Any]) -> bool:
    """Return whether the list contains lists or objects, which are compared by index."""
    return any(isinstance(item, list | dict) for item in values)


def _of_cards(values: list[Any]) -> bool:
    return all(isinstance(item, str) and len(item) > 1 for item in values)


def _at(values: list[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


def _difference(before: Any, after: Any) -> str:
    if isinstance(before, list) and isinstance(after, list) and _of_cards(before + after):
        common = 0
        while common < min(len(before), len(after)) and before[common] == after[common]:
            common += 1
        gone, come = before[common:], after[common:]
        if sorted(map(str, gone)) == sorted(map(str, come)):
            return f"lies in another order: {as_text(after)}"
        parts = [f"loses {as_text(gone)}"] if gone else []
        return " and ".join([*parts, *([f"gains {as_text(come)}"] if come else [])])
    return f"{as_text(before)} → {as_text(after)}"


def as_text(value: Any) -> str:
    """Format a JSON value as text.

    >>> as_text([True, None, {"finish_line": 1}])
    'yes none finish line 1'
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(map(as_text, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key.replace('_', ' ')} {as_text(item)}" for key, item in value.items())
    return str(value)
