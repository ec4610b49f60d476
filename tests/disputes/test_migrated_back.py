"""The way back of the disputes' migrations, with disputes that were decided in the meantime."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.models import Player
from disputes import proof, services, states
from disputes.models import Dispute, Ruling
from eventstore import triggers
from games.models import GameRecord
from tests.disputes.conftest import LATER, Opens, decide, ruled

pytestmark = pytest.mark.django_db(transaction=True)


def migrated(name: str) -> None:
    """Without what `migrate` does for every app beside."""
    MigrationExecutor(connection).migrate([("disputes", name)])


def test_why_a_ruling_was_approved_goes_and_comes_back_out_of_its_stream(
    played: GameRecord,
    player: Player,
    opened: Opens,
    auditor: Player,
    administrator: Player,
    settings: Any,
) -> None:
    settings.RACECARD_DISPUTE_SECOND_PERSON = {"XTS": 1}
    dispute = opened(played, player)
    ruling = ruled(dispute, auditor, decide("void"))
    assert ruling.state == states.PROPOSED
    services.approve(dispute_id=dispute.pk, actor=administrator, reason="seen it too", now=LATER)
    try:
        migrated("0001_initial")
    finally:
        migrated("0002_reason_of_an_approval")
        triggers.install()
    assert Ruling.objects.get().decided_why == "seen it too"
    assert list(proof.faults(Dispute.objects.get())) == []
