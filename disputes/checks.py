"""Check disputes: their rows against their streams, and their evidence against the games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.checks import Report
from core.transactions import one_moment
from disputes import results, states
from disputes.models import Dispute
from eventstore import store
from eventstore.audits import Scope, StreamRecords, Work
from eventstore.chain import chain_fault, format_at
from eventstore.ranges import Range
from games.evidence.proof import UNREADABLE

PART = "disputes"
CHECKS = {
    "record": "dispute, evidence, and rulings match the stream of the dispute",
    "evidence": "the disputed event and the pinned events are unchanged in their games",
}


def audit(range: Range) -> Report:
    report = Report()
    with one_moment():
        for dispute in Dispute.objects.filter(range.q("pk")).order_by("pk").iterator(chunk_size=500):
            report.counted["disputes"] += 1
            subject = f"dispute:{dispute.pk}"
            report.add(PART, "record", subject, _record_faults(dispute))
            report.add(PART, "evidence", subject, _evidence_faults(dispute))
    return report


def pieces(scope: Scope) -> Iterator[Work]:
    for range in scope.ranges:
        yield Work(range)


def records_in(range: Range) -> StreamRecords:
    return StreamRecords(frozenset(Dispute.objects.filter(range.q("pk")).values_list("pk", flat=True)))


def _record_faults(dispute: Dispute) -> Iterator[str]:
    try:
        yield from stream_faults(dispute)
    except UNREADABLE as error:
        yield f"its stream cannot be read: {type(error).__name__} {error}"


def _evidence_faults(dispute: Dispute) -> Iterator[str]:
    """Yield the faults of the disputed event and of the pinned events."""
    events = [(dispute.game_id, dispute.version, dispute.hash)]
    for game, version, hash in events + list(dispute.evidence.values_list("game", "version", "hash")):
        event = store.event_of(game, version)
        if event is None or event.hash != hash:
            yield f"event {version} of game {game} differs from the pinned event"


# --- rows and streams ------------------------------------------------------------------------------------


def stream_faults(dispute: Dispute) -> Iterator[str]:
    """Yield the differences between the rows of a dispute and its stream."""
    events = [event.public() for event in store.read(dispute.pk)]
    if not events:
        yield "it has no events"
        return
    broken = chain_fault(events, stream=str(dispute.pk))
    if broken is not None:
        yield f"event {broken[0]}: {broken[1]}"
        return
    try:
        compared = _compared(dispute, _fold(events))
    except (KeyError, TypeError, ValueError):
        yield "its events cannot be folded: one lacks required data or refers to an unknown ruling"
        return
    for name, (row, recorded) in compared.items():
        if row != recorded:
            yield f"its {name} is {row}, by its stream {recorded}"


@dataclass(frozen=True, slots=True)
class _Moment:
    """The time of an event; `raised` if it equals that of the previous event, because the clock had gone back."""

    at: str
    raised: bool

    def matched(self, stored: datetime | None) -> str | None:
        """Return a row's time in the form of the event's; a time before a raised event counts as equal to it."""
        at = None if stored is None else format_at(stored)
        return self.at if self.raised and at is not None and at <= self.at else at


def _fold(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the state of the dispute by its events."""
    known: dict[str, Any] = {"status": "", "instance": 1, "pins": [], "rulings": {}, "suspends": False}
    known |= {"ended": None, "appeal_until": None, "made": {}, "decided": {}}
    before = ""
    for event in events:
        _apply(known, event["type"], event["data"], _Moment(event["at"], raised=event["at"] == before))
        before = event["at"]
    return {**known, "events": len(events)}


