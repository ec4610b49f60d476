"""A page of a game as its evidence shows it: events with a verdict on each.

Of a short game every event is judged when it is asked for. Of a long one the verdicts are those of the report that a
job keeps (`games.verifications`); what it does not cover yet is *not-run*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from eventstore import store
from eventstore.store import Caused, StoredEvent
from games import verifications
from games.access import is_open_book
from games.errors import NoSuchVersion
from games.evidence.judgement import Judged, Verdict, judge
from games.evidence.recording import table_at, tables_after
from games.models import GameRecord, StoredVerification

Document = dict[str, Any]


class Reading:
    """The events behind version `after`, at most `limit` of them (None: all, of a short game only)."""

    def __init__(self, game: GameRecord, *, now: datetime, after: int = 0, limit: int | None = None) -> None:
        self.game = game
        self.opened = is_open_book(game)
        """Whether the seed is shown, so that deal, seals and shuffles are judged too."""
        head = store.head(game.pk)
        self.version = head.version
        self.caused = 0.0
        """Seconds of processor time of the job that this has scheduled."""
        self.verified_at: datetime | None = now
        """When the verdicts were made; None while a job makes them."""
        self.divergence: Document | None = None
        """The first event that could not have been: `version`, `check`, `why`."""
        if verifications.is_long(head):
            limit = verifications.AT_ONCE if limit is None else limit
            found, self.caused = verifications.latest(game, head=head, now=now)
            self.stored = store.read(game.pk, after=after, limit=limit)
            self.verified_at = None if found is None else found.at
            self.divergence = None if found is None else found.divergence
            self.judged = list(_with_verdicts(game, self.stored, found))
        else:
            events = store.read(game.pk, until=head.version)
            about = verifications.about(game, opened=self.opened)
            judged = list(judge(about, [event.full() for event in events]))
            self.divergence = next((one.divergence for one in judged if one.divergence), None)
            page = slice(after, None if limit is None else after + limit)
            self.stored, self.judged = events[page], judged[page]

    def causes(self) -> dict[int, Caused]:
        """The command of each event of the page that came of one."""
        if not self.stored:
            return {}
        first, last = self.stored[0].version, self.stored[-1].version
        found = store.causes(self.game.pk, first=first, until=last)
        return {version: cause for cause in found for version in range(cause.first, cause.last + 1)}


def single(game: GameRecord, version: int, *, now: datetime) -> Reading:
    """A single event. Raises NoSuchVersion."""
    reading = Reading(game, now=now, after=version - 1, limit=1)
    if version < 1 or not reading.stored:
        raise NoSuchVersion
    return reading


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
