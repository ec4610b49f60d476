"""Commands that move money take locks in one order, so that they cannot deadlock.

The order: play session, stake, pot, player with limits, hold; then accounts, players first, the site last; then the
stake table, which new terms and a deal have between them. SQLite has one writer.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connections, models, transaction

from accounts.models import Player
from games.rules.vegas_solitaire.manifest import VEGAS_CLASSIC
from ledger.core.holds import expire
from ledger.limits.models import ProtectedPlayer
from ledger.limits.services import set_limit
from ledger.models import Account, GameStake, Hold, PlaySession, StakeTable
from ledger.services import (
    Leg,
    account,
    capture,
    cash_out,
    defund_bank,
    deposit,
    give_back_buy_in,
    hold,
    open_session,
    post,
    refund_stake,
    release,
    resettle_pot,
    reverse,
    settle_pot,
    settle_stake,
    take_buy_in,
    take_stake,
    void_pot,
)
from ledger.stakes.models import Pot
from ledger.stakes.tables import change_terms
from tests.installation import until
from tests.ledger.locks import Action, assert_locked_in_order, in_order, one_waits, seize, taken_too_early
from tests.ledger.stakes.pots import open_pot
from tests.money import AT, CURRENCY, bankroll, cash, fresh_key, fund

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

LATER = AT + timedelta(hours=1)


class Scene:
    """Two players with a session, a staked game, a hold, a debt, and a payment. Older accounts have lower numbers."""

    def __init__(self, player: UUID, rival: UUID) -> None:
        self.table: StakeTable = bankroll(1_000_000)
        self.poor, self.rich = cash(rival), cash(player)
        assert self.poor.pk < self.rich.pk
        fund(self.rich, 5000)
        fund(self.poor, 100)
        self.player, self.rival = player, rival
        self.session = self._session(player, 2000)
        self.game = self.stake(self.session).game
        self.idle = self._session(rival, 50)
        self.held = hold(
            key="held", account=self.rich, amount=300, subject="", expires_at=AT, actor="test", at=AT
        )
        legs = [Leg(self.rich, self.poor, 700, "gift")]
        [self.gift] = post(key="gift", legs=legs, actor="test", at=AT).transfers
        self._spend_and_owe(rival)
        self._limit(rival)
        self._limit(player)
        fund(self.poor, 200)
        fund(self.rich, 200)
        self.empty = open_pot(100)
        self.full, self.divided = self._full(), self._full()
        settle_pot(subject=self.divided, places=[[player], [rival]], event=9, at=AT)

    def _full(self) -> str:
        pot = open_pot(100, rake=500)
        for event, who in enumerate((self.player, self.rival)):
            take_buy_in(subject=pot.subject, player=who, event=event, at=AT)
        return pot.subject

    def _limit(self, player: UUID) -> None:
        for kind in ("deposit", "stake", "loss"):
            terms = {"kind": kind, "period": "week", "amount": 100_000, "currency": CURRENCY}
            set_limit(player=player, key=fresh_key(), actor="test", at=AT, **terms)

    def _session(self, player: UUID, amount: int) -> PlaySession:
        return open_session(player=player, amount=amount, currency=CURRENCY, key=fresh_key(), at=AT)

    def _spend_and_owe(self, rival: UUID) -> None:
        post(key="spent", legs=[Leg(self.poor, self.rich, 740, "spent")], actor="test", at=AT)
        debt = account(owner=f"player:{rival}", purpose="receivable", currency=CURRENCY)
        post(key="lent", legs=[Leg(debt, self.rich, 5, "lent")], actor="test", at=AT)

    def stake(self, session: PlaySession, stake: int = 104) -> GameStake:
        return take_stake(
            session=session,
            game=uuid4(),
            stake=stake,
            max_win=4 * stake,
            stake_table=self.table,
            event=3,
            at=AT,
        )

    def actions(self) -> dict[str, Action]:
        """Return all commands that move or hold money."""
        ring = [Leg(self.rich, self.poor, 3, "x"), Leg(self.poor, self.rich, 2, "y")]
        terms = {"actor": "test", "at": AT}
        return {
            "set_limit": lambda: self._limit(self.rival),
            "post": lambda: post(key=fresh_key(), legs=ring, **terms),
            "reverse": lambda: reverse(transfer=self.gift.uuid, key=fresh_key(), reason="x", **terms),
            "deposit": lambda: deposit(
                player=self.rival, amount=9, currency=CURRENCY, key=fresh_key(), reason="x", **terms
            ),
            "hold": lambda: hold(
                key=fresh_key(), account=self.poor, amount=1, subject="", expires_at=LATER, **terms
            ),
            "capture": lambda: capture(
                hold=self.held.pk, credit=self.poor, key=fresh_key(), reason="x", **terms
            ),
            "release": lambda: release(hold=self.held.pk, **terms),
            "expire": lambda: expire(hold=self.held.pk, now=LATER),
            "release the reserve": lambda: release(hold=self._reserve(), **terms),
            "open_session": lambda: (
                cash_out(session=self.idle, key=fresh_key(), at=AT),
                self._session(self.rival, 7),
            ),
            "cash_out": lambda: cash_out(session=self.idle, key=fresh_key(), at=AT),
            "settle_stake": lambda: settle_stake(game=self.game, winnings=208, event=9, at=AT),
            "refund_stake": lambda: refund_stake(game=self.game, event=9, at=AT),
            "take_buy_in": lambda: take_buy_in(
                subject=self.empty.subject, player=self.player, event=2, at=AT
            ),
            "give_back_buy_in": lambda: give_back_buy_in(
                subject=self.full, player=self.rival, event=8, at=AT
            ),
            "settle_pot": lambda: settle_pot(
                subject=self.full, places=[[self.player, self.rival]], event=9, at=AT
            ),
            "void_pot": lambda: void_pot(subject=self.full, event=9, at=AT),
            "resettle_pot": lambda: resettle_pot(
                subject=self.divided, places=[[self.rival], [self.player]], reason="x", **terms
            ),
            "change_terms": lambda: change_terms(
                table=self.table,
                figures=replace(VEGAS_CLASSIC, maximum=2080),
                expected=1,
                effective_from=None,
                reason="fewer",
                **terms,
            ),
            "defund_bank": lambda: defund_bank(
                stake_table=self.table, amount=5, key=fresh_key(), reason="x", **terms
            ),
        }

    def _reserve(self) -> UUID:
        reserve = GameStake.objects.get(game=self.game).reserve_id
        assert reserve is not None
        return reserve

    def in_order(self) -> list[models.Model]:
        accounts = in_order(Account.objects.all())
        what_for = [*PlaySession.objects.all(), *GameStake.objects.all(), *Pot.objects.all()]
        before = [*what_for, *ProtectedPlayer.objects.all(), *Hold.objects.all()]
        return [*before, *accounts, self.table]


@pytest.fixture
def scene(player: Player, rival: Player) -> Scene:
    return Scene(player.pk, rival.pk)


def test_commands_take_locks_in_order(scene: Scene, subtests: pytest.Subtests) -> None:
    assert_locked_in_order(scene.actions(), scene.in_order(), subtests)


def test_a_stake_takes_locks_in_order(scene: Scene) -> None:
    settle_stake(game=scene.game, winnings=0, event=9, at=AT)
    waited, early = taken_too_early(lambda: scene.stake(scene.session), scene.in_order())
    assert waited
    assert early == []


def test_capture_and_opposite_payment_do_not_deadlock(scene: Scene) -> None:
    """The hold is on the later account. The payment locks the earlier account first."""

    def captures() -> None:
        try:
            with transaction.atomic():
                scene.actions()["capture"]()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            seize(scene.poor)
            doing = thread.submit(captures)
            until(one_waits, "the capture waits for the earlier account")
            legs = [Leg(scene.poor, scene.rich, 1, "the other way")]
            post(key=fresh_key(), legs=legs, actor="test", at=AT)
        doing.result()
    assert Hold.objects.get(pk=scene.held.pk).state == "captured"
