"""Errors of the ledger. Each is raised before any money moves."""

from __future__ import annotations

from core.errors import Conflict, Forbidden, InvalidInput, NotFound


class BadPosting(InvalidInput):
    code = "bad-posting"
    title = "The legs of the posting are invalid"


class BadAmount(InvalidInput):
    code = "bad-amount"
    title = "An amount is a whole number of pence from 1 to 100,000,000,000"


class BadAccount(InvalidInput):
    code = "bad-account"
    title = "The account is invalid"


class UnknownCurrency(InvalidInput):
    code = "unknown-currency"
    title = "The currency is unknown"


class InterestedParty(Forbidden):
    code = "interested-party"
    title = "Participants of an event may not run it, rule on it, settle it, or see its hidden cards"


class InsufficientFunds(Conflict):
    code = "insufficient-funds"
    title = "The account has insufficient funds"


class BalanceTooLarge(Conflict):
    code = "balance-too-large"
    title = "The balance of the account would be too large"


class AlreadyReversed(Conflict):
    """`reversal` is the uuid of the reversing transfer, `at` its time, `by` its actor."""

    code = "already-reversed"
    title = "The transfer is already reversed"


class EventMoney(Conflict):
    """`subject` is the event, `event` the version of its stream that moved the money; null if none is recorded."""

    code = "event-money"
    title = "Money that follows from an event can be corrected only by a ruling on the event"


class NotReversible(Conflict):
    code = "not-reversible"
    title = "The transfer cannot be reversed"


class HoldResolved(Conflict):
    code = "hold-resolved"
    title = "The hold is captured, released, or expired"


class UnknownTransfer(NotFound):
    code = "unknown-transfer"
    title = "There is no such transfer"


class UnknownPlayer(NotFound):
    code = "unknown-player"
    title = "There is no such player"


class UnknownSession(NotFound):
    code = "unknown-session"
    title = "There is no such play session"


class UnknownStakeTable(NotFound):
    code = "unknown-stake-table"
    title = "There is no such stake table"


class UnknownStake(NotFound):
    code = "unknown-stake"
    title = "The game has no stake"


class SessionOpen(Conflict):
    code = "session-open"
    title = "A play session is already open; cash out first"


class SessionClosed(Conflict):
    code = "session-closed"
    title = "The play session has been cashed out"


class GameInProgress(Conflict):
    code = "game-in-progress"
    title = "A staked game is open; finish it first"


class StakeEnded(Conflict):
    code = "stake-ended"
    title = "The stake was settled or refunded with another result"


class StakeTableClosed(Conflict):
    code = "stake-table-closed"
    title = "The stake table is closed"


class StakeOffStep(InvalidInput):
    code = "stake-off-step"
    title = "The stake table does not take this stake"


class StakeTermsChanged(Conflict):
    code = "stake-terms-changed"
    title = "The stake table has new terms; open the game again"


class BankLimit(Conflict):
    code = "bank-limit"
    title = "The bank cannot cover the maximum win of this stake now; stake less or try again later"


class WinningsTooLarge(Conflict):
    code = "winnings-too-large"
    title = "The winnings exceed the reserve"


class UnknownMarket(NotFound):
    code = "unknown-market"
    title = "There is no such market"


class UnknownRunner(NotFound):
    code = "unknown-runner"
    title = "The market has no such runner"


class UnknownBet(NotFound):
    code = "unknown-bet"
    title = "There is no such bet"


class BadMarket(InvalidInput):
    code = "bad-market"
    title = "The market cannot be opened or settled with this request"


class BadBet(InvalidInput):
    code = "bad-bet"
    title = "The bet is invalid"


class MarketClosed(Conflict):
    code = "market-closed"
    title = "Betting is closed"


class RunnerWithdrawn(Conflict):
    code = "runner-withdrawn"
    title = "The runner has withdrawn; bets on it are refunded"


class MarketNotClosed(Conflict):
    code = "market-not-closed"
    title = "Betting is still open; close or void the market first"


class MarketEnded(Conflict):
    code = "market-ended"
    title = "The market is settled, void, or being settled"


class MarketNotEnded(Conflict):
    code = "market-not-ended"
    title = "The market is not settled yet"


class MarketFull(Conflict):
    code = "market-full"
    title = "The market has reached its cap; stake less"


class PriceMoved(Conflict):
    """`price_hundredths` and `price` are the current price, null if the runner is not offered."""

    code = "price-moved"
    title = "The price has changed"


class BetEnded(Conflict):
    code = "bet-ended"
    title = "The bet is no longer open"


