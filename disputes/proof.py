"""Whether the rows of a dispute say what its stream says, and the stream is whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from disputes import effects, states
from disputes.models import Dispute
from eventstore import store
from eventstore.chain import chain_fault

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


def _fold(events: list[dict[str, Any]]) -> dict[str, Any]:
    """What the stream tells, in the order in which it happened."""
    told: dict[str, Any] = {"status": "", "instance": 1, "pins": [], "rulings": {}, "suspends": False}
    for event in events:
        type, data = event["type"], event["data"]
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
    }


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
