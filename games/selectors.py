"""Documents of games as a viewer may see them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, TypedDict, cast
from uuid import UUID

from accounts.models import NameShown, Player, name_for
from eventstore import store
from eventstore.chain import format_at
from eventstore.feed import Reader, Shared
from eventstore.store import EventOutput
from games import bots, context, hooks, rules, state
from games.access import (
    GameTable,
    Viewer,
    followable,
    game_table,
    is_disclosed,
    seat_of,
    visible_game,
)
from games.evidence.proof import bundle, verification
from games.models import BotPace, GameRecord, Seat, Status
from games.money import buy_ins, markets
from games.money.buy_ins import PotOutput
from games.money.buy_ins import places_of as places_of_match
from games.money.buy_ins import subject as buy_in_subject
from games.money.markets import market_of, market_on, race_of, waits_for_first_draw
from games.observation import ViewScope, open_view, redacted
from games.play import clocks
from games.play.clocks import waiting_since
from games.presence import AWAITED, PresenceOutput, present, record_absence, record_presence
from games.rules import table as tables
from games.rules.cards import SUITS
from games.rules.table import Table
from games.suspensions.records import time_lost
from games.tables.joining import JoinCheck, YouOutput
from games.tables.mine import OwnOutput
from games.tables.rematch import table_of_rematch
from rest.documents import Moment, Object, Url, Uuid, one_of, uuid_text
from rest.problems import problem_document

__all__ = [
    "bundle",
    "buy_in_subject",
    "envelope",
    "events_for",
    "followable",
    "legal_moves",
    "market_of",
    "market_on",
    "places_of_match",
    "race_of",
    "record_absence",
    "record_presence",
    "replay",
    "shared_events",
    "summaries",
    "time_lost",
    "verification",
    "waiting_since",
]


Suit = Annotated[str, one_of(SUITS)]
FreeSuits = Annotated[
    list[Suit] | None,
    "which the next player may choose, in the order C D H S; null where seats have no suit",
]
GameStatus = Annotated[str, one_of(Status)]
BuyIn = Annotated[int | None, "pence that each seat pays"]


class RulingOutput(TypedDict):
    key: str
    reference: str
    text: str
    source: str | None


class OptionOutput(TypedDict):
    key: str
    schema: Object
    ruling: str
    reference: str
    text: str
    source: str | None


class RefusalOutput(TypedDict):
    code: str
    meaning: str
    malformed: Annotated[bool, "answered with 400; every other with 409"]


class RulesOutput(TypedDict):
    slug: str
    name: str
    version: int
    versions: list[int]
    seats: list[int]
    config_schema: Object
    move_schema: Object
    rulings: list[RulingOutput]
    options: list[OptionOutput]
    general: list[RulingOutput]
    refusals: list[RefusalOutput]
    chapter: Annotated[str, "where the rules are published"]
    results: Annotated[dict[str, str], "the words for `result` of an outcome"]
    bots: list[str]
    hints: bool
    matches: bool
    stakes: Annotated[
        Annotated[str, one_of(["bank", "pot", "bets"])] | None,
        "played against the bank, for a pot, or with bets; null: not for money",
    ]
    tournaments: Annotated[bool, "whether it has a scoring for tournaments"]


def catalogue() -> list[RulesOutput]:
    """Return every game, as its manifest describes it."""
    return cast("list[RulesOutput]", rules.catalogue())


class OwnerOutput(TypedDict):
    id: Uuid
    name: Annotated[str | None, "null if the caller is not signed in"]


class SeatOutput(TypedDict):
    seat: int
    player: Uuid | None
    name: Annotated[str | None, "null for a free seat, and for a person whose name the caller may not see"]
    kind: Annotated[str, one_of(["human", "guest", "bot"])] | None
    bot: Annotated[str | None, "the strategy of a bot that the server plays"]
    owner: Annotated[OwnerOutput | None, "of a bot that a player's program plays: that player"]
    suit: Annotated[Suit | None, "null for a free seat, and where seats have no suit"]


class MatchPlaceOutput(TypedDict):
    id: Uuid
    number: int


class GameRecordDocument(TypedDict):
    """The members that a game has in lists too."""

    id: Uuid
    rules: str
    rules_version: int
    config: Object
    seats: list[SeatOutput]
    free_suits: FreeSuits
    private: bool
    match: MatchPlaceOutput | None
    stake_table: str | None
    buy_in: BuyIn
    currency: Annotated[str | None, "of the buy-in; null without one"]
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None


class GameLineOutput(GameRecordDocument):
    status: GameStatus
    tournament: Uuid | None
    round: int | None
    outcome: Object | None
    you: Annotated[YouOutput | None, "only if requested, for callers who are signed in"]
    own: Annotated[OwnOutput | None, "only with `mine`"]


def summaries(
    records: Sequence[GameRecord],
    viewer: Viewer,
    join_check: JoinCheck | None = None,
    own: Mapping[UUID, OwnOutput] = {},
) -> list[GameLineOutput]:
    """Return lines of the lobby. `own` is the viewer's part in games.

    One query reads the suits of all seats, if any game has suits.
    """
    named = _naming(viewer, {record: record.seatings.all() for record in records})
    suited = [record.pk for record in records if _free_suits(record, ()) is not None]
    seated = store.outline(suited, ("seated", "left"))
    return [
        _summary(
            record, viewer, _suits_after(seated.get(record.pk, ())), join_check, own.get(record.pk), named
        )
        for record in records
    ]


def _suits_after(events: Iterable[tuple[int, str, dict[str, Any]]]) -> dict[int, str]:
    """Return the suits of the seats that are taken after these events."""
    suits: dict[int, str] = {}
    for _, type, data in events:
        seat = data.get("seat", -1)
        if type == "left":
            suits.pop(seat, None)
        elif "suit" in data:
            suits[seat] = data["suit"]
    return suits


def _free_suits(record: GameRecord, taken: Iterable[str]) -> list[str] | None:
    game = rules.get(record.rules, record.rules_version)
    return tables.free_suits(game, game.parse_config(record.config), taken, record.seats)


def _summary(
    record: GameRecord,
    viewer: Viewer,
    suits: Mapping[int, str],
    join_check: JoinCheck | None,
    own: OwnOutput | None,
    named: Collection[UUID],
) -> GameLineOutput:
    """Return a line of the lobby. `record.seatings` should be prefetched with players.

    `suits` are the suits by seat. `join_check` adds what its player may do at the table. `named` are the tournaments
    whose anonymous players the viewer sees by name.
    """
    return {
        **_of_record(
            record, viewer, suits, {seating.seat: seating for seating in record.seatings.all()}, named
        ),
        "status": record.status,
        "tournament": uuid_text(record.tournament),
        "round": record.round,
        "outcome": record.outcome,
        "you": None if join_check is None else join_check.document(record),
        "own": own,
    }


def _of_record(
    record: GameRecord,
    viewer: Viewer,
    suits: Mapping[int, str],
    taken: Mapping[int, Seat],
    named: Collection[UUID],
) -> GameRecordDocument:
    sees_all = record.tournament in named
    return {
        "id": str(record.pk),
        "rules": record.rules,
        "rules_version": record.rules_version,
        "config": record.config,
        "seats": [
            seat_document(seat, taken.get(seat), viewer, suits.get(seat), sees_all=sees_all)
            for seat in range(record.seats)
        ],
        "free_suits": _free_suits(record, suits.values()) if record.status == Status.OPEN else None,
        "private": record.private,
        "match": _match(record),
        "stake_table": record.stake_table.slug if record.stake_table else None,
        "buy_in": record.buy_in or None,
        "currency": record.currency,
        "created_at": format_at(record.created_at),
        "started_at": exact_moment(record.started_at),
        "ended_at": exact_moment(record.ended_at),
    }


def _naming(viewer: Viewer, seats: Mapping[GameRecord, Iterable[Seat]]) -> Collection[UUID]:
    """Return the tournaments whose anonymous players the viewer sees by name. Costs nothing without such players."""
    hidden = {
        game.tournament
        for game, taken in seats.items()
        if game.tournament and any(one.shown_as == NameShown.ANONYMOUS for one in taken)
    }
    return hooks.naming(viewer, hidden) if isinstance(viewer, Player) else ()


def exact_moment(at: datetime | None) -> str | None:
    """Return a time in the form of events: always with six digits of microseconds. See `rest.documents.moment`."""
    return None if at is None else format_at(at)


def seat_document(
    seat: int, taken: Seat | None, viewer: Viewer, suit: str | None = None, *, sees_all: bool = False
) -> SeatOutput:
    """Return a seat. `sees_all` says that the viewer sees the names of anonymous players too."""
    if taken is None:
        return {
            "seat": seat,
            "player": None,
            "name": None,
            "kind": None,
            "bot": None,
            "owner": None,
            "suit": None,
        }
    player = taken.player
    return {
        "seat": seat,
        "player": str(player.pk),
        "name": name_for(viewer, player, taken.shown_as, sees_all=sees_all),
        "kind": kind_of(player),
        "bot": (taken.bot or bots.DEFAULT) if player.is_bot and not player.is_owned_bot else None,
        "owner": owner_document(player, viewer),
        "suit": suit,
    }


def kind_of(player: Player) -> str:
    return "bot" if player.is_bot else "guest" if player.is_guest else "human"


def owner_document(player: Player, viewer: Viewer) -> OwnerOutput | None:
    """Return the owner of a player's bot. `player.owner` should be loaded."""
    owner = player.owner
    return None if owner is None else {"id": str(owner.pk), "name": name_for(viewer, owner)}


