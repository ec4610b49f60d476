"""No sequence of stakes, wins, cancellations, and changes of limits exceeds a limit.

A model with a list of accepted stakes runs alongside the ledger. Both must accept and refuse the same commands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounts.services import sign_up
from ledger import services
from ledger.errors import LimitReached
from ledger.limits import usage
from ledger.limits.services import set_limit
from ledger.limits.terms import LENGTHS
from ledger.models import PlaySession, StakeTable
from tests.money import AT, CURRENCY, bankroll, cash, fresh_key, fund

pytestmark = pytest.mark.slow

PERIODS = tuple(LENGTHS)
STEP = 104


@dataclass
class Model:
    """A simple model of the limits of each kind and period, and of stakes and returns."""

    stakes: list[tuple[datetime, int]] = field(default_factory=list)
    returns: list[tuple[datetime, int]] = field(default_factory=list)
    asked: dict[tuple[str, str], list[tuple[datetime, int | None]]] = field(default_factory=dict)

    def ask(self, name: tuple[str, str], amount: int | None, at: datetime) -> None:
        changes = self.asked.setdefault(name, [])
        now = self.limit(name, at)
        while changes and changes[-1][0] > at:
            changes.pop()
        lowers = now is None or (amount is not None and amount <= now)
        changes.append((at if lowers else at + timedelta(days=1), amount))

    def limit(self, name: tuple[str, str], at: datetime) -> int | None:
        in_force = [amount for since, amount in self.asked.get(name, []) if since <= at]
        return in_force[-1] if in_force else None

    def used(self, name: tuple[str, str], at: datetime) -> int:
        kind, period = name
        start = at - LENGTHS[period]
        staked = sum(amount for when, amount in self.stakes if start < when <= at)
        back = sum(amount for when, amount in self.returns if start < when <= at)
        return staked if kind == "stake" else max(0, staked - back)

    def allows(self, amount: int, at: datetime) -> bool:
        limits = {name: self.limit(name, at) for name in self.asked}
        return all(most is None or self.used(name, at) + amount <= most for name, most in limits.items())


hours = st.integers(0, 40)
stake = st.tuples(
    st.just("stake"), hours, st.integers(1, 6), st.sampled_from(["win", "lose", "refund", "open"])
)
change = st.tuples(
    st.just("change"),
    hours,
    st.tuples(st.sampled_from(["stake", "loss"]), st.sampled_from(PERIODS)),
    st.none() | st.integers(0, 12).map(lambda steps: steps * STEP),
)


class Played:
    def __init__(self) -> None:
        self.model, self.now = Model(), AT
        self.player: UUID = sign_up(username=f"p{uuid4().hex[:12]}", password="correct horse", now=AT).pk
        self.table: StakeTable = bankroll(10_000_000)
        fund(cash(self.player), 10_000_000)
        self.session: PlaySession = services.open_session(
            player=self.player, amount=5_000_000, currency=CURRENCY, key=fresh_key(), at=AT
        )
        self.open_game: UUID | None = None

    def change(self, name: tuple[str, str], amount: int | None) -> None:
        set_limit(
            player=self.player,
            kind=name[0],
            period=name[1],
            amount=amount,
            currency=CURRENCY,
            key=fresh_key(),
            actor="test",
            at=self.now,
        )
        self.model.ask(name, amount, self.now)

    def stake(self, steps: int, ending: str) -> None:
        if self.open_game is not None:
            self._settle(self.open_game, 0)
        amount, game = steps * STEP, uuid4()
        may = self.model.allows(amount, self.now)
        try:
            services.take_stake(
                session=self.session,
                game=game,
                stake=amount,
                max_win=4 * amount,
                stake_table=self.table,
                event=3,
                at=self.now,
            )
        except LimitReached:
            assert not may
            return
        assert may
        if ending == "refund":
            services.refund_stake(game=game, event=4, at=self.now)
            return
        self.model.stakes.append((self.now, amount))
        self.open_game = game
        if ending != "open":
            self._settle(game, 2 * amount if ending == "win" else 0)

    def _settle(self, game: UUID, winnings: int) -> None:
        services.settle_stake(game=game, winnings=winnings, event=4, at=self.now)
        self.model.returns.append((self.now, winnings))
        self.open_game = None

    def check(self) -> None:
        """Compare the ledger with the list. No window that ends with a stake exceeds its limit."""
        names = [(kind, period) for kind in ("stake", "loss") for period in PERIODS]
        starts = {name: self.now - LENGTHS[name[1]] for name in names}
        counted = usage.used(player=self.player, currency=CURRENCY, starts=starts)
        assert counted == {name: self.model.used(name, self.now) for name in names}

    def check_any_window(self) -> None:
        """Check every window of a limit that never changed, and not only those that end now."""
        for name, changes in self.model.asked.items():
            if name[0] != "stake" or len(changes) != 1 or changes[0][1] is None:
                continue
            since, most = changes[0]
            for begin, _ in self.model.stakes:
                end = begin + LENGTHS[name[1]]
                within = [pence for at, pence in self.model.stakes if begin <= at < end]
                assert begin < since or sum(within) <= most


class TestLimitsAlwaysHold(TestCase):
    @given(st.lists(stake | change, max_size=12))
    @settings(max_examples=max(8, settings.default.max_examples // 3))
    def test_accepted_stakes_never_exceed_a_limit(self, steps: list[tuple[object, ...]]) -> None:
        played = Played()
        for action, waited, first, second in steps:
            played.now += timedelta(hours=waited)  # type: ignore[arg-type]
            getattr(played, str(action))(first, second)
            played.check()
        played.check_any_window()
