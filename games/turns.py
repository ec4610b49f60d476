"""Notifications of players who are on turn and are not watching the game.

Every event of a game for several seats sets when its table is looked at next (`TurnCheck`). A player who has then been
on turn for `RACECARD_TURN_NOTICE_SECONDS` is notified, once until they move. Moves by the server for an absent player
are no moves of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from eventstore.models import Event
from eventstore.store import StoredEvent
from games import rules, state
from games.models import GameRecord, Seat, Status, TurnCheck
from games.play import clocks
from games.rules.table import Table, Unfoldable
from notifications import follower, kinds, services, watching
from notifications.kinds import Channel, Kind, Values, texts
from notifications.services import Announcement

TURN = "turn"

AT_ONCE = 100
"""Games that one transaction looks at."""

BATCHES = 10
"""Transactions of one run. The next run continues."""

SUSPENDED_FOR = timedelta(hours=1)
"""A suspended game is looked at after this time again."""

SERVER_MOVES = "expired"
"""The type of the events in which the server moves for a seat."""


def delay() -> timedelta:
    return timedelta(seconds=settings.RACECARD_TURN_NOTICE_SECONDS)


# --- following -----------------------------------------------------------------------------------------


def note(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    """Set when the games of these events are looked at. Nothing is announced yet."""
    human = Seat.objects.filter(game=OuterRef("pk"), player__is_bot=False)
    games = GameRecord.objects.filter(
        Exists(human), pk__in={event.stream for event in events}, status=Status.ACTIVE, seats__gt=1
    )
    TurnCheck.objects.bulk_create(
        [TurnCheck(game_id=game, due=now + delay()) for game in games.values_list("pk", flat=True)],
        update_conflicts=True,
        unique_fields=["game"],
        update_fields=["due"],
    )
    return ()


def look(*, now: datetime) -> int:
    """Notify players of due games who are on turn. Returns the number of transactions."""
    made = 0
    while made < BATCHES and _look(now):
        made += 1
    return made


def _look(now: datetime) -> bool:
    with transaction.atomic():
        due = TurnCheck.objects.select_for_update(skip_locked=True).filter(due__lte=now)
        checks = list(due.order_by("due")[:AT_ONCE])
        games = GameRecord.objects.in_bulk([check.game_id for check in checks])
        announced, over = list[Announcement](), list[UUID]()
        for check in checks:
            found, again = _turns(games[check.game_id], now)
            announced += found
            if again is None:
                over.append(check.game_id)
            else:
                TurnCheck.objects.filter(pk=check.pk).update(due=again)
        services.announce(announced, now=now)
        TurnCheck.objects.filter(pk__in=over).delete()
    return len(checks) == AT_ONCE


def _turns(game: GameRecord, now: datetime) -> tuple[list[Announcement], datetime | None]:
    """Return who is notified, and when the game is looked at again; None: after its next event."""
    if game.status != Status.ACTIVE:
        return [], None
    if game.suspended_at is not None:
        return [], now + SUSPENDED_FOR
    try:
        head, table = state.load(game.pk)
    except Unfoldable:  # an audit reports it
        return [], None
    if clocks.all_seats_at_once(table.game, table.config) or head.at is None:
        return [], None
    ready = clocks.waiting_since(head.at, game.resumed_at) + delay()
    if ready > now:
        return [], ready
    players = dict(_waited_for(game, table))
    watching_now = watching.watchers(game.pk, list(players.values()), now=now)
    announced = [
        _announcement(game, table, seat, player)
        for seat, player in players.items()
        if player not in watching_now
    ]
    return announced, now + delay() if watching_now else None


def _waited_for(game: GameRecord, table: Table) -> Iterator[tuple[int, UUID]]:
    """Yield the seats that are to act, with their players, without bots and forfeited seats."""
    seats = Seat.objects.filter(game=game, seat__in=table.to_act(), player__is_bot=False, forfeited=False)
    yield from seats.order_by("seat").values_list("seat", "player")


def _announcement(game: GameRecord, table: Table, seat: int, player: UUID) -> Announcement:
    own = Event.objects.filter(stream=game.pk, seat=seat).exclude(type=SERVER_MOVES)
    last = own.aggregate(last=Max("version"))["last"] or 0
    values = {
        "game": str(game.pk),
        "rules": game.rules,
        "name": rules.get(game.rules, game.rules_version).name,
    }
    return Announcement(TURN, player, f"game:{game.pk}", f"after {last}", values)


# --- the kind ------------------------------------------------------------------------------------------


def _is_on_turn(player: UUID, values: Values) -> bool:
    """Whether the player is still to act, in a game in play."""
    game = GameRecord.objects.filter(pk=values["game"], status=Status.ACTIVE, suspended_at=None).first()
    if game is None:
        return False
    try:
        table = state.load(game.pk)[1]
    except Unfoldable:
        return False
    return player in dict(_waited_for(game, table)).values()


KIND = Kind(
    name=TURN,
    label={"en": "It is your turn", "de": "Du bist am Zug", "pl": "Twój ruch"},
    title=texts(en="Your turn: {name}", de="Du bist am Zug: {name}", pl="Twój ruch: {name}"),
    text=texts(
        en="The table waits for your move.",
        de="Der Tisch wartet auf deinen Zug.",
        pl="Stół czeka na twój ruch.",
    ),
    path=kinds.always("/games/{game}/"),
    tag="turn:{game}",
    channels=(Channel.PAGE, Channel.PUSH, Channel.WEBHOOK),
    is_current=_is_on_turn,
    urgent=True,
)


def register() -> None:
    kinds.register(KIND)
    follower.on_events(None, note)
