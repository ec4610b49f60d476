"""Early access: the recorded access of auditors to running games. Interested parties are refused."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import connection, transaction
from django.db.models import Q

from accounts.models import Player
from core.commands import Condition
from core.sql import stored
from eventstore import feed, store
from eventstore.store import EMPTY, Head, NewEvent
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


def lock_with_stream(game: UUID) -> Head:
    """Lock the game's stream and row, in this order, and return the head of the stream; EMPTY if there is no game."""
    query = (
        "SELECT version, head_hash, head_at FROM eventstore_stream stream "
        "JOIN games_gamerecord game ON game.id = stream.id WHERE stream.id = %s"
    )
    if connection.vendor == "postgresql":
        query += " FOR NO KEY UPDATE OF stream, game"
    with connection.cursor() as cursor:
        cursor.execute(query, [stored(game)])
        row = cursor.fetchone()
    return EMPTY if row is None else store.stored_head(*row)


def record_once(*, viewer: Player, game: GameRecord, what: str, reason: str = "", now: datetime) -> None:
    """Record repeated access, such as a view or a feed, only the first time."""
    if not EarlyAccess.objects.filter(viewer=viewer, game=game, what=what).exists():
        record(viewer=viewer, game=game, what=what, version=None, reason=reason, now=now)


def has_early_access(viewer: Player, game: UUID) -> bool:
    """Return whether the player has recorded early access to the game."""
    return EarlyAccess.objects.filter(viewer=viewer, game=game).exists()


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


def require_unseen(
    player: Player | UUID, *, game: UUID | None = None, tournament: UUID | None = None
) -> None:
    """Raise EarlyAccessUsed if the player has had early access to the game or to a game of the tournament."""
    seen = Q()
    if game is not None:
        seen |= Q(game=game)
    if tournament is not None:
        seen |= Q(tournament=tournament)
    if seen and EarlyAccess.objects.filter(seen, viewer=player).exists():
        raise EarlyAccessUsed


def unseen(player: UUID, *, game: UUID, tournament: UUID | None = None) -> Condition:
    """Return the check of `require_unseen` as a condition of the statement that acts."""
    return Condition(
        "NOT EXISTS (SELECT 1 FROM games_earlyaccess WHERE viewer_id = %s AND (game_id = %s OR tournament = %s))",
        (stored(player), stored(game), stored(tournament)),
    )


def require_unseen_by_any(players: Collection[UUID], *, tournament: UUID) -> None:
    """Raise EarlyAccessUsed if any of the players has had early access to a game of the tournament."""
    if EarlyAccess.objects.filter(tournament=tournament, viewer__in=players).exists():
        raise EarlyAccessUsed
