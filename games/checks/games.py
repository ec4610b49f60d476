"""Check games by the data in the database: each like its bundle, and its projections.

Games in play, and games whose deal is in play, are checked with their hidden data. Their faults name only check and
event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from core.checks import AFTER_FAULT, Fault, Report
from core.sql import as_uuid
from eventstore.audits import StreamRecords
from eventstore.chain import canonical, chain_fault
from eventstore.ranges import Range, Row
from games.evidence.proof import record_fault as fault_of_record
from games.models import GameRecord, GameSecret, RevealedSeed, Seat
from games.rules import table as tables
from games.rules.bundles import record as bundle_records
from games.rules.bundles import verification as bundle
from games.rules.table import UNFOLDABLE, Table, why_unfoldable
from ledger.reconciliation.services import account_name, each_among
from ledger.selectors import RULING

PART = "games"
CHECKS = {
    **bundle.CHECKS,
    "head": "the stream's head is its last event",
    "record": "the projections match the stream",
    "stored": "sealed data is stored in its canonical form",
}
HIDDEN = "details are shown when the game is public"


# --- records, seats, seeds, and transfers -----------------------------------------------------------

Transfers = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Projections:
    """The rows of games at one moment."""

    games: Mapping[UUID, GameRecord]
    seats: Mapping[UUID, Mapping[int, str]]
    misplaced: frozenset[UUID]
    """The games whose seats are marked as those of a running game, and which have ended, or the other way around."""
    seeds: Mapping[UUID, bytes]
    transfers: Mapping[UUID, Transfers]
    revealed: Mapping[UUID, bytes]
    """The revealed seeds of tournaments."""
    in_play: frozenset[str]
    """The deal groups with a game in play."""

    def is_public(self, game: GameRecord) -> bool:
        """Return `games.access.is_disclosed` for the moment at which these rows were read."""
        return game.ended and (not game.deal_group or game.deal_group not in self.in_play)

    def is_version_public(self, stream: UUID) -> bool:
        """Return whether the version of a stream is public. Only games hide theirs."""
        game = self.games.get(stream)
        return game is None or not (game.private or game.deal_group in self.in_play)

    def tournament(self, game: GameRecord) -> dict[str, Any] | None:
        """Return the tournament part of the game's bundle."""
        if game.tournament is None:
            return None
        seed = self.revealed.get(game.tournament)
        return {
            "id": str(game.tournament),
            "round": game.round,
            "deal": game.deal,
            "commitment": game.tournament_commitment,
            "seed": seed.hex() if seed else None,
            "entropy": game.entropy,
        }


def load(range: Range) -> Projections:
    """Read the projections of the games of a range."""
    games = {game.pk: game for game in GameRecord.objects.filter(range.q("pk"))}
    seats: dict[UUID, dict[int, str]] = defaultdict(dict)
    misplaced = set[UUID]()
    rows = Seat.objects.filter(range.q("game")).values_list("game", "seat", "player", "running")
    for game, seat, player, is_running in rows:
        seats[game][seat] = str(player)
        if game in games and is_running == games[game].ended:
            misplaced.add(game)
    secrets = GameSecret.objects.filter(range.q("pk")).values_list("pk", "server_seed")
    groups = {game.deal_group for game in games.values() if game.deal_group}
    running = GameRecord.objects.running().filter(deal_group__in=groups)
    tournaments = {game.tournament for game in games.values() if game.tournament}
    revealed = RevealedSeed.objects.filter(pk__in=tournaments).values_list("pk", "seed")
    return Projections(
        games=games,
        seats=seats,
        misplaced=frozenset(misplaced),
        seeds={game: bytes(seed) for game, seed in secrets},
        transfers=_transfers(games),
        revealed={tournament: bytes(seed) for tournament, seed in revealed},
        in_play=frozenset(running.values_list("deal_group", flat=True).distinct()) if groups else frozenset(),
    )


