"""Test rulings and rulings."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Player
from accounts.roles import Role
from accounts.services import set_roles
from core.errors import NoSuchVersion
from disputes import results, services
from disputes.errors import (
    AuditorsOnly,
    DisputeTooLate,
    DisputeUnexpectedState,
    EvidencePinned,
    NotYourDispute,
    SecondAuditorRequired,
)
from disputes.results import BalanceChange, Effects, needs_second_person
from disputes.rulings import services as rulings
from disputes.rulings.services import BadDecision, Decision
from eventstore import store
from games.models import GameRecord
from ledger.errors import InterestedParty
from tests.disputes.conftest import LATER, Opens, decide, ruled, shown

pytestmark = pytest.mark.django_db


def test_ruling_records_reason_evidence_and_rules(
    opened: Opens, played: GameRecord, player: Player, auditor: Player
) -> None:
    dispute = opened(played, player)
    services.pin(dispute_id=dispute.pk, actor=auditor, version=4, note="the deal", now=LATER)
    dispute.refresh_from_db()
    made = ruled(dispute, auditor, decide("dismissed"))
    assert dispute.status == "ruled"
    [event] = [event for event in store.read(dispute.pk) if event.type == "ruled"]
    assert event.data["reason"] == "as the log shows"
    assert (event.data["rules"], event.data["rules_version"]) == ("ace-race", 1)
    pinned = store.read(played.pk, until=4)
    assert event.data["evidence"] == [
        {"game": str(played.pk), "version": at, "hash": pinned[at - 1].hash} for at in (1, 4)
    ]
    assert made.effects["money"] == []


def test_event_is_pinned_once(opened: Opens, played: GameRecord, player: Player, auditor: Player) -> None:
    dispute = opened(played, player)
    services.pin(dispute_id=dispute.pk, actor=auditor, version=2, now=LATER)
    with pytest.raises(EvidencePinned):
        services.pin(dispute_id=dispute.pk, actor=auditor, version=2, now=LATER)
    with pytest.raises(NoSuchVersion):
        services.pin(dispute_id=dispute.pk, actor=auditor, version=10_000, now=LATER)
    with pytest.raises(AuditorsOnly):
        services.pin(dispute_id=dispute.pk, actor=player, version=3, now=LATER)


def test_interested_person_cannot_rule(
    opened: Opens, played: GameRecord, people: list[Player], stranger: Player
) -> None:
    dispute = opened(played, people[0])
    for who in people:
        set_roles(player=who, roles=frozenset({Role.AUDITOR}))
        with pytest.raises(InterestedParty):
            shown(dispute, who, decide("dismissed"))
    with pytest.raises(AuditorsOnly):
        shown(dispute, stranger, decide("dismissed"))


def test_one_appeal_to_another_auditor(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, other_auditor: Player
) -> None:
    dispute = opened(played, people[0])
    ruled(dispute, auditor, decide("dismissed"))
    with pytest.raises(DisputeUnexpectedState):
        shown(dispute, auditor, decide("dismissed"))
    rulings.appeal(dispute_id=dispute.pk, actor=people[0], reason="event 5 was not considered", now=LATER)
    with pytest.raises(SecondAuditorRequired):
        shown(dispute, auditor, decide("dismissed"))
    again = ruled(dispute, other_auditor, decide("dismissed"))
    assert again.instance == 2
    assert [one.state for one in dispute.rulings.all()] == ["superseded", "standing"]
    with pytest.raises(DisputeUnexpectedState):
        rulings.appeal(dispute_id=dispute.pk, actor=people[0], reason="once more", now=LATER)


def test_parties_appeal_within_period(
    opened: Opens, played: GameRecord, people: list[Player], stranger: Player, auditor: Player
) -> None:
    dispute = opened(played, people[0])
    with pytest.raises(DisputeUnexpectedState):
        rulings.appeal(dispute_id=dispute.pk, actor=people[0], reason="already", now=LATER)
    ruled(dispute, auditor, decide("dismissed"))
    with pytest.raises(NotYourDispute):
        rulings.appeal(dispute_id=dispute.pk, actor=stranger, reason="I think so", now=LATER)
    with pytest.raises(DisputeTooLate):
        rulings.appeal(
            dispute_id=dispute.pk, actor=people[0], reason="late", now=LATER + timedelta(days=3, seconds=1)
        )
    rival = rulings.appeal(dispute_id=dispute.pk, actor=people[1], reason="mine too", now=LATER)
    assert rival.status == "appealed"


def test_invalid_decision_is_refused() -> None:
    for finding, remedy, terms in (
        ("upheld", "dismissed", {}),
        ("rejected", "void", {}),
        ("upheld", "void", {"version": 3}),
        ("upheld", "replay", {"version": 0}),
        ("upheld", "replay", {"version": True}),
        ("upheld", "corrected", {}),
        ("upheld", "corrected", {"outcome": {}, "options": {}}),
        ("upheld", "corrected", {"options": 3}),
        ("upheld", "points", {"way": "void"}),
        ("upheld", "points", {"way": "score", "scores": [{"entry": 1}]}),
        ("upheld", "points", {"way": "swap", "entries": ["1", "2"]}),
        ("upheld", "mercy", {}),
        ("guilty", "void", {}),
    ):
        with pytest.raises(BadDecision):
            Decision(finding=finding, remedy=remedy, reason="so", terms=terms)


@given(st.lists(st.sampled_from(["dismissed", "void", "corrected", "points", "replay"]), max_size=6))
def test_last_effective_ruling_sets_result(remedies: list[str]) -> None:
    kinds = {"void": "void", "replay": "void", "corrected": "corrected", "points": "points"}
    made = [
        (remedy, {"kind": kinds.get(remedy, "recorded"), "value": {"n": number}})
        for number, remedy in enumerate(remedies)
    ]
    changing = [remedy for remedy in remedies if remedy != "dismissed"]
    last = results.after(made)
    assert last.kind == (kinds[changing[-1]] if changing else "recorded")
    assert results.read(last.document()) == last
    assert results.after(made[: len(made) - 1]) == results.after([*made[: len(made) - 1], ("dismissed", {})])


@given(st.dictionaries(st.sampled_from(["XTS", "EUR"]), st.integers(0, 10**9)), st.data())
def test_second_person_is_needed_above_limit(limits: dict[str, int], data: Any) -> None:
    currency = data.draw(st.sampled_from(["XTS", "EUR"]))
    amount = data.draw(st.integers(1, 10**9))
    money = [BalanceChange("player:a", currency, amount), BalanceChange("house", currency, -amount)]
    found = Effects({}, {}, money)
    assert found.moved() == {currency: amount}
    assert needs_second_person(found, limits) == (amount > limits.get(currency, 0))
