"""Participants of an event, who may not run it, rule on it, or settle it.

An event is a subject: `game:{id}`, `match:{id}`, or `tournament:{id}`. A participant plays in it, is on its waiting
list, has bought into it, has bet on it, or has won a prize in it. Every command that changes the course or the money of
an event calls `refuse_participant` in its transaction. Nothing is locked here: a caller that must wait for an entry or
a bet in progress has locked the rows of the event and of its market. The server's own actors are never participants.
"""

from __future__ import annotations

from uuid import UUID

from ledger import hooks
from ledger.betting.models import Bet, BetStatus
from ledger.core.models import OwnerKind
from ledger.errors import InterestedParty
from ledger.stakes.models import BuyIn


def takes_part(subject: str, player: UUID) -> bool:
    """Return whether the player takes part in the event. A cancelled bet does not count."""
    kind, _, key = subject.partition(":")
    check = hooks.participant_check(kind)
    if check is not None and (event := _uuid(key)) is not None and check(event, player):
        return True
    bets = Bet.objects.filter(market__subject=subject, player=player).exclude(status=BetStatus.CANCELLED)
    return bets.exists() or BuyIn.objects.filter(pot__subject=subject, player=player).exists()


def refuse_participant(subject: str, actor: str) -> None:
    """Raise InterestedParty if `actor` takes part in the event: `player:{id}`; any other actor is the server."""
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
