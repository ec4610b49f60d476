"""Why a player's protection refuses."""

from __future__ import annotations

from api.errors import Conflict, InvalidInput, NotFound


class LimitReached(Conflict):
    """`limit` and `period` tell which, in pence `amount`, `used` and `remaining`; `frees_at` is null where no waiting
    helps."""

    code = "limit-reached"
    title = "A limit of the player's does not allow that much now"


class PlayStopped(Conflict):
    """`until` is null for a self-exclusion without end."""

    code = "play-stopped"
    title = "The player has taken a time-out or is excluded from play"


class BadProtection(InvalidInput):
    code = "bad-protection"
    title = "There is no such limit, time-out or self-exclusion"


class NothingPending(NotFound):
    code = "nothing-pending"
    title = "No change of this limit is pending"


class NotConfirmed(InvalidInput):
    code = "not-confirmed"
    title = "A self-exclusion cannot be lifted before its end; confirm that it is meant"
