"""Verify disputes: their rows against their streams, and settlements by rulings against the streams.

The ledger derives the amounts of a settlement from its inputs (winnings, places, winners); this module compares those
inputs with the ruling in the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from disputes import money, results, states
from disputes.models import Dispute
from disputes.results import Result
from eventstore import store
from eventstore.chain import chain_fault, format_at
from games.models import GameRecord
from games.rules.buy_in import places
from ledger.hooks import Derivation, Derived, register_derivation
from ledger.models import Division, Settlement, StakeRuling
from ledger.reconciliation.services import Difference
from ledger.selectors import valid_uuids
from tournaments import record


def faults(dispute: Dispute) -> Iterator[str]:
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
        type, data = event["type"], event["data"]
        moment = _Moment(event["at"], raised=event["at"] == before)
        before = event["at"]
        _fold_times(known, type, data, moment)
        if type == "opened":
            known |= {"status": states.OPEN, "claim": data}
        elif type == "pinned":
            known["pins"].append((data["game"], data["version"], data["hash"], data["note"], data["by"]))
        elif type in ("suspended", "resumed"):
            known["suspends"] = type == "suspended"
        elif type == "proposed":
            known["status"] = states.PROPOSED
            known["rulings"][data["ruling"]] = (states.PROPOSED, _ruling(data), None, "")
        elif type == "refused":
            known["status"] = states.OPEN if known["instance"] == 1 else states.APPEALED
            known["rulings"][data["ruling"]] = _decided(known, states.REFUSED, data)
        elif type == "approved":
            known["rulings"][data["ruling"]] = _decided(known, states.PROPOSED, data)
        elif type == "ruled":
            known["status"] = states.RULED
            for ruling, (state, *rest) in known["rulings"].items():
                if state == states.STANDING:
                    known["rulings"][ruling] = (states.SUPERSEDED, *rest)
            *_, why = known["rulings"].get(data["ruling"], ("",))
            known["rulings"][data["ruling"]] = (states.STANDING, _ruling(data), data["approved_by"], why)
        elif type == "appealed":
            known |= {"status": states.APPEALED, "instance": 2}
        elif type == "withdrawn":
            known["status"] = states.WITHDRAWN
    return {**known, "events": len(events)}


def _fold_times(known: dict[str, Any], type: str, data: dict[str, Any], moment: _Moment) -> None:
    if type == "opened":
        known["opened"] = moment
    elif type in ("proposed", "ruled"):
        known["made"].setdefault(data["ruling"], _Moment(data["ruled_at"], raised=False))
    elif type in ("approved", "refused"):
        known["decided"][data["ruling"]] = moment
    if type in ("ruled", "withdrawn"):
        known |= {"ended": moment, "appeal_until": data["appeal_until"] if type == "ruled" else None}
    elif type == "appealed":
        known |= {"ended": None, "appeal_until": None}


def _decided(known: dict[str, Any], state: str, data: dict[str, Any]) -> tuple[Any, ...]:
    """Return the ruling with the second person's decision."""
    _, ruling, *_ = known["rulings"][data["ruling"]]
    return state, ruling, data["by"], data["reason"]


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


Data = Mapping[str, Any]


# --- settlements by rulings ------------------------------------------------------------------------------


def register() -> None:
    """Register the comparison with the reconciliation of the ledger."""
    register_derivation(
        Derivation(
            "the rulings on games",
            "settlements by a ruling follow from the stream of the dispute",
            "game",
            _after,
            _ruled,
        )
    )


def _after(after: str, most: int) -> Sequence[str]:
    games = GameRecord.objects.filter(pk__in=Dispute.objects.values("game"))
    behind = games.filter(pk__gt=UUID(after)) if after else games
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _ruled(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    disputes = Dispute.objects.filter(game__in=valid_uuids(keys)).select_related("game")
    rulings = store.outline([dispute.pk for dispute in disputes], ("ruled",))
    for dispute in disputes:
        faults = [
            fault
            for version, _, data in rulings.get(dispute.pk, ())
            for caused in data["caused"]
            if (fault := _fault(dispute, version, data, caused)) is not None
        ]
        yield Derived(f"game:{dispute.game_id}", "", None, faults)


def _fault(dispute: Dispute, version: int, data: Data, caused: Data) -> Difference | None:
    found, expected = _COMPARED_BY_KIND[caused["kind"]](
        dispute.game, results.read(data["result"]["becomes"]), caused
    )
    if found == expected:
        return None
    what = f"the {caused['kind']} by a ruling"
    return Difference(caused["subject"], "", what, found, expected, f"dispute:{dispute.pk}", version)


def _stake(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    made = StakeRuling.objects.filter(stake=game.pk, number=caused["number"]).first()
    outcome = money.outcome_of(game, result)
    expected = "void" if outcome is None else str(outcome["winnings"])
    return "missing" if made is None else "void" if made.void else str(made.winnings), expected


def _pot(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    made = Division.objects.filter(pot__subject=caused["subject"], number=caused["number"]).first()
    if made is None:
        return "missing", "there"
    if game.match_id is not None:  # divided by all deals of the match at that time
        return "there", "there"
    outcome = money.outcome_of(game, result)
    found = "void" if made.void else str(made.places)
    by_place = places(outcome)
    if by_place is None:
        return found, "void"
    players = dict(game.seatings.values_list("seat", "player"))
    return found, str([[str(players[seat]) for seat in place] for place in by_place])


def _market(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    id = UUID(caused["subject"].partition(":")[2])
    made = Settlement.objects.filter(market=id, number=caused["number"]).first()
    winners = money.winners_of(money.outcome_of(game, result))
    found = "missing" if made is None else "void" if made.void else str(made.winners)
    return found, "void" if winners is None else str(winners)


def _tournament(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    assert game.tournament is not None
    made = record.load(game.tournament).corrections
    return ("there" if made >= caused["number"] else "missing"), "there"


_COMPARED_BY_KIND: Mapping[str, Callable[[GameRecord, Result, Data], tuple[str, str]]] = {
    "stake": _stake,
    "pot": _pot,
    "market": _market,
    "tournament": _tournament,
}
