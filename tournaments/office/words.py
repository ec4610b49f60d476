"""What happened in a tournament, an event a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]


def told(type: str, data: Data) -> str:
    """An event in words; of one that has none here, its name and its reason."""
    if (words := WORDS.get(type)) is not None:
        return words(data)
    plain = type.replace("-", " ").capitalize()
    return f"{plain}: {data['reason']}" if data.get("reason") else plain


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _entries(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)


def _entered(data: Data) -> str:
    late = f", from round {data['first']} on" if data.get("first", 1) > 1 else ""
    return f"{'Bot' if data.get('bot') else 'Entry'} {data['entry']} came in{late}"


def _closed(data: Data) -> str:
    return f"Entries closed with {_count(len(data['entries']), 'entrant')}; {_count(data['rounds'], 'round')} to play"


def _paired(data: Data) -> str:
    byes = f", bye for {_entries(data['byes'])}" if data["byes"] else ""
    relaxed = f"; {_count(len(data['relaxed']), 'wish')} gave way" if data["relaxed"] else ""
    going_on = f"; going on to this stage: {_entries(data['going_on'])}" if data.get("going_on") else ""
    return f"Round {data['round']} laid out: {_count(len(data['tables']), 'table')}{byes}{relaxed}{going_on}"


def _disqualified(data: Data) -> str:
    since = "before the start" if data["after"] is None else f"after round {data['after']}"
    return f"Entry {data['entry']} disqualified {since}: {data['reason']}"


def _waiting(numbers: Sequence[int]) -> str:
    return f"Number {', '.join(map(str, numbers))}"


def _game(data: Data) -> str:
    return f"Game {data['number']} at table {data['table']} of round {data['round']}"


WORDS: dict[str, Callable[[Data], str]] = {
    "created": lambda data: f"Drafted: {data['format']} of {data['rules']}",
    "published": lambda data: "Published; the seed is committed to",
    "entered": _entered,
    "checked-in": lambda data: f"Entry {data['entry']} checked in",
    "withdrawn": lambda data: f"Entry {data['entry']} withdrew",
    "not-checked-in": lambda data: f"Not checked in, and out: {_entries(data['entries'])}",
    "entries-closed": _closed,
    "round-paired": _paired,
    "games-dealt": lambda data: f"{_count(len(data['games']), 'game')} of round {data['round']} dealt",
    "game-suspended": lambda data: f"{_game(data)} suspended: {data['reason']}",
    "game-resumed": lambda data: f"{_game(data)} resumed: {data['reason']}",
    "game-replaced": lambda data: (
        f"{_game(data)} {'goes on as another' if data['goes_on'] else 'dealt anew'}: {data['reason']}"
    ),
    "round-opened": lambda data: f"Round {data['round']} opened",
    "no-show": lambda data: (
        f"Entry {data['entry']} did not come to table {data['table']} of round {data['round']}"
    ),
    "round-closed": lambda data: (
        f"Round {data['round']} closed with {_count(len(data['results']), 'result')}"
    ),
    "result-corrected": lambda data: (
        f"Correction {data['number']}: table {data['table']} of round {data['round']}: {data['reason']}"
    ),
    "retired": lambda data: f"Entry {data['entry']} left after round {data['after']}",
    "disqualified": _disqualified,
    "stalled": lambda data: f"Stood still: {data['reason']}",
    "paused": lambda data: f"Paused: {data['reason']}",
    "resumed": lambda data: "Resumed",
    "standings": lambda data: "Final standings",
    "prizes": lambda data: (
        f"Prizes for {_count(sum(1 for one in data['awards'] if one['amount']), 'entrant')}"
    ),
    "finished": lambda data: "Finished; the seed is shown",
    "cancelled": lambda data: f"Cancelled: {data['reason']}",
    "role-given": lambda data: f"{data['player']} is a {data['role']} now",
    "role-taken": lambda data: f"{data['player']} is a {data['role']} no more",
    "kept-apart": lambda data: (
        f"Entries {_entries(data['entries'])} kept apart from round {data['from']}: {data['reason']}"
    ),
    "brought-together": lambda data: (
        f"Entries {_entries(data['entries'])} to meet in round {data['round']}: {data['reason']}"
    ),
    "pair-released": lambda data: (
        f"Entries {_entries(data['entries'])} no longer {data['what']}: {data['reason']}"
    ),
    "round-laid-out": lambda data: f"Round {data['round']} laid out by hand: {data['reason']}",
    "layout-dropped": lambda data: f"Round {data['round']} left to the engine",
    "waitlisted": lambda data: f"Number {data['waiting']} waits for a place",
    "admitted": lambda data: f"Number {data['waiting']} in line has a place",
    "waiting-ended": lambda data: f"{_waiting(data['waiting'])} no longer in line: {data['why']}",
    "seed-revealed": lambda data: "The seed is shown",
}
