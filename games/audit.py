"""Looks into games that are still on: recorded first, refused to who has a part, and closing the game to the looker."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import transaction
from django.db.models import Q

from accounts.models import Player
from eventstore import feed, store
from eventstore.store import NewEvent
from games import limits
from games.errors import Contended, LookedEarly
from games.models import EarlyLook, GameRecord, Seat
from ledger.errors import InterestedParty

STREAM = uuid5(NAMESPACE_URL, "racecard:audit")
"""The one stream of its kind: every early look of the installation, in order."""
KIND = "audit"

HasPart = Callable[[Player, GameRecord], bool]
_has_part: list[HasPart] = []


def register_part(check: HasPart) -> HasPart:
    """Let a layer above say who has a part in a game (its tournament's entrants, say, or who has bet on it)."""
    _has_part.append(check)
    return check


def look(
    *, looker: Player, game: GameRecord, what: str, version: int | None, reason: str = "", now: datetime
) -> None:
    """Record that `looker` is shown more of a running game than its seats let see, for a `reason` if they gave one.

    Raises InterestedParty. The record is committed with the look or before it, never after.
    """
    entry = NewEvent(
        "looked",
        {
            "looker": str(looker.pk),
            "game": str(game.pk),
            "tournament": None if game.tournament is None else str(game.tournament),
            "what": what,
            "version": version,
            "reason": reason,
        },
    )
    with transaction.atomic():
        lock(game.pk)
        if has_part(looker, game):
            raise InterestedParty
        event = _append(entry, now)
        EarlyLook.objects.create(
            looker=looker,
            game=game,
            tournament=game.tournament,
            what=what,
            reason=reason,
            at=now,
            event=event,
        )
    transaction.on_commit(lambda: feed.announce(STREAM, event))


def lock(game: UUID) -> GameRecord:
    """Let sitting down and looking early come one after the other, so that each finds the other done.

    Holds until the end of the transaction. Who appends to the game's stream as well locks that before.
    """
    return GameRecord.objects.select_for_update().get(pk=game)


def look_once(*, looker: Player, game: GameRecord, what: str, reason: str = "", now: datetime) -> None:
    """As `look`, for what is asked for again and again (a view, a feed): the first time is recorded."""
    if not EarlyLook.objects.filter(looker=looker, game=game, what=what).exists():
        look(looker=looker, game=game, what=what, version=None, reason=reason, now=now)


def has_looked(looker: Player, game: UUID) -> bool:
    """Whether any look of theirs into the game has been recorded."""
    return EarlyLook.objects.filter(looker=looker, game=game).exists()


def has_part(player: Player, game: GameRecord) -> bool:
    """Whether the player sits in the game, in its match, in its tournament, or a layer above says so."""
    return (
        game.creator_id == player.pk
        or is_seated(player.pk, game)
        or any(check(player, game) for check in _has_part)
    )


def is_seated(player: UUID, game: GameRecord) -> bool:
    """Whether the player sits in the game, in another deal of its match or in another game of its tournament."""
    related = Q(game=game)
    if game.match_id is not None:  # its next deal seats whoever played the first
        related |= Q(game__match=game.match_id)
    if game.tournament is not None:
        related |= Q(game__tournament=game.tournament)
    return Seat.objects.filter(related, player=player).exists()


def require_unseen(
    player: Player | UUID, *, game: UUID | None = None, tournament: UUID | None = None
) -> None:
    """Raises LookedEarly if the player has looked into the game or into one of the tournament's."""
    seen = Q()
    if game is not None:
        seen |= Q(game=game)
    if tournament is not None:
        seen |= Q(tournament=tournament)
    if seen and EarlyLook.objects.filter(seen, looker=player).exists():
        raise LookedEarly


def require_unseen_by_any(players: Collection[UUID], *, tournament: UUID) -> None:
    """The same of many players and the games of a tournament."""
    if EarlyLook.objects.filter(tournament=tournament, looker__in=players).exists():
        raise LookedEarly


def _append(entry: NewEvent, now: datetime) -> int:
    for _ in range(limits.ATTEMPTS):
        try:
            [event] = store.append(STREAM, [entry], kind=KIND, expected=store.head(STREAM), at=now)
        except store.WrongVersion:
            continue
        return event.version
    raise Contended
