"""What other apps may do with money: the ledger's front door."""

from ledger.betting.bets import cancel_bet, place_bet, void_bet
from ledger.betting.markets import bet_seeds, close_market, open_market, quote, reopen_market
from ledger.betting.play import open_market as open_play_market
from ledger.betting.runners import add_runner, withdraw_runner
from ledger.betting.settlements import (
    Returned,
    accounts_to_resettle,
    accounts_to_settle,
    resettle_market,
    settle_market,
    void_market,
    would_return,
)
from ledger.betting.terms import Terms
from ledger.buyins.pots import (
    foresee_buy_in,
    give_back_buy_in,
    open_pot,
    resettle_pot,
    settle_pot,
    take_buy_in,
    void_pot,
)
from ledger.buyins.terms import PotTerms
from ledger.cashier import defund_bank, deposit, fund_bank, fund_house
from ledger.holding import capture, hold, release
from ledger.limits.checks import check_deposit_allowed, check_play_allowed, check_stake_allowed
from ledger.payouts.batches import make_batch, pay_batch
from ledger.payouts.decisions import (
    approve_payout,
    cancel_withdrawal,
    hold_payout,
    pay_payout,
    reinstate_prize,
    reject_payout,
    release_payout,
)
from ledger.payouts.freezes import freeze, is_frozen, release_freeze
from ledger.payouts.prizes import Waited, prizes_of, take_back_prize
from ledger.payouts.requests import payable, prize_needs_approval, request_prize, request_withdrawal
from ledger.posting import Leg, Posting, account, lock, player_accounts, post, reverse, take_back
from ledger.sessions import cash_out, open_session, refund_stake, settle_stake, take_stake
from ledger.stakes.changing import change_terms, open_table
from ledger.stakes.rulings import resettle_stake
from ledger.stakes.selectors import check_stake

__all__ = [
    "Leg",
    "Posting",
    "PotTerms",
    "Returned",
    "Terms",
    "Waited",
    "account",
    "accounts_to_resettle",
    "accounts_to_settle",
    "add_runner",
    "approve_payout",
    "bet_seeds",
    "cancel_bet",
    "cancel_withdrawal",
    "capture",
    "cash_out",
    "change_terms",
    "check_deposit_allowed",
    "check_play_allowed",
    "check_stake",
    "check_stake_allowed",
    "close_market",
    "defund_bank",
    "deposit",
    "foresee_buy_in",
    "freeze",
    "fund_bank",
    "fund_house",
    "give_back_buy_in",
    "hold",
    "hold_payout",
    "is_frozen",
    "lock",
    "make_batch",
    "open_market",
    "open_play_market",
    "open_pot",
    "open_session",
    "open_table",
    "pay_batch",
    "pay_payout",
    "payable",
    "place_bet",
    "player_accounts",
    "post",
    "prize_needs_approval",
    "prizes_of",
    "quote",
    "refund_stake",
    "reinstate_prize",
    "reject_payout",
    "release",
    "release_freeze",
    "release_payout",
    "reopen_market",
    "request_prize",
    "request_withdrawal",
    "resettle_market",
    "resettle_pot",
    "resettle_stake",
    "reverse",
    "settle_market",
    "settle_pot",
    "settle_stake",
    "take_back",
    "take_back_prize",
    "take_buy_in",
    "take_stake",
    "void_bet",
    "void_market",
    "void_pot",
    "withdraw_runner",
    "would_return",
]
