"""Play sessions: cash-in, stakes, winnings, and cash-out. The bank can always pay accepted stakes."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest

from accounts.models import Player
from core.errors import KeyReused
from ledger import errors, selectors
from ledger.models import GameStake, Hold, HoldState, PlaySession, StakeTable, Transfer
from ledger.services import cash_out, open_session, refund_stake, settle_stake, take_stake
from tests.money import AT, CURRENCY, available, bankroll, cash, change, fresh_key, fund

pytestmark = pytest.mark.django_db

BANK = "house:vegas-classic"


def stake(session: PlaySession, table: StakeTable, amount: int = 520, game: UUID | None = None) -> GameStake:
    return take_stake(
        session=session,
        game=game or uuid4(),
        stake=amount,
        max_win=4 * amount,
        stake_table=table,
        event=3,
        at=AT,
        summary={"draw": 3},
    )


def settle(game: GameStake, winnings: Any) -> GameStake:
    return settle_stake(game=game.game, winnings=winnings, event=90, at=AT, summary={"cards": 9})


def test_cash_in_moves_money_to_the_session(player: Player, cashed_in: PlaySession) -> None:
    assert available(f"player:{player.pk}") == 3000
    assert available(f"player:{player.pk}", "session") == 2000


def test_one_session_is_open_per_player_and_currency(player: Player, cashed_in: PlaySession) -> None:
    with pytest.raises(errors.SessionOpen):
        open_session(player=player.pk, amount=1, currency=CURRENCY, key=fresh_key(), at=AT)
    assert available(f"player:{player.pk}") == 3000


def test_a_repeated_cash_in_takes_effect_once(player: Player) -> None:
    fund(cash(player.pk), 5000)
    order = {"player": player.pk, "amount": 2000, "currency": CURRENCY, "key": "once", "at": AT}
    assert open_session(**order) == open_session(**order)
    with pytest.raises(KeyReused):
        open_session(**{**order, "amount": 2001})
    assert available(f"player:{player.pk}") == 3000


def test_a_cash_in_above_the_balance_opens_no_session(player: Player) -> None:
    fund(cash(player.pk), 100)
    with pytest.raises(errors.InsufficientFunds):
        open_session(player=player.pk, amount=101, currency=CURRENCY, key=fresh_key(), at=AT)
    assert not PlaySession.objects.exists()
    assert available(f"player:{player.pk}") == 100


def test_deal_takes_the_stake_and_reserves_the_maximum_win(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    staked = stake(cashed_in, vegas)
    assert available(f"player:{player.pk}", "session") == 1480
    assert available(f"game:{staked.game}", "escrow") == 520
    bank = selectors.balance(owner=BANK, purpose="bank", currency=CURRENCY)
    assert (bank.total, bank.held, bank.available) == (1_000_000, 1560, 998_440)


@pytest.mark.parametrize("winnings", [0, 40, 520, 2080])
def test_a_settlement_pays_the_winnings_and_empties_the_escrow(
    player: Player, cashed_in: PlaySession, vegas: StakeTable, winnings: int
) -> None:
    settled = settle(stake(cashed_in, vegas), winnings)
    assert available(f"player:{player.pk}", "session") == 1480 + winnings
    assert available(f"game:{settled.game}", "escrow") == 0
    bank = selectors.balance(owner=BANK, purpose="bank", currency=CURRENCY)
    assert (bank.total, bank.held) == (1_000_000 + 520 - winnings, 0)
    assert (settled.net, settled.summary) == (winnings - 520, {"draw": 3, "cards": 9})
    gained = sum(
        (row["amount"] if row["credit"].startswith("player:") else 0)
        - (row["amount"] if row["debit"].startswith("player:") else 0)
        for row in selectors.transfers_of(f"game:{settled.game}")
    )
    assert gained == winnings - 520


def test_reserve_alone_covers_the_maximum_win(player: Player, cashed_in: PlaySession) -> None:
    table = bankroll(1560)
    assert settle(stake(cashed_in, table), 2080).net == 1560
    assert available(BANK, "bank") == 0


def test_a_repeated_settlement_takes_effect_once(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    staked = stake(cashed_in, vegas)
    settle(staked, 40)
    assert settle(staked, 40).winnings == 40
    assert available(f"player:{player.pk}", "session") == 1520
    with pytest.raises(errors.StakeEnded):
        settle(staked, 80)
    with pytest.raises(errors.StakeEnded):
        refund_stake(game=staked.game, event=91, at=AT)
    assert available(f"player:{player.pk}", "session") == 1520


def test_a_void_game_refunds_the_stake(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    staked = stake(cashed_in, vegas)
    refund_stake(game=staked.game, event=9, at=AT)
    assert refund_stake(game=staked.game, event=9, at=AT).net == 0
    assert available(f"player:{player.pk}", "session") == 2000
    assert available(f"game:{staked.game}", "escrow") == 0
    assert selectors.balance(owner=BANK, purpose="bank", currency=CURRENCY).held == 0
    with pytest.raises(errors.StakeEnded):
        settle(staked, 40)


@pytest.mark.parametrize("winnings", [-1, 1.5, True, "5", 10**30, None])
def test_winnings_must_be_integers(cashed_in: PlaySession, vegas: StakeTable, winnings: Any) -> None:
    with pytest.raises(errors.BadAmount):
        settle(stake(cashed_in, vegas), winnings)


def test_winnings_above_the_reserve_are_refused(cashed_in: PlaySession, vegas: StakeTable) -> None:
    staked = stake(cashed_in, vegas)
    with pytest.raises(errors.WinningsTooLarge):
        settle(staked, 2081)
    assert GameStake.objects.get(pk=staked.pk).status == "open"


def test_a_stake_that_is_no_multiple_of_the_step_is_refused(
    cashed_in: PlaySession, vegas: StakeTable, subtests: pytest.Subtests
) -> None:
    for amount in [0, 103, 105, -104, 1_040_104, 520.0, "520", True, None, 10**30]:
        with subtests.test(amount=amount):
            with pytest.raises(errors.StakeOffStep):
                take_stake(
                    session=cashed_in,
                    game=uuid4(),
                    stake=amount,
                    max_win=4,
                    stake_table=vegas,
                    event=3,
                    at=AT,
                )
            assert not Transfer.objects.filter(subject__startswith="game:").exists()


def test_a_stake_above_the_session_is_refused(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    with pytest.raises(errors.InsufficientFunds):
        stake(cashed_in, vegas, 2080)
    assert available(f"player:{player.pk}", "session") == 2000
    assert not Hold.objects.exists()


def test_a_stake_whose_win_the_bank_cannot_pay_is_refused(player: Player, cashed_in: PlaySession) -> None:
    table = bankroll(1559)
    with pytest.raises(errors.BankLimit):
        stake(cashed_in, table)
    assert available(f"player:{player.pk}", "session") == 2000
    assert not GameStake.objects.exists()


def test_bank_limit_counts_reserves(
    player: Player, rival: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    change(vegas, bank_limit=1560 + 311)
    fund(cash(rival.pk), 2000)
    other = open_session(player=rival.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=AT)
    first = stake(cashed_in, vegas)
    with pytest.raises(errors.BankLimit):
        stake(other, vegas, 104)
    settle(first, 0)
    stake(other, vegas, 104)


def test_a_player_has_at_most_one_open_staked_game(cashed_in: PlaySession, vegas: StakeTable) -> None:
    first = stake(cashed_in, vegas, 104)
    with pytest.raises(errors.GameInProgress):
        stake(cashed_in, vegas, 104)
    settle(first, 0)
    stake(cashed_in, vegas, 104)


def test_a_stake_is_taken_once_for_a_game(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    game = uuid4()
    assert stake(cashed_in, vegas, 104, game) == stake(cashed_in, vegas, 104, game)
    assert available(f"player:{player.pk}", "session") == 1896
    with pytest.raises(KeyReused):
        stake(cashed_in, vegas, 208, game)


def test_a_closed_table_refuses_stakes(cashed_in: PlaySession, vegas: StakeTable) -> None:
    change(vegas, open=False)
    with pytest.raises(errors.StakeTableClosed):
        stake(cashed_in, vegas)


def test_a_table_of_another_currency_refuses_stakes(player: Player, vegas: StakeTable) -> None:
    fund(cash(player.pk, "EUR"), 2000)
    session = open_session(player=player.pk, amount=2000, currency="EUR", key=fresh_key(), at=AT)
    with pytest.raises(errors.UnknownCurrency):
        stake(session, vegas)


def test_cash_out_returns_the_balance(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    settle(stake(cashed_in, vegas), 40)
    closed = cash_out(session=cashed_in, key="out", at=AT)
    assert closed.cash_out == 1520
    assert available(f"player:{player.pk}") == 4520
    assert available(f"player:{player.pk}", "session") == 0
    assert cash_out(session=cashed_in, key="out", at=AT).cash_out == 1520
    with pytest.raises(errors.SessionClosed):
        cash_out(session=cashed_in, key="another", at=AT)
    with pytest.raises(errors.SessionClosed):
        stake(cashed_in, vegas)


def test_cash_out_waits_for_the_open_game(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> None:
    staked = stake(cashed_in, vegas)
    with pytest.raises(errors.GameInProgress):
        cash_out(session=cashed_in, key="out", at=AT)
    settle(staked, 0)
    assert cash_out(session=cashed_in, key="out", at=AT).cash_out == 1480


def test_an_empty_session_is_cashed_out_too(player: Player, vegas: StakeTable) -> None:
    fund(cash(player.pk), 104)
    session = open_session(player=player.pk, amount=104, currency=CURRENCY, key=fresh_key(), at=AT)
    settle(stake(session, vegas, 104), 0)
    assert cash_out(session=session, key="out", at=AT).cash_out == 0
    fund(cash(player.pk), 1)
    open_session(player=player.pk, amount=1, currency=CURRENCY, key=fresh_key(), at=AT)


def test_betting_history_shows_winnings(cashed_in: PlaySession, vegas: StakeTable) -> None:
    settle(stake(cashed_in, vegas, 104), 208)
    refund_stake(game=stake(cashed_in, vegas, 208).game, event=4, at=AT)
    stake(cashed_in, vegas, 520)
    rows = [(row.stake, row.status, row.winnings, row.net) for row in selectors.session_history(cashed_in)]
    assert sorted(rows) == [(104, "settled", 208, 104), (208, "refunded", None, 0), (520, "open", None, None)]


def test_the_reserve_is_released_at_the_end(cashed_in: PlaySession, vegas: StakeTable) -> None:
    settled = settle(stake(cashed_in, vegas), 40)
    assert Hold.objects.get(pk=settled.reserve_id).state == HoldState.RELEASED


def test_the_default_table_is_that_of_the_rulebook(db: None) -> None:
    table = selectors.stake_table("vegas-classic")
    terms = selectors.terms_at(table, AT)
    assert (
        table.rules,
        terms.minimum,
        terms.maximum,
        terms.step,
        terms.default,
        terms.win_rate,
        terms.open,
    ) == ("vegas-solitaire", 104, 1_040_000, 104, 520, "1/13", True)
    with pytest.raises(errors.UnknownStakeTable):
        selectors.stake_table("none")
