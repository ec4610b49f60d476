"""Rulings: by an auditor without a part in it, as shown, for good; and one appeal to another."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Player
from accounts.roles import Role
from accounts.services import set_roles
from disputes import results, services
from disputes.effects import Change, Effects, needs_second
from disputes.errors import (
    AnotherAuditor,
    AuditorsOnly,
    DisputeMovedOn,
    DisputeTooLate,
    EvidencePinned,
    NotYourDispute,
)
from disputes.services import BadDecision, Decision
from eventstore import store
from games.errors import NoSuchVersion
from games.models import GameRecord
from ledger.errors import InterestedParty
from tests.conftest import NOW
from tests.disputes.conftest import LATER, Opens, decide, ruled, shown

pytestmark = pytest.mark.django_db


def test_a_dismissal_says_why_by_which_evidence_and_rules(
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


def test_evidence_is_an_event_and_pinned_once(
    opened: Opens, played: GameRecord, player: Player, auditor: Player
) -> None:
    dispute = opened(played, player)
    services.pin(dispute_id=dispute.pk, actor=auditor, version=2, now=LATER)
    with pytest.raises(EvidencePinned):
        services.pin(dispute_id=dispute.pk, actor=auditor, version=2, now=LATER)
    with pytest.raises(NoSuchVersion):
        services.pin(dispute_id=dispute.pk, actor=auditor, version=10_000, now=LATER)
    with pytest.raises(AuditorsOnly):
        services.pin(dispute_id=dispute.pk, actor=player, version=3, now=LATER)


def test_who_has_a_part_in_it_does_not_rule(
    opened: Opens, played: GameRecord, people: list[Player], stranger: Player
) -> None:
    dispute = opened(played, people[0])
    for who in people:
        set_roles(player=who, roles=frozenset({Role.AUDITOR}), by=None, now=NOW)
        with pytest.raises(InterestedParty):
            shown(dispute, who, decide("dismissed"))
    with pytest.raises(AuditorsOnly):
        shown(dispute, stranger, decide("dismissed"))


def test_it_is_ruled_on_once(opened: Opens, played: GameRecord, player: Player, auditor: Player) -> None:
    dispute = opened(played, player)
    ruled(dispute, auditor, decide("dismissed"))
    with pytest.raises(DisputeMovedOn):
        shown(dispute, auditor, decide("dismissed"))


def test_an_appeal_goes_to_another_auditor_and_there_is_one(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, other_auditor: Player
) -> None:
    dispute = opened(played, people[0])
    ruled(dispute, auditor, decide("dismissed"))
    services.appeal(dispute_id=dispute.pk, actor=people[0], reason="nobody looked at event 5", now=LATER)
    with pytest.raises(AnotherAuditor):
        shown(dispute, auditor, decide("dismissed"))
    again = ruled(dispute, other_auditor, decide("dismissed"))
    assert again.instance == 2
    assert [one.state for one in dispute.rulings.all()] == ["superseded", "standing"]
    with pytest.raises(DisputeMovedOn):
        services.appeal(dispute_id=dispute.pk, actor=people[0], reason="once more", now=LATER)


def test_an_appeal_is_theirs_whom_it_concerns_and_in_time(
    opened: Opens, played: GameRecord, people: list[Player], stranger: Player, auditor: Player
) -> None:
    dispute = opened(played, people[0])
    with pytest.raises(DisputeMovedOn):
        services.appeal(dispute_id=dispute.pk, actor=people[0], reason="already", now=LATER)
    ruled(dispute, auditor, decide("dismissed"))
    with pytest.raises(NotYourDispute):
        services.appeal(dispute_id=dispute.pk, actor=stranger, reason="I think so", now=LATER)
    with pytest.raises(DisputeTooLate):
        services.appeal(
            dispute_id=dispute.pk, actor=people[0], reason="late", now=LATER + timedelta(days=3, seconds=1)
        )
    rival = services.appeal(dispute_id=dispute.pk, actor=people[1], reason="mine too", now=LATER)
    assert rival.status == "appealed"


@pytest.mark.parametrize(
    ("finding", "remedy", "terms"),
    [
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
    ],
)
def test_a_decision_has_the_form_of_its_remedy(finding: str, remedy: str, terms: dict) -> None:
    with pytest.raises(BadDecision):
        Decision(finding=finding, remedy=remedy, reason="so", terms=terms)


@given(st.lists(st.sampled_from(["dismissed", "void", "corrected", "points", "replay"]), max_size=6))
def test_the_last_ruling_that_changes_anything_counts(remedies: list[str]) -> None:
    made = [
        (remedy, found.document() if (found := results.of(remedy, {"n": number})) else {"kind": "recorded"})
        for number, remedy in enumerate(remedies)
    ]
    changing = [remedy for remedy in remedies if remedy != "dismissed"]
    expected = {"void": "void", "replay": "void", "corrected": "corrected", "points": "points"}
    stands = results.standing(made)
    assert stands.kind == (expected[changing[-1]] if changing else "recorded")
    assert results.read(stands.document()) == stands
    assert results.standing(made[: len(made) - 1]) == results.standing(
        [*made[: len(made) - 1], ("dismissed", {})]
    )


@given(st.dictionaries(st.sampled_from(["XTS", "EUR"]), st.integers(0, 10**9)), st.data())
def test_two_are_needed_exactly_above_the_limit(limits: dict[str, int], data: Any) -> None:
    currency = data.draw(st.sampled_from(["XTS", "EUR"]))
    amount = data.draw(st.integers(1, 10**9))
    money = [Change("player:a", currency, amount), Change("house", currency, -amount)]
    found = Effects({}, {}, money)
    assert found.moved() == {currency: amount}
    assert needs_second(found, limits) == (amount > limits.get(currency, 0))
