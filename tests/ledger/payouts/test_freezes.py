"""A freeze holds the money that a subject paid, as far as it is still available, and no other."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.test import override_settings

from core.errors import KeyReused
from ledger import services
from ledger.errors import (
    FreezeReleased,
    InsufficientFunds,
    PayoutFrozen,
    SecondApproverRequired,
    UnknownFreeze,
)
from ledger.models import Hold
from ledger.payouts.models import Freeze, Payout
from tests.ledger.betting.markets import bet, close, open_pool
from tests.ledger.payouts.cast import (
    ADAM,
    BEA,
    LATER,
    SUBJECT,
    approved,
    ask,
    batch,
    money_of,
    prize,
    reread,
    rich,
    steps,
    win,
)
from tests.money import AT, CURRENCY, available, cash, fresh_key

pytestmark = pytest.mark.django_db


def freeze(subject: str = SUBJECT, player: UUID | None = None, claim: str | None = None) -> Freeze:
    return services.freeze(
        subject=subject, player=player, claim=claim or fresh_key(), actor="player:audrey", at=LATER
    )


def release(made: Freeze) -> Freeze:
    return services.release_freeze(freeze=made.pk, actor=ADAM, reason="no case", at=LATER)


def test_freeze_holds_the_payments_of_the_subject() -> None:
    winner, other = rich(1000), rich(1000)
    win(winner, 300)
    win(other, 50, "game:8")
    made = freeze()
    assert (money_of(winner), money_of(other)) == (1000, 1050)
    with pytest.raises(InsufficientFunds):
        ask(1001, winner)
    release(made)
    assert money_of(winner) == 1300
    with pytest.raises(FreezeReleased):
        release(made)
    with pytest.raises(UnknownFreeze):
        services.release_freeze(freeze=uuid4(), actor=ADAM, reason="no case", at=LATER)


def test_freeze_covers_all_players_or_one() -> None:
    first, second = rich(10), rich(10)
    win(first, 300)
    win(second, 200)
    alone = freeze(player=first)
    assert (money_of(first), money_of(second)) == (10, 210)
    release(alone)
    freeze()
    assert (money_of(first), money_of(second)) == (10, 10)


def test_freeze_holds_at_most_the_available_amount() -> None:
    winner = rich(0 + 1)
    win(winner, 300)
    services.capture(
        hold=services.hold(
            key="spent", account=cash(winner), amount=200, subject="", expires_at=None, actor="test", at=AT
        ).pk,
        credit=cash(uuid4()),
        key=fresh_key(),
        reason="spent",
        actor="test",
        at=AT,
    )
    freeze()
    assert (money_of(winner), cash(winner).held) == (0, 101)


def test_reversed_payments_are_not_held() -> None:
    winner = rich(1000)
    transfer = win(winner, 300)
    win(winner, 40)
    services.reverse(
        transfer=transfer, key=fresh_key(), actor=ADAM, reason="ruling", at=AT, settles_escrow=True
    )
    freeze()
    assert (money_of(winner), cash(winner).held) == (1000, 40)


def test_a_repeated_claim_is_one_freeze() -> None:
    winner = rich(1000)
    win(winner, 300)
    assert freeze(claim="dispute:1") == freeze(claim="dispute:1")
    assert money_of(winner) == 1000
    with pytest.raises(KeyReused):
        freeze("game:8", claim="dispute:1")


def test_two_freezes_of_a_subject_hold_once_until_both_end() -> None:
    winner = rich(1000)
    win(winner, 300)
    first, second = freeze(), freeze()
    assert money_of(winner) == 1000
    release(first)
    assert money_of(winner) == 1000
    release(second)
    assert money_of(winner) == 1300


def test_freeze_takes_money_released_by_another() -> None:
    winner = rich(1)
    win(winner, 300)
    win(winner, 200, "game:8")
    services.request_withdrawal(
        player=winner, amount=250, currency=CURRENCY, destination="x", key=fresh_key(), at=AT
    )
    services.cancel_withdrawal(payout=Payout.objects.get().pk, player=winner, at=AT)
    first = freeze()
    second = freeze("game:8")
    assert (money_of(winner), cash(winner).held) == (1, 500)
    release(first)
    assert (money_of(winner), cash(winner).held) == (301, 200)
    release(second)
    assert money_of(winner) == 501


def test_freeze_holds_newest_payouts_first() -> None:
    winner = rich(1000)
    win(winner, 300)
    old = ask(900, winner)
    new = approved(350, winner, at=AT + timedelta(minutes=1))
    collected = batch(new)
    made = freeze()
    assert (reread(old).state, reread(new).state, new.batch) == ("requested", "held", None)
    assert (money_of(winner), cash(winner).held) == (0, 1300)
    assert collected.payouts.count() == 0
    with pytest.raises(PayoutFrozen):
        services.release_payout(payout=new.pk, actor=ADAM, reason="let go", at=LATER)
    release(made)
    assert steps(new)[-2:] == ["approved>held", "held>requested"]
    assert (money_of(winner), cash(winner).held) == (50, 1250)


def test_a_payout_held_for_another_reason_is_not_released_by_a_freeze() -> None:
    winner = rich(1)
    win(winner, 300)
    payout = ask(301, winner)
    services.hold_payout(payout=payout.pk, actor=ADAM, reason="whose account?", at=LATER)
    made = freeze()
    with pytest.raises(PayoutFrozen):
        services.release_payout(payout=payout.pk, actor=ADAM, reason="theirs", at=LATER)
    release(made)
    assert reread(payout).state == "held"
    services.release_payout(payout=payout.pk, actor=ADAM, reason="theirs", at=LATER)
    assert reread(payout).state == "requested"


def test_available_money_is_held_before_payouts_that_are_on_hold() -> None:
    winner = rich(500)
    win(winner, 300)
    payout = ask(400, winner)
    services.hold_payout(payout=payout.pk, actor=ADAM, reason="whose account?", at=LATER)
    freeze()
    assert (money_of(winner), cash(winner).held) == (100, 700)
    services.release_payout(payout=payout.pk, actor=ADAM, reason="theirs", at=LATER)
    assert reread(payout).state == "requested"


def test_a_waiting_prize_is_held_once() -> None:
    winner = rich(1000)
    payout = prize(900, winner, "tournament:9")
    made = freeze("tournament:9")
    assert (reread(payout).state, money_of(winner)) == ("held", 1000)
    with pytest.raises(PayoutFrozen):
        services.release_payout(payout=payout.pk, actor=ADAM, reason="let go", at=LATER)
    release(made)
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    freeze("tournament:9")
    assert (money_of(winner), cash(winner).held) == (1000, 900)


def test_rejected_prize_is_not_frozen() -> None:
    winner = rich(1000)
    payout = prize(900, winner, "tournament:9")
    services.reject_payout(payout=payout.pk, actor=ADAM, reason="collusion", at=LATER)
    freeze("tournament:9")
    assert money_of(winner) == 1000


def test_payments_of_markets_count_for_their_game() -> None:
    market = open_pool()
    winner, loser = bet(market, "H", 60), bet(market, "S", 40)
    close(market)
    services.settle_market(market=market, winners=["H"], event=9, at=LATER)
    freeze(market.subject)
    assert cash(winner.player).held == 100
    assert cash(loser.player).held == 0


def test_freeze_holds_session_money_and_moves_it_to_cash() -> None:
    player = rich(100)
    session = services.open_session(player=player, amount=100, currency=CURRENCY, key=fresh_key(), at=AT)
    win(player, 300, purpose="session")
    made = freeze()
    assert available(f"player:{player}", "session") == 100
    services.cash_out(session=session, key=fresh_key(), at=LATER)
    assert (money_of(player), available(f"player:{player}", "session")) == (100, 0)
    release(made)
    assert (money_of(player), available(f"player:{player}", "session")) == (400, 0)


def test_money_of_an_open_session_stays_in_it() -> None:
    player = rich(100)
    services.open_session(player=player, amount=100, currency=CURRENCY, key=fresh_key(), at=AT)
    win(player, 300, purpose="session")
    release(freeze())
    assert available(f"player:{player}", "session") == 400


def test_subject_without_payments_freezes_nothing() -> None:
    release(freeze("game:none"))
    assert not Hold.objects.exists()


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=100)
def test_payout_needs_two_new_approvals_after_a_freeze() -> None:
    """Otherwise the first person could become the second by making a freeze."""
    winner = rich(1)
    win(winner, 300)
    payout = ask(301, winner)
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    release(freeze())
    assert reread(payout).state == "requested"
    services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    with pytest.raises(SecondApproverRequired):
        services.approve_payout(payout=payout.pk, actor=ADAM, at=LATER)
    assert services.approve_payout(payout=payout.pk, actor=BEA, at=LATER).state == "approved"
