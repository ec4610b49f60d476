"""A game as its evidence shows it: the events with a verdict on each, read once and folded once."""

from __future__ import annotations

from typing import Any

from eventstore import store
from eventstore.store import Caused
from games import particulars
from games.access import is_open_book
from games.errors import NoSuchVersion
from games.evidence.judgement import Judged, judge
from games.models import GameRecord
from games.rules.table import Table


class Reading:
    """The game up to a version; none: as it is. Raises NoSuchVersion."""

    def __init__(self, game: GameRecord, *, at: int | None = None) -> None:
        self.game = game
        self.opened = is_open_book(game)
        """Whether the seed is shown, so that deal, seals and shuffles are judged too."""
        events = store.read(game.pk, until=at)
        if at is not None and (not events or events[-1].version != at):
            raise NoSuchVersion
        self.stored = events
        self.judged = list(judge(self._about(), [event.full() for event in events]))

    def _about(self) -> dict[str, Any]:
        game = self.game
        return {
            "id": str(game.pk),
            "rules": game.rules,
            "rules_version": game.rules_version,
            "config": game.config,
            "commitment": game.commitment,
            "server_seed": particulars.server_seed(game.pk).hex() if self.opened else None,
        }

    @property
    def divergence(self) -> Judged | None:
        """The first event that could not have been."""
        return next((one for one in self.judged if one.diverges), None)

    def table(self) -> Table:
        """After the last event. Raises NoSuchVersion where the events cannot be folded that far."""
        found = self.judged[-1].after if self.judged else None
        if found is None:
            raise NoSuchVersion
        return found

    def causes(self) -> dict[int, Caused]:
        """The command of each event that came of one."""
        found = store.causes(self.game.pk, until=len(self.judged))
        return {version: cause for cause in found for version in range(cause.first, cause.last + 1)}