_TRANSFERS = (
    "SELECT t.subject, t.key, t.uuid, {debit}, {credit}, t.amount, t.currency, t.reason, t.event, "
    "t.epoch, t.xact, t.position FROM ledger_transfer t "
    "LEFT JOIN ledger_account d ON d.id = t.debit_id LEFT JOIN ledger_account c ON c.id = t.credit_id WHERE"
)


def _transfers(games: Iterable[UUID]) -> dict[UUID, Transfers]:
    """Return `ledger.selectors.transfers_of` of each game, without creating a model object for every transfer."""
    subjects = {f"game:{game}": game for game in games}
    select = _TRANSFERS.format(debit=account_name("d"), credit=account_name("c"))
    rows = sorted(each_among(select, "t.subject", list(subjects)), key=lambda row: row[9:])
    found: dict[UUID, Transfers] = defaultdict(list)
    for subject, key, id, debit, credit, amount, currency, reason, event, *_ in rows:
        if not key.startswith(f"{subject}{RULING}"):
            found[subjects[subject]].append(
                {
                    "id": str(as_uuid(id)),
                    "debit": debit,
                    "credit": credit,
                    "amount": amount,
                    "currency": currency,
                    "reason": reason,
                    "event": event,
                }
            )
    return found


# --- the checks ------------------------------------------------------------------------------------


class InvalidRow(ValueError):
    """A row whose data is not JSON."""


def event(row: Row) -> dict[str, Any]:
    """Return the event in the form of a bundle. Raises InvalidRow."""
    try:
        data = orjson.loads(row.data)
        private = None if row.private is None else orjson.loads(row.private)
    except ValueError as error:
        raise InvalidRow(f"the stored data is not JSON: {error}") from error
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
    """The events of one game as they are read, and the first fault of their storage."""

    __slots__ = ("broken", "events", "game", "last", "projections")

    def __init__(self, game: UUID, projections: Projections) -> None:
        self.game = game
        self.projections = projections
        self.events: list[dict[str, Any]] = []
        self.broken: tuple[int, str] | None = None
        self.last: Row | None = None

    def take(self, row: Row) -> None:
        self.last = row
        if self.broken is not None:
            return
        try:
            document = event(row)
        except InvalidRow as error:
            self.broken = row.version, str(error)
            return
        if row.private is not None and canonical(document["private"]) != bytes(row.private):
            self.broken = row.version, "sealed data is not stored in its canonical form"
        self.events.append(document)

    def check(self, report: Report, head_fault: str | None) -> None:
        _check(report, self, head_fault)


class GameStreams(StreamRecords):
    """The games of a range."""

    def __init__(self, range: Range) -> None:
        self.projections = load(range)
        super().__init__(self.projections.games)

    def is_version_public(self, stream: UUID) -> bool:
        return self.projections.is_version_public(stream)

    def reading(self, stream: UUID) -> Reading:
        return Reading(stream, self.projections)

    def check_missing(self, report: Report, seen: Container[UUID]) -> None:
        """Add the faults of game records without a stream."""
        for game in self.projections.games:
            if game not in seen:
                report.counted["games"] += 1
                report.failed(Fault(PART, "record", f"game:{game}", "the game has a record and no events"))
                report.not_run(PART, *bundle.CHECKS, "head", "stored", why="the game has no events")


def _check(report: Report, reading: Reading, head_fault: str | None) -> None:
    """Add every check of a game that has a record or a stream to the report."""
    game, projections = reading.game, reading.projections
    report.counted["games"] += 1
    found = _Checks(report, f"game:{game}")
    if head_fault:
        found.failed("head", head_fault, None)
    else:
        report.passed(PART, "head")
    record = projections.games.get(game)
    if record is None:
        found.failed("record", "the game has a stream and no record", None)
        report.not_run(PART, *bundle.CHECKS, "stored", why="the game has no record")
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
        _check_chain_only(found, reading)
        return
    if table is None:
        found.failed("record", "the game has a record and no events", None)
        report.not_run(PART, *bundle.CHECKS, why="the game has no events")
        return
    public = projections.is_public(record)
    record_fault = _record_fault(record, table, reading, projections)
    if record_fault:
        found.failed("record", record_fault if public else HIDDEN, None)
    else:
        report.passed(PART, "record")
    found.add(_bundle_report(record, table, reading.events, projections), record, table, hidden=not public)


