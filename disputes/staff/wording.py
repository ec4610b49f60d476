"""Text of the staff pages about disputes: results, effects, and events as sentences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from disputes import states
from disputes.models import Dispute
from games import rules
from games.evidence.words import said
from games.models import GameRecord
from ledger.models import Account, OwnerKind
from ledger.money import money
from ledger.staff.wording import balance_change
from staff import subjects
from staff.actions import Change, Preview
from tournaments.models import Tournament

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


def game_name(game: GameRecord) -> str:
    """Return the title of the game that is played, such as "Ace Race"."""
    return rules.title(game.rules)


def text(value: Any) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def preview_of(
    effects: Document, dispute: Dispute, *, remedy: str, reason: str = "", warnings: Sequence[str] = ()
) -> Preview:
    """Return the effects of a ruling that is not in effect yet as the preview of a staff action."""
    lines = [("Reason of the ruling", reason)] if reason else []
    balances = list(_balances(effects["money"]))
    named = {owner for owner, _ in balances}
    others = [one for one in effects["money"] if one["owner"] not in named]
    return Preview(
        facts=[
            ("Remedy", REMEDIES[remedy]),
            *lines,
            *_of_result(effects),
            *_of_money(others, none_at_all=not effects["money"]),
            *_of_bets(effects),
            *_of_pairings(effects["tournament"] or {}),
        ],
        warnings=warnings,
        changes=[*(change for _, change in balances), *_of_entrants(effects["tournament"] or {}, dispute)],
    )


def facts(effects: Document, dispute: Dispute) -> Iterator[tuple[str, str]]:
    """Yield the effects of a ruling as labels and texts."""
    yield from _of_result(effects)
    yield from _of_money(effects["money"], none_at_all=not effects["money"])
    yield from _of_bets(effects)
    for change in _of_entrants(effects["tournament"] or {}, dispute):
        yield change.what, f"{change.before} → {change.after}"
    yield from _of_pairings(effects["tournament"] or {})


def _of_result(effects: Document) -> Iterator[tuple[str, str]]:
    was, becomes = effects["result"]["was"], effects["result"]["becomes"]
    yield "Result", f"unchanged: {_result(was)}" if was == becomes else f"{_result(was)} → {_result(becomes)}"
    if plays := effects["plays"]:
        yield "Play", PLAYS.get(plays, str(plays))


PLAYS = {
    "continued": "continues as a new game with the same cards",
    "new-deal": "is played again with a new deal",
    "called-off": "does not continue",
}


def _result(result: Document) -> str:
    """Return a result in words.

    >>> _result({"kind": "recorded"}), _result({"kind": "corrected", "value": {"outcome": {"winner": "H"}}})
    ('as recorded', 'corrected: winner H')
    """
    if result["kind"] == "recorded":
        return "as recorded"
    value = result.get("value", {})
    shown = value.get("outcome", value)
    words = ", ".join(f"{name.replace('_', ' ')} {said(part)}" for name, part in shown.items())
    return f"{result['kind']}: {words}" if words else str(result["kind"])


def _of_money(changes: Sequence[Document], *, none_at_all: bool) -> Iterator[tuple[str, str]]:
    links = subjects.links(one["owner"] for one in changes)
    for one in changes:
        name, amount = links[one["owner"]].text, money(abs(one["change"]), one["currency"])
        yield name, f"{amount} {'more' if one['change'] > 0 else 'less'}"
    if none_at_all:
        yield "Money", "unchanged"


def _balances(changes: Sequence[Document]) -> Iterator[tuple[str, Change]]:
    """Yield what each player has now and would have, with the owner of the money."""
    players = [one for one in changes if one["owner"].startswith(f"{OwnerKind.PLAYER}:")]
    links = subjects.links(one["owner"] for one in players)
    keys = [one["owner"].partition(":")[2] for one in players]
    accounts = Account.objects.filter(kind=OwnerKind.PLAYER, key__in=keys)
    has: Counter[tuple[str, str]] = Counter()
    for account in accounts:
        has[account.owner, account.currency] += account.total
    for one in players:
        before = has[one["owner"], one["currency"]]
        what = f"{links[one['owner']].text}: wallet and money in play"
        yield one["owner"], balance_change(what, before, before + one["change"], one["currency"])


def _of_bets(effects: Document) -> Iterator[tuple[str, str]]:
    if effects["bets_paid_later"]:
        yield "Bets", f"{effects['bets_paid_later']} will be settled again by a job"


def _of_entrants(changes: Document, dispute: Dispute) -> Iterator[Change]:
    """Yield the places and prizes that change in the tournament, by name."""
    standings, prizes = changes.get("standings") or (), changes.get("prizes") or ()
    if not (standings or prizes):
        return
    assert dispute.game.tournament is not None
    tournament = Tournament.objects.get(pk=dispute.game.tournament)
    numbers = {one["entry"] for one in (*standings, *prizes)}
    rows = tournament.entries.filter(number__in=numbers).values_list("number", "player__username")
    names = dict(rows)
    for one in standings:
        was, becomes = one["was"]["place"], one["would_be"]["place"]
        yield Change(f"{names.get(one['entry'], 'Entrant')}: place", _ordinal(was), _ordinal(becomes))
    for one in prizes:
        what = f"{names.get(one['entry'], 'Entrant')}: prize"
        yield balance_change(what, one["was"], one["would_be"], tournament.currency)


def _ordinal(place: int) -> str:
    """
    >>> [_ordinal(place) for place in (1, 2, 11, 23)]
    ['1st', '2nd', '11th', '23rd']
    """
    teens = place % 100 in (11, 12, 13)
    return f"{place}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(place % 10, 'th')}"


def _of_pairings(changes: Document) -> Iterator[tuple[str, str]]:
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
