"""Access to games: which games, seats, and evidence a viewer may see."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from accounts.models import Player
from accounts.roles import Role, has_role, is_staff, players_with
from core.errors import NotFound
from core.prepared import Joined, Prepared
from core.sql import exists_for_each, stored
from eventstore import store
from eventstore.feed import Reader
from eventstore.models import Stream
from eventstore.store import Head
from games import early_access
from games.errors import DealInPlay, GameInPlay, NotSeated, SeatsTaken
from games.models import EarlyAccess, GameQuerySet, GameRecord, Match, Seat
from games.rules.table import Table
from notifications.models import Watch

Viewer = Player | AnonymousUser | None

_games = Prepared(GameRecord, "id")
_tables = Prepared(
    GameRecord,
    "id",
    joined=[
        Joined("stream", Stream, '"stream"."id" = "games_gamerecord"."id"', optional=False),
        Joined("seat", Seat, '"seat"."game_id" = "games_gamerecord"."id"'),
        Joined("player", Player, '"player"."id" = "seat"."player_id"'),
        Joined("owner", Player, '"owner"."id" = "player"."owner_id"'),
        Joined("watch", Watch, '"watch"."player_id" = "player"."id" AND "watch"."stream" = "stream"."id"'),
        Joined(
            "early", EarlyAccess, '"early"."game_id" = "games_gamerecord"."id" AND "early"."viewer_id" = %s'
        ),
        Joined("viewer", Player, '"viewer"."id" = %s'),
    ],
)


SEES_BY_SEAT = (
    ("game", "pk"),
    ("game__match", "match_id"),  # the next deal of a match, before its players are seated
    ("game", "parent_id"),  # the redeal of a voided game
)
"""A player sees the games that have one of these fields in common with the player's seat."""


class GameTable(NamedTuple):
    """A game with what is shown of its table, read by one statement."""

    game: GameRecord
    head: Head | None = None
    """None: as the open transaction has left it."""
    seatings: Mapping[int, Seat] = {}
    """By seat, with the players."""
    watches: Mapping[int, Watch] = {}
    """By seat, the recorded event streams of their players."""
    early_access: bool = False
    """Whether the viewer has had early access to the game."""
    viewer: Player | None = None
    """The viewer with all fields."""


def visible_games(viewer: Viewer, *, invite: str = "") -> GameQuerySet:
    """Return the games that `viewer` may see. `invite` opens the private game with that invitation.

    While games that share a deal are being played, each is visible only to its own players and to auditors with
    recorded early access.
    """
    running = GameRecord.objects.running().filter(deal_group=OuterRef("deal_group"))
    deal_is_open = Q(deal_group="") | ~Exists(running)
    public = Q(private=False)
    if invite:
        public |= Q(invite=invite)
    if not isinstance(viewer, Player):
        return GameRecord.objects.filter(public, deal_is_open)
    own = Q(creator=viewer, seats=0)  # the operator of a race without seats
    for of_seat, of_game in SEES_BY_SEAT:
        if of_seat == "game":
            own |= Q(exists_for_each(Seat.objects.filter(game=OuterRef(of_game), player=viewer)))
        else:
            own |= Q(_plays_in_match(viewer, of_game))
    if is_auditor(viewer):
        looked = Q(Exists(EarlyAccess.objects.filter(game=OuterRef("pk"), viewer=viewer)))
        return GameRecord.objects.filter(deal_is_open | own | looked)
    # Seats are looked up last, for the games that are not public.
    return GameRecord.objects.filter((public | Q(creator=viewer)) & deal_is_open | own)


def visible_game(
    viewer: Viewer, game_id: UUID, *, invite: str = "", now: datetime | None = None
) -> GameRecord:
    """Return the game if `viewer` may see it, else raise NotFound.

    An auditor who opens a game whose deal is still in play uses early access. With `now` the access is recorded, or
    refused with InterestedParty. Without `now` such a game stays hidden.
    """
    found = _games.find(game_id)
    if found is None:
        raise NotFound
    _check_visible(found, viewer, invite, now)
    return found


def visible_table(viewer: Viewer, game_id: UUID, *, invite: str, now: datetime) -> GameTable:
    """Return the game and its table; otherwise like `visible_game`."""
    found = game_table(viewer, game_id)
    _check_visible(found.game, viewer, invite, now)
    return found


def locked_table(viewer: Viewer, game_id: UUID, *, invite: str, now: datetime) -> GameTable:
    """Lock the game's stream and row, in this order, and return what `visible_table` returns.

    After waiting for the lock, game and head are the present ones, and the seats may be older.
    """
    found = game_table(viewer, game_id, locked=True)
    _check_visible(found.game, viewer, invite, now)
    return found


