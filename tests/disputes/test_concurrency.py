"""Test concurrent rulings and withdrawals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from accounts.models import Player
from disputes import money, services
from disputes.errors import DisputeUnexpectedState
from disputes.models import Dispute
from disputes.rulings import services as rulings
from eventstore import store
from games.models import GameRecord
from ledger import services as ledger
from tests.concurrency import at_once
from tests.disputes.conftest import LATER, Opens, decide, shown
from tests.games.staked import dealt, money_of
from tests.installation import until
from tests.ledger.locks import one_waits

pytestmark = pytest.mark.django_db(transaction=True)


def test_concurrent_rulings_make_one(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, other_auditor: Player
) -> None:
    dispute = opened(played, people[0])

    def rule(who: Player) -> object:
        token = shown(dispute, who, decide("void")).token
        return rulings.rule(dispute_id=dispute.pk, decision=decide("void"), token=token, actor=who, now=LATER)

    done = at_once(*(lambda who=who: rule(who) for who in (auditor, other_auditor)))
    assert sorted(type(one) is DisputeUnexpectedState for one in done) == [False, True]
    assert dispute.rulings.count() == 1
    assert money_of(people) == [1000, 1000]


def test_last_withdrawal_releases_hold(opened: Opens, played: GameRecord, people: list[Player]) -> None:
    both = [opened(played, who) for who in people]
    done = at_once(
        *(
            lambda dispute=dispute, who=who: services.withdraw(dispute_id=dispute.pk, actor=who, now=LATER)
            for dispute, who in zip(both, people, strict=True)
        )
    )
    assert all(isinstance(one, Dispute) for one in done), done
    assert money.current_hold(played) is None


@pytest.mark.postgres
def test_a_hold_that_staff_release_at_the_same_moment_is_released_once(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    """The withdrawal waits for the release and then finds nothing to release."""
    dispute = opened(played, people[0])
    held = money.current_hold(played)
    assert held is not None
    actor = f"player:{auditor.pk}"
    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            ledger.release_freeze(freeze=held.pk, actor=actor, reason="paid manually", at=LATER)
            withdrawn = thread.submit(services.withdraw, dispute_id=dispute.pk, actor=people[0], now=LATER)
            until(one_waits, "the withdrawal waits")
        try:
            assert isinstance(withdrawn.result(), Dispute)
        finally:
            thread.submit(connections.close_all).result()
    assert money.current_hold(played) is None


def test_withdrawal_during_suspension_resumes_game(
    opened: Opens, people: list[Player], auditor: Player
) -> None:
    game = dealt("ace-race", people)
    dispute = opened(game, people[0])
    suspended, withdrawn = at_once(
        lambda: services.suspend(dispute_id=dispute.pk, actor=auditor, reason="looked at", now=LATER),
        lambda: services.withdraw(dispute_id=dispute.pk, actor=people[0], now=LATER),
    )
    assert isinstance(withdrawn, Dispute)
    assert isinstance(suspended, Dispute) or type(suspended) is DisputeUnexpectedState
    dispute.refresh_from_db()
    assert (dispute.status, dispute.suspends) == ("withdrawn", False)
    assert store.suspended_at(game.pk) is None
