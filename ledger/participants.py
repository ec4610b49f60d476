"""Who takes part in an event, and therefore may not run, rule on or settle it.

An event is a subject: `game:{id}`, `match:{id}` or `tournament:{id}`. A participant plays in it, waits for a place in
it, has bought into it, has bet on it or has won a prize in it. Every command that changes the course or the money of an
event asks here, in its transaction. Nothing is locked here: callers that must wait for an entry or a bet in progress
have locked the rows of the event and of its market. The server's own actors are never participants.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from ledger.betting.models import Bet, BetStatus
from ledger.buyins.models import BuyIn
from ledger.errors import InterestedParty
from ledger.models import OwnerKind

Check = Callable[[UUID, UUID], bool]
"""Whether, in the event of the first id, the player of the second takes part."""

_checks: dict[str, Check] = {}


def register(kind: str, check: Check) -> None:
    """Let the package that knows events of this kind (`game`) say who takes part in one."""
    _checks[kind] = check


def takes_part(subject: str, player: UUID) -> bool:
    """Whether the player takes part in the event. A bet that was cancelled does not count."""
    kind, _, key = subject.partition(":")
    check = _checks.get(kind)
    if check is not None and (event := _uuid(key)) is not None and check(event, player):
        return True
    bets = Bet.objects.filter(market__subject=subject, player=player).exclude(status=BetStatus.CANCELLED)
    return bets.exists() or BuyIn.objects.filter(pot__subject=subject, player=player).exists()


def refuse(subject: str, actor: str) -> None:
    """Raises InterestedParty if `actor` (`player:{id}`; anything else is the server) takes part in the event."""
    kind, _, key = actor.partition(":")
    player = _uuid(key) if kind == OwnerKind.PLAYER else None
    if player is not None and takes_part(subject, player):
        raise InterestedParty(
            "You take part in this event. Another organizer or an administrator gives this command."
        )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
