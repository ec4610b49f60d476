"""Documents of tournaments. All reads go through `access.visible`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Count, QuerySet

from accounts.models import Player
from eventstore import store
from eventstore.feed import Reader, Shared
from eventstore.store import EventOutput
from games.models import GameRecord
from games.rules.scoring import MeasureOutput
from ledger import splits
from rest.documents import Object, Uuid, one_of
from tournaments import access, record, schedules, terms
from tournaments.access import Names, Viewer, may_manage, may_rule, visible
from tournaments.access import followable as followable
from tournaments.entries import waiting
from tournaments.formats.history import History
from tournaments.formats.scoring import prizes
from tournaments.models import Entry, Seat, StaffRole, Status, TableGame, Tournament
from tournaments.prizes import money
from tournaments.rounds import selectors, stalls
from tournaments.rounds.selectors import ProgressOutput, ShownAs, StageMap, stage_map
from tournaments.rounds.stalls import STALLED as STALLED
from tournaments.schedules import ScheduleOutput
from tournaments.terms import Terms, TournamentTerms


class TournamentLine(TypedDict):
    id: Uuid
    name: str
    organizer: Uuid
    format: str
    rules: str
    status: Annotated[str, one_of(Status)]
    rounds: int
    games: int
    capacity: int
    entries: int
    fee: int
    currency: str
    opens_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None


class TournamentFairness(TypedDict):
    commitment: str | None
    entropy: str | None
    client_seeds: Annotated[
        list[str] | None,
        "the seeds of the entrants when entries closed, in entry order; null until then",
    ]
    lot_key: Annotated[
        str | None, "HMAC-SHA256 of `lots|{entropy}` under the seed, in hex; null until entries close"
    ]
    seed: Annotated[str | None, "null until the tournament has ended"]


class TournamentOutput(TournamentLine, ScheduleOutput, TournamentTerms):
    config: Object
    rules_version: int
    pool: Annotated[int, "pence in escrow now"]
    prize_plan: Annotated[
        PrizePlanOutput | None, "what each place would pay now; null once the tournament is over"
    ]
    measures: list[MeasureOutput]
    fairness: TournamentFairness
    round: Annotated[int, "the last round opened; 0 before the first"]
    progress: ProgressOutput | None
    state: Annotated[
        str,
        one_of([*Status.values, stalls.PAUSED, stalls.NEEDS_ORGANIZER]),
        "the status, unless the tournament is stalled or paused",
    ]
    stalled: Annotated[str | None, "why the organizer is needed"]
    needs_organizer: stalls.NeedsOrganizerOutput | None
    paused: Annotated[str | None, "the reason of the pause"]
    cancelled: Annotated[str | None, "the reason of the cancellation"]
    version: int
    hash: str
    entry: OwnEntryOutput | None
    waiting: Annotated[waiting.OwnWaitingOutput | None, "the caller's last state on the waiting list"]
    role: Annotated[
        Annotated[str, one_of(["organizer", *StaffRole.values])] | None,
        "the viewer's role in this tournament",
    ]
    may_manage: Annotated[bool, "false for participants"]
    may_rule: Annotated[bool, "false for participants"]
    created_at: datetime
    published_at: datetime | None


def document(tournament: Tournament, viewer: Viewer, *, now: datetime) -> TournamentOutput:
    """Return a tournament as `viewer` sees it, with its progress and the viewer's entry."""
    head, state = record.load_with_head(tournament.pk)
    entries = tournament.entries.standing().count()
    return {
        **line(tournament, entries=entries),
        "config": tournament.config,
        **schedules.document(tournament),
        "rules_version": tournament.rules_version,
        **terms.document(tournament),
        "pool": money.pool(tournament),
        "prize_plan": prize_plan(tournament, state, entries=entries),
        "measures": [measure.document() for measure in state.measures],
        "fairness": {
            "commitment": tournament.commitment,
            "entropy": tournament.entropy,
            "client_seeds": list(state.client_seeds.values()) if tournament.entropy else None,
            "lot_key": state.lot_key,
            "seed": state.seed,
        },
        "round": state.round,
        "progress": selectors.progress(tournament, now=now),
        "state": stalls.state_of(tournament),
        "stalled": tournament.stalled or None,
        "needs_organizer": stalls.needed(tournament, viewer),
        "paused": tournament.paused or None,
        "cancelled": state.cancelled,
        "version": head.version,
        "hash": head.hash,
        "entry": _own_entry(tournament, viewer),
        "waiting": waiting.own(tournament, viewer) if isinstance(viewer, Player) else None,
        "role": _own_role(tournament, viewer),
        "may_manage": may_manage(viewer, tournament),
        "may_rule": may_rule(viewer, tournament),
        "created_at": tournament.created_at,
        "published_at": tournament.published_at,
    }


