"""Why something about a dispute is refused."""

from __future__ import annotations

from api.errors import Conflict, Forbidden, InvalidInput, NotFound


class UnknownDispute(NotFound):
    code = "unknown-dispute"
    title = "There is no such dispute"


class NotYourGame(Forbidden):
    code = "not-your-game"
    title = "A game is disputed by who sits in it, and by the organizer of its tournament"


class NotYourDispute(Forbidden):
    code = "not-your-dispute"
    title = "Only who opened a dispute withdraws it, and only whom it concerns appeals"


class DisputeTooLate(Conflict):
    code = "dispute-too-late"
    title = "The time for this is over"


class DisputeOpen(Conflict):
    """`dispute` is the one that is open."""

    code = "dispute-open"
    title = "You have a dispute of this game that is not decided"


class AlreadyRuled(Conflict):
    """`dispute` is the one that was ruled on."""

    code = "already-ruled"
    title = "Your claim on this game was ruled on; a ruling is appealed, once"


class DisputeMovedOn(Conflict):
    """`state` is the one that it is in."""

    code = "dispute-moved-on"
    title = "The dispute is in a state in which this cannot be done"


class AuditorsOnly(Forbidden):
    code = "auditors-only"
    title = "Disputes are ruled on by auditors"


class AnotherAuditor(Forbidden):
    code = "another-auditor"
    title = "Somebody else must decide this: who ruled neither approves it nor rules on the appeal"


class LookFirst(Conflict):
    code = "look-first"
    title = "What this answers follows from what has been played; read the dispute first, and look into the game meant"


class BadRemedy(InvalidInput):
    code = "bad-remedy"
    title = "This remedy cannot be like this"


class NothingChanges(Conflict):
    code = "nothing-changes"
    title = "The game's result is exactly that already"


class CannotRejudge(Conflict):
    """`otherwise`: the first event that could not stand as it does, if there is one."""

    code = "cannot-rejudge"
    title = "Judged again like this the game comes to no result"


class MatchInPlay(Conflict):
    code = "match-in-play"
    title = "The deal is part of a match that is still played; its pot is divided when that has ended"


class EvidencePinned(Conflict):
    code = "evidence-pinned"
    title = "This event is pinned to the dispute already"


class RulingStale(Conflict):
    code = "ruling-stale"
    title = "What the ruling does is no longer what was shown, or that was of something else; look at it anew"