class FairnessOutput(TypedDict):
    commitment: str
    client_seeds: list[str]
    server_seed: str | None


class ClockOutput(TypedDict):
    """Limits in seconds; times in UTC, null if the game waits for nothing."""

    move_limit: int | None
    game_limit: int | None
    act_by: Moment | None
    ends_at: Moment | None
    starts_at: Annotated[Moment | None, "the end of a countdown, when the game starts"]
    deal_by: Annotated[Moment | None, "until then the deal after a countdown waits for players who are away"]
    now: Moment


class PlaceOutput(TypedDict):
    id: Uuid
    round: int
    deal: int


class CurrentSuspensionOutput(TypedDict):
    since: Moment
    reason: str


class ParentOutput(TypedDict):
    game: Uuid
    version: Annotated[int | None, "its last event that this game repeats; null: this is a new deal"]


class GameOutput(GameRecordDocument):
    status: GameStatus
    version: int
    to_act: list[int]
    fairness: FairnessOutput
    view: Object | None
    legal_moves: list[Object]
    outcome: Object | None
    suspension: Annotated[
        CurrentSuspensionOutput | None,
        "while the game is suspended: no clock runs and there are no legal moves",
    ]
    parent: Annotated[ParentOutput | None, "the game that this one continues, or of which it is a redeal"]
    replaced_by: Annotated[Uuid | None, "the game that continues or replaces this one"]
    hash: str
    seat: int | None
    obstacle: Annotated[Object | None, "the problem that sitting down would be refused with, before the deal"]
    may_start: Annotated[
        bool, "every seat is taken, and the viewer, who opened the table or sits at it, may start"
    ]
    invite: str | None
    draw_every: int | None
    clock: ClockOutput
    presence: Annotated[
        list[PresenceOutput], "who is here, of people and their bots; shown to the players of the game"
    ]
    hints: bool
    bot_pace: Annotated[str, one_of(BotPace)]
    rematch: Annotated[Uuid | None, "the table of the rematch of this game, for its players"]
    tournament: PlaceOutput | None
    pot: PotOutput | None
    market: Annotated[Uuid | None, "the win market on a race; null without one"]


