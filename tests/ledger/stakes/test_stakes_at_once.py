"""Concurrent changes of terms: one takes effect, and every stake is taken under the terms in force."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from accounts.models import Player
from ledger import services
from ledger.errors import StakeTableExists, StakeTermsChanged
from ledger.models import GameStake, PlaySession, StakeTable, StakeTerms
from ledger.stakes.tables import open_table, terms_at
from ledger.stakes.terms import Figures
from tests.installation import until
from tests.ledger.locks import one_waits
from tests.ledger.stakes.test_terms import change, deal
from tests.ledger.test_concurrency import at_once
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_of_two_concurrent_changes_is_stored(vegas: StakeTable) -> None:
    ended = at_once(*[lambda most=most: change(vegas, 1, maximum=104 * most) for most in (10, 20, 30, 40)])
    assert ended == {"done": 1, "stake-terms-stale": 3}
    assert [terms.number for terms in vegas.terms.order_by("number")] == [1, 2]


def test_one_of_two_tables_opened_concurrently_with_one_name_is_stored() -> None:
    figures = Figures(minimum=104, maximum=1040, step=104, default=104, win_rate="1/13")

    def opens() -> None:
        open_table(
            slug="twice", rules="vegas-solitaire", mode="", currency=CURRENCY, figures=figures,
            actor="test", reason="tried", at=AT,
        )  # fmt: skip

    assert at_once(*[opens] * 4) == {"done": 1, StakeTableExists.code: 3}
    assert StakeTerms.objects.filter(table__slug="twice").count() == 1


def test_concurrent_deals_use_the_terms_in_force(
    vegas: StakeTable, player: Player, rival: Player, stranger: Player
) -> None:
    sessions = []
    for who in (player, rival, stranger):
        fund(cash(who.pk), 2000)
        sessions.append(
            services.open_session(player=who.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=AT)
        )
    calls = [lambda session=session: deal(session, vegas) for session in sessions]
    ended = at_once(lambda: change(vegas, 1, open=False), *calls)
    assert set(ended) <= {"done", "stake-table-closed", "stake-terms-changed"}
    assert vegas.terms.count() == 2
    dealt = list(GameStake.objects.select_related("terms"))
    assert len(dealt) == ended["done"] - 1
    assert all(stake.terms.number == 1 for stake in dealt)
    assert available(vegas.bank_owner, "bank") == 1_000_000 - sum(each.max_win - each.stake for each in dealt)
    assert at_once(*calls).keys() <= {"stake-table-closed", "game-in-progress"}


@pytest.mark.postgres
def test_a_deal_waits_for_a_change_and_is_then_refused(cashed_in: PlaySession, vegas: StakeTable) -> None:
    def deals() -> str:
        try:
            with transaction.atomic():
                deal(cashed_in, vegas)
            return "done"
        except StakeTermsChanged:
            return "refused"
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            change(vegas, 1, maximum=104, default=104)
            dealing = thread.submit(deals)
            until(one_waits, "the deal waits for the new terms")
        assert dealing.result() == "refused"
    assert not GameStake.objects.exists()
    assert available(f"player:{cashed_in.player}", "session") == 2000


@pytest.mark.postgres
def test_a_change_waits_for_a_deal_and_does_not_affect_it(cashed_in: PlaySession, vegas: StakeTable) -> None:
    def changes() -> None:
        try:
            with transaction.atomic():
                change(vegas, 1, maximum=104, default=104)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            dealt = deal(cashed_in, vegas)
            changing = thread.submit(changes)
            until(one_waits, "the change waits for the deal")
        changing.result()
    assert GameStake.objects.get(game=dealt.game).terms.number == 1
    assert terms_at(vegas, AT).number == 2
    assert services.settle_stake(game=dealt.game, winnings=2080, event=9, at=AT).winnings == 2080
