"""Commands of the ledger for other packages: everything that moves or holds money."""

from ledger.betting.bets import MARKET_ACTOR, cancel_bet, place_bet, void_bet
from ledger.betting.markets import (
    add_runner,
    allowed_terms,
    bet_seeds,
    close_market,
    locked_market,
    open_market,
    quote,
    reopen_market,
    withdraw_runner,
)
from ledger.betting.play import open_market as open_play_market
from ledger.betting.settlements import (
    BETS_SETTLED_AT_ONCE,
    Returned,
    accounts_to_resettle,
    accounts_to_settle,
    resettle_market,
    settle_market,
    void_market,
    would_return,
)
from ledger.betting.terms import Terms
from ledger.core.holds import capture, hold, release
from ledger.core.participants import refuse_participant
from ledger.core.postings import Leg, Posting, account, lock, player_accounts, post, reverse, take_back
from ledger.deposits import defund_bank, deposit, fund_bank, fund_house
from ledger.limits.protection import (
    check_deposit_allowed,
    check_play_allowed,
    check_stake_allowed,
    play_allowed,
    precheck_stake,
)
from ledger.payouts.batches import COVERING_CHECKPOINT, make_batch, pay_batch
from ledger.payouts.decisions import (
    approve_payout,
    cancel_withdrawal,
    hold_payout,
    pay_payout,
    prizes_of,
    reinstate_prize,
    reject_payout,
    release_payout,
    take_back_prize,
)
from ledger.payouts.freezes import freeze, is_frozen, release_freeze
from ledger.payouts.requests import payable, prize_needs_approval, request_prize, request_withdrawal
from ledger.play_money import credit_new_player, top_up
from ledger.stakes.pots import (
    POT_ACTOR,
    give_back_buy_in,
    lock_pot,
    open_pot,
    precheck_buy_in,
    resettle_pot,
    settle_pot,
    take_buy_in,
    void_pot,
)
from ledger.stakes.sessions import cash_out, leave_session, open_session, session_for_game
from ledger.stakes.stakes import lock_stake, refund_stake, resettle_stake, settle_stake, take_stake
from ledger.stakes.tables import check_stake, open_table
from ledger.stakes.terms import PotTerms
