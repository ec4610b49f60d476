"""Amounts that count towards limits: stakes at their time, losses less returns, and deposits."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import Player
from core.errors import KeyReused
from ledger import services
from ledger.betting.models import Market
from ledger.errors import LimitReached
from ledger.limits import usage
from ledger.limits.services import set_limit
from ledger.limits.terms import LENGTHS
from ledger.models import PlaySession, StakeTable
from ledger.reports import rollups
from ledger.services import Leg, post
from tests.ledger.betting.markets import LATER, bank, bet, bettor, close, open_fixed, open_pool, settle
from tests.ledger.stakes import pots
from tests.money import AT, CURRENCY, cash, fresh_key, fund
from tests.tournaments.playing import rich, terms
from tournaments import services as tournaments
from tournaments.entries.registration import disqualify
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
NOON = AT + HOUR


def used(player: UUID, kind: str, at: datetime = NOON, period: str = "day") -> int:
    name = (kind, period)
    found = usage.used(player=player, currency=CURRENCY, starts={name: at - LENGTHS[period]})[name]
    moved = usage.moves(player=player, currency=CURRENCY, kind=kind, start=at - LENGTHS[period])
    assert found == max(0, sum(move.amount for move in moved))
    return found


def both(player: UUID, at: datetime = NOON) -> tuple[int, int]:
    return used(player, "stake", at), used(player, "loss", at)


def deal(session: PlaySession, table: StakeTable, at: datetime = AT) -> UUID:
    game = uuid4()
    services.take_stake(
        session=session, game=game, stake=520, max_win=2080, stake_table=table, event=3, at=at
    )
    return game


def test_one_statement_reads_all_windows_and_is_not_longer_for_more(
    player: Player, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """PostgreSQL would take longer to plan a part for each window than to read it."""
    pay_in(player, 100)
    rollups.follow()

    def parts(*periods: str) -> int:
        starts = {(kind, name): NOON - LENGTHS[name] for kind in ("stake", "loss") for name in periods}
        with django_assert_max_num_queries(3) as sent:
            usage.used(player=player.pk, currency=CURRENCY, starts=starts)
        return max(query["sql"].count("SELECT") for query in sent.captured_queries)

    assert parts("month") == parts("day", "week", "month") < 12


# --- stakes and losses -------------------------------------------------------------------------------


def test_cashing_in_and_out_does_not_count(player: Player, cashed_in: PlaySession) -> None:
    assert both(player.pk) == (0, 0)
    services.cash_out(session=cashed_in, key="out", at=AT)
    assert [used(player.pk, kind) for kind in ("stake", "loss")] == [0, 0]


@pytest.mark.parametrize(("winnings", "lost"), [(0, 520), (120, 400), (520, 0), (2000, 0)])
def test_open_stake_counts_as_lost_until_settlement(
    player: Player, cashed_in: PlaySession, vegas: StakeTable, winnings: int, lost: int
) -> None:
    game = deal(cashed_in, vegas)
    assert both(player.pk) == (520, 520)
    services.settle_stake(game=game, winnings=winnings, event=9, at=LATER)
    assert both(player.pk) == (520, lost)


def test_a_refunded_game_does_not_count(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    services.refund_stake(game=deal(cashed_in, vegas), event=9, at=LATER)
    assert both(player.pk) == (0, 0)


def test_a_win_reduces_only_the_losses_of_its_window(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    services.settle_stake(game=deal(cashed_in, vegas), winnings=2000, event=9, at=AT)
    services.settle_stake(game=deal(cashed_in, vegas, LATER), winnings=0, event=9, at=LATER)
    assert both(player.pk) == (1040, 0)
    assert both(player.pk, LATER + timedelta(hours=23)) == (1040, 0)
    assert both(player.pk, AT + timedelta(days=1)) == (520, 520)
    assert [used(player.pk, "stake", LATER + timedelta(days=days), "week") for days in (6, 7)] == [1040, 0]


def test_a_cancelled_bet_does_not_count() -> None:
    player = bettor()
    made = bet(open_pool(), "H", 200, player)
    assert both(player) == (200, 200)
    services.cancel_bet(bet=made, player=player, key="c", at=LATER)
    assert both(player) == (0, 0)


def settled(*winners: str) -> tuple[Market, UUID]:
    market, player = open_pool(), bettor()
    bet(market, "H", 200, player)
    bet(market, "C", 100)
    return settle(market, *winners), player


def test_a_lost_bet_counts_as_a_loss_and_a_won_one_does_not() -> None:
    assert both(settled("C")[1]) == (200, 200)
    assert both(settled("H")[1]) == (200, 0)


def test_a_bet_on_a_void_market_does_not_count() -> None:
    market, player = open_pool(), bettor()
    bet(market, "H", 200, player)
    close(market)
    services.void_market(market=market, reason="called off", actor="player:adam", at=LATER)
    assert both(player) == (0, 0)


def test_winnings_reversed_by_a_ruling_are_a_loss() -> None:
    market, player = settled("H")
    services.resettle_market(market=market, winners=["C"], reason="x", actor="a", at=LATER)
    assert both(player) == (200, 200)


def test_a_refund_reversed_by_a_ruling_does_not_reduce_stakes() -> None:
    market, player = settled()
    assert both(player) == (0, 0)
    services.resettle_market(market=market, winners=["C"], reason="x", actor="a", at=LATER)
    assert both(player) == (200, 200)


def test_cancellation_counts_against_the_oldest_bet() -> None:
    """Otherwise a player could stake yesterday's bet again in addition to today's."""
    market, player = open_pool(), bettor()
    old = bet(market, "H", 300, player, at=AT - timedelta(hours=30))
    new = bet(market, "H", 200, player)
    assert used(player, "stake") == 200
    services.cancel_bet(bet=old, player=player, key="c", at=AT)
    assert used(player, "stake") == 200
    services.cancel_bet(bet=new, player=player, key="d", at=AT)
    assert used(player, "stake") == 0


@pytest.fixture
def entered(organizer: Player) -> tuple[Tournament, Player]:
    draft = tournaments.create(organizer=organizer, terms=terms(), now=AT)
    tournament = tournaments.publish(tournament_id=draft.pk, actor=organizer, now=AT)
    player = rich("anna")
    tournaments.enter(tournament_id=tournament.pk, player=player, client_seed="a", now=AT)
    return tournament, player


def test_an_entry_fee_is_a_stake_unless_it_is_refunded(entered: tuple[Tournament, Player]) -> None:
    tournament, player = entered
    assert both(player.pk) == (500, 500)
    tournaments.withdraw(tournament_id=tournament.pk, player=player, now=AT)
    assert both(player.pk) == (0, 0)
    tournaments.enter(tournament_id=tournament.pk, player=player, client_seed="a", now=LATER)
    assert both(player.pk) == (500, 500)
    tournaments.cancel(tournament_id=tournament.pk, actor=None, reason="rain", now=LATER)
    assert both(player.pk) == (0, 0)


def test_a_fee_refunded_by_a_cancellation_does_not_count(entered: tuple[Tournament, Player]) -> None:
    tournament, player = entered
    disqualify(
        tournament_id=tournament.pk, number=1, actor=tournament.organizer, reason="two accounts", now=AT
    )
    assert both(player.pk) == (0, 0)


def test_a_buy_in_is_a_stake_unless_it_is_refunded() -> None:
    one, two = pots.people(2)
    pot = pots.open_pot(520)
    pots.sit_down(pot, [one, two])
    assert both(one) == (520, 520)
    services.give_back_buy_in(subject=pot.subject, player=two, event=4, at=AT)
    assert both(two) == (0, 0)
    services.take_buy_in(subject=pot.subject, player=two, event=5, at=LATER)
    pots.settle(pot, [two], [one])
    assert (both(one), both(two)) == ((520, 520), (520, 0))


def test_a_void_pot_does_not_count() -> None:
    one, two = pots.people(2)
    pot = pots.open_pot(520)
    pots.sit_down(pot, [one, two])
    services.void_pot(subject=pot.subject, event=9, at=LATER)
    assert both(one) == (0, 0)


def test_winnings_at_fixed_odds_reduce_losses() -> None:
    bank()
    market, player = open_fixed(), bettor()
    bet(market, "H", 200, player)
    bet(market, "C", 100, player)
    settle(market, "C")
    assert both(player) == (300, 0)


# --- deposits ----------------------------------------------------------------------------------------


def pay_in(player: Player, amount: int, key: str = "", at: datetime = AT) -> services.Posting:
    order = {"currency": CURRENCY, "key": key or fresh_key(), "actor": "test", "reason": "in cash", "at": at}
    return services.deposit(player=player.pk, amount=amount, **order)


def test_withdrawal_does_not_free_the_deposit_limit(player: Player) -> None:
    pay_in(player, 700)
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    legs = [Leg(cash(player.pk), outside, 300, "paid out")]
    post(key="w", legs=legs, actor="test", at=AT)
    assert [used(player.pk, kind) for kind in ("deposit", "stake", "loss")] == [700, 0, 0]


def test_a_reversed_deposit_does_not_count(player: Player) -> None:
    [transfer] = pay_in(player, 700).transfers
    pay_in(player, 50)
    services.reverse(transfer=transfer.uuid, key="r", actor="test", reason="a mistake", at=LATER)
    assert used(player.pk, "deposit") == 50


# --- checks ------------------------------------------------------------------------------------------


def limit(player: UUID, kind: str, amount: int, period: str = "day") -> None:
    order = {"currency": CURRENCY, "key": fresh_key(), "actor": "test", "at": AT}
    set_limit(player=player, kind=kind, period=period, amount=amount, **order)


def test_repeated_command_succeeds_at_the_limit(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    limit(player.pk, "stake", 720)
    limit(player.pk, "deposit", 5700)
    game = deal(cashed_in, vegas)
    again = {"session": cashed_in, "game": game, "stake": 520, "max_win": 2080, "stake_table": vegas}
    assert services.take_stake(**again, event=3, at=AT).game == game
    market = open_pool()
    made = bet(market, "H", 200, player.pk, key="b")
    assert bet(market, "H", 200, player.pk, key="b").pk == made.pk
    paid = pay_in(player, 700, "d")
    assert pay_in(player, 700, "d").id == paid.id
    for refused in (lambda: bet(market, "H", 100, player.pk), lambda: pay_in(player, 1)):
        with pytest.raises(LimitReached):
            refused()
    with pytest.raises(KeyReused):
        pay_in(player, 701, "d")


def test_narrowest_limit_refuses_and_names_a_time(player: Player) -> None:
    fund(cash(player.pk), 5000)
    limit(player.pk, "stake", 5000)
    limit(player.pk, "loss", 600)
    limit(player.pk, "stake", 500, "week")
    market = open_pool()
    bet(market, "H", 300, player.pk, at=AT)
    bet(market, "H", 100, player.pk, at=AT + HOUR)
    with pytest.raises(LimitReached) as refused:
        bet(market, "H", 200, player.pk, at=AT + 2 * HOUR)
    assert refused.value.extra == {
        "limit": "stake",
        "period": "week",
        "currency": CURRENCY,
        "amount": 500,
        "used": 400,
        "remaining": 100,
        "frees_at": "2026-03-08T12:00:00.000000Z",
    }
    bet(market, "H", 200, player.pk, at=AT + timedelta(days=7))


def test_a_refused_stake_changes_nothing(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    limit(player.pk, "loss", 519)
    with pytest.raises(LimitReached):
        deal(cashed_in, vegas)
    assert both(player.pk) == (0, 0)
    assert cashed_in.stakes.count() == 0
