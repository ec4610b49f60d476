"""Errors of disputes."""

from __future__ import annotations

from core.errors import Conflict, Forbidden, InvalidInput, NotFound


class UnknownDispute(NotFound):
    code = "unknown-dispute"
    title = "Unknown dispute"


class NotYourGame(Forbidden):
    code = "not-your-game"
    title = "Only a player of the game or its organizer can dispute it"


class NotYourDispute(Forbidden):
    code = "not-your-dispute"
    title = "You are not a party to this dispute"


class DisputeTooLate(Conflict):
    code = "dispute-too-late"
    title = "The time limit has passed"


class DisputeOpen(Conflict):
    """The player has an open dispute of the game: `dispute`."""

    code = "dispute-open"
    title = "You already have an open dispute of this game"


class AlreadyRuled(Conflict):
    """The player's dispute of the game, `dispute`, has been ruled on."""

    code = "already-ruled"
    title = "Your dispute of this game has been ruled on; you can appeal the ruling once"


class DisputeUnexpectedState(Conflict):
    """The dispute is in the state `state`."""

    code = "dispute-unexpected-state"
    title = "The dispute is in another state"


class AuditorsOnly(Forbidden):
    code = "auditors-only"
    title = "Only auditors rule on disputes"


class SecondAuditorRequired(Forbidden):
    code = "second-auditor-required"
    title = "Another person must decide on a proposed ruling and on the appeal of a ruling"


class ReadDisputeFirst(Conflict):
    code = "read-dispute-first"
    title = "Read the dispute and the game first; this answer depends on the moves played"


class BadRemedy(InvalidInput):
    code = "bad-remedy"
    title = "Invalid remedy"


class NothingChanges(Conflict):
    code = "nothing-changes"
    title = "The ruling would not change the result"


class CannotRejudge(Conflict):
    """The game has no result under these options. `otherwise` is the first event that would differ, or null."""

    code = "cannot-rejudge"
    title = "The game has no result under these options"


class MatchInPlay(Conflict):
    code = "match-in-play"
    title = "The match of this deal has not ended"


class EvidencePinned(Conflict):
    code = "evidence-pinned"
    title = "This event is already pinned"


class RulingStale(Conflict):
    code = "ruling-stale"
    title = "The effects of the ruling have changed; preview it again"