def game_table(viewer: Viewer, game_id: UUID, *, locked: bool = False) -> GameTable:
    """Return a game that `viewer` may see, with its table. Raises NotFound if there is no such game."""
    me = stored(viewer.pk if isinstance(viewer, Player) else None)
    lock = "FOR NO KEY UPDATE OF stream, games_gamerecord" if connection.vendor == "postgresql" else ""
    rows = _tables.rows(game_id, me, me, locking=lock if locked else "")
    if not rows:
        raise NotFound
    seatings: dict[int, Seat] = {}
    watches: dict[int, Watch] = {}
    for _, _, seat, player, owner, watch, _, _ in rows:
        if seat is not None:
            if watch is not None:
                watches[seat.seat] = watch
            if owner is not None:
                player.owner = owner
            seat.player = player
            seatings[seat.seat] = seat
    game, stream, *_, early, person = rows[0]
    head = store.stored_head(stream.version, stream.head_hash, stream.head_at)
    return GameTable(game, head, seatings, watches, early_access=early is not None, viewer=person)


def _check_visible(found: GameRecord, viewer: Viewer, invite: str, now: datetime | None) -> None:
    if _is_plainly_visible(found, viewer.pk if isinstance(viewer, Player) else None, invite):
        return
    if visible_games(viewer, invite=invite).filter(pk=found.pk).exists():
        return
    if now is None or not isinstance(viewer, Player) or not is_auditor(viewer):
        raise NotFound
    early_access.record_once(viewer=viewer, game=found, what="view", now=now)


def _is_plainly_visible(record: GameRecord, player: UUID | None, invite: str) -> bool:
    """Return whether the row alone shows that the game is visible: most games are public and share no deal."""
    if record.deal_group:
        return False
    return _is_public_to(record, player, invite)


def _is_public_to(record: GameRecord, player: UUID | None, invite: str) -> bool:
    """Return whether the game is visible to the player while its deal is not in play elsewhere."""
    invited = bool(invite) and record.invite == invite
    return not record.private or invited or (player is not None and record.creator_id == player)


def followable(readers: Collection[Reader]) -> dict[Reader, GameRecord]:
    """Return the games of those readers who may see them by the rule of `visible_games`.

    The number of statements does not depend on the number of readers, except for members of staff.
    """
    games = GameRecord.objects.in_bulk({reader.stream for reader in readers})
    found: dict[Reader, GameRecord] = {}
    others: list[Reader] = []
    for reader in readers:
        game = games.get(reader.stream)
        if game is not None and _is_plainly_visible(game, reader.player, reader.invite):
            found[reader] = game
        elif game is not None:
            others.append(reader)
    if others:
        found |= {reader: games[reader.stream] for reader in _visible_by_rows(others, games)}
    return found


def _visible_by_rows(readers: Sequence[Reader], games: Mapping[UUID, GameRecord]) -> set[Reader]:
    """Return those of the readers whose games are visible by seats, roles, early access, or the end of a deal."""
    records = {reader.stream: games[reader.stream] for reader in readers}
    players = {reader.player for reader in readers}
    related = Q()
    for of_seat, of_game in SEES_BY_SEAT:
        values = {getattr(record, of_game) for record in records.values()} - {None}
        related |= Q(**{f"{of_seat}__in": values})
    seats: Iterable[Mapping[str, Any]] = Seat.objects.filter(related, player__in=players).values(
        "player", "game", "game__match"
    )
    seated = {(seat["player"], of_seat, seat[of_seat]) for seat in seats for of_seat, _ in SEES_BY_SEAT}
    deals = {record.deal_group for record in records.values() if record.deal_group}
    in_play = set(
        GameRecord.objects.running().filter(deal_group__in=deals).values_list("deal_group", flat=True)
    )
    auditors = players_with(Role.AUDITOR, players)
    looked = set(
        EarlyAccess.objects.filter(game__in=records, viewer__in=auditors).values_list("viewer", "game")
    )

    def may_see(reader: Reader) -> bool:
        player, record = reader.player, records[reader.stream]
        for of_seat, of_game in SEES_BY_SEAT:
            shared = getattr(record, of_game)
            if shared is not None and (player, of_seat, shared) in seated:
                return True
        if record.creator_id == player and record.seats == 0:
            return True
        deal_is_open = record.deal_group not in in_play
        if player in auditors and reader.may_act_as(Role.AUDITOR):
            return deal_is_open or (player, record.pk) in looked
        return deal_is_open and _is_public_to(record, player, reader.invite)

    return {reader for reader in readers if may_see(reader)}


