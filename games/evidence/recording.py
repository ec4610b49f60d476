"""A whole game to be stepped through: its events, and how the table lay after each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from eventstore import store
from eventstore.store import StoredEvent
from games import state
from games.access import Viewer, is_open_book, seat_of
from games.errors import NoSuchVersion
from games.evidence import steps
from games.evidence.open_views import open_view
from games.models import GameRecord
from games.redaction import Eyes, redacted
from games.rules import registry
from games.rules.table import Table, Unfoldable

Document = dict[str, Any]


def recording(
    viewer: Viewer,
    game: GameRecord,
    *,
    everything: bool = False,
    of_seat: int | None = None,
    after: int = 0,
    limit: int,
) -> Document:
    """At most `limit` events behind version `after`, from the viewer's place or as `of_seat` saw them then.

    `everything` adds every card where it lay; the caller has made sure that it, and another's seat, may be shown.
    A state is null where the events can no longer be folded, which an event that nobody could have appended may do.
    Raises NoSuchVersion where the game has no event behind `after`.
    """
    events = store.read(game.pk)
    if after >= len(events):
        raise NoSuchVersion
    tables = list(_tables(events))
    known = next((table for table in reversed(tables) if table is not None), None)
    seat = of_seat
    if of_seat is None and known is not None:
        seat = seat_of(known, viewer)
    full = is_open_book(game) and of_seat is None
    eyes = Eyes(registry.get(game.rules, game.rules_version), seat, everything=everything or full)
    page = slice(after, after + limit)
    return {
        "game": str(game.pk),
        "rules": game.rules,
        "version": len(events),
        "seat": seat,
        "events": [redacted(event, eyes) for event in events[page]],
        "undone": undone(events),
        "states": list(steps.told(_states(events, tables, page, seat, everything=everything))),
    }


def undone(events: Sequence[StoredEvent]) -> list[int]:
    """The versions of moves that the next event took back (RULEBOOK 3 (4): the last move, once)."""
    return [event.version - 1 for event in events if event.type == "undo"]


def _tables(events: Sequence[StoredEvent]) -> Iterator[Table | None]:
    table, foldable = None, True
    for event in events:
        try:
            table = state.evolve(table, event) if foldable else None
        except Unfoldable:
            table, foldable = None, False
        yield table


def _states(
    events: Sequence[StoredEvent],
    tables: Sequence[Table | None],
    page: slice,
    seat: int | None,
    *,
    everything: bool,
) -> Iterator[Document]:
    dealt = next((event.version for event in events if event.type == "dealt"), len(events) + 1)
    for event, table in zip(events[page], tables[page], strict=True):
        yield _state(table, seat, dealt=event.version >= dealt, everything=everything)


def _state(table: Table | None, seat: int | None, *, dealt: bool, everything: bool) -> Document:
    if table is None:
        return dict.fromkeys(("status", "to_act", "view", "cards", "outcome"))
    return {
        "status": table.status,
        "to_act": table.to_act(),
        "view": table.view(seat) if dealt else None,
        "cards": open_view(table) if dealt and everything else None,
        "outcome": table.outcome,
    }
