"""What other apps may do with money: the ledger's front door."""

from ledger.betting.bets import cancel_bet, place_bet, void_bet
from ledger.betting.markets import bet_seeds, close_market, open_market, quote, reopen_market
from ledger.betting.runners import add_runner, withdraw_runner
from ledger.betting.settlements import accounts_to_settle, resettle_market, settle_market, void_market
from ledger.betting.terms import Terms
from ledger.buyins.pots import give_back_buy_in, open_pot, resettle_pot, settle_pot, take_buy_in, void_pot
from ledger.buyins.terms import PotTerms
from ledger.cashier import deposit, fund_bank
from ledger.holding import capture, hold, release
from ledger.limits.checks import check_deposit_allowed, check_play_allowed, check_stake_allowed
from ledger.posting import Leg, Posting, account, lock, post, reverse
from ledger.sessions import cash_out, open_session, refund_stake, settle_stake, take_stake
from ledger.stakes.selectors import check_stake

__all__ = [
    "Leg",
    "Posting",
    "PotTerms",
    "Terms",
    "account",
    "accounts_to_settle",
    "add_runner",
    "bet_seeds",
    "cancel_bet",
    "capture",
    "cash_out",
    "check_deposit_allowed",
    "check_play_allowed",
    "check_stake",
    "check_stake_allowed",
    "close_market",
    "deposit",
    "fund_bank",
    "give_back_buy_in",
    "hold",
    "lock",
    "open_market",
    "open_pot",
    "open_session",
    "place_bet",
    "post",
    "quote",
    "refund_stake",
    "release",
    "reopen_market",
    "resettle_market",
    "resettle_pot",
    "reverse",
    "settle_market",
    "settle_pot",
    "settle_stake",
    "take_buy_in",
    "take_stake",
    "void_bet",
    "void_market",
    "void_pot",
    "withdraw_runner",
]