class NoPlayMoney(Forbidden):
    code = "no-play-money"
    title = "Only players of this event who have not left it can bet its play money"


class BetNotCancellable(Conflict):
    code = "bet-not-cancellable"
    title = "The bet cannot be cancelled"


class BetVoided(Conflict):
    code = "bet-voided"
    title = "The bet was voided before it arrived"


class UnknownPot(NotFound):
    code = "unknown-pot"
    title = "There is no such pot"


class BadPot(InvalidInput):
    code = "bad-pot"
    title = "The pot cannot be opened or divided with this request"


class PotClosed(Conflict):
    code = "pot-closed"
    title = "The pot is divided or refunded and takes no more buy-ins"


class PotOpen(Conflict):
    code = "pot-open"
    title = "The pot is not divided yet"


class BoughtIn(Conflict):
    code = "bought-in"
    title = "The player has already bought in"


class NotBoughtIn(Conflict):
    code = "not-bought-in"
    title = "The player has no buy-in in this pot"


class UnknownAccount(NotFound):
    code = "unknown-account"
    title = "There is no such account"


class UnknownPayout(NotFound):
    code = "unknown-payout"
    title = "There is no such payout"


class UnknownPayoutBatch(NotFound):
    code = "unknown-payout-batch"
    title = "There is no such batch of payouts"


class UnknownFreeze(NotFound):
    code = "unknown-freeze"
    title = "There is no such freeze"


class BadDestination(InvalidInput):
    code = "bad-destination"
    title = "A destination is one line of 1 to 140 printable characters"


class PayoutUnexpectedState(Conflict):
    """`state` is the payout's current state."""

    code = "payout-unexpected-state"
    title = "The state of the payout does not allow this"


class PayoutAmountDiffers(Conflict):
    """`amount` is the payout's amount."""

    code = "payout-amount-differs"
    title = "The payout has another amount than the one given"


class OwnPayout(Forbidden):
    code = "own-payout"
    title = "You cannot decide about a payout that you requested or receive"


class SecondApproverRequired(Forbidden):
    code = "second-approver-required"
    title = "A payout of this size needs the approval of a second person"


class PayoutFrozen(Conflict):
    code = "payout-frozen"
    title = "The money of this payout is disputed; the claim is not decided yet"


class PayoutInBatch(Conflict):
    """`batch` is the payout's batch."""

    code = "payout-in-batch"
    title = "The payout is in a batch and is paid with it"


class EmptyBatch(Conflict):
    code = "empty-batch"
    title = "The batch contains nothing to pay"


class BatchChanged(Conflict):
    """`checksum` is that of the current file."""

    code = "batch-changed"
    title = "The batch has changed since the export; export it again"


class BatchPaid(Conflict):
    code = "batch-paid"
    title = "The batch has been paid"


class FreezeReleased(Conflict):
    code = "freeze-released"
    title = "The freeze is already released"


class NotReinstated(Conflict):
    code = "not-reinstated"
    title = "Only a rejected prize can be reinstated, and only once"


class LimitReached(Conflict):
    """`limit` and `period` name the limit; `amount`, `used`, and `remaining` are pence; `frees_at` is null if waiting
    does not help.
    """

    code = "limit-reached"
    title = "A limit of the player does not allow this amount now"


class TopUpRefused(Conflict):
    code = "top-up-refused"
    title = "Play money is topped up once a day, when less than a tenth of the first credit is left"


class PlayStopped(Conflict):
    """`until` is null for a self-exclusion without end."""

    code = "play-stopped"
    title = "The player has taken a time-out or is excluded from play"


class BadProtection(InvalidInput):
    code = "bad-protection"
    title = "There is no such limit, time-out, or self-exclusion"


class NothingPending(NotFound):
    code = "nothing-pending"
    title = "No change of this limit is pending"


class NotConfirmed(InvalidInput):
    code = "not-confirmed"
    title = "A self-exclusion cannot be lifted before its end and must be confirmed"


class BadStakeTable(InvalidInput):
    code = "bad-stake-table"
    title = "The stake table is invalid"


class BadStakeTerms(InvalidInput):
    """`faults` describes each fault in a sentence."""

    code = "bad-stake-terms"
    title = "The terms of the stake table are invalid"


class StakeTableExists(Conflict):
    code = "stake-table-exists"
    title = "A stake table of this name exists"


class StakeTermsStale(Conflict):
    """`number` is that of the newest terms."""

    code = "stake-terms-stale"
    title = "The stake table has newer terms; load them and try again"
