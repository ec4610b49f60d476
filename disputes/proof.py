"""Whether the rows of a dispute say what its stream says, and the stream is whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from disputes import effects, states
from disputes.models import Dispute
from eventstore import store
from eventstore.chain import chain_fault, format_at

TYPES = (
    "opened", "pinned", "suspended", "resumed", "proposed", "approved", "refused", "ruled", "appealed", "withdrawn",
)  # fmt: skip


def faults(dispute: Dispute) -> Iterator[str]:
    """What is wrong with a dispute, in plain words; nothing if all is as it was told."""
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
        yield "its events tell no dispute: one of them lacks what its kind tells, or speaks of what is not there"
        return
    for name, (row, said) in compared.items():
        if row != said:
            yield f"its {name} is {row}, by its stream {said}"


@dataclass(frozen=True, slots=True)
class _Moment:
    """When an event happened; `raised` to that of the event before, since the clock had gone back."""

    at: str
    raised: bool

    def said(self, kept: datetime | None) -> str | None:
        """The moment as a row has it: the event's own where it says the same."""
        said = None if kept is None else format_at(kept)
        return self.at if self.raised and said is not None and said <= self.at else said


def _fold(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What the stream tells, in the order in which it happened."""
    told: dict[str, Any] = {"status": "", "instance": 1, "pins": [], "rulings": {}, "suspends": False}
    told |= {"ended": None, "appeal_until": None, "made": {}, "decided": {}}
    before = ""
    for event in events:
        type, data = event["type"], event["data"]
        moment = _Moment(event["at"], raised=event["at"] == before)
        before = event["at"]
        _follow_times(told, type, data, moment)
        if type == "opened":
            told |= {"status": states.OPEN, "claim": data}
        elif type == "pinned":
            told["pins"].append((data["game"], data["version"], data["hash"], data["note"], data["by"]))
        elif type in ("suspended", "resumed"):
            told["suspends"] = type == "suspended"
        elif type == "proposed":
            told["status"] = states.PROPOSED
            told["rulings"][data["ruling"]] = (states.PROPOSED, _ruling(data), None, "")
        elif type == "refused":
            told["status"] = states.OPEN if told["instance"] == 1 else states.APPEALED
            told["rulings"][data["ruling"]] = _decided(told, states.REFUSED, data)
        elif type == "approved":
            told["rulings"][data["ruling"]] = _decided(told, states.PROPOSED, data)
        elif type == "ruled":
            told["status"] = states.RULED
            for known, (state, *rest) in told["rulings"].items():
                if state == states.STANDING:
                    told["rulings"][known] = (states.SUPERSEDED, *rest)
            *_, why = told["rulings"].get(data["ruling"], ("",))
            told["rulings"][data["ruling"]] = (states.STANDING, _ruling(data), data["approved_by"], why)
        elif type == "appealed":
            told |= {"status": states.APPEALED, "instance": 2}
        elif type == "withdrawn":
            told["status"] = states.WITHDRAWN
    return {**told, "events": len(events)}


def _follow_times(told: dict[str, Any], type: str, data: dict[str, Any], moment: _Moment) -> None:
    if type == "opened":
        told["opened"] = moment
    elif type in ("proposed", "ruled"):
        said = data.get("ruled_at")
        told["made"].setdefault(data["ruling"], _Moment(said, raised=False) if said else moment)
    elif type in ("approved", "refused"):
        told["decided"][data["ruling"]] = moment
    if type in ("ruled", "withdrawn"):
        # Not told by the first rulings that were made: then it is as the row has it.
        told |= {"ended": moment, "appeal_until": data.get("appeal_until", "untold")}
    elif type == "appealed":
        told |= {"ended": None, "appeal_until": None}


def _decided(told: dict[str, Any], state: str, data: dict[str, Any]) -> tuple[Any, ...]:
    """The ruling with the second person's word."""
    _, ruling, *_ = told["rulings"][data["ruling"]]
    return state, ruling, data["by"], data.get("reason", "")


_RULED = (
    "number", "instance", "finding", "remedy", "terms", "reason", "by", "rules", "rules_version", "evidence",
    "result", "moves", "effects",
)  # fmt: skip


def _ruling(data: dict[str, Any]) -> tuple[Any, ...]:
    return (*(data[name] for name in _RULED), data.get("caused", []), data.get("game"))


def _compared(dispute: Dispute, told: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """By name, what the rows say and what the stream does."""
    claim = told["claim"]
    return {
        "status": (dispute.status, told["status"]),
        "instance": (dispute.instance, told["instance"]),
        "number of events": (dispute.events, told["events"]),
        "suspension": (dispute.suspends, told["suspends"]),
        "game": (str(dispute.game_id), claim["game"]),
        "opener": (str(dispute.opener_id), claim["by"]),
        "seat": (dispute.seat, claim["seat"]),
        "event": ((dispute.version, dispute.hash), (claim["version"], claim["hash"])),
        "claim": (dispute.claim, claim["claim"]),
        "evidence": (_pins(dispute), told["pins"]),
        "rulings": (_rulings(dispute), told["rulings"]),
        **_times(dispute, told),
    }


def _times(dispute: Dispute, told: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """When it was opened, ruled, decided by a second person and ended, and how long an appeal is open."""
    found: dict[str, tuple[Any, Any]] = {
        "opening": (told["opened"].said(dispute.opened_at), told["opened"].at),
        "end": _compare(dispute.ended_at, told["ended"]),
    }
    until = None if dispute.appeal_until is None else format_at(dispute.appeal_until)
    if told["status"] != states.RULED or told["appeal_until"] != "untold":
        found["time to appeal"] = (until, None if told["appeal_until"] == "untold" else told["appeal_until"])
    for one in dispute.rulings.all():
        found[f"ruling {one.number}"] = _compare(one.ruled_at, told["made"].get(str(one.pk)))
        decided = _compare(one.decided_at, told["decided"].get(str(one.pk)))
        found[f"second person's decision on ruling {one.number}"] = decided
    return found


def _compare(kept: datetime | None, moment: _Moment | None) -> tuple[str | None, str | None]:
    if moment is None:
        return None if kept is None else format_at(kept), None
    return moment.said(kept), moment.at


def _pins(dispute: Dispute) -> list[tuple[Any, ...]]:
    return [
        (str(one.game_id), one.version, one.hash, one.note, str(one.pinned_by_id))
        for one in dispute.evidence.all()
    ]


def _rulings(dispute: Dispute) -> dict[str, tuple[Any, ...]]:
    found = {}
    for one in dispute.rulings.all():
        said = (
            one.number, one.instance, one.finding, one.remedy, one.terms, one.reason, str(one.auditor_id), one.rules,
            one.rules_version, one.evidence, one.effects["result"], one.moves, effects.digest(one.effects),
            one.caused, None if one.game is None else str(one.game),
        )  # fmt: skip
        by = None if one.decided_by_id is None else str(one.decided_by_id)
        found[str(one.pk)] = (str(one.state), said, by, one.decided_why)
    return found
