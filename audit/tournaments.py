"""Tournaments judged: derived again from their events, held against their games and against the records beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from audit import tournament_games, tournament_records
from audit.checks import TOURNAMENTS
from audit.games import BEHIND
from audit.report import Fault, Report
from eventstore import store
from eventstore.chain import chain_fault
from eventstore.store import StoredEvent
from ledger.reconciliation.moment import one_moment
from tournaments.formats import history
from tournaments.formats.history import History
from tournaments.formats.replay import UNREADABLE, Replayed, replay
from tournaments.models import Tournament

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
"""The check that an event belongs to, where it tells something that follows from what came before."""

DERIVED = ("field", "pairings", "deals", "results", "standings", "prizes", "seed")
NOT_YET = "it has not come to that"


def audit(tournament: UUID) -> Report:
    """Everything of one tournament but its games by themselves, of one moment."""
    report = Report()
    report.counted["tournaments"] += 1
    try:
        with one_moment():
            _Judgement(report, tournament).judge()
    except UNREADABLE as error:
        why = f"what stands beside it cannot be read: {type(error).__name__} {error}"
        report.failed(Fault(PART, "record", f"tournament:{tournament}", why))
    return report


class _Judgement:
    def __init__(self, report: Report, tournament: UUID) -> None:
        self.report = report
        self.tournament = tournament

    def judge(self) -> None:
        try:
            events = store.read(self.tournament)
            told = [event.public() for event in events]
            broken = chain_fault(told, stream=str(self.tournament))
        except UNREADABLE as error:
            self._failed("chain", f"what is stored is no event: {error}", None)
            self._not_run(BEHIND, but="chain")
            return
        if broken is not None:
            self._failed("chain", broken[1], broken[0])
            self._not_run(BEHIND, but="chain")
            return
        self.report.passed(PART, "chain")
        faults = {**self._derived(events, replay(str(self.tournament), told))}
        row = Tournament.objects.filter(pk=self.tournament).first()
        known = _folded(events)
        if row is None or known is None:
            why = "there is no record of it" if row is None else "its events cannot be folded"
            self._failed("record", why, None)
            self._not_run(BEHIND, only=("worth",))
        else:
            self._beside(row, known, events, faults)
        for check in DERIVED:
            self._note(check, faults.get(check, ""), events)

    def _derived(self, events: list[StoredEvent], replayed: Replayed) -> dict[str, str]:
        """What each check of `DERIVED` comes to: nothing, or why it was not run. A fault is noted at once."""
        difference = replayed.difference
        if difference is None:
            return {}
        at = next((event for event in events if event.version == difference.version), None)
        check = _OF.get(at.type if at else "", "field")
        why = difference.what
        if (difference.told, difference.found) != (None, None):
            why = f"{why}: told {_short(difference.told)}, but {_short(difference.found)} follows"
        self._failed(check, why, difference.version)
        return {**dict.fromkeys(DERIVED, BEHIND), check: "failed"}

    def _beside(
        self, row: Tournament, known: History, events: list[StoredEvent], faults: dict[str, str]
    ) -> None:
        judged = {
            "record": tournament_records.faults(row, known, events),
            "seed": tournament_games.seed_faults(row, known),
            "deals": tournament_games.deal_faults(row, known, events),
            "worth": tournament_games.worth_faults(row, known),
        }
        for check, found in judged.items():
            try:
                wrong = list(found)
            except UNREADABLE as error:
                wrong = [f"it cannot be compared: {type(error).__name__} {error}"]
            for number, why in enumerate(wrong):
                self._failed(check, why, None, again=number > 0 or faults.get(check) == "failed")
            if wrong:
                faults[check] = "failed"
            elif check not in DERIVED:
                self._note_whole(check, known)

    def _note_whole(self, check: str, known: History) -> None:
        if check == "worth" and not known.closed:
            self.report.not_run(PART, check, why=NOT_YET)
        else:
            self.report.passed(PART, check)

    def _note(self, check: str, found: str, events: list[StoredEvent]) -> None:
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
        (self.report.also if again else self.report.failed)(fault)

    def _not_run(self, why: str, *, but: str = "", only: tuple[str, ...] = tuple(TOURNAMENTS)) -> None:
        self.report.not_run(PART, *(check for check in only if check != but), why=why)


def _folded(events: list[StoredEvent]) -> History | None:
    try:
        return history.fold(_told(events))
    except UNREADABLE:
        return None


def _told(events: list[StoredEvent]) -> Iterator[tuple[str, Any]]:
    return ((event.type, event.data) for event in events)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 300 else f"{text[:300]}…"