def _check_chain_only(found: _Checks, reading: Reading) -> None:
    """Check only the chain of events that cannot be folded."""
    events = reading.events
    try:
        broken = chain_fault(events, stream=found.subject.partition(":")[2])
    except UNFOLDABLE as error:
        broken = (len(events), f"the row is not an event: {error}")
    if broken:
        found.failed("chain", broken[1], broken[0])
    else:
        found.report.passed(PART, "chain")
    others = [check for check in bundle.CHECKS if check != "chain"]
    found.report.not_run(PART, *others, why="the stream cannot be folded")


def _bundle_report(
    game: GameRecord, table: Table, events: list[dict[str, Any]], projections: Projections
) -> bundle.BundleReport:
    seed = projections.seeds.get(game.pk)
    document = bundle_records.bundle(
        game_id=str(game.pk),
        table=table,
        events=events,
        server_seed=seed if table.ended else None,
        tournament=projections.tournament(game),
        transfers=projections.transfers.get(game.pk, ()),
    )
    return bundle.verify(document) if table.ended else bundle.verify_in_play(document, seed)


def _outline(events: list[dict[str, Any]]) -> Table | None:
    """Fold the table without its moves, which are played by the verification: seats and end only."""
    table = None
    for one in events:
        if "move" not in one["data"] and one["type"] != "expired":
            table = tables.evolve(table, one["type"], one["seat"], one["data"], one["private"])
    return table


def _record_fault(game: GameRecord, table: Table, reading: Reading, projections: Projections) -> str | None:
    if game.pk in projections.misplaced:
        return "its seats say of the game that it goes on, and the record that it has ended, or the other way around"
    try:
        seats = projections.seats.get(game.pk, {})
        return fault_of_record(game, seats, table, reading.events[0]["data"]) or _times_fault(game, reading)
    except UNFOLDABLE as error:
        return f"the record cannot be compared: {type(error).__name__} {error}"


def _times_fault(game: GameRecord, reading: Reading) -> str | None:
    """Compare the end in the record with the time of the last event, to the microsecond."""
    if game.ended_at is None or reading.last is None:
        return None
    at = f"{game.ended_at:%Y-%m-%dT%H:%M:%S.%fZ}"
    return None if at == reading.last.at else f"its ended_at is {at}, by the stream {reading.last.at}"


class _Checks:
    """The checks of one game that are added to a report."""

    def __init__(self, report: Report, subject: str) -> None:
        self.report = report
        self.subject = subject
        self._failed: set[str] = set()

    def failed(self, check: str, why: str, version: int | None) -> None:
        fault = Fault(PART, check, self.subject, why, version)
        self.report.failed(fault, again=check in self._failed)
        self._failed.add(check)

    def add(self, verified: bundle.BundleReport, game: GameRecord, table: Table, *, hidden: bool) -> None:
        for fault in verified.faults:
            self.failed(fault.check, HIDDEN if hidden else fault.why, fault.version)
        for check, verdict in verified.checks.items():
            if verdict == "passed":
                self.report.passed(PART, check)
            elif verdict == "not-run":
                self.report.not_run(PART, check, why=_why_not(check, verified, game, table))


def _why_not(check: str, verified: bundle.BundleReport, game: GameRecord, table: Table) -> str:
    if not verified.ok:
        return AFTER_FAULT
    if not game.ended:
        return "the game is in play"
    if check == "tournament-seed":
        return "the seed of its tournament is not revealed"
    if check == "money":
        return "a market decides the payments, which the checks of the ledger compare with the bets"
    return "the game was void before the deal"
