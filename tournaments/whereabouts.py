"""In which stage and group of a tournament of stages something is; of other tournaments there is nothing to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tournaments import record
from tournaments.formats import staged
from tournaments.formats.history import History
from tournaments.formats.pairing import stages
from tournaments.models import Tournament


@dataclass(frozen=True)
class Whereabouts:
    """Of everybody and everything in one tournament, as of `history`. Before the start there are no groups yet."""

    history: History

    @property
    def _known(self) -> bool:
        return bool(self.history.stages and self.history.seeding)

    @cached_property
    def groups(self) -> Mapping[int, int]:
        """By entry its group, from 1; nobody where there are none."""
        return stages.group_of(self.history.snapshot()) if self._known else {}

    @cached_property
    def reached(self) -> Mapping[int, int]:
        """By entry the stage that it has come to, from 1."""
        return staged.reached(self.history.snapshot()) if self._known else {}

    @cached_property
    def _first_rounds(self) -> int:
        return stages.first_rounds(self.history.snapshot())

    def stage(self, round: int) -> int | None:
        if not self._known:
            return None
        return 1 if round <= self._first_rounds else 2

    def group_at(self, round: int, entry: int) -> int | None:
        """Of a table of that round at which the entrant sits."""
        return self.groups.get(entry) if self.stage(round) == 1 else None


def of(tournament: Tournament) -> Whereabouts:
    """As things are now."""
    return Whereabouts(record.load(tournament.pk)) if tournament.stages else Whereabouts(History())
