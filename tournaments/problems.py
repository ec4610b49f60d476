"""What a tournament refuses, each with its stable code."""

from __future__ import annotations

from api.errors import Conflict, Forbidden, InvalidInput, Problem


class EntriesClosed(Conflict):
    code = "entries-closed"
    title = "Entries can be made and withdrawn only between publication and start"


class AlreadyEntered(Conflict):
    code = "already-entered"
    title = "This player is entered already"


class NotEntered(Conflict):
    code = "not-entered"
    title = "This player is not entered"


class Disqualified(Forbidden):
    code = "disqualified"
    title = "This player has been disqualified from the tournament"


class AlreadyDisqualified(Conflict):
    code = "already-disqualified"
    title = "This entrant has been disqualified already"


class LastEntrant(Conflict):
    code = "last-entrant"
    title = "Nobody would be left to take the prizes; cancel the tournament instead"


class TournamentFull(Conflict):
    code = "tournament-full"
    title = "All places of the tournament are taken"


class AlreadyWaiting(Conflict):
    code = "already-waiting"
    title = "This player waits for a place already"


class NotWaiting(Conflict):
    code = "not-waiting"
    title = "This player does not wait for a place"


class CheckInClosed(Conflict):
    code = "check-in-closed"
    title = "The tournament is not to be checked in to now"


class JudgeMayNotPlay(Forbidden):
    code = "judge-may-not-play"
    title = "Who judges a tournament does not play in it"


class JudgeMayNotBet(Forbidden):
    code = "judge-may-not-bet"
    title = "Who judges a tournament bets on nobody in it"


class RoleHeld(Conflict):
    code = "role-held"
    title = "This person has that role in the tournament, or a greater one, already"


class NoSuchResult(Problem):
    status = 404
    code = "no-such-result"
    title = "The tournament has no such round, table or game"


class RoundNotClosed(Conflict):
    code = "round-not-closed"
    title = "Results are corrected once their round has been closed"


class NotAtTable(InvalidInput):
    code = "not-at-table"
    title = "The entries named are not those who sat at the table"


class NotCorrectable(Conflict):
    code = "not-correctable"
    title = "Results of this tournament follow from bets, which are ruled on where they were made"


class ImpossibleResult(InvalidInput):
    code = "impossible-result"
    title = "The game cannot give that"


class BadEvidence(InvalidInput):
    code = "bad-evidence"
    title = "The game has no event of that version and hash"


class NothingCorrected(Conflict):
    code = "nothing-corrected"
    title = "The game is worth exactly that already"


class ReachesOn(Conflict):
    code = "correction-reaches-on"
    title = "What was laid out or decided since could not have come about"


class CorrectionTooLate(Conflict):
    code = "correction-too-late"
    title = "The tournament finished too long ago"


class MoneyFrozen(Conflict):
    code = "money-frozen"
    title = "A claim holds what the tournament has paid; its freeze is released first"


class TooFewEntrants(Conflict):
    code = "too-few-entrants"
    title = "The tournament has too few entrants to start"


class CannotSeat(Conflict):
    code = "cannot-seat"
    title = "The entrants cannot be seated at tables of this tournament"


class NoBots(Conflict):
    code = "no-bots"
    title = "No bot plays this game"


class HouseCannotStake(Conflict):
    code = "house-cannot-stake"
    title = "The house has not enough in house/promotion to pay the fees of its bots"


class GuaranteeTooHigh(Forbidden):
    code = "guarantee-too-high"
    title = "An organizer promises prizes up to a limit; above it an administrator publishes the tournament"


class GuaranteeNotCovered(Conflict):
    code = "guarantee-not-covered"
    title = "The house has not enough in house/bank to guarantee the prizes"


class WrongStatus(Conflict):
    code = "wrong-status"
    title = "The tournament is not in a state in which that can be done"


class AlreadyPaused(Conflict):
    code = "already-paused"
    title = "The tournament is paused already"


class NotStalled(Conflict):
    code = "not-stalled"
    title = "The tournament is not waiting for its organizer"


class BadPair(InvalidInput):
    code = "bad-pair"
    title = "A pair is two entrants of the tournament who still play"


class WishesNotHeeded(Conflict):
    code = "wishes-not-heeded"
    title = "The rounds of this format follow from its schedule or bracket, whoever wants to meet whom"


class PairAlreadySaid(Conflict):
    code = "pair-already-said"
    title = "Something else has been said of this pair; take that back first"


class PairNotSaid(Conflict):
    code = "pair-not-said"
    title = "Nothing of that kind has been said of this pair"


class NotByHand(Conflict):
    code = "not-by-hand"
    title = "Rounds of this format are not laid out by hand"


class FaultyLayout(Conflict):
    """`faults` says each thing that is wrong, in plain words."""

    code = "faulty-layout"
    title = "A round cannot be played as it is laid out here"


class PreviewStale(Conflict):
    code = "preview-stale"
    title = "The tournament has gone on since the preview, or that was of something else; look at it anew"


class NothingLaidOut(Conflict):
    code = "nothing-laid-out"
    title = "Nobody has laid this round out by hand"


class NoOutright(Conflict):
    code = "no-outright"
    title = "Bets are taken on tournaments of at most 512 places"


class OutrightExists(Conflict):
    code = "outright-exists"
    title = "This tournament has a market on its winner; there is one to a tournament"


class OrganizerMayNotBet(Forbidden):
    code = "organizer-may-not-bet"
    title = "Who organizes a tournament bets on nobody in it"


class BackYourselfAlone(Forbidden):
    code = "back-yourself-alone"
    title = "Who plays in a tournament bets on nobody else in it"


class BetsOnRivals(Conflict):
    code = "bets-on-rivals"
    title = "Who has bet on others in a tournament does not play against them; take the bets back first"


class BadTerms(InvalidInput):
    """The terms of a tournament that cannot be held; `field` names the one at fault."""

    code = "invalid-terms"
    title = "A tournament cannot be held on these terms"

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}", field=field)