def envelope(
    game: GameRecord,
    viewer: Viewer,
    *,
    now: datetime,
    invite: str = "",
    read: GameTable | None = None,
    may_play: bool = False,
) -> GameOutput:
    """Return the game as `viewer` sees it at `now`: the view and legal moves of their seat, or a spectator's view.

    `read` is the table as the caller has just read it. `may_play` is true if the caller has just checked that the
    viewer may play.
    """
    shown = read or game_table(viewer, game.pk)
    head, table = state.load(game.pk, shown.head or state.written(game.pk))
    if {seat: str(taken.player_id) for seat, taken in shown.seatings.items()} != {
        seat: who.player for seat, who in table.seats.items()
    }:  # seats were taken or left while the caller waited for a lock
        shown = game_table(viewer, game.pk)
    seat = seat_of(table, viewer)
    dealt = is_dealt(game, table)
    suits = {number: who.suit for number, who in table.seats.items() if who.suit is not None}
    own = seat is not None or (isinstance(viewer, Player) and game.creator_id == viewer.pk)
    market = market_of(game)
    return {
        **_of_record(game, viewer, suits, shown.seatings, _naming(viewer, {game: shown.seatings.values()})),
        "status": table.status,
        "version": head.version,
        "to_act": table.to_act(),
        "fairness": _fairness(game, table),
        "view": table.view(seat) if dealt else None,
        "legal_moves": _legal_moves(game, table, viewer),
        "outcome": table.outcome,
        "suspension": _suspension(game),
        "parent": {"game": str(game.parent_id), "version": game.parent_version} if game.parent_id else None,
        "replaced_by": uuid_text(_replaced_by(game)),
        "hash": head.hash,
        "seat": seat,
        "obstacle": _obstacle(shown, viewer, seat, now=now, invite=invite, may_play=may_play),
        "may_start": own and _is_startable(game, table),
        "invite": (game.invite or None) if own else None,
        "draw_every": game.draw_every,
        "clock": _clock(game, table, head.at, now),
        "presence": [] if seat is None else present(shown, now=now),
        "hints": game.hints,
        "bot_pace": game.bot_pace,
        "rematch": None if seat is None else uuid_text(table_of_rematch(game)),
        "tournament": _tournament(game),
        "pot": buy_ins.document(game, shown.seatings),
        "market": uuid_text(market.pk if market else None),
    }


