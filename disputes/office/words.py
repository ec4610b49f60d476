"""What the pages about disputes say: results, effects and events in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from api.deeds import Preview
from disputes import states
from ledger.formats import money
from ledger.office import subjects

Document = Mapping[str, Any]

REMEDIES = {
    states.DISMISSED: "Dismiss the claim",
    states.VOID: "Void the game",
    states.CORRECTED: "Correct the result",
    states.POINTS: "Adjust the points",
    states.REPLAY: "Have it played again",
}

WAITS_FOR = {
    states.OPEN: "An auditor is to rule.",
    states.PROPOSED: "A second person is to approve the ruling.",
    states.APPEALED: "It is appealed: another auditor is to rule.",
    states.RULED: "It is ruled on.",
    states.WITHDRAWN: "It was taken back.",
}


def text(value: Any) -> str:
    """JSON in a line."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def preview_of(effects: Document, *, remedy: str, reason: str = "", warnings: Sequence[str] = ()) -> Preview:
    """The effects of a ruling as a command's preview."""
    told = [("The ruling's reason", reason)] if reason else []
    return Preview(facts=[("Remedy", REMEDIES[remedy]), *told, *facts(effects)], warnings=warnings)


def facts(effects: Document) -> Iterator[tuple[str, str]]:
    """What a ruling does, a line each."""
    was, becomes = effects["result"]["was"], effects["result"]["becomes"]
    yield "Result", f"stays {_result(was)}" if was == becomes else f"{_result(was)} → {_result(becomes)}"
    if plays := effects["plays"]:
        yield "Play", str(plays)
    links = subjects.links(one["owner"] for one in effects["money"])
    for one in effects["money"]:
        name, amount = links[one["owner"]].text, money(abs(one["change"]), one["currency"])
        yield name, f"{amount} {'more' if one['change'] > 0 else 'less'}"
    if not effects["money"]:
        yield "Money", "none moves"
    if effects["bets_paid_later"]:
        yield "Bets", f"{effects['bets_paid_later']} are paid anew by a job"
    yield from _tournament(effects["tournament"] or {})


def _result(told: Document) -> str:
    return "as it was played" if told == {"kind": "recorded"} else text(told)


def _tournament(told: Document) -> Iterator[tuple[str, str]]:
    for one in told.get("standings") or ():
        yield f"Place of entry {one['entry']}", f"{one['was']['place']} → {one['would_be']['place']}"
    for one in told.get("prizes") or ():
        yield f"Prize of entry {one['entry']}", f"{one['was']} → {one['would_be']} pence"
    for one in told.get("pairings") or ():
        yield f"Round {one['round']}", "would have been laid out otherwise, and stays as it was played"
    if told.get("outright"):
        yield "Bets on the winner", f"{len(told['outright'])} are paid otherwise"
    if told.get("ratings_stay"):
        yield "Ratings", "that the table moved stay as they are"


SHOWN_LATER = "what it says is read by the auditor and who made the claim, until the game is an open book"

_SAYS = {
    "opened": "The game is disputed: {claim}",
    "pinned": "An event is pinned ({version}): {note}",
    "suspended": "The game is suspended.",
    "resumed": "The game goes on.",
    "proposed": "A ruling is proposed: {remedy}. {reason}",
    "approved": "The proposed ruling is approved. {reason}",
    "refused": "The proposed ruling is refused. {reason}",
    "ruled": "It is ruled: {finding}, {remedy}. {reason}",
    "appealed": "The ruling is appealed. {reason}",
    "withdrawn": "The claim is taken back.",
}


def said(event: Document) -> str:
    """An event of a dispute in a sentence; of a kind that nobody knows, its name."""
    told = {"reason": "", **event["data"]}
    known = {name: SHOWN_LATER if value is None else value for name, value in told.items()}
    try:
        return _SAYS[event["type"]].format_map(known).strip()
    except KeyError:
        return f"The event {event['type']}."
