"""Sentences that describe events, with everything that they reveal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from games.evidence.differences import said
from games.rules.cards import SUIT_NAMES
from games.rules.registry import get, manifest

Whole = Mapping[str, Any]
"""Move and facts with their private parts."""

_NUMBERS = ("no cards", "one card", "two cards", "three cards", "four cards", "five cards", "six cards")


def sentence(event: Mapping[str, Any], slug: str) -> str:
    """Describe an event, its actor first. The event is as in a bundle. An unknown move is only named."""
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