def _apply(known: dict[str, Any], type: str, data: dict[str, Any], moment: _Moment) -> None:
    rulings, ruling = known["rulings"], data.get("ruling", "")
    if type in ("proposed", "ruled"):
        known["made"].setdefault(data["ruling"], _Moment(data["ruled_at"], raised=False))
    match type:
        case "opened":
            known |= {"status": states.OPEN, "claim": data, "opened": moment}
        case "pinned":
            known["pins"].append((data["game"], data["version"], data["hash"], data["note"], data["by"]))
        case "suspended" | "resumed":
            known["suspends"] = type == "suspended"
        case "proposed":
            known["status"] = states.PROPOSED
            rulings[ruling] = (states.PROPOSED, _ruling(data), None, "")
        case "approved" | "refused":
            state = states.PROPOSED
            if type == "refused":
                state = states.REFUSED
                known["status"] = states.OPEN if known["instance"] == 1 else states.APPEALED
            rulings[ruling] = (state, rulings[ruling][1], data["by"], data["reason"])
            known["decided"][ruling] = moment
        case "ruled":
            known |= {"status": states.RULED, "ended": moment, "appeal_until": data["appeal_until"]}
            for earlier, (state, *rest) in rulings.items():
                if state == states.STANDING:
                    rulings[earlier] = (states.SUPERSEDED, *rest)
            *_, why = rulings.get(ruling, ("",))
            rulings[ruling] = (states.STANDING, _ruling(data), data["approved_by"], why)
        case "appealed":
            known |= {"status": states.APPEALED, "instance": 2, "ended": None, "appeal_until": None}
        case "withdrawn":
            known |= {"status": states.WITHDRAWN, "ended": moment, "appeal_until": None}


_RULED = (
    "number", "instance", "finding", "remedy", "terms", "reason", "by", "rules", "rules_version", "evidence",
    "result", "moves", "effects",
)  # fmt: skip


def _ruling(data: dict[str, Any]) -> tuple[Any, ...]:
    return (*(data[name] for name in _RULED), data.get("caused", []), data.get("game"))


def _compared(dispute: Dispute, known: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return pairs of stored and recorded values, by name."""
    claim = known["claim"]
    return {
        "status": (dispute.status, known["status"]),
        "instance": (dispute.instance, known["instance"]),
        "number of events": (dispute.events, known["events"]),
        "suspension": (dispute.suspends, known["suspends"]),
        "game": (str(dispute.game_id), claim["game"]),
        "opener": (str(dispute.opener_id), claim["by"]),
        "seat": (dispute.seat, claim["seat"]),
        "event": ((dispute.version, dispute.hash), (claim["version"], claim["hash"])),
        "claim": (dispute.claim, claim["claim"]),
        "evidence": (_pins(dispute), known["pins"]),
        "rulings": (_rulings(dispute), known["rulings"]),
        **_times(dispute, known),
    }


def _times(dispute: Dispute, known: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Compare the times of opening, rulings, second decisions, and end, and the end of the appeal period."""
    found: dict[str, tuple[Any, Any]] = {
        "opening": (known["opened"].matched(dispute.opened_at), known["opened"].at),
        "end": _compare(dispute.ended_at, known["ended"]),
    }
    until = None if dispute.appeal_until is None else format_at(dispute.appeal_until)
    found["time to appeal"] = (until, known["appeal_until"])
    for one in dispute.rulings.all():
        found[f"ruling {one.number}"] = _compare(one.ruled_at, known["made"].get(str(one.pk)))
        decided = _compare(one.decided_at, known["decided"].get(str(one.pk)))
        found[f"second person's decision on ruling {one.number}"] = decided
    return found


def _compare(stored: datetime | None, moment: _Moment | None) -> tuple[str | None, str | None]:
    if moment is None:
        return None if stored is None else format_at(stored), None
    return moment.matched(stored), moment.at


def _pins(dispute: Dispute) -> list[tuple[Any, ...]]:
    return [
        (str(one.game_id), one.version, one.hash, one.note, str(one.pinned_by_id))
        for one in dispute.evidence.all()
    ]


def _rulings(dispute: Dispute) -> dict[str, tuple[Any, ...]]:
    found = {}
    for one in dispute.rulings.all():
        ruled = (
            one.number, one.instance, one.finding, one.remedy, one.terms, one.reason, str(one.auditor_id), one.rules,
            one.rules_version, one.evidence, one.effects["result"], one.moves, results.digest(one.effects),
            one.caused, None if one.game is None else str(one.game),
        )  # fmt: skip
        by = None if one.decided_by_id is None else str(one.decided_by_id)
        found[str(one.pk)] = (str(one.state), ruled, by, one.decided_why)
    return found
