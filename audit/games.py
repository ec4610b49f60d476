"""Games judged by what the database holds: each as its own bundle would be, and what stands beside it.

A game that is still on, or whose deal others play, is judged as well, with what is hidden; then a fault names its
check and its event and nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import orjson

from audit import running
from audit.beside import Beside
from audit.report import Fault, Report
from audit.rows import Row
from eventstore.chain import canonical, chain_fault
from games.models import GameRecord
from games.rules import bundle, record
from games.rules import table as tables
from games.rules.table import UNFOLDABLE, Table, why_unfoldable
from games.selectors_proof import record_fault

PART = "games"
BEHIND = "it stands behind the first fault of its subject"
HUSHED = "what is wrong is told when the game is open to everybody"


class Unstored(ValueError):
    """A row that holds no event: what is stored in it is no JSON object."""


def event(row: Row) -> dict[str, Any]:
    """The event as a bundle holds it. Raises Unstored."""
    try:
        data = orjson.loads(row.data)
        private = None if row.private is None else orjson.loads(row.private)
    except ValueError as error:
        raise Unstored(f"what is stored is no JSON: {error}") from error
    return {
        "version": row.version,
        "type": row.type,
        "seat": row.seat,
        "data": data,
        "private": private,
        "seal": row.seal,
        "at": row.at,
        "prev": row.prev,
        "hash": row.hash,
    }


class Reading:
    """The events of one game as they are read, and the first that is not stored as it should be."""

    __slots__ = ("broken", "events", "last")

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.broken: tuple[int, str] | None = None
        self.last: Row | None = None

    def take(self, row: Row) -> None:
        self.last = row
        if self.broken is not None:
            return
        try:
            told = event(row)
        except Unstored as error:
            self.broken = row.version, str(error)
            return
        if row.private is not None and canonical(told["private"]) != bytes(row.private):
            self.broken = row.version, "what is sealed is not stored in its canonical form"
        self.events.append(told)


def judge(report: Report, game: UUID, reading: Reading, beside: Beside, head_fault: str | None) -> None:
    """Note every check of one game that has a record or a stream of its kind."""
    report.counted["games"] += 1
    found = _Judgement(report, f"game:{game}")
    if head_fault:
        found.failed("head", head_fault, None)
    else:
        report.passed(PART, "head")
    known = beside.games.get(game)
    if known is None:
        found.failed("record", "the stream is a game's, and there is no record of it", None)
        report.not_run(PART, *bundle.CHECKS, "stored", why="there is no record of the game")
        return
    if reading.broken is not None:
        version, why = reading.broken
        found.failed("stored", why, version)
    else:
        report.passed(PART, "stored")
    try:
        table = _outline(reading.events)
    except UNFOLDABLE as error:
        found.failed("record", f"the stream cannot be folded: {why_unfoldable(error)}", None)
        _chain_alone(found, reading)
        return
    if table is None:
        found.failed("record", "the game has a record and no events", None)
        report.not_run(PART, *bundle.CHECKS, why="the game has no events")
        return
    open_book = beside.is_open_book(known)
    beside_fault = _record_fault(known, table, reading, beside)
    if beside_fault:
        found.failed("record", beside_fault if open_book else HUSHED, None)
    else:
        report.passed(PART, "record")
    found.add(_judged(known, table, reading.events, beside), known, table, hushed=not open_book)


def _chain_alone(found: _Judgement, reading: Reading) -> None:
    """All that can be said of events that tell no game."""
    told = reading.events
    try:
        broken = chain_fault(told, stream=found.subject.partition(":")[2])
    except UNFOLDABLE as error:
        broken = (len(told), f"what is stored is no event: {error}")
    if broken:
        found.failed("chain", broken[1], broken[0])
    else:
        found.report.passed(PART, "chain")
    others = [check for check in bundle.CHECKS if check != "chain"]
    found.report.not_run(PART, *others, why="the stream cannot be folded")


def _judged(game: GameRecord, table: Table, events: list[dict[str, Any]], beside: Beside) -> bundle.Report:
    seed = beside.seeds.get(game.pk)
    document = record.bundle(
        game_id=str(game.pk),
        table=table,
        events=events,
        server_seed=seed if table.ended else None,
        tournament=beside.tournament(game),
        transfers=beside.transfers.get(game.pk, ()),
    )
    return bundle.verify(document) if table.ended else running.judge(document, seed)


def _outline(events: list[dict[str, Any]]) -> Table | None:
    """The table without what its moves did, which are played when they are judged: who sits, how it ended."""
    table = None
    for told in events:
        if "move" not in told["data"] and told["type"] != "expired":
            table = tables.evolve(table, told["type"], told["seat"], told["data"], told["private"])
    return table


def _record_fault(game: GameRecord, table: Table, reading: Reading, beside: Beside) -> str | None:
    try:
        seats = beside.seats.get(game.pk, {})
        return record_fault(game, seats, table, reading.events[0]["data"]) or _times_fault(game, reading)
    except UNFOLDABLE as error:
        return f"the record cannot be compared: {type(error).__name__} {error}"


def _times_fault(game: GameRecord, reading: Reading) -> str | None:
    """The record says when the game ended, to the microsecond of its last event."""
    if game.ended_at is None or reading.last is None:
        return None
    at = f"{game.ended_at:%Y-%m-%dT%H:%M:%S.%fZ}"
    return None if at == reading.last.at else f"its ended_at is {at}, by the stream {reading.last.at}"


class _Judgement:
    """What is noted of one game."""

    def __init__(self, report: Report, subject: str) -> None:
        self.report = report
        self.subject = subject
        self._failed: set[str] = set()

    def failed(self, check: str, why: str, version: int | None) -> None:
        fault = Fault(PART, check, self.subject, why, version)
        if check in self._failed:
            self.report.also(fault)
        else:
            self._failed.add(check)
            self.report.failed(fault)

    def add(self, judged: bundle.Report, game: GameRecord, table: Table, *, hushed: bool) -> None:
        for fault in judged.faults:
            self.failed(fault.check, HUSHED if hushed else fault.why, fault.version)
        for check, verdict in judged.checks.items():
            if verdict == "passed":
                self.report.passed(PART, check)
            elif verdict == "not-run":
                self.report.not_run(PART, check, why=_why_not(check, judged, game, table))


def _why_not(check: str, judged: bundle.Report, game: GameRecord, table: Table) -> str:
    if not judged.ok:
        return BEHIND
    if not game.ended:
        return "the game is still on"
    if check == "tournament-seed":
        return "its tournament has not shown its seed"
    if check == "money":
        return "a market decides what is paid: the ledger's part holds it against the bets"
    return "it was void before it was dealt"


def missing(report: Report, beside: Beside, seen: Mapping[UUID, object]) -> None:
    """Records of games that have no stream at all."""
    for game in beside.games:
        if game not in seen:
            report.counted["games"] += 1
            report.failed(Fault(PART, "record", f"game:{game}", "the game has a record and no events"))
            report.not_run(PART, *bundle.CHECKS, "head", "stored", why="the game has no events")
