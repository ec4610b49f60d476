"""Guarantees that are published at the same time are counted together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from ledger import services as ledger
from ledger.errors import InsufficientFunds
from ledger.selectors import balance
from tests.concurrency import at_once
from tests.money import CURRENCY, fund
from tests.tournaments.playing import NOW, terms
from tournaments import services
from tournaments.errors import GuaranteeNotCovered, GuaranteeTooHigh
from tournaments.models import Status, Tournament
from tournaments.prizes import money

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def publishing(organizer: Player) -> Callable[[], list[Callable[[], object]]]:
    """Return four publications with a guarantee of 2,000 pence each."""

    def make() -> list[Callable[[], object]]:
        drafts = [
            services.create(organizer=organizer, terms=terms(guarantee=2000), now=NOW) for _ in range(4)
        ]
        return [
            partial(services.publish, tournament_id=draft.pk, actor=organizer, now=NOW) for draft in drafts
        ]

    return make


def _outcome(publish: Callable[[], object]) -> str:
    try:
        publish()
    except (GuaranteeTooHigh, GuaranteeNotCovered) as refused:
        return refused.code
    return "published"


def _held() -> int:
    return balance(owner="house", purpose="bank", currency=CURRENCY).held


def test_concurrent_guarantees_do_not_exceed_the_organizers_limit(publishing: Any, settings: Any) -> None:
    settings.RACECARD_ORGANIZER_GUARANTEE = 5000
    outcomes = at_once(*[partial(_outcome, one) for one in publishing()])
    assert sorted(outcomes) == ["guarantee-too-high"] * 2 + ["published"] * 2
    assert _held() == 4000
    assert Tournament.objects.filter(status=Status.PUBLISHED).count() == 2


def test_concurrent_guarantees_do_not_exceed_the_bank(
    publishing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(money, "PLAY_MONEY", "XXX")
    fund(money.bank(CURRENCY), 4500)
    outcomes = at_once(*[partial(_outcome, one) for one in publishing()])
    assert sorted(outcomes) == ["guarantee-not-covered"] * 2 + ["published"] * 2
    assert _held() == 4000
    outside = ledger.account(owner="house", purpose="external", currency=CURRENCY)
    leg = ledger.Leg(money.bank(CURRENCY), outside, 501, "of what is free only 500")
    with pytest.raises(InsufficientFunds):
        ledger.post(key="test:take", legs=[leg], actor="test", at=NOW)
