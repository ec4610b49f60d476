"""Text of the staff pages about disputes: results, effects, and events as sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from disputes import states
from ledger.money import money
from staff import subjects
from staff.actions import Preview

Document = Mapping[str, Any]

REMEDIES = {
    states.DISMISSED: "Dismiss the claim",
    states.VOID: "Void the game",
    states.CORRECTED: "Correct the result",
    states.POINTS: "Adjust the points",
    states.REPLAY: "Replay the game",
}

FINDINGS = {
    states.REJECTED: "rejected",
    states.UPHELD: "upheld",
    states.PARTLY: "upheld in part",
}

WAITS_FOR = {
    states.OPEN: "Waiting for a ruling.",
    states.PROPOSED: "Waiting for a second person to approve the ruling.",
    states.APPEALED: "Appealed. Waiting for a ruling by another auditor.",
    states.RULED: "Decided.",
    states.WITHDRAWN: "Withdrawn.",
}


def text(value: Any) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def preview_of(effects: Document, *, remedy: str, reason: str = "", warnings: Sequence[str] = ()) -> Preview:
    """Return the effects of a ruling as the preview of a staff action."""
    lines = [("Reason of the ruling", reason)] if reason else []
    return Preview(facts=[("Remedy", REMEDIES[remedy]), *lines, *facts(effects)], warnings=warnings)


def facts(effects: Document) -> Iterator[tuple[str, str]]:
    """Yield the effects of a ruling as labels and texts."""
    was, becomes = effects["result"]["was"], effects["result"]["becomes"]
    yield "Result", f"unchanged: {_result(was)}" if was == becomes else f"{_result(was)} → {_result(becomes)}"
    if plays := effects["plays"]:
        yield "Play", str(plays)
    links = subjects.links(one["owner"] for one in effects["money"])
    for one in effects["money"]:
        name, amount = links[one["owner"]].text, money(abs(one["change"]), one["currency"])
        yield name, f"{amount} {'more' if one['change'] > 0 else 'less'}"
    if not effects["money"]:
        yield "Money", "unchanged"
    if effects["bets_paid_later"]:
        yield "Bets", f"{effects['bets_paid_later']} will be settled again by a job"
    yield from _tournament(effects["tournament"] or {})


def _result(result: Document) -> str:
    return "as recorded" if result == {"kind": "recorded"} else text(result)


def _tournament(changes: Document) -> Iterator[tuple[str, str]]:
    for one in changes.get("standings") or ():
        yield f"Place of entry {one['entry']}", f"{one['was']['place']} → {one['would_be']['place']}"
    for one in changes.get("prizes") or ():
        yield f"Prize of entry {one['entry']}", f"{one['was']} → {one['would_be']} pence"
    for one in changes.get("pairings") or ():
        yield f"Round {one['round']}", "would have been paired differently; it stays as played"
    if changes.get("outright"):
        yield "Bets on the winner", f"{len(changes['outright'])} are settled differently"
    if changes.get("ratings_stay"):
        yield "Ratings", "do not change"


SHOWN_LATER = "visible only to the opener and auditors until the game is public"

_SENTENCES = {
    "opened": "Dispute opened: {claim}",
    "pinned": "Event {version} pinned: {note}",
    "suspended": "Game suspended.",
    "resumed": "Game resumed.",
    "proposed": "Ruling proposed: {remedy}. {reason}",
    "approved": "Proposed ruling approved. {reason}",
    "refused": "Proposed ruling refused. {reason}",
    "ruled": "Ruling made: claim {finding}, {remedy}. {reason}",
    "appealed": "Ruling appealed. {reason}",
    "withdrawn": "Dispute withdrawn.",
}


def sentence(event: Document) -> str:
    """Return an event of a dispute as a sentence, or the name of an unknown event type."""
    data = {"reason": "", **event["data"]}
    try:
        if event["type"] in ("proposed", "ruled"):
            data["finding"], data["remedy"] = FINDINGS[data["finding"]], REMEDIES[data["remedy"]].lower()
        known = {name: SHOWN_LATER if value is None else value for name, value in data.items()}
        return _SENTENCES[event["type"]].format_map(known).strip()
    except KeyError:
        return f"The event {event['type']}."
