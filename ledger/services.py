"""What other apps may do with money: the ledger's front door."""

from ledger.cashier import deposit, fund_bank
from ledger.holding import capture, hold, release
from ledger.posting import Leg, Posting, account, lock, post, reverse
from ledger.sessions import cash_out, check_stake, open_session, refund_stake, settle_stake, take_stake

__all__ = [
    "Leg",
    "Posting",
    "account",
    "capture",
    "cash_out",
    "check_stake",
    "deposit",
    "fund_bank",
    "hold",
    "lock",
    "open_session",
    "post",
    "refund_stake",
    "release",
    "reverse",
    "settle_stake",
    "take_stake",
]