class PrizePlanOutput(TypedDict):
    entrants: Annotated[int, "the assumed number of entrants: before the start, at least `fewest`"]
    fees: int
    rake: int
    overlay: Annotated[int, "what the bank adds"]
    places: Annotated[list[int], "pence, from the first place, without ties"]


def prize_plan(tournament: Tournament, state: History, *, entries: int) -> PrizePlanOutput | None:
    """Return what each place would pay with the current entries, and at least the fewest that may start before it
    has.
    """
    if tournament.status in (Status.FINISHED, Status.CANCELLED):
        return None
    if tournament.status != Status.RUNNING:
        entries = max(entries, tournament.fewest)
    out = sum(entrant.disqualified for entrant in state.entrants)
    return planned_prizes(tournament, paid=entries, entrants=entries - out)


def planned_prizes(terms: Terms | Tournament, *, paid: int, entrants: int) -> PrizePlanOutput:
    """Return what each place would pay if `paid` fees were paid and `entrants` were ranked."""
    fees, common = terms.fee * paid, {"rake": terms.rake, "guarantee": terms.guarantee}
    places = prizes.by_place(
        fees, basis_points=terms.prizes, entrants=entrants, amounts=terms.amounts, **common
    )
    return {
        "entrants": entrants,
        "fees": fees,
        "rake": splits.rake(fees, terms.rake)[0],
        "overlay": prizes.overlay(fees, **common),
        "places": places,
    }


def line(tournament: Tournament, *, entries: int) -> TournamentLine:
    """Return the line of a tournament in a list."""
    return {
        "id": str(tournament.pk),
        "name": tournament.name,
        "organizer": str(tournament.organizer_id),
        "format": tournament.format,
        "rules": tournament.rules,
        "status": tournament.status,
        "rounds": tournament.rounds,
        "games": tournament.games,
        "capacity": tournament.capacity,
        "entries": entries,
        "fee": tournament.fee,
        "currency": tournament.currency,
        "opens_at": tournament.opens_at,
        "started_at": tournament.started_at,
        "ended_at": tournament.ended_at,
    }


def lines(tournaments: Iterable[Tournament]) -> list[TournamentLine]:
    page = list(tournaments)
    counts = dict(
        Entry.objects.standing()
        .filter(tournament__in=page)
        .order_by()
        .values_list("tournament")
        .annotate(entries=Count("pk"))
    )
    return [line(each, entries=counts.get(each.pk, 0)) for each in page]


def _own_entry(tournament: Tournament, viewer: Viewer) -> OwnEntryOutput | None:
    if not isinstance(viewer, Player):
        return None
    entry = tournament.entries.standing().filter(player=viewer).select_related("player").first()
    if entry is None:
        return None
    return {**entry_document(entry, viewer), "games": own_games(tournament, viewer)}


def _own_role(tournament: Tournament, viewer: Viewer) -> str | None:
    """Return the viewer's role; `organizer` for the tournament's organizer."""
    if not isinstance(viewer, Player):
        return None
    return "organizer" if tournament.organizer_id == viewer.pk else access.role_of(viewer, tournament)


class OwnGameOutput(TypedDict):
    round: int
    table: int
    number: int
    game: Uuid
    ended: str | None


def own_games(tournament: Tournament, player: Player) -> list[OwnGameOutput]:
    """Return the games in which the player sits or has sat."""
    tables = Seat.objects.filter(entry__tournament=tournament, entry__player=player).values("table")
    games = TableGame.objects.filter(table__in=tables, dealt_at__isnull=False).select_related("table__round")
    return [
        {
            "round": one.table.round.number,
            "table": one.table.number,
            "number": one.number,
            "game": str(one.game),
            "ended": one.ended or None,
        }
        for one in games.order_by("table__round__number", "number")
    ]


