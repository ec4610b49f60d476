"""Check tournaments: derived again from their events, and compared with their games and projections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from core.checks import AFTER_FAULT, Fault, Report
from core.transactions import one_moment
from eventstore import store
from eventstore.audits import Scope, StreamRecords, Work
from eventstore.chain import chain_fault
from eventstore.models import Event, Stream
from eventstore.ranges import Range
from eventstore.store import StoredEvent
from tournaments.checks import records
from tournaments.formats import history
from tournaments.formats.history import History
from tournaments.formats.replay import UNREADABLE, Replayed, replay
from tournaments.models import Tournament
from tournaments.record import KIND

PART = "tournaments"

_OF = {
    "entries-closed": "field",
    "round-paired": "pairings",
    "round-laid-out": "pairings",
    "games-dealt": "deals",
    "game-replaced": "deals",
    "round-closed": "results",
    "result-corrected": "results",
    "standings": "standings",
    "prizes": "prizes",
    "finished": "seed",
    "seed-revealed": "seed",
}
"""The check of an event whose data is derived from earlier events."""

DERIVED = {
    "field": "entropy, number of rounds, and seeding follow from the entrants",
    "pairings": "every round is paired by its format, and the pairing checker accepts it",
    "deals": "every game has the deal of its round and number, and the games of a match follow from one another",
    "results": "every seated entrant has a result, and corrections start from the previous result",
    "standings": "the standings follow from the results",
    "prizes": "pool, rake, and prizes follow from the standings",
    "seed": "the seed matches its commitment, and the lot key and all server seeds are derived from it",
}
CHECKS = {
    "chain": "versions count from 1 without gaps, and every hash is right",
    **DERIVED,
    "worth": "every result follows from the outcome of its game",
    "record": "the projections match the stream",
}
NOT_YET = "the tournament has not reached this stage"


def audit(tournament: UUID) -> Report:
    """Check one tournament without its single games, at one moment."""
    report = Report()
    report.counted["tournaments"] += 1
    try:
        with one_moment():
            _Checks(report, tournament).run()
    except UNREADABLE as error:
        why = f"its projections cannot be read: {type(error).__name__} {error}"
        report.failed(Fault(PART, "record", f"tournament:{tournament}", why))
    return report


def pieces(scope: Scope) -> Iterator[Work]:
    """Yield one piece for each tournament, or for each with later events."""
    if scope.after is None:
        for tournament in Tournament.objects.order_by("pk").values_list("pk", flat=True).iterator():
            yield Work(tournament)
        for tournament in _deleted(Q()):
            yield Work(tournament)
        return
    for range in scope.ranges:
        for tournament in Tournament.objects.filter(range.q("pk")).values_list("pk", flat=True):
            yield Work(tournament)
        for tournament in _deleted(range.q("pk")):
            yield Work(tournament)


def records_in(range: Range) -> StreamRecords:
    stored = Tournament.objects.filter(range.q("pk")).values_list("pk", flat=True)
    return StreamRecords(frozenset({*stored, *_deleted(range.q("pk"))}))


def _deleted(which: Q) -> list[UUID]:
    """Return the drafts that were deleted: their streams end with that event, and have no record."""
    has_record = Exists(Tournament.objects.filter(pk=OuterRef("pk")))
    alone = Stream.objects.filter(~has_record, which, kind=KIND)
    last = Event.objects.filter(stream__in=alone, version=F("stream__version"), type="deleted")
    return list(last.order_by("stream").values_list("stream", flat=True))


class _Checks:
    """The checks of one tournament that are added to a report."""

    def __init__(self, report: Report, tournament: UUID) -> None:
        self.report = report
        self.tournament = tournament

    def run(self) -> None:
        try:
            events = store.read(self.tournament)
            public = [event.public() for event in events]
            broken = chain_fault(public, stream=str(self.tournament))
        except UNREADABLE as error:
            self._failed("chain", f"a row is not an event: {error}", None)
            self._not_run(AFTER_FAULT, but="chain")
            return
        if broken is not None:
            self._failed("chain", broken[1], broken[0])
            self._not_run(AFTER_FAULT, but="chain")
            return
        self.report.passed(PART, "chain")
        faults = {**self._derived(events, replay(str(self.tournament), public))}
        row = Tournament.objects.filter(pk=self.tournament).first()
        known = _folded(events)
        if row is None and known is not None and known.status == "deleted":
            self.report.passed(PART, "record")
            self.report.not_run(PART, "worth", why=NOT_YET)
        elif row is None or known is None:
            why = "it has no record" if row is None else "its events cannot be folded"
            self._failed("record", why, None)
            self._not_run(AFTER_FAULT, only=("worth",))
        else:
            self._compare(row, known, events, faults)
        for check in DERIVED:
            self._add(check, faults.get(check, ""), events)

    def _derived(self, events: list[StoredEvent], replayed: Replayed) -> dict[str, str]:
        """Return the results of the checks of `DERIVED` other than passed: "failed", or why it was not run."""
        difference = replayed.difference
        if difference is None:
            return {}
        at = next((event for event in events if event.version == difference.version), None)
        check = _OF.get(at.type if at else "", "field")
        why = difference.what
        if (difference.recorded, difference.derived) != (None, None):
            why = f"{why}: recorded {_short(difference.recorded)}, but derived {_short(difference.derived)}"
        self._failed(check, why, difference.version)
        return {**dict.fromkeys(DERIVED, AFTER_FAULT), check: "failed"}

    def _compare(
        self, row: Tournament, known: History, events: list[StoredEvent], faults: dict[str, str]
    ) -> None:
        compared = {
            "record": records.faults(row, known, events),
            "seed": records.seed_faults(row, known),
            "deals": records.deal_faults(row, known, events),
            "worth": records.worth_faults(row, known),
        }
        for check, found in compared.items():
            try:
                wrong = list(found)
            except UNREADABLE as error:
                wrong = [f"it cannot be compared: {type(error).__name__} {error}"]
            for number, why in enumerate(wrong):
                self._failed(check, why, None, again=number > 0 or faults.get(check) == "failed")
            if wrong:
                faults[check] = "failed"
            elif check not in DERIVED:
                self._passed(check, known)

    def _passed(self, check: str, known: History) -> None:
        if check == "worth" and not known.closed:
            self.report.not_run(PART, check, why=NOT_YET)
        else:
            self.report.passed(PART, check)

    def _add(self, check: str, found: str, events: list[StoredEvent]) -> None:
        if found == "failed":
            return
        if found:
            self.report.not_run(PART, check, why=found)
        elif any(_OF.get(event.type) == check for event in events):
            self.report.passed(PART, check)
        else:
            self.report.not_run(PART, check, why=NOT_YET)

    def _failed(self, check: str, why: str, version: int | None, *, again: bool = False) -> None:
        fault = Fault(PART, check, f"tournament:{self.tournament}", why, version)
        self.report.failed(fault, again=again)

    def _not_run(self, why: str, *, but: str = "", only: Iterable[str] = CHECKS) -> None:
        self.report.not_run(PART, *(check for check in only if check != but), why=why)


def _folded(events: list[StoredEvent]) -> History | None:
    try:
        return history.fold((event.type, event.data) for event in events)
    except UNREADABLE:
        return None


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 300 else f"{text[:300]}…"