def _clock(game: GameRecord, table: Table, last: datetime | None, now: datetime) -> ClockOutput:
    """The table's clock and the server's time."""
    act_by = ends_at = None
    if table.status == "active" and last is not None:
        clock = clocks.of(game)
        act_by, ends_at = clock.act_by(table, last), clock.ends_at()
    starts_at = game.starts_at if table.status == "open" else None
    awaited = AWAITED if clocks.all_seats_at_once(table.game, table.config) else timedelta(0)
    return {
        "move_limit": game.move_limit,
        "game_limit": game.game_limit,
        "act_by": exact_moment(act_by),
        "ends_at": exact_moment(ends_at),
        "starts_at": exact_moment(starts_at),
        "deal_by": exact_moment(starts_at and starts_at + awaited),
        "now": format_at(now),
    }


def _obstacle(
    shown: GameTable, viewer: Viewer, seat: int | None, *, now: datetime, invite: str, may_play: bool
) -> dict[str, Any] | None:
    if seat is not None or shown.game.status != Status.OPEN or not isinstance(viewer, Player):
        return None
    check = JoinCheck(viewer, now=now, invite=invite, may_play=may_play)
    refused = check.obstacle(shown.game, len(shown.seatings), early_access=shown.early_access)
    return None if refused is None else problem_document(refused)


def _suspension(game: GameRecord) -> CurrentSuspensionOutput | None:
    if game.suspended_at is None:
        return None
    suspension = game.suspensions.filter(lifted_at=None).first()
    return {"since": format_at(game.suspended_at), "reason": suspension.reason if suspension else ""}


def _replaced_by(game: GameRecord) -> UUID | None:
    """Return the game that continues or replaces this one, if it has ended."""
    if not game.ended:
        return None
    return game.children.order_by("created_at").values_list("pk", flat=True).first()


def _fairness(game: GameRecord, table: Table) -> FairnessOutput:
    opened = table.ended and is_disclosed(game)
    return {
        "commitment": table.commitment,
        "client_seeds": [table.seats[seat].client_seed for seat in sorted(table.seats)],
        "server_seed": context.server_seed(game.pk).hex() if opened else None,
    }


def _match(record: GameRecord) -> MatchPlaceOutput | None:
    if record.match_id is None or record.match_number is None:
        return None
    return {"id": str(record.match_id), "number": record.match_number}


def _tournament(game: GameRecord) -> PlaceOutput | None:
    if game.tournament is None or game.round is None or game.deal is None:
        return None
    return {"id": str(game.tournament), "round": game.round, "deal": game.deal}


class PlayedOutput(TypedDict):
    version: int
    hash: str
    events: list[EventOutput]
    view: Object
    legal_moves: list[Object]


class HintOutput(TypedDict):
    move: Object
    legal: Annotated[bool, "always true: it is one of the legal moves at that version"]
    version: int


def legal_moves(viewer: Viewer, game: GameRecord) -> tuple[int, list[dict[str, Any]]]:
    """Return the version and the moves that `viewer` may make at it."""
    head, table = state.load(game.pk)
    return head.version, _legal_moves(game, table, viewer)


