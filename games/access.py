"""Who may see which game: one function answers it, and everything that is shown of a game goes through it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Player
from accounts.roles import Role, has_role
from api.errors import NotFound
from api.prepared import Prepared
from games import audit
from games.errors import SeatsTaken
from games.models import EarlyLook, GameQuerySet, GameRecord, Match, Seat
from games.rules.table import Table

Viewer = Player | AnonymousUser | None

_games = Prepared(GameRecord, "id")


def visible_games(viewer: Viewer, *, invite: str = "") -> GameQuerySet:
    """The games that `viewer` may know of; `invite` opens the private game whose link holds it.

    While games that share a deal are still played, each is shown to its own seats alone, and to auditors who have
    said that they look.
    """
    running = GameRecord.objects.running().filter(deal_group=OuterRef("deal_group"))
    deal_is_open = Q(deal_group="") | ~Exists(running)
    public = Q(private=False)
    if invite:
        public |= Q(invite=invite)
    if not isinstance(viewer, Player):
        return GameRecord.objects.filter(public, deal_is_open)
    own = Q(Exists(Seat.objects.filter(game=OuterRef("pk"), player=viewer)))
    # Who plays a match is expected at its next deal before sitting down there.
    own |= Q(Exists(Seat.objects.filter(game__match=OuterRef("match"), player=viewer)))
    # So is who sat in the game that this one is dealt anew for; and who draws at a race without seats must see it.
    own |= Q(Exists(Seat.objects.filter(game=OuterRef("parent"), player=viewer)))
    own |= Q(creator=viewer, seats=0)
    if is_auditor(viewer):
        looked = Q(Exists(EarlyLook.objects.filter(game=OuterRef("pk"), looker=viewer)))
        return GameRecord.objects.filter(own | deal_is_open | looked)
    return GameRecord.objects.filter(own | (public | Q(creator=viewer)) & deal_is_open)


def visible_game(
    viewer: Viewer, game_id: UUID, *, invite: str = "", now: datetime | None = None
) -> GameRecord:
    """The game, if `viewer` may see it; otherwise NotFound, as if there were none.

    An auditor who opens a game whose deal is still in play looks early: with `now` that is recorded and allowed (or
    refused as InterestedParty), without it such a game stays hidden.
    """
    found = _games.find(game_id)
    if found is None:
        raise NotFound
    if _is_plainly_visible(found, viewer, invite):
        return found
    if visible_games(viewer, invite=invite).filter(pk=game_id).exists():
        return found
    if now is not None and isinstance(viewer, Player) and is_auditor(viewer):
        audit.look_once(looker=viewer, game=found, what="view", now=now)
        return found
    raise NotFound


def _is_plainly_visible(record: GameRecord, viewer: Viewer, invite: str) -> bool:
    """Whether the row alone shows that `visible_games` has the game: most are public and share no deal."""
    if record.deal_group:
        return False
    invited = bool(invite) and record.invite == invite
    return not record.private or invited or (isinstance(viewer, Player) and record.creator_id == viewer.pk)


def visible_matches(viewer: Viewer, *, invite: str = "") -> QuerySet[Match]:
    """The matches that `viewer` may know of: the public ones, their own, and all for auditors."""
    shown = Q(private=False)
    if invite:
        shown |= Q(invite=invite)
    if isinstance(viewer, Player):
        shown |= Q(creator=viewer) | Q(Exists(Seat.objects.filter(game__match=OuterRef("pk"), player=viewer)))
        if is_auditor(viewer):
            return Match.objects.all()
    return Match.objects.filter(shown)


def visible_match(viewer: Viewer, match_id: UUID, *, invite: str = "") -> Match:
    """Raises NotFound, also for a match that is not theirs to see."""
    match = visible_matches(viewer, invite=invite).filter(pk=match_id).first()
    if match is None:
        raise NotFound
    return match


def is_auditor(viewer: Viewer) -> bool:
    return isinstance(viewer, Player) and has_role(viewer, Role.AUDITOR)


def deal_in_play(record: GameRecord) -> bool:
    """Whether a game that shares this one's deal is not over: its seed and its hidden cards are this one's."""
    return (
        bool(record.deal_group) and GameRecord.objects.running().filter(deal_group=record.deal_group).exists()
    )


def is_open_book(record: GameRecord) -> bool:
    """Whether everything about the game may be shown: it is over, and so is every game of its deal."""
    return record.ended and not deal_in_play(record)


def seat_of(table: Table, viewer: Viewer) -> int | None:
    me = str(viewer.pk) if isinstance(viewer, Player) else ""
    return next((seat for seat, who in table.seats.items() if who.player == me), None)


def is_expected(record: GameRecord, player: Player) -> bool:
    """Whether a private game is the player's own, or one in which they sit or have a seat kept for them."""
    if record.creator_id == player.pk or record.seatings.filter(player=player).exists():
        return True
    if record.match_id is not None:
        return Seat.objects.filter(game__match=record.match_id, player=player).exists()
    return record.parent_id is not None and Seat.objects.filter(game=record.parent_id, player=player).exists()


def kept_seat(record: GameRecord, player: Player) -> int | None:
    """The seat kept for a player after the first deal of a match, or for a new deal; None where all are anybody's.

    Raises SeatsTaken for everybody else.
    """
    if record.match_number not in (None, 1):
        kept = Seat.objects.filter(game__match=record.match_id, game__match_number=1, player=player)
        told = "The seats are kept for those who play this match."
    elif record.parent_id is not None and record.match_id is None:
        kept = Seat.objects.filter(game=record.parent_id, player=player)
        told = "The seats are kept for those who sat in the game that this one is dealt for."
    else:
        return None
    seat = kept.values_list("seat", flat=True).first()
    if seat is None:
        raise SeatsTaken(told)
    return seat
