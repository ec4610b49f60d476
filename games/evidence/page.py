"""A page of a game's evidence: its events with a verdict on each.

The events of a short game are judged on request. The verdicts on a long game are those of the stored report
(`games.evidence.verification`); events that it does not cover are *not-run*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from core.errors import NoSuchVersion
from eventstore import store
from eventstore.store import Caused, StoredEvent
from games.access import is_disclosed
from games.evidence import verification
from games.evidence.judgement import Judged, Verdict, judge
from games.evidence.recording import table_at, tables_after
from games.models import GameRecord, StoredVerification

Document = dict[str, Any]


class EvidencePage:
    """The events after version `after`, at most `limit` (None: all events of a short game)."""

    def __init__(self, game: GameRecord, *, now: datetime, after: int = 0, limit: int | None = None) -> None:
        self.game = game
        self.opened = is_disclosed(game)
        """Whether the seed is disclosed, so that deal, seals, and shuffles are judged too."""
        head = store.head(game.pk)
        self.version = head.version
        self.caused = 0.0
        """Processor seconds of the job that this has scheduled."""
        self.verified_at: datetime | None = now
        """The time of the verdicts; None while a job makes them."""
        self.divergence: Document | None = None
        """The first failed event: `version`, `check`, `why`."""
        if verification.is_long(head):
            limit = verification.AT_ONCE if limit is None else limit
            found, self.caused = verification.latest(game, head=head, now=now)
            self.stored = store.read(game.pk, after=after, limit=limit)
            self.verified_at = None if found is None else found.at
            self.divergence = None if found is None else found.divergence
            self.judged = list(_with_verdicts(game, self.stored, found))
        else:
            events = store.read(game.pk, until=head.version)
            about = verification.judge_input(game, opened=self.opened)
            judged = list(judge(about, [event.full() for event in events]))
            self.divergence = next((one.divergence for one in judged if one.divergence), None)
            page = slice(after, None if limit is None else after + limit)
            self.stored, self.judged = events[page], judged[page]

    def causes(self) -> dict[int, Caused]:
        """Return the command of each event of the page that has one."""
        if not self.stored:
            return {}
        first, last = self.stored[0].version, self.stored[-1].version
        found = store.causes(self.game.pk, first=first, until=last)
        return {version: cause for cause in found for version in range(cause.first, cause.last + 1)}


def single(game: GameRecord, version: int, *, now: datetime) -> EvidencePage:
    """Return a page with one event. Raises NoSuchVersion."""
    page = EvidencePage(game, now=now, after=version - 1, limit=1)
    if version < 1 or not page.stored:
        raise NoSuchVersion
    return page


def _with_verdicts(
    game: GameRecord, events: Sequence[StoredEvent], found: StoredVerification | None
) -> Iterator[Judged]:
    before = table_at(game, events[0].version - 1) if events else None
    for event, after in zip(events, tables_after(before, events), strict=True):
        chain, rules, check, why = _verdict(event.version, found)
        yield Judged(event.full(), chain, rules, check, why, before, after)
        before = after


def _verdict(
    version: int, found: StoredVerification | None
) -> tuple[Verdict, Verdict, str | None, str | None]:
    if found is None or version > found.version:
        return "not-run", "not-run", None, None
    wrong = found.divergence
    if wrong is None or version < wrong["version"]:
        return "passed", "passed", None, None
    if version > wrong["version"]:
        return "not-run", "not-run", None, None
    chained = wrong["check"] != "chain"
    return "passed" if chained else "failed", "failed" if chained else "not-run", wrong["check"], wrong["why"]
