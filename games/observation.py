"""What one viewer may see: redacted events, and the observation from which a bot plays or a hint is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, overload
from uuid import UUID

from eventstore import store
from eventstore.store import EventOutput, StoredEvent
from games.bots import Observation
from games.rules import Fact, Game
from games.rules.registry import manifest
from games.rules.table import Table

Pending = Callable[[], Sequence[StoredEvent]]
PAGE = 250


class Read(Protocol):
    """Read the stored events of a game from version `after` + 1 to `until`."""

    def __call__(self, *, after: int, until: int) -> Sequence[StoredEvent]: ...


class History(Sequence[EventOutput]):
    """The events of a game as one viewer may see them, read in pages from either end.

    `pending` are the last events, which are not stored yet; `read` reads the others.
    """

    def __init__(self, read: Read, version: int, pending: Sequence[StoredEvent], scope: ViewScope) -> None:
        self._read, self._version, self._eyes = read, version, scope
        self._stored = pending[0].version - 1 if pending else version
        self._pending = pending

    def __len__(self) -> int:
        return self._version

    @overload
    def __getitem__(self, index: int) -> EventOutput: ...
    @overload
    def __getitem__(self, index: slice) -> list[EventOutput]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        if not -self._version <= index < self._version:
            raise IndexError(index)
        [event] = self._page(index % self._version, 1)
        return event

    def __iter__(self) -> Iterator[EventOutput]:
        for start in range(0, self._version, PAGE):
            yield from self._page(start, PAGE)

    def __reversed__(self) -> Iterator[EventOutput]:
        for end in range(self._version, 0, -PAGE):
            start = max(0, end - PAGE)
            yield from reversed(self._page(start, end - start))

    def _page(self, start: int, size: int) -> list[EventOutput]:
        end = min(start + size, self._version)
        page: list[StoredEvent] = []
        if start < self._stored:
            page += self._read(after=start, until=min(end, self._stored))
        page += self._pending[max(0, start - self._stored) : max(0, end - self._stored)]
        return [redacted(event, self._eyes) for event in page]


def observe(
    game_id: UUID, table: Table, seat: int, pending: Pending = tuple, read: Read | None = None
) -> Observation:
    """Return the seat's view, legal moves, and events: everything a person in the seat could know.

    `pending` returns the events at the end of the game that are not stored yet. `read` reads the others, for a caller
    that caches them.
    """
    scope = ViewScope(table.game, seat, everything=False)
    stored = read or partial(store.read, game_id)
    return Observation(
        view=table.view(seat),
        legal_moves=table.legal_moves(seat),
        config=table.game.config_json(table.config),
        seat=seat,
        history=lambda: History(stored, table.version, pending(), scope),
    )


class ViewScope(NamedTuple):
    """Whose view of a game is shown."""

    game: Game
    seat: int | None
    """None for a spectator."""
    everything: bool
    """The game is disclosed, or an auditor has early access."""


def redacted(event: StoredEvent, scope: ViewScope) -> EventOutput:
    """Return an event as a viewer may see it (RULEBOOK 1)."""
    if event.private is None or scope.everything:
        return event.full()
    document = event.public()
    fact = Fact(event.type, event.seat, event.data, event.private)
    document["private"] = scope.game.redact_private(fact, scope.seat)
    return document


def open_view(table: Table) -> dict[str, Any]:
    """Return a spectator's view with every card where it is, for viewers of a disclosed game.

    A pile that a view only counts is a list here, its top last.
    """
    return manifest(table.game.slug).open_view(table.view(None), table.state)