def _legal_moves(game: GameRecord, table: Table, viewer: Viewer) -> list[dict[str, Any]]:
    if not isinstance(viewer, Player) or game.suspended_at is not None:
        return []
    if 0 in table.game.seats and game.creator_id == viewer.pk:
        # The operator's first draw at a race with a market also makes the deal, unless a countdown is to make it.
        if waits_for_first_draw(game, table) and _is_startable(game, table) and game.starts_at is None:
            return [dict(markets.of_rules(game.rules).first_move)]
        return table.legal_moves(None)
    seat = seat_of(table, viewer)
    return [] if seat is None else table.legal_moves(seat)


def _is_startable(game: GameRecord, table: Table) -> bool:
    """Return whether a player of the table may start it: the server starts the tables of tournaments."""
    return table.status == "open" and game.tournament is None and len(table.seats) == game.seats


class EventsOutput(TypedDict):
    results: list[EventOutput]
    next: Url | None


def events_for(
    viewer: Viewer,
    game_id: UUID,
    after: int = 0,
    *,
    limit: int = store.PAGE,
    invite: str = "",
    now: datetime | None = None,
) -> list[EventOutput]:
    """Return at most `limit` events after version `after`, as `viewer` may see them. Raises NotFound."""
    game = visible_game(viewer, game_id, invite=invite, now=now)
    events = store.read(game_id, after=after, limit=limit)
    if not events:
        return []
    _, table = state.load(game_id)
    scope = ViewScope(table.game, seat_of(table, viewer), everything=is_disclosed(game))
    return [redacted(event, scope) for event in events]


def shared_events(
    game_id: UUID, readers: Collection[Reader], after: int, *, limit: int = store.PAGE
) -> Shared:
    """Return at most `limit` events after version `after`, redacted once for each seat and for the spectators.

    Each reader who may see the game has what `events_for` returns them.
    """
    # Permissions are read after the events, so that no event is shown to a player who had lost them before it.
    events = store.read(game_id, after=after, limit=limit)
    visible = followable(readers)
    if not (events and visible):
        return Shared(dict.fromkeys(visible), {None: []})
    _, table = state.load(game_id)
    everything = is_disclosed(next(iter(visible.values())))
    seats = {} if everything else {UUID(who.player): seat for seat, who in table.seats.items()}
    audiences = {reader: seats.get(reader.player) for reader in visible}
    scopes = {seat: ViewScope(table.game, seat, everything=everything) for seat in set(audiences.values())}
    return Shared(
        audiences, {seat: [redacted(event, scope) for event in events] for seat, scope in scopes.items()}
    )


class ReplayOutput(TypedDict):
    version: int
    event: EventOutput
    status: GameStatus
    seat: int | None
    to_act: list[int]
    view: Object | None
    legal_moves: Annotated[list[Object], "those of `seat` then"]
    views: list[Object] | None
    cards: Annotated[Object | None, "every card where it lay, those face down too"]
    outcome: Object | None


def replay(
    viewer: Viewer, game: GameRecord, *, at: int | None, everything: bool = False, of_seat: int | None = None
) -> ReplayOutput:
    """Return the game after version `at` (default: now), as the viewer or `of_seat` saw it.

    `everything` adds the view of every seat and every card; the caller has checked that it, and another seat's view,
    may be shown. Raises NoSuchVersion.
    """
    head, now = state.load(game.pk)
    table = now if at in (None, head.version) else state.at(game.pk, at)[1]
    seat = seat_of(now, viewer) if of_seat is None else of_seat
    opened = everything or is_disclosed(game)
    dealt = is_dealt(game, table)
    [last] = store.read(game.pk, after=table.version - 1, limit=1)
    return {
        "version": last.version,
        "event": redacted(last, ViewScope(table.game, seat, everything=opened and of_seat is None)),
        "status": table.status,
        "seat": seat,
        "to_act": table.to_act(),
        "view": table.view(seat) if dealt else None,
        "legal_moves": table.legal_moves(seat) if dealt else [],
        "views": [table.view(each) for each in sorted(table.seats)] if opened and dealt else None,
        "cards": open_view(table) if opened and dealt else None,
        "outcome": table.outcome,
    }


def is_dealt(game: GameRecord, table: Table) -> bool:
    """Return whether the cards had been dealt in this state of the table."""
    # `voided` is the last event, so a void table is the present state of the game.
    return table.status in ("active", "finished") or (table.status == "void" and game.started_at is not None)


def own_seat(viewer: Viewer, game: GameRecord) -> int | None:
    """Return the viewer's seat in the game."""
    return seat_of(state.load(game.pk)[1], viewer)
