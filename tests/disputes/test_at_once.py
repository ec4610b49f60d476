"""Of two that rule, or end their disputes, at the same moment, each finds what the other has done."""

from __future__ import annotations

import pytest

from accounts.models import Player
from disputes import holds, services
from disputes.errors import DisputeMovedOn
from disputes.models import Dispute
from eventstore import store
from games.models import GameRecord
from tests.disputes.conftest import LATER, Opens, decide, shown
from tests.games.staked import dealt, money_of
from tests.games.test_moves_at_once import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_auditors_rule_once(
    opened: Opens, played: GameRecord, people: list[Player], auditor: Player, other_auditor: Player
) -> None:
    dispute = opened(played, people[0])

    def rule(who: Player) -> object:
        token = shown(dispute, who, decide("void")).token
        return services.rule(
            dispute_id=dispute.pk, decision=decide("void"), token=token, actor=who, now=LATER
        )

    done = at_once(*(lambda who=who: rule(who) for who in (auditor, other_auditor)))
    assert sorted(type(one) is DisputeMovedOn for one in done) == [False, True]
    assert dispute.rulings.count() == 1
    assert money_of(people) == [1000, 1000]


def test_who_ends_the_last_dispute_ends_the_hold(
    opened: Opens, played: GameRecord, people: list[Player]
) -> None:
    both = [opened(played, who) for who in people]
    done = at_once(
        *(
            lambda dispute=dispute, who=who: services.withdraw(dispute_id=dispute.pk, actor=who, now=LATER)
            for dispute, who in zip(both, people, strict=True)
        )
    )
    assert all(isinstance(one, Dispute) for one in done), done
    assert holds.standing(played) is None


def test_a_game_is_not_left_suspended_for_a_claim_that_is_taken_back(
    opened: Opens, people: list[Player], auditor: Player
) -> None:
    game = dealt("ace-race", people)
    dispute = opened(game, people[0])
    suspended, withdrawn = at_once(
        lambda: services.suspend(dispute_id=dispute.pk, actor=auditor, reason="looked at", now=LATER),
        lambda: services.withdraw(dispute_id=dispute.pk, actor=people[0], now=LATER),
    )
    assert isinstance(withdrawn, Dispute)
    assert isinstance(suspended, Dispute) or type(suspended) is DisputeMovedOn
    dispute.refresh_from_db()
    assert (dispute.status, dispute.suspends) == ("withdrawn", False)
    assert store.suspended_at(game.pk) is None
