"""Random activity of all kinds, in any order of time, for tests of statements and reports."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from ledger import services
from ledger.errors import InsufficientFunds
from ledger.models import PlaySession, Transfer
from ledger.selectors import stake_table
from ledger.services import Leg
from tests.ledger.betting.markets import SUITS, bank, bet, open_fixed, open_pool
from tests.ledger.stakes.pots import open_pot
from tests.money import AT, CURRENCY, bankroll, cash, fresh_key


class World:
    """Four players and the site. Each action is allowed by the services, at a random time."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.players = [uuid4() for _ in range(4)]
        self.table = stake_table("vegas-classic")
        for each in self.players:
            self.deposit(each, 100_000)
        bank()
        bankroll(900_000, at=self.at())

    def at(self) -> datetime:
        return AT + timedelta(seconds=self.chance.randrange(-12 * 86400, 12 * 86400))

    def someone(self) -> UUID:
        return self.chance.choice(self.players)

    def do(self, actions: int) -> World:
        for _ in range(actions):
            self.chance.choice(ACTIONS)(self)
        return self

    def deposit(self, player: UUID, amount: int) -> services.Posting:
        outside = services.account(owner="house", purpose="external", currency=CURRENCY)
        return self.post("", Leg(outside, cash(player), amount, "paid in"))

    def post(self, subject: str, *legs: Leg, key: str = "") -> services.Posting:
        return services.post(
            key=key or fresh_key(), legs=list(legs), subject=subject, actor="test", at=self.at()
        )

    # --- actions ---------------------------------------------------------------------------------------

    def pay_in_and_back(self) -> None:
        paid = self.deposit(self.someone(), self.chance.randrange(1, 9000))
        if self.chance.random() < 0.5:
            services.reverse(
                transfer=paid.transfers[0].uuid,
                key=fresh_key(),
                actor="test",
                reason="mistaken",
                at=self.at(),
            )

    def play_vegas(self) -> None:
        player = self.someone()
        session = PlaySession.objects.filter(player=player, closed_at=None).first()
        if session is None:
            session = services.open_session(
                player=player, amount=2000, currency=CURRENCY, key=fresh_key(), at=self.at()
            )
        standing = session.stakes.filter(status="open").first()
        if standing is not None:
            self.end(standing.game)
        game = uuid4()
        try:
            services.take_stake(
                session=session,
                game=game,
                stake=104,
                max_win=416,
                stake_table=self.table,
                event=3,
                at=self.at(),
            )
        except InsufficientFunds:
            services.cash_out(session=session, key=fresh_key(), at=self.at())
            return
        if self.chance.random() < 0.7:
            self.end(game)

    def end(self, game: UUID) -> None:
        if self.chance.random() < 0.2:
            services.refund_stake(game=game, event=5, at=self.at())
        else:
            services.settle_stake(game=game, winnings=self.chance.randrange(417), event=5, at=self.at())

    def bet_on_a_race(self) -> None:
        if self.chance.random() < 0.5:
            market = open_pool(takeout=1000, step=self.chance.choice([0, 1, 10]), cancellable=True)
        else:
            market = open_fixed(cancellable=True)
        bets = [
            bet(market, self.chance.choice(SUITS), self.chance.randrange(1, 9) * 100, who, at=self.at())
            for who in self.players
        ]
        if self.chance.random() < 0.3:
            services.cancel_bet(bet=bets[0], player=bets[0].player, key=fresh_key(), at=self.at())
        fate = self.chance.random()
        if fate < 0.2:
            return
        if fate < 0.4:
            services.void_market(market=market, reason="called off", at=self.at())
            return
        services.close_market(market=market, event=5, at=self.at())
        winner = self.chance.choice(SUITS)
        services.settle_market(market=market, winners=[winner], event=9, at=self.at())
        if fate < 0.7:
            services.resettle_market(
                market=market,
                winners=self.chance.choice([["C"], ["D", "H"], None]),
                reason="a ruling",
                actor="test",
                at=self.at(),
            )

    def buy_in(self) -> None:
        pot = open_pot(200, rake=500, split=[7000, 3000])
        for event, player in enumerate(self.players, start=2):
            services.take_buy_in(subject=pot.subject, player=player, event=event, at=self.at())
        ann, *others = self.players
        fate = self.chance.random()
        if fate < 0.4:
            services.give_back_buy_in(subject=pot.subject, player=ann, event=8, at=self.at())
        if fate < 0.2:
            return
        if fate < 0.4:
            services.void_pot(subject=pot.subject, event=9, at=self.at())
            return
        places = [[each] for each in (*others, ann)]
        services.settle_pot(subject=pot.subject, places=places, event=9, at=self.at())
        if fate < 0.6:
            services.resettle_pot(
                subject=pot.subject,
                places=self.chance.choice([None, places[::-1]]),
                reason="a ruling",
                actor="test",
                at=self.at(),
            )

    def hold_a_tournament(self) -> None:
        subject = f"tournament:{uuid4()}"
        escrow = services.account(owner=subject, purpose="escrow", currency=CURRENCY)
        house, outside, rake = (
            services.account(owner="house", purpose=purpose, currency=CURRENCY)
            for purpose in ("promotion", "external", "rake")
        )
        people = [cash(player) for player in self.players]
        self.post(subject, Leg(outside, house, 500, "play money for bots"))
        for number, purse in enumerate([*people, house]):
            self.post(subject, Leg(purse, escrow, 500, "entry fee"), key=f"{subject}:fee:{number}")
        self.post(subject, Leg(escrow, people[0], 500, "withdrawal"), key=f"{subject}:refund:1")
        if self.chance.random() < 0.7:
            self.post(
                subject,
                Leg(escrow, people[1], 1500, "prize"),
                Leg(escrow, house, 300, "prize"),
                Leg(escrow, rake, 200, "rake"),
            )


ACTIONS: list[Callable[[World], None]] = [
    World.pay_in_and_back,
    World.play_vegas,
    World.play_vegas,
    World.bet_on_a_race,
    World.buy_in,
    World.hold_a_tournament,
]


def moved_until(account_id: int, until: datetime | None = None) -> int:
    """Return the balance of an account at a time, by adding every transfer until then."""
    had = 0
    for row in Transfer.objects.order_by("position"):
        if until is None or row.at <= until:
            had += row.amount * ((row.credit_id == account_id) - (row.debit_id == account_id))
    return had
