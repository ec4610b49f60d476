"""Why the ledger refuses. Each is raised before anything is taken."""

from __future__ import annotations

from api.errors import Conflict, Forbidden, InvalidInput, NotFound


class BadPosting(InvalidInput):
    code = "bad-posting"
    title = "These legs cannot be posted"


class BadAmount(InvalidInput):
    code = "bad-amount"
    title = "An amount is a whole number of pence from 1 to 100,000,000,000"


class BadAccount(InvalidInput):
    code = "bad-account"
    title = "There can be no such account"


class UnknownCurrency(InvalidInput):
    code = "unknown-currency"
    title = "This installation has no such currency"


class InterestedParty(Forbidden):
    code = "interested-party"
    title = "Participants of an event do not run it, rule on it, settle it or see its hidden cards"


class KeyReused(Conflict):
    code = "idempotency-key-reused"
    title = "This key was used before for something else"


class InsufficientFunds(Conflict):
    code = "insufficient-funds"
    title = "There is not that much available on the account"


class BalanceTooLarge(Conflict):
    code = "balance-too-large"
    title = "The account cannot hold that much"


class AlreadyReversed(Conflict):
    """`reversal` is the uuid of the transfer that reversed it, `at` when, `by` whose command it was."""

    code = "already-reversed"
    title = "The transfer has been reversed before"


class EventMoney(Conflict):
    """`subject` is the event, `event` the version of its stream that moved the money; null if none is recorded."""

    code = "event-money"
    title = "Money that follows from an event is corrected by a ruling on the event, not by a reversal"


class NotReversible(Conflict):
    code = "not-reversible"
    title = "This transfer is not corrected by a reversal"


class HoldResolved(Conflict):
    code = "hold-resolved"
    title = "The hold has been captured, released or has expired"


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
    title = "Nothing was staked on this game"


class SessionOpen(Conflict):
    code = "session-open"
    title = "A play session is open already; cash out first"


class SessionClosed(Conflict):
    code = "session-closed"
    title = "The play session has been cashed out"


class GameInProgress(Conflict):
    code = "game-in-progress"
    title = "A staked game is still open; collect it first"


class StakeEnded(Conflict):
    code = "stake-ended"
    title = "The stake has been settled or refunded otherwise"


class StakeTableClosed(Conflict):
    code = "stake-table-closed"
    title = "The stake table is closed"


class StakeOffStep(InvalidInput):
    code = "stake-off-step"
    title = "The stake table takes no such stake"


class StakeTermsChanged(Conflict):
    code = "stake-terms-changed"
    title = "The stake table has new terms; open the game anew under them"


class BankLimit(Conflict):
    code = "bank-limit"
    title = "The bank cannot cover the maximum win of this stake now; stake less or come back later"


class WinningsTooLarge(Conflict):
    code = "winnings-too-large"
    title = "More was won than was reserved"


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
    title = "A market cannot be opened or settled like this"


class BadBet(InvalidInput):
    code = "bad-bet"
    title = "A bet cannot be made like this"


class MarketClosed(Conflict):
    code = "market-closed"
    title = "Betting is closed"


class RunnerWithdrawn(Conflict):
    code = "runner-withdrawn"
    title = "The runner has withdrawn; what was bet on it is refunded"


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
    title = "The market takes no more money than this; stake less"


class PriceMoved(Conflict):
    """`price` is the one that stands, null where the runner is not offered now."""

    code = "price-moved"
    title = "The price has changed"


class BetEnded(Conflict):
    code = "bet-ended"
    title = "The bet stands no longer"


class NoPlayMoney(Forbidden):
    code = "no-play-money"
    title = "Play money is bet by those who were given some for this event, and have not left it"


class BetStands(Conflict):
    code = "bet-stands"
    title = "A bet is not taken back here"


class BetVoided(Conflict):
    code = "bet-voided"
    title = "This bet was voided before it arrived"


class UnknownPot(NotFound):
    code = "unknown-pot"
    title = "Nothing is bought into here"


class BadPot(InvalidInput):
    code = "bad-pot"
    title = "A pot cannot be opened or divided like this"


class PotClosed(Conflict):
    code = "pot-closed"
    title = "The pot has been divided or refunded; nobody buys in or out any more"


class PotOpen(Conflict):
    code = "pot-open"
    title = "The pot has not been divided yet"


class BoughtIn(Conflict):
    code = "bought-in"
    title = "The player has bought in already"


class NotBoughtIn(Conflict):
    code = "not-bought-in"
    title = "The player has no buy-in in this pot"


class UnknownAccount(NotFound):
    code = "unknown-account"
    title = "There is no such account"
