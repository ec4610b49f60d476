"""A game to be stepped through, in pages: its events, and how the table lay after each of them."""

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
from games.selectors import is_dealt

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
    # One more than is shown: whether a move was taken back is said by the event after it.
    found = store.read(game.pk, after=after, limit=limit + 1)
    if not found:
        raise NoSuchVersion
    page = found[:limit]
    seat = of_seat
    if of_seat is None:
        known = last_foldable(game)
        seat = None if known is None else seat_of(known, viewer)
    full = is_open_book(game) and of_seat is None
    eyes = Eyes(registry.get(game.rules, game.rules_version), seat, everything=everything or full)
    tables = tables_after(table_at(game, after), page)
    return {
        "game": str(game.pk),
        "rules": game.rules,
        "version": store.head(game.pk).version,
        "seat": seat,
        "events": [redacted(event, eyes) for event in page],
        "undone": undone(found),
        "states": list(steps.told(_state(game, table, seat, everything=everything) for table in tables)),
    }


def undone(events: Sequence[StoredEvent]) -> list[int]:
    """The versions of moves that the next event took back (RULEBOOK 3 (4): the last move, once)."""
    return [event.version - 1 for event in events[1:] if event.type == "undo"]


def last_foldable(game: GameRecord) -> Table | None:
    """The table now, or before the first event that cannot be folded; None if that is the first."""
    try:
        return state.load(game.pk)[1]
    except Unfoldable as error:
        return table_at(game, error.version - 1)


def table_at(game: GameRecord, version: int) -> Table | None:
    """The table after an event; None at the beginning, and where the events cannot be folded so far."""
    try:
        return state.at(game.pk, version)[1]
    except (NoSuchVersion, Unfoldable):
        return None


def tables_after(table: Table | None, page: Sequence[StoredEvent]) -> Iterator[Table | None]:
    """The table after each of some events that follow `table`; None from the first that cannot be folded."""
    foldable = table is not None or (bool(page) and page[0].version == 1)
    for event in page:
        try:
            table = state.evolve(table, event) if foldable else None
        except Unfoldable:
            table, foldable = None, False
        yield table


def _state(game: GameRecord, table: Table | None, seat: int | None, *, everything: bool) -> Document:
    if table is None:
        return dict.fromkeys(("status", "to_act", "view", "cards", "outcome"))
    dealt = is_dealt(game, table)
    return {
        "status": table.status,
        "to_act": table.to_act(),
        "view": table.view(seat) if dealt else None,
        "cards": open_view(table) if dealt and everything else None,
        "outcome": table.outcome,
    }