def visible_matches(viewer: Viewer, *, invite: str = "") -> QuerySet[Match]:
    """Return the matches that `viewer` may see: public ones, their own, and all of them for auditors."""
    shown = Q(private=False)
    if invite:
        shown |= Q(invite=invite)
    if isinstance(viewer, Player):
        shown |= Q(creator=viewer) | Q(_plays_in_match(viewer, "pk"))
        if is_auditor(viewer):
            return Match.objects.all()
    return Match.objects.filter(shown)


def visible_match(viewer: Viewer, match_id: UUID, *, invite: str = "") -> Match:
    """Return the match, or raise NotFound if it does not exist or is not visible."""
    match = visible_matches(viewer, invite=invite).filter(pk=match_id).first()
    if match is None:
        raise NotFound
    return match


def _plays_in_match(player: Player, match: str) -> Coalesce:
    """Return the condition that the player sits in a game of the match, which is found by the match's games.

    A join would let the database begin with all seats of the player.
    """
    seated = exists_for_each(Seat.objects.filter(game=OuterRef("pk"), player=player))
    return exists_for_each(GameRecord.objects.filter(seated, match__isnull=False, match=OuterRef(match)))


def is_auditor(viewer: Viewer) -> bool:
    return isinstance(viewer, Player) and has_role(viewer, Role.AUDITOR)


def deal_in_play(record: GameRecord) -> bool:
    """Return whether a game with the same deal is running; it has the same seed and the same hidden cards."""
    return (
        bool(record.deal_group) and GameRecord.objects.running().filter(deal_group=record.deal_group).exists()
    )


def is_disclosed(record: GameRecord) -> bool:
    """Return whether everything about the game may be shown: it and every game with the same deal have ended."""
    return record.ended and not deal_in_play(record)


def seat_of(table: Table, viewer: Viewer) -> int | None:
    me = str(viewer.pk) if isinstance(viewer, Player) else ""
    return next((seat for seat, who in table.seats.items() if who.player == me), None)


def is_expected(record: GameRecord, player: Player) -> bool:
    """Return whether a private game is the player's own, or one with a seat for them."""
    if record.creator_id == player.pk or record.seatings.filter(player=player).exists():
        return True
    if record.match_number not in (None, 1):
        return Seat.objects.filter(game__match=record.match_id, player=player).exists()
    before = record.parent_id or record.rematch_of_id
    return before is not None and Seat.objects.filter(game=before, player=player).exists()


def reserved_seat(record: GameRecord, player: Player) -> int | None:
    """Return the seat reserved for a player in a later deal of a match, a redeal, or a rematch; None if any is free.

    Raises SeatsTaken if the seats are reserved for others.
    """
    if record.match_number not in (None, 1):
        reserved = Seat.objects.filter(game__match=record.match_id, game__match_number=1, player=player)
        reason = "The seats are reserved for the players of this match."
    elif record.parent_id is not None and record.match_id is None:
        reserved = Seat.objects.filter(game=record.parent_id, player=player)
        reason = "The seats are reserved for the players of the game that this one replaces."
    elif record.rematch_of_id is not None and (player.is_owned_bot or not player.is_bot):
        reserved = Seat.objects.filter(game=record.rematch_of_id, player=player)
        reason = "The seats are reserved for the players of the game before this rematch."
    else:
        return None
    seat = reserved.values_list("seat", flat=True).first()
    if seat is None:
        raise SeatsTaken(reason)
    return seat


def require_evidence(viewer: Player, game: GameRecord, *, now: datetime, reason: str = "") -> None:
    """Raise unless the viewer may open the evidence of a visible game.

    An auditor's early access is recorded once, with its reason. Raises NotSeated, GameInPlay, DealInPlay,
    InterestedParty.
    """
    if may_access_early(viewer, game):
        early_access.record_once(viewer=viewer, game=game, what="evidence", reason=reason, now=now)
        return
    if not is_own(viewer, game) and not is_staff(viewer):
        raise NotSeated
    require_disclosed(game)


def is_own(viewer: Player, game: GameRecord) -> bool:
    """Return whether the viewer sits in the game or created it."""
    return game.creator_id == viewer.pk or Seat.objects.filter(game=game, player=viewer).exists()


def require_disclosed(game: GameRecord) -> None:
    """Raise GameInPlay or DealInPlay unless the game is disclosed."""
    if not game.ended:
        raise GameInPlay
    if deal_in_play(game):
        raise DealInPlay


def may_access_early(viewer: Viewer, game: GameRecord) -> bool:
    """Return whether showing the whole game to this viewer now is an auditor's early access."""
    return is_auditor(viewer) and not is_disclosed(game)