def entries(tournament: Tournament, viewer: Viewer = None, *, called: str = "") -> QuerySet[Entry]:
    """Return the field in entry order, without withdrawn entries; with `called`, only those whose names contain it and
    may be seen by `viewer`.
    """
    field = tournament.entries.standing().select_related("player")
    return Names(viewer, tournament).search(field, called) if called else field


class EntryOutput(TypedDict):
    entry: int
    player: Uuid
    name: Annotated[str | None, "null if the viewer may not see it (`shown_as`)"]
    shown_as: ShownAs
    kind: Annotated[str, one_of(["human", "bot"])]
    client_seed: Annotated[str | None, "null until entries close, except to the entrant"]
    entered_at: datetime
    checked_in: bool
    first: Annotated[int, "the first round that they play"]
    group: Annotated[int | None, "the group in the first stage, from 1"]
    retired_after: Annotated[int | None, "the last round that they play, if they left after the start"]
    disqualified: bool


class OwnEntryOutput(EntryOutput):
    games: list[OwnGameOutput]


def entry_document(
    entry: Entry, viewer: Viewer, *, where: StageMap | None = None, names: Names | None = None
) -> EntryOutput:
    """Return one entry. Others see the client seed when entries close. Pass `where` and `names` for many entries
    of one tournament.
    """
    own = isinstance(viewer, Player) and viewer.pk == entry.player_id
    where = where or stage_map(entry.tournament)
    return {
        "entry": entry.number,
        "player": str(entry.player_id),
        "name": (names or Names(viewer, entry.tournament)).of(entry),
        "shown_as": entry.shown_as,
        "kind": "bot" if entry.bot else "human",
        "client_seed": entry.client_seed if own or entry.tournament.started_at else None,
        "entered_at": entry.entered_at,
        "checked_in": entry.checked_in_at is not None,
        "first": entry.first,
        "group": where.groups.get(entry.number),
        "retired_after": entry.retired_after,
        "disqualified": entry.disqualified_at is not None,
    }


class WaiterOutput(TypedDict):
    place: Annotated[int, "in line, from 1"]
    player: Uuid
    name: Annotated[str | None, "null if the viewer may not see it (`shown_as`)"]
    since: datetime
    checked_in: bool


class WaitingLineOutput(TypedDict):
    results: list[WaiterOutput]


def line_documents(tournament: Tournament, viewer: Viewer) -> list[WaiterOutput]:
    """Return the waiting list, the first in line first."""
    names = Names(viewer, tournament)
    return [
        {
            "place": place,
            "player": str(one.player_id),
            "name": names.of(one),
            "since": one.since,
            "checked_in": one.checked_in_at is not None,
        }
        for place, one in enumerate(tournament.waiting.in_line(), start=1)
    ]


class TournamentEvents(TypedDict):
    events: list[EventOutput]
    next: Annotated[int | None, "`after` of the next page; null: none yet"]


def events_for(
    viewer: Viewer, tournament_id: UUID, after: int = 0, *, limit: int = store.PAGE
) -> list[EventOutput]:
    """Return at most `limit` events after version `after`. All of them are public; the seed is only in the last.

    Raises NotFound.
    """
    visible(viewer, tournament_id)
    return [event.public() for event in store.read(tournament_id, after=after, limit=limit)]


def shared_events(
    tournament_id: UUID, readers: Collection[Reader], after: int, *, limit: int = store.PAGE
) -> Shared:
    """Return at most `limit` events after version `after`, for those of the readers who may see the tournament."""
    # Permissions are read after the events, so that no event is shown to a player who had lost them before it.
    events = store.read(tournament_id, after=after, limit=limit)
    return Shared(dict.fromkeys(followable(readers)), {None: [event.public() for event in events]})


def needed(games: Collection[UUID], before: datetime) -> set[UUID]:
    """Return those of the games whose tournament has not ended before a time."""
    of_tournaments = dict(
        GameRecord.objects.filter(pk__in=games, tournament__isnull=False).values_list("pk", "tournament")
    )
    ended = Tournament.objects.filter(pk__in=set(of_tournaments.values()), ended_at__lt=before)
    over = set(ended.values_list("pk", flat=True))
    return {game for game, tournament in of_tournaments.items() if tournament not in over}
