"""Early access: the recorded access of auditors to running games. Interested parties are refused."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import transaction
from django.db.models import Q

from accounts.models import Player
from core.commands import Condition
from core.sql import holds, stored
from eventstore import feed, store
from eventstore.store import NewEvent
from games import hooks
from games.errors import EarlyAccessUsed
from games.models import EarlyAccess, GameRecord, Seat
from ledger.errors import InterestedParty

STREAM = uuid5(NAMESPACE_URL, "racecard:audit")
"""The one stream of its kind: every early access of the installation, in order."""
KIND = "audit"


def record(
    *, viewer: Player, game: GameRecord, what: str, version: int | None, reason: str = "", now: datetime
) -> None:
    """Record that `viewer` sees more of a running game than their seat shows.

    Raises InterestedParty. The record is committed with the access or before it.
    """
    entry = NewEvent(
        "looked",
        {
            "looker": str(viewer.pk),
            "game": str(game.pk),
            "tournament": None if game.tournament is None else str(game.tournament),
            "what": what,
            "version": version,
            "reason": reason,
        },
    )
    with transaction.atomic():
        lock(game.pk)
        if has_interest(viewer, game):
            raise InterestedParty
        [event] = store.append_to_end(STREAM, [entry], kind=KIND, at=now)
        EarlyAccess.objects.create(
            viewer=viewer,
            game=game,
            tournament=game.tournament,
            what=what,
            reason=reason,
            at=now,
            event=event.version,
        )
    transaction.on_commit(lambda: feed.announce(STREAM, event.version))


def lock(game: UUID) -> GameRecord:
    """Lock the game's row, so that taking a seat and early access exclude each other.

    The lock lasts until the end of the transaction. Writers that also append to the game's stream lock the stream
    first.
    """
    return GameRecord.objects.select_for_update().get(pk=game)


def record_once(*, viewer: Player, game: GameRecord, what: str, reason: str = "", now: datetime) -> None:
    """Record repeated access, such as a view or a feed, only the first time."""
    if not EarlyAccess.objects.filter(viewer=viewer, game=game, what=what).exists():
        record(viewer=viewer, game=game, what=what, version=None, reason=reason, now=now)


def has_interest(player: Player, game: GameRecord) -> bool:
    """Return whether the player created the game, sits in it, its match, or its tournament, or has another interest."""
    return game.creator_id == player.pk or is_seated(player.pk, game) or hooks.has_interest(player, game)


def is_seated(player: UUID, game: GameRecord) -> bool:
    """Return whether the player sits in the game, in another deal of its match, or in a game of its tournament."""
    related = Q(game=game)
    if game.match_id is not None:  # its next deal seats the players of the first
        related |= Q(game__match=game.match_id)
    if game.tournament is not None:
        related |= Q(game__tournament=game.tournament)
    return Seat.objects.filter(related, player=player).exists()


def unseen(player: UUID, *, game: UUID | None = None, tournament: UUID | None = None) -> Condition:
    """Return the condition that the player has had no early access to the game, nor to a game of the tournament."""
    return Condition(
        "NOT EXISTS (SELECT 1 FROM games_earlyaccess WHERE viewer_id = %s AND (game_id = %s OR tournament = %s))",
        (stored(player), stored(game), stored(tournament)),
    )


def has_early_access(player: UUID, *, game: UUID | None = None, tournament: UUID | None = None) -> bool:
    return not holds(unseen(player, game=game, tournament=tournament))


def require_unseen(player: UUID, *, game: UUID | None = None, tournament: UUID | None = None) -> None:
    """Raise EarlyAccessUsed if the player has had early access to the game or to a game of the tournament."""
    if has_early_access(player, game=game, tournament=tournament):
        raise EarlyAccessUsed


def require_unseen_by_any(players: Collection[UUID], *, tournament: UUID) -> None:
    """Raise EarlyAccessUsed if any of the players has had early access to a game of the tournament."""
    if EarlyAccess.objects.filter(tournament=tournament, viewer__in=players).exists():
        raise EarlyAccessUsed
