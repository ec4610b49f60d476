"""A recording: a page of a game's events with the table after each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from core.errors import NoSuchVersion
from eventstore import store
from eventstore.store import EventOutput, StoredEvent
from games import state
from games.access import Viewer, is_disclosed, seat_of
from games.models import GameRecord
from games.observation import ViewScope, open_view, redacted
from games.rules import registry
from games.rules.table import Table, Unfoldable
from games.selectors import GameStatus, is_dealt
from rest.documents import Object, Url, Uuid


class TableStateOutput(TypedDict):
    """The state after one event; all null if the events cannot be folded."""

    status: GameStatus | None
    to_act: list[int] | None
    view: Object | None
    cards: Annotated[Object | None, "with `all`: every card where it lay"]
    outcome: Object | None


class PatchOutput(TypedDict):
    at: Annotated[list[str | int], "keys and places from the root of the state"]
    to: NotRequired[Annotated[Any, "missing: the key is gone"]]


class RecordedStateOutput(TypedDict):
    state: NotRequired[TableStateOutput]
    changes: NotRequired[list[PatchOutput]]


class RecordingPage(TypedDict):
    game: Uuid
    rules: str
    version: Annotated[int, "of the last event of the game"]
    seat: int | None
    events: list[EventOutput]
    undone: Annotated[list[int], "versions of moves that were taken back"]
    states: Annotated[
        list[RecordedStateOutput], "after each of the events; every 25th in full, the others as changes"
    ]


class RecordingOutput(RecordingPage):
    next: Url | None


def recording(
    viewer: Viewer,
    game: GameRecord,
    *,
    everything: bool = False,
    of_seat: int | None = None,
    after: int = 0,
    limit: int,
) -> RecordingPage:
    """Return at most `limit` events after version `after`, as the viewer or `of_seat` saw them.

    `everything` adds every card; the caller has checked that it, and another seat's view, may be shown. A state is null
    if the events cannot be folded. Raises NoSuchVersion if the game has no event after `after`.
    """
    # One more than is shown: the next event says whether a move was taken back.
    found = store.read(game.pk, after=after, limit=limit + 1)
    if not found:
        raise NoSuchVersion
    page = found[:limit]
    seat = of_seat
    if of_seat is None:
        known = last_foldable(game)
        seat = None if known is None else seat_of(known, viewer)
    full = is_disclosed(game) and of_seat is None
    scope = ViewScope(registry.get(game.rules, game.rules_version), seat, everything=everything or full)
    tables = tables_after(table_at(game, after), page)
    return {
        "game": str(game.pk),
        "rules": game.rules,
        "version": store.head(game.pk).version,
        "seat": seat,
        "events": [redacted(event, scope) for event in page],
        "undone": undone(found),
        "states": list(as_changes(_state(game, table, seat, everything=everything) for table in tables)),
    }


def undone(events: Sequence[StoredEvent]) -> list[int]:
    """Return the versions of moves that the next event took back (RULEBOOK 3 (4))."""
    return [event.version - 1 for event in events[1:] if event.type == "undo"]


def last_foldable(game: GameRecord) -> Table | None:
    """Return the table after the last event that can be folded; None if there is none."""
    try:
        return state.load(game.pk)[1]
    except Unfoldable as error:
        return table_at(game, error.version - 1)


def table_at(game: GameRecord, version: int) -> Table | None:
    """Return the table after an event; None at the beginning, and if the events cannot be folded so far."""
    try:
        return state.at(game.pk, version)[1]
    except (NoSuchVersion, Unfoldable):
        return None


def tables_after(table: Table | None, page: Sequence[StoredEvent]) -> Iterator[Table | None]:
    """Return the table after each event that follows `table`; None from the first that cannot be folded."""
    foldable = table is not None or (bool(page) and page[0].version == 1)
    for event in page:
        try:
            table = state.evolve(table, event) if foldable else None
        except Unfoldable:
            table, foldable = None, False
        yield table


def _state(game: GameRecord, table: Table | None, seat: int | None, *, everything: bool) -> TableStateOutput:
    if table is None:
        return {"status": None, "to_act": None, "view": None, "cards": None, "outcome": None}
    dealt = is_dealt(game, table)
    return {
        "status": table.status,
        "to_act": table.to_act(),
        "view": table.view(seat) if dealt else None,
        "cards": open_view(table) if dealt and everything else None,
        "outcome": table.outcome,
    }


# --- states as changes ------------------------------------------------------------------------------

EVERY = 25
"""Every so many documents one is written whole, so that a reader need not begin at the first."""


def as_changes(documents: Iterable[TableStateOutput]) -> Iterator[RecordedStateOutput]:
    """Return each document as `{"state": …}`, or as `{"changes": […]}` from the previous one."""
    before: TableStateOutput | None = None
    for index, document in enumerate(documents):
        if index % EVERY == 0:
            yield {"state": document}
        else:
            yield {"changes": list(changes(before, document))}
        before = document


def changes(before: Any, after: Any, at: tuple[str | int, ...] = ()) -> Iterator[PatchOutput]:
    """The smallest parts that differ: `{"at": path, "to": value}`, of a key that is gone `{"at": path}`.

    A path contains keys and indices. Lists of equal length are compared by index; other lists are written whole.

    >>> list(changes({"a": [1, 2], "b": 0}, {"a": [1, 3], "c": None}))
    [{'at': ['a', 1], 'to': 3}, {'at': ['b']}, {'at': ['c'], 'to': None}]
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before:
            if key in after:
                yield from changes(before[key], after[key], (*at, key))
            else:
                yield {"at": [*at, key]}
        for key in after:
            if key not in before:
                yield {"at": [*at, key], "to": after[key]}
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (was, becomes) in enumerate(zip(before, after, strict=True)):
            yield from changes(was, becomes, (*at, place))
    elif type(before) is not type(after) or before != after:
        yield {"at": [*at], "to": after}
