"""The errors of tournaments, each with its stable code."""

from __future__ import annotations

from core.errors import Conflict, Forbidden, InvalidInput, NotFound, PreconditionFailed


class EntriesClosed(Conflict):
    code = "entries-closed"
    title = "Entries can be made and withdrawn only between publication and start"


class AlreadyEntered(Conflict):
    code = "already-entered"
    title = "This player has entered already"


class NotEntered(Conflict):
    code = "not-entered"
    title = "This player has not entered"


class Disqualified(Forbidden):
    code = "disqualified"
    title = "This player has been disqualified from the tournament"


class AlreadyDisqualified(Conflict):
    code = "already-disqualified"
    title = "This entrant has been disqualified already"


class LastEntrant(Conflict):
    code = "last-entrant"
    title = "No entrant would be left; cancel the tournament instead"


class TournamentFull(Conflict):
    code = "tournament-full"
    title = "The tournament is full"


class AlreadyWaiting(Conflict):
    code = "already-waiting"
    title = "This player is on the waiting list already"


class NotWaiting(Conflict):
    code = "not-waiting"
    title = "This player is not on the waiting list"


class CheckInClosed(Conflict):
    code = "check-in-closed"
    title = "The tournament has no check-in now"


class JudgeMayNotPlay(Forbidden):
    code = "judge-may-not-play"
    title = "A judge of a tournament may not play in it"


class JudgeMayNotBet(Forbidden):
    code = "judge-may-not-bet"
    title = "A judge of a tournament may not bet on it"


class RoleHeld(Conflict):
    code = "role-held"
    title = "This person already has that role, or a greater one"


class NoSuchResult(NotFound):
    code = "no-such-result"
    title = "The tournament has no such round, table, or game"


class RoundNotNext(Conflict):
    code = "round-not-next"
    title = "Only the next round can be opened, and only while it waits for its time"


class RoundNotOpen(Conflict):
    code = "round-not-open"
    title = "Only an open round whose time has not ended can be closed"


class RoundNotClosed(Conflict):
    code = "round-not-closed"
    title = "Results can be corrected once their round is closed"


class NotAtTable(InvalidInput):
    code = "not-at-table"
    title = "The entries named are not those at the table"


class NotCorrectable(Conflict):
    code = "not-correctable"
    title = "Results of this tournament follow from bets; correct the market instead"


class ImpossibleResult(InvalidInput):
    code = "impossible-result"
    title = "The game cannot have that result"


class BadEvidence(InvalidInput):
    code = "bad-evidence"
    title = "The game has no event of that version and hash"


class NothingCorrected(Conflict):
    code = "nothing-corrected"
    title = "The game has that result already"


class CorrectionAffectsPairings(Conflict):
    code = "correction-affects-pairings"
    title = "Later rounds could not have been paired with that result"


class CorrectionTooLate(Conflict):
    code = "correction-too-late"
    title = "The tournament finished too long ago"


class MoneyFrozen(Conflict):
    code = "money-frozen"
    title = "The prizes of the tournament are frozen; release the freeze first"


class TooFewEntrants(Conflict):
    code = "too-few-entrants"
    title = "The tournament has too few entrants to start"


class CannotSeat(Conflict):
    code = "cannot-seat"
    title = "The entrants cannot be seated at tables of this tournament"


class NoBots(Conflict):
    code = "no-bots"
    title = "No bot plays this game"


class SiteCannotStake(Conflict):
    code = "house-cannot-stake"
    title = "The balance of house/promotion does not cover the fees of the bots"


class GuaranteeTooHigh(Forbidden):
    code = "guarantee-too-high"
    title = "The guarantee is above the organizer's limit; an administrator can publish the tournament"


class GuaranteeNotCovered(Conflict):
    code = "guarantee-not-covered"
    title = "The balance of house/bank does not cover the guaranteed prizes"


class WrongStatus(Conflict):
    code = "wrong-status"
    title = "The tournament's status does not allow that"


class AlreadyPaused(Conflict):
    code = "already-paused"
    title = "The tournament is paused already"


class NotStalled(Conflict):
    code = "not-stalled"
    title = "The tournament is not waiting for its organizer"


class BadPair(InvalidInput):
    code = "bad-pair"
    title = "A pair needs two entrants who still play"


class PairingConstraintsNotSupported(Conflict):
    code = "pairing-constraints-not-supported"
    title = "Rounds of this format follow from its schedule or bracket and take no constraints"


class PairingConstraintExists(Conflict):
    code = "pairing-constraint-exists"
    title = "This pair has another constraint; release it first"


class NoPairingConstraint(Conflict):
    code = "no-pairing-constraint"
    title = "This pair has no such constraint"


class ManualPairingNotSupported(Conflict):
    code = "manual-pairing-not-supported"
    title = "Rounds of this format cannot be paired manually"


class InvalidManualPairing(Conflict):
    """A manual pairing that cannot be played. `faults` lists the reasons in plain words."""

    code = "invalid-manual-pairing"
    title = "This manual pairing cannot be played"


class PreviewStale(Conflict):
    code = "preview-stale"
    title = (
        "The tournament has changed since the preview, or the preview was of something else; preview again"
    )


class NoManualPairing(Conflict):
    code = "no-manual-pairing"
    title = "This round has no manual pairing"


class NoOutright(Conflict):
    code = "no-outright"
    title = "A tournament with an outright market has at most 512 places"


class OutrightExists(Conflict):
    code = "outright-exists"
    title = "This tournament already has an outright market"


class OrganizerMayNotBet(Forbidden):
    code = "organizer-may-not-bet"
    title = "The organizer of a tournament may not bet on it"


class BetsOnOthersForbidden(Forbidden):
    code = "bets-on-others-forbidden"
    title = "An entrant of a tournament may not bet on others"


class BetsOnRivals(Conflict):
    code = "bets-on-rivals"
    title = "A player who has bet on others may not enter; cancel the bets first"


class BadTerms(InvalidInput):
    """Terms under which no tournament can be held. `field` names the invalid field."""

    code = "invalid-terms"
    title = "The terms of the tournament are invalid"

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}", field=field)
        self.field, self.why = field, why


class DraftChanged(PreconditionFailed):
    """`If-Match` named an earlier version. `version` is the current one."""

    code = "draft-changed"
    title = "The draft has been changed since that version; read it again"
