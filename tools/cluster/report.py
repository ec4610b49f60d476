"""The table of a rehearsal, and what it must hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from tools.cluster.rehearsal import Plan, Window
from tools.services import hardware

WRITES_BACK = 30.0
READS_BACK = 10.0

Line = Mapping[str, Any]


@dataclass
class Row:
    window: Window
    writes_away: float
    reads_away: float
    retries: int
    lost: int
    doubled: int

    @property
    def holds(self) -> bool:
        return (
            not self.window.failure
            and self.writes_away <= WRITES_BACK
            and self.reads_away <= READS_BACK
            and not self.lost
            and not self.doubled
        )


NOTHING = {"answered": {}, "lost": [], "doubled": [], "state": {"failed": []}}
NO_AUDIT = {"faults": [], "unreconciled": [], "balance": 0, "events": 0, "transfers": 0}
"""Of a comparison that was cut off, which `faults` names."""


def whole(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what was found, with nothing in the place of what was cut off."""
    return {**NOTHING, "audit": NO_AUDIT, **found}


def rows(windows: Sequence[Window], lines: Sequence[Line], found: Mapping[str, Any]) -> list[Row]:
    return [_row(window, lines, found) for window in windows]


def _row(window: Window, lines: Sequence[Line], found: Mapping[str, Any]) -> Row:
    def within(of: Iterable[Line]) -> list[Line]:
        return [line for line in of if line["began"] <= window.ended and line["ended"] >= window.began]

    commands = [line for line in within(lines) if "sent" in line]
    return Row(
        window,
        away("probe-write", window, lines),
        away("probe-read", window, lines),
        sum(max(0, line["sent"] - 1) for line in commands),
        len(within(found["lost"])),
        len(within(found["doubled"])),
    )


def away(kind: str, window: Window, lines: Sequence[Line]) -> float:
    """The longest time in seconds in a window between two answers to requests that were sent at a fixed rate."""
    answers: list[float] = sorted(
        line["ended"]
        for line in lines
        if line["kind"] == kind and line["status"] == "done" and window.began <= line["ended"] <= window.ended
    )
    moments = [window.began, *answers, window.ended]
    return max(later - earlier for earlier, later in pairwise(moments))


def faults(found: Mapping[str, Any], lines: Sequence[Line], table: Sequence[Row]) -> list[str]:
    """What does not hold."""
    wrong = [
        f"{row.window.title}: {row.window.failure or 'outside of its limits'}"
        for row in table
        if not row.holds
    ]
    refused = [line for line in lines if line.get("status") in ("refused", "unanswered")]
    broken = [line for line in lines if line["kind"] == "stream" and line["faults"]]
    wrong += [
        f"{line['kind']} {line['status']}: {line.get('detail') or line.get('code')}" for line in refused
    ]
    wrong += [f"event stream of {line['game']}: {', '.join(line['faults'])}" for line in broken]
    wrong += [f"client: {line['detail']}" for line in lines if line["kind"] == "defect"]
    wrong += [f"lost: {line['kind']} {line['key']}" for line in found["lost"]]
    wrong += [f"doubled: {line['kind']} {line['key']}" for line in found["doubled"]]
    wrong += [f"the comparison was cut off: {found['unfinished']}"] if found["unfinished"] else []
    audit = found["audit"]
    wrong += [f"audit: {fault}" for fault in audit["faults"]]
    wrong += [f"reconciliation: {difference}" for difference in audit["unreconciled"]]
    wrong += [f"the trial balance is {audit['balance']}"] if audit["balance"] else []
    wrong += [f"a job was given up: {job}" for job in found["state"]["failed"]]
    wrong += [
        f"tournament: {part} differ from the undisturbed one"
        for one in found["tournaments"]
        for part in one["differ"]
    ]
    return wrong


def markdown(
    plan: Plan, table: Sequence[Row], found: Mapping[str, Any], lines: Sequence[Line], seconds: float
) -> str:
    """The table, and a paragraph with the counts."""
    text = [
        "| Fault | Writes away, s | Reads away, s | Retries | Lost | Doubled |",
        "|---|---|---|---|---|---|",
        *map(_table_line, table),
        "",
        " ".join(
            [
                *_counts(plan, found, lines),
                f"{seconds:.0f} s in all, {datetime.now(UTC):%Y-%m-%d}, {hardware()}.",
            ]
        ),
    ]
    return "\n".join(text) + "\n"


def _table_line(row: Row) -> str:
    figures = f"{row.writes_away:.1f} | {row.reads_away:.1f} | {row.retries} | {row.lost} | {row.doubled}"
    return f"| {row.window.title} | {figures} |" + ("" if row.holds else " **outside of its limits**")


def _counts(plan: Plan, found: Mapping[str, Any], lines: Sequence[Line]) -> Iterable[str]:
    if found["unfinished"]:
        yield "**The comparison was cut off.** What follows is how far it came."
    held, audit, answered = found["tournaments"], found["audit"], found["answered"]
    games, events = (sum(one[what] for one in held) for what in ("games", "stored"))
    differ = any(one["differ"] for one in held)
    yield f"{len(held)} tournament{'s' * (len(held) != 1)} of {plan.bots} bots ({games:,} games, {events:,} events):"
    if held:
        yield (
            "different from the same ones undisturbed."
            if differ
            else "the same as undisturbed, event by event."
        )
    moves, bets, transfers = (answered.get(kind, 0) for kind in ("move", "bet", "probe-write"))
    streams = sum(line["kind"] == "stream" for line in lines)
    yield f"{plan.clients} REST clients: {moves:,} moves, {bets:,} bets, {streams:,} event streams;"
    yield f"and {transfers:,} transfers, all of them answered."
    yield f"Audit of {audit['events']:,} events and {audit['transfers']:,} transfers: {len(audit['faults'])} faults;"
    yield f"reconciliation: {len(audit['unreconciled'])} differences."
