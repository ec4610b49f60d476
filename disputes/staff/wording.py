"""Text of the staff pages about disputes: results, effects, and events as sentences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from disputes import results, states
from disputes.models import Dispute
from games import rules
from games.evidence.naming import people_at, seat_name
from games.evidence.words import as_text
from games.models import GameRecord
from games.rules.registry import manifest
from ledger.models import Account, OwnerKind
from ledger.money import money
from ledger.staff.wording import balance_change
from staff import subjects
from staff.actions import Change, Preview
from tournaments.actions.rows import measures_of, names_of, ordinal, score_words, standing_changes
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


OF_PROPOSAL = frozenset({"Game", "Remedy", "Reason of the ruling", "Proposed by"})
"""Facts of a preview that are not effects."""


def game_fact(dispute: Dispute) -> tuple[str, str]:
    """Return the game of a dispute as a fact of a dialog."""
    return "Game", subjects.link(f"game:{dispute.game_id}").text


def text(value: Any) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def preview_of(
    effects: Document,
    dispute: Dispute,
    *,
    remedy: str,
    reason: str = "",
    by: UUID | None = None,
    warnings: Sequence[str] = (),
) -> Preview:
    """Return the effects of a ruling that is not in effect yet as the preview of a staff action.

    `reason` and `by` are those of a ruling that was proposed.
    """
    lines = [("Reason of the ruling", reason)] if reason else []
    if by is not None:
        lines.append(("Proposed by", subjects.link(f"player:{by}").text))
    balances = list(_balances(effects["money"]))
    named = {owner for owner, _ in balances}
    others = [one for one in effects["money"] if one["owner"] not in named]
    return Preview(
        facts=[
            game_fact(dispute),
            ("Remedy", REMEDIES[remedy]),
            *lines,
            *_of_result(effects, dispute),
            *_of_money(others, none_at_all=not effects["money"]),
            *_of_bets(effects),
            *_of_pairings(effects["tournament"] or {}),
        ],
        warnings=warnings,
        changes=[*(change for _, change in balances), *_of_entrants(effects["tournament"] or {}, dispute)],
    )


def facts(effects: Document, dispute: Dispute) -> Iterator[tuple[str, str]]:
    """Yield the effects of a ruling as labels and texts."""
    yield from _of_result(effects, dispute)
    yield from _of_money(effects["money"], none_at_all=not effects["money"])
    yield from _of_bets(effects)
    for change in _of_entrants(effects["tournament"] or {}, dispute):
        yield change.what, f"{change.before} → {change.after}"
    yield from _of_pairings(effects["tournament"] or {})


def _of_result(effects: Document, dispute: Dispute) -> Iterator[tuple[str, str]]:
    was, becomes = (_result(effects["result"][when], dispute) for when in ("was", "becomes"))
    yield "Result", f"unchanged: {was}" if was == becomes else f"{was} → {becomes}"
    if plays := effects["plays"]:
        yield "Play", PLAYS.get(plays, str(plays))


PLAYS = {
    "continued": "continues as a new game with the same cards",
    "new-deal": "is played again with a new deal",
    "called-off": "does not continue",
}


def _result(result: Document, dispute: Dispute) -> str:
    """Return a result in words, with people by name."""
    value = result.get("value", {})
    if result["kind"] == results.CORRECTED:
        return f"corrected: {outcome_words(value, dispute.game)}"
    if result["kind"] == results.POINTS:
        return f"points adjusted: {_points(value, dispute)}"
    return {results.RECORDED: "as recorded", results.VOID: "void"}.get(result["kind"], str(result["kind"]))


def outcome_words(outcome: Document, game: GameRecord) -> str:
    """Return the part of an outcome that a ruling decides in words."""
    part = manifest(game.rules).decides
    if part is None or part.name not in outcome:
        return as_text(outcome)
    value, people = outcome[part.name], people_at(game)
    if part.kind == "choice":
        return next((words for known, words in part.choices if known == value), str(value))
    if part.kind == "numbers":
        return ", ".join(f"{seat_name(seat, people)} {number}" for seat, number in enumerate(value))
    if part.kind == "places":
        by_place = enumerate(value, 1)
        return ", ".join(
            f"{seat_name(seat, people)} {ordinal(place)}" for place, seats in by_place for seat in seats
        )
    return f"{part.label.lower()} {value}"


def _points(terms: Document, dispute: Dispute) -> str:
    """Return the terms of adjusted points, such as "mara 1, 0; joan 0, 3"."""
    assert dispute.game.tournament is not None
    tournament = Tournament.objects.get(pk=dispute.game.tournament)
    if terms["way"] == "score":
        names = names_of(tournament, [row["entry"] for row in terms["scores"]])
        measures = measures_of(tournament)
        return "; ".join(
            f"{names.get(row['entry'], 'Entrant')}: {score_words(measures, row['score'])}"
            for row in terms["scores"]
        )
    names = names_of(tournament, terms["entries"])
    people = " and ".join(names.get(entry, "Entrant") for entry in terms["entries"])
    return f"{people} forfeit" if terms["way"] == "forfeit" else f"the results of {people} are exchanged"


def _of_money(changes: Sequence[Document], *, none_at_all: bool) -> Iterator[tuple[str, str]]:
    links = subjects.links(one["owner"] for one in changes)
    for one in changes:
        name = links[one["owner"]].text
        if one["owner"].startswith(f"{OwnerKind.HOUSE}:"):
            name = f"Bank of {name}"
        amount = money(abs(one["change"]), one["currency"])
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
    yield from standing_changes(
        names_of(tournament, {one["entry"] for one in (*standings, *prizes)}),
        {one["entry"]: (one["was"]["place"], one["would_be"]["place"]) for one in standings},
        {one["entry"]: (one["was"], one["would_be"]) for one in prizes},
        tournament.currency,
    )


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
    "proposed": "Ruling proposed: {remedy}. Reason: {reason}",
    "approved": "Proposed ruling approved. Reason: {reason}",
    "refused": "Proposed ruling refused. Reason: {reason}",
    "ruled": "Ruling made: claim {finding}, {remedy}. Reason: {reason}",
    "appealed": "Ruling appealed. Reason: {reason}",
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
