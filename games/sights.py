"""What lies before a seat of a stored game, for a bot that plays it or for a hint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from eventstore import store
from eventstore.store import StoredEvent
from games.bots import Sight
from games.redaction import Eyes, redacted
from games.rules.table import Table

Told = Callable[[], Sequence[StoredEvent]]


def sight(game_id: UUID, table: Table, seat: int, told: Told | None = None) -> Sight:
    """The seat's view, moves and events, and nothing that a person in it could not have.

    `told` answers with the events so far where not all of them have been stored yet.
    """
    events = told or (lambda: store.read(game_id, until=table.version))
    eyes = Eyes(table.game, seat, everything=False)
    return Sight(
        view=table.view(seat),
        legal_moves=table.legal_moves(seat),
        config=table.game.config_json(table.config),
        seat=seat,
        history=lambda: [redacted(event, eyes) for event in events()],
    )
