"""Test the triggers of disputes, rulings, and evidence with raw SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from accounts.models import Player
from core import triggers
from disputes.checks import stream_faults
from disputes.models import Dispute, PinnedEvidence, Ruling
from disputes.rulings import services as rulings
from games.models import GameRecord
from ledger.reconciliation.services import reconcile_all
from tests.disputes.conftest import LATER, Opens, decide, ruled

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def refused(attack: Callable[[], Any]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        attack()


def execute(sql: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


@pytest.fixture
def dispute(opened: Opens, played: GameRecord, player: Player) -> Dispute:
    return opened(played, player)


def test_triggers_protect_disputes(dispute: Dispute, subtests: pytest.Subtests) -> None:
    for change in [
        {"claim": "something else"},
        {"version": 2},
        {"seat": 1},
        {"seat": None},
        {"instance": 2},
        {"status": "ruled", "ended_at": LATER},
        {"status": "proposed"},
        {"status": "appealed"},
        {"status": "appealed", "instance": 2},
        {"status": "lost"},
        {"events": 0},
        {"ended_at": LATER},
    ]:
        with subtests.test(change=change):
            refused(lambda change=change: Dispute.objects.filter(pk=dispute.pk).update(**change))


def test_triggers_refuse_deletes(dispute: Dispute, auditor: Player) -> None:
    ruled(dispute, auditor, decide("dismissed"))
    for table in ("disputes_dispute", "disputes_ruling", "disputes_pinnedevidence"):
        if table == "disputes_pinnedevidence":
            continue
        refused(lambda table=table: execute(f"DELETE FROM {table}"))


def test_triggers_require_seat_and_event(
    played: GameRecord, rival: Player, stranger: Player, opened: Opens
) -> None:
    made = Dispute(
        game=played, opener=rival, seat=1, version=1, hash="0" * 64, claim="forged", opened_at=LATER
    )
    refused(made.save)
    theirs = Dispute(
        game=played, opener=stranger, seat=1, version=1, hash=made.hash, claim="forged", opened_at=LATER
    )
    refused(theirs.save)


def forged(dispute: Dispute, auditor: Player, **changes: Any) -> Ruling:
    terms: dict[str, Any] = {
        "number": 1,
        "instance": 1,
        "finding": "upheld",
        "remedy": "void",
        "reason": "so",
        "rules": "ace-race",
        "rules_version": 1,
        "second_person": False,
        "state": "standing",
        "ruled_at": LATER,
    }
    return Ruling(dispute=dispute, auditor=auditor, **{**terms, **changes})


def test_triggers_require_waiting_dispute(
    dispute: Dispute, auditor: Player, subtests: pytest.Subtests
) -> None:
    for changes in [
        {"number": 2},
        {"instance": 2},
        {"finding": "rejected"},
        {"remedy": "dismissed"},
        {"state": "proposed"},
        {"second_person": True},
        {"state": "superseded"},
        {"reason": ""},
    ]:
        with subtests.test(changes=changes):
            refused(forged(dispute, auditor, **changes).save)


def test_triggers_refuse_rulings_by_parties(dispute: Dispute, player: Player, rival: Player) -> None:
    for who in (player, rival):
        refused(forged(dispute, who).save)


@pytest.mark.parametrize(
    "change",
    [
        {"reason": "another"},
        {"remedy": "void", "finding": "upheld"},
        {"state": "refused", "decided_why": "so"},
        {"caused": [{"kind": "pot"}]},
        {"moves": 1},
        {"effects": {}},
    ],
)
def test_triggers_protect_rulings(dispute: Dispute, auditor: Player, change: dict[str, Any]) -> None:
    made = ruled(dispute, auditor, decide("dismissed"))
    refused(lambda: Ruling.objects.filter(pk=made.pk).update(**change))


def test_triggers_require_second_person_for_reason(dispute: Dispute, auditor: Player) -> None:
    made = ruled(dispute, auditor, decide("dismissed"))
    refused(lambda: Ruling.objects.filter(pk=made.pk).update(decided_why="so"))
    with triggers.removed("disputes_ruling"):
        refused(lambda: Ruling.objects.filter(pk=made.pk).update(decided_why="so"))


def test_second_reason_is_immutable_and_verified(
    dispute: Dispute, auditor: Player, administrator: Player, settings: Any
) -> None:
    settings.RACECARD_DISPUTE_SECOND_PERSON = {}
    made = ruled(dispute, auditor, decide("void"))
    rulings.approve(dispute_id=dispute.pk, actor=administrator, reason="so it is", now=LATER)
    refused(lambda: Ruling.objects.filter(pk=made.pk).update(decided_why="forged"))
    dispute.refresh_from_db()
    assert list(stream_faults(dispute)) == []
    with triggers.removed("disputes_ruling"):
        Ruling.objects.filter(pk=made.pk).update(decided_why="forged")
    [fault] = stream_faults(dispute)
    assert fault.startswith("its rulings is")
    with triggers.removed("disputes_ruling"):
        Ruling.objects.filter(pk=made.pk).update(decided_why="so it is")


def test_triggers_protect_evidence(dispute: Dispute, auditor: Player) -> None:
    pinned = PinnedEvidence(
        dispute=dispute, game=dispute.game, version=2, hash="0" * 64, pinned_by=auditor, at=LATER
    )
    refused(pinned.save)
    pinned.version, pinned.hash = dispute.version, dispute.hash
    pinned.save()
    refused(lambda: PinnedEvidence.objects.update(note="changed"))
    refused(lambda: execute("DELETE FROM disputes_pinnedevidence"))
    with triggers.removed("disputes_pinnedevidence"):
        execute("DELETE FROM disputes_pinnedevidence")


def test_verification_finds_changed_rows(dispute: Dispute, auditor: Player) -> None:
    made = ruled(dispute, auditor, decide("dismissed"))
    assert list(stream_faults(dispute)) == []
    with triggers.removed("disputes_dispute", "disputes_ruling"):
        Dispute.objects.filter(pk=dispute.pk).update(claim="forged")
        Ruling.objects.filter(pk=made.pk).update(reason="forged")
    dispute.refresh_from_db()
    assert [fault.partition(" is ")[0] for fault in stream_faults(dispute)] == [
        "its claim",
        "its rulings",
    ]
    with triggers.removed("disputes_dispute", "disputes_ruling"):
        Dispute.objects.filter(pk=dispute.pk).update(claim="my King was not accepted")
        Ruling.objects.filter(pk=made.pk).update(reason="as the log shows")


def test_reconciliation_finds_changed_settlement(dispute: Dispute, auditor: Player) -> None:
    made = ruled(dispute, auditor, decide("void"))
    [caused] = made.caused
    with triggers.removed("ledger_division"):
        execute("UPDATE ledger_division SET void = %s, places = '[]' WHERE number = 2", False)
    result = [str(one) for one in reconcile_all().differences if "by a ruling" in str(one)]
    assert len(result) == 1
    assert caused["subject"] in result[0]
    with triggers.removed("ledger_division"):
        execute("UPDATE ledger_division SET void = %s WHERE number = 2", True)
