"""What a disputed game has paid is held while somebody is still to decide, and no longer.

At most what the game itself paid: its stake's winnings, its pot, the bets on it. A game of a tournament pays nothing;
the prizes are the tournament's.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from disputes import states
from disputes.models import Dispute
from games import audit, buy_ins
from games.models import GameRecord, Match, MatchStatus
from jobs import services as jobs
from ledger import services as ledger
from ledger.payouts.models import Freeze

ACTOR = "system:disputes"
HOLD = "disputes.hold"
REASON = "disputed"


def keep(game: GameRecord, *, now: datetime) -> None:
    """Hold what the game has paid if a dispute of it is pending, and let it go if none is."""
    if game.tournament is not None:
        return
    alone(game)
    if not is_disputed(game):
        let_go(game, now=now)
    elif has_paid(game) and standing(game) is None:
        subject = buy_ins.subject(game)
        number = Freeze.objects.filter(subject=subject, actor=ACTOR).count() + 1
        ledger.freeze(
            subject=subject,
            player=None,
            claim=f"{REASON}:{subject}:{number}",
            actor=ACTOR,
            reason=REASON,
            at=now,
        )


def alone(game: GameRecord) -> None:
    """Let who opens and who ends a dispute of the same money come one after the other, so that each finds the other."""
    if game.match_id is not None:
        Match.objects.select_for_update().get(pk=game.match_id)
    else:
        audit.lock(game.pk)


def let_go(game: GameRecord, *, now: datetime) -> None:
    """Release what is held: no decision is pending, or it has been made and the money is about to move.

    The freeze is locked before its state is read: staff may be releasing it.
    """
    if (held := _held(game).select_for_update(no_key=True).first()) is not None:
        ledger.release_freeze(freeze=held.pk, actor=ACTOR, reason="decided", at=now)


def standing(game: GameRecord) -> Freeze | None:
    return _held(game).first()


def _held(game: GameRecord) -> QuerySet[Freeze]:
    return Freeze.objects.filter(subject=buy_ins.subject(game), actor=ACTOR, released_at=None)


def is_disputed(game: GameRecord) -> bool:
    """Whether a dispute of the game, or of a deal of the match whose pot is its pot, is pending."""
    of = Q(game=game)
    if game.match_id is not None:
        of |= Q(game__match=game.match_id)
    return Dispute.objects.filter(of, status__in=states.PENDING).exists()


def has_paid(game: GameRecord) -> bool:
    """Whether its money has gone where it goes; that of a match waits for the match."""
    if game.match is not None:
        return game.match.status != MatchStatus.RUNNING
    return game.ended


def when_ended(game_id: UUID, at: datetime) -> None:
    """With the end of a game that was disputed while it was played: what it pays is held by the next job."""
    game = GameRecord.objects.get(pk=game_id)
    if is_disputed(game):
        jobs.schedule(kind=HOLD, key=f"{HOLD}:{game_id}", payload={"game": str(game_id)}, due=at)
