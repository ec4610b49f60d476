"""What lies before a seat of a stored game, for a bot that plays it or for a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload
from uuid import UUID

from eventstore import store
from eventstore.store import StoredEvent
from games.bots import Sight
from games.redaction import Eyes, redacted
from games.rules.table import Table

Unstored = Callable[[], Sequence[StoredEvent]]
PAGE = 250


class History(Sequence[dict[str, Any]]):
    """A game's events as one pair of eyes may see them, read in pages as they are needed, from either end.

    The last of them, `unstored`, are not in the database yet.
    """

    def __init__(self, game_id: UUID, version: int, unstored: Sequence[StoredEvent], eyes: Eyes) -> None:
        self._game_id, self._version, self._eyes = game_id, version, eyes
        self._stored = unstored[0].version - 1 if unstored else version
        self._unstored = unstored

    def __len__(self) -> int:
        return self._version

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        if not -self._version <= index < self._version:
            raise IndexError(index)
        [event] = self._page(index % self._version, 1)
        return event

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for start in range(0, self._version, PAGE):
            yield from self._page(start, PAGE)

    def __reversed__(self) -> Iterator[dict[str, Any]]:
        for end in range(self._version, 0, -PAGE):
            start = max(0, end - PAGE)
            yield from reversed(self._page(start, end - start))

    def _page(self, start: int, size: int) -> list[dict[str, Any]]:
        end = min(start + size, self._version)
        page: list[StoredEvent] = []
        if start < self._stored:
            page += store.read(self._game_id, after=start, until=min(end, self._stored))
        page += self._unstored[max(0, start - self._stored) : max(0, end - self._stored)]
        return [redacted(event, self._eyes) for event in page]


def sight(game_id: UUID, table: Table, seat: int, unstored: Unstored = tuple) -> Sight:
    """The seat's view, moves and events, and nothing that a person in it could not have.

    `unstored` returns the events at the end of the game that are not in the database yet.
    """
    eyes = Eyes(table.game, seat, everything=False)
    return Sight(
        view=table.view(seat),
        legal_moves=table.legal_moves(seat),
        config=table.game.config_json(table.config),
        seat=seat,
        history=lambda: History(game_id, table.version, unstored(), eyes),
    )
