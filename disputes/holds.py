"""Hold the money that a disputed game has paid, as long as a dispute of it is open.

A hold covers what the game itself paid: winnings of its stake, its pot, and the bets on it. A tournament game pays
nothing itself, so nothing is held for it.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from disputes import states
from disputes.models import Dispute
from games import early_access
from games.models import GameRecord, Match, MatchStatus
from games.selectors import buy_in_subject
from jobs import services as jobs
from ledger import services as ledger
from ledger.models import Freeze

ACTOR = "system:disputes"
HOLD = "disputes.hold"
REASON = "disputed"


def update(game: GameRecord, *, now: datetime) -> None:
    """Hold what the game has paid if a dispute of it is open, and release the hold otherwise."""
    if game.tournament is not None:
        return
    lock(game)
    if not is_disputed(game):
        release(game, now=now)
    elif has_paid(game) and current(game) is None:
        subject = buy_in_subject(game)
        number = Freeze.objects.filter(subject=subject, actor=ACTOR).count() + 1
        ledger.freeze(
            subject=subject,
            player=None,
            claim=f"{REASON}:{subject}:{number}",
            actor=ACTOR,
            reason=REASON,
            at=now,
        )


def lock(game: GameRecord) -> None:
    """Lock the game, or its match, so that changes of disputes about the same money run one after the other."""
    if game.match_id is not None:
        Match.objects.select_for_update().get(pk=game.match_id)
    else:
        early_access.lock(game.pk)


def release(game: GameRecord, *, now: datetime) -> None:
    """Release the hold on a game, if there is one.

    The freeze is locked before its state is read, because staff may release it at the same time.
    """
    if (held := _held(game).select_for_update(no_key=True).first()) is not None:
        ledger.release_freeze(freeze=held.pk, actor=ACTOR, reason="decided", at=now)


def current(game: GameRecord) -> Freeze | None:
    """Return the hold on what the game paid, if there is one."""
    return _held(game).first()


def _held(game: GameRecord) -> QuerySet[Freeze]:
    return Freeze.objects.filter(subject=buy_in_subject(game), actor=ACTOR, released_at=None)


def is_disputed(game: GameRecord) -> bool:
    """Return whether a dispute of the game, or of a deal of its match, is open."""
    of = Q(game=game)
    if game.match_id is not None:
        of |= Q(game__match=game.match_id)
    return Dispute.objects.filter(of, status__in=states.PENDING).exists()


def has_paid(game: GameRecord) -> bool:
    """Return whether the game's money is settled. A match is settled after its last deal."""
    if game.match is not None:
        return game.match.status != MatchStatus.RUNNING
    return game.ended


def schedule_hold(game_id: UUID, at: datetime) -> None:
    """Schedule the hold on a game that ends while it is disputed."""
    game = GameRecord.objects.get(pk=game_id)
    if is_disputed(game):
        jobs.schedule(kind=HOLD, key=f"{HOLD}:{game_id}", payload={"game": str(game_id)}, due=at)
