"""What is shown of tournaments. Everything shown of one goes through `access.visible`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf

from accounts.models import Player
from accounts.names import name_for
from api.errors import NotFound, Problem
from eventstore import store
from ledger import splits
from tournaments import formats, help, money, progress, record, roles, schedules, waiting, whereabouts
from tournaments.access import Viewer, may_manage, may_rule, visible
from tournaments.formats import history, prizes
from tournaments.formats.history import History
from tournaments.models import Entry, Round, RoundState, Seat, Status, Table, TableGame, Tournament
from tournaments.results import RoundResults, results_of
from tournaments.whereabouts import Whereabouts


class NoSuchVersion(Problem):
    status = 404
    code = "no-such-version"
    title = "The tournament has no event of that version"


# --- what is shown -------------------------------------------------------------------------------------


def document(tournament: Tournament, viewer: Viewer, *, now: datetime) -> dict[str, Any]:
    """A tournament as `viewer` sees it, with its progress and the viewer's own entry."""
    state = record.load(tournament.pk)
    head = record.head(tournament)
    entries = tournament.entries.standing().count()
    return {
        **line(tournament, entries=entries),
        "config": tournament.config,
        **schedules.document(tournament),
        "rules_version": tournament.rules_version,
        "seats": tournament.seats,
        "sizes": tournament.sizes,
        "through": tournament.through,
        "count": tournament.count,
        "tie_breaks": tournament.tie_breaks,
        "stages": tournament.stages,
        "seeding": tournament.seeding,
        "seeded_by": str(tournament.seeded_by_id) if tournament.seeded_by_id else None,
        "rated": tournament.rated,
        "bank": tournament.bank,
        "check_in_seconds": tournament.check_in_seconds,
        "late_until": tournament.late_until,
        "waiting_list": tournament.waiting_list,
        "fewest": tournament.fewest,
        "fill_to": tournament.fill_to,
        "round_seconds": tournament.round_seconds,
        "gap_seconds": tournament.gap_seconds,
        "no_show_seconds": tournament.no_show_seconds,
        "prizes": tournament.prizes,
        "rake": tournament.rake,
        "amounts": tournament.amounts,
        "guarantee": tournament.guarantee,
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
        "progress": progress.progress(tournament, now=now),
        "state": help.state_of(tournament),
        "stalled": tournament.stalled or None,
        "needs_organizer": help.needed(tournament, viewer),
        "paused": tournament.paused or None,
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


def prize_plan(tournament: Tournament, state: History, *, entries: int) -> dict[str, Any] | None:
    """What each place would pay with those who are entered now; before the start with the fewest that may start."""
    if tournament.status in (Status.FINISHED, Status.CANCELLED):
        return None
    if tournament.status != Status.RUNNING:
        entries = max(entries, tournament.fewest)
    fees, out = tournament.fee * entries, sum(entrant.disqualified for entrant in state.entrants)
    terms = {"rake": tournament.rake, "guarantee": tournament.guarantee}
    return {
        "entrants": entries - out,
        "fees": fees,
        "rake": splits.rake(fees, tournament.rake)[0],
        "overlay": prizes.overlay(fees, **terms),
        "places": prizes.by_place(
            fees,
            basis_points=tournament.prizes,
            entrants=entries - out,
            amounts=tournament.amounts,
            **terms,
        ),
    }


def line(tournament: Tournament, *, entries: int) -> dict[str, Any]:
    """A tournament in a list."""
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


def lines(tournaments: Iterable[Tournament]) -> list[dict[str, Any]]:
    page = list(tournaments)
    counts = dict(
        Entry.objects.standing()
        .filter(tournament__in=page)
        .order_by()
        .values_list("tournament")
        .annotate(entries=Count("pk"))
    )
    return [line(each, entries=counts.get(each.pk, 0)) for each in page]


def _own_entry(tournament: Tournament, viewer: Viewer) -> dict[str, Any] | None:
    if not isinstance(viewer, Player):
        return None
    entry = tournament.entries.standing().filter(player=viewer).select_related("player").first()
    if entry is None:
        return None
    return {**entry_document(entry, viewer), "games": own_games(tournament, viewer)}


def _own_role(tournament: Tournament, viewer: Viewer) -> str | None:
    """`organizer` of who made it."""
    if not isinstance(viewer, Player):
        return None
    return "organizer" if tournament.organizer_id == viewer.pk else roles.role_of(viewer, tournament)


def own_games(tournament: Tournament, player: Player) -> list[dict[str, Any]]:
    """Where the player sits, or has sat, in this tournament."""
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


def entries(tournament: Tournament, *, called: str = "") -> QuerySet[Entry]:
    """The field in entry order, without those who have withdrawn; those alone whose name has `called` in it."""
    field = tournament.entries.standing().select_related("player")
    shown = Coalesce(NullIf("player__display_name", Value("")), "player__username")
    return field.alias(shown=shown).filter(shown__icontains=called) if called else field


def entry_document(entry: Entry, viewer: Viewer, *, where: Whereabouts | None = None) -> dict[str, Any]:
    """The client seed is null to others until entries close. Pass `where` for many entries of one tournament."""
    own = isinstance(viewer, Player) and viewer.pk == entry.player_id
    where = where or whereabouts.of(entry.tournament)
    return {
        "entry": entry.number,
        "player": str(entry.player_id),
        "name": name_for(viewer, entry.player),
        "kind": "bot" if entry.bot else "human",
        "client_seed": entry.client_seed if own or entry.tournament.started_at else None,
        "entered_at": entry.entered_at,
        "checked_in": entry.checked_in_at is not None,
        "first": entry.first,
        "group": where.groups.get(entry.number),
        "retired_after": entry.retired_after,
        "disqualified": entry.disqualified_at is not None,
    }


def line_documents(tournament: Tournament, viewer: Viewer) -> list[dict[str, Any]]:
    """Who waits for a place, the first of them first."""
    return [
        {
            "place": place,
            "player": str(one.player_id),
            "name": name_for(viewer, one.player),
            "since": one.since,
            "checked_in": one.checked_in_at is not None,
        }
        for place, one in enumerate(tournament.waiting.in_line(), start=1)
    ]


# --- rounds --------------------------------------------------------------------------------------------


def round_line(round: Round, where: Whereabouts) -> dict[str, Any]:
    return {
        "round": round.number,
        "stage": where.stage(round.number),
        "state": round.state,
        "opened_at": round.opened_at,
        "closes_at": round.closes_at,
        "closed_at": round.closed_at,
        **progress.counts(round),
    }


def rounds(tournament: Tournament) -> list[dict[str, Any]]:
    where = whereabouts.of(tournament)
    return [round_line(round, where) for round in tournament.played_rounds.all()]


def round_document(tournament: Tournament, number: int, viewer: Viewer, *, now: datetime) -> dict[str, Any]:
    """A round with its tables; scores are shown once it has been closed. Raises NotFound."""
    round = tournament.played_rounds.filter(number=number).first()
    if round is None:
        raise NotFound
    closed, where = round.state == RoundState.CLOSED, whereabouts.of(tournament)
    results = results_of(tournament, round)
    tables = round.tables.prefetch_related("seats__entry__player", "games")
    return {
        **round_line(round, where),
        "progress": None if closed else progress.of_round(round, now=now),
        "algorithm": round.algorithm or None,
        "known": round.known or None,
        **_sitting_out(tournament, round),
        "tables": [
            {
                "table": table.number,
                "group": where.group_at(number, table.seats.all()[0].entry.number),
                "seats": [
                    {
                        "seat": seat.index,
                        "entry": seat.entry.number,
                        "player": str(seat.entry.player_id),
                        "name": name_for(viewer, seat.entry.player),
                        "forfeited": results.has_forfeited(table.number, seat)
                        if closed
                        else seat.forfeited_at is not None,
                    }
                    for seat in table.seats.all()
                ],
                "games": [_game_line(one, table, results) for one in table.games.all()],
            }
            for table in tables
        ],
    }


def _sitting_out(tournament: Tournament, round: Round) -> dict[str, Any]:
    """Who has a bye, and what could not be kept when the round was paired."""
    paired = [one for one in record.load(tournament.pk).played if one.round == round.number]
    return {
        "byes": [entry for pairing in paired for entry in pairing.byes],
        "relaxed": [
            {"what": one.what, "entries": list(one.entries)} for pairing in paired for one in pairing.relaxed
        ],
        "going_on": [entry for pairing in paired for entry in pairing.going_on],
    }


def _game_line(one: TableGame, table: Table, results: RoundResults) -> dict[str, Any]:
    """The scores stand in the order of the seats."""
    told = [results.of(table.number, one.deal, seat.entry.number) for seat in table.seats.all()]
    return {
        "number": one.number,
        "deal": one.deal,
        "game": str(one.game) if one.dealt_at else None,
        "ended": one.ended or None,
        "scores": [list(result.score) for result in told if result is not None] if results.closed else None,
        "correction": results.correction(table.number, one.deal),
    }


# --- standings and events ------------------------------------------------------------------------------


def history_at(tournament: Tournament, at: int | None = None) -> tuple[int, History]:
    """What had happened by the event of version `at` (default: now), and that version. Raises NoSuchVersion."""
    if at is None:
        return record.head(tournament).version, record.load(tournament.pk)
    events = store.read(tournament.pk, until=at)
    if not events or events[-1].version != at:
        raise NoSuchVersion
    return at, history.fold((event.type, event.data) for event in events)


def standings(tournament: Tournament, viewer: Viewer, *, at: int | None = None) -> dict[str, Any]:
    """The standings as of an event: closed rounds only, so that a running round tells nobody what its deal can give.

    Raises NoSuchVersion.
    """
    version, state = history_at(tournament, at)
    named = {entry.player_id: entry.player for entry in tournament.entries.select_related("player")}
    form, field = formats.get(tournament.format), state.snapshot()
    ranked = form.standings(field)
    players = {entrant.entry: entrant.player for entrant in state.entrants}
    where = Whereabouts(state)
    return {
        "version": version,
        "status": state.status,
        "rounds_closed": state.closed,
        "measures": [column.document() for column in form.columns(field)],
        "standings": [
            {
                **standing.document(),
                "stage": where.reached.get(standing.entry),
                "group": where.groups.get(standing.entry),
                "player": players[standing.entry],
                "name": name_for(viewer, named[UUID(players[standing.entry])]),
                "prize": state.awards.get(standing.entry, 0) if state.status == Status.FINISHED else None,
            }
            for standing in ranked
        ],
    }


def arithmetic(tournament: Tournament, entry: int, *, at: int | None = None) -> dict[str, Any]:
    """What each column of an entrant's standing is made of. Raises NotFound, NoSuchVersion."""
    version, state = history_at(tournament, at)
    form, field = formats.get(tournament.format), state.snapshot()
    if entry not in {entrant.entry for entrant in field.entrants}:
        raise NotFound
    reckoned = form.arithmetic(field)[entry]
    return {
        "version": version,
        "entry": entry,
        "columns": [
            {
                **column.document(),
                "value": reckoned[column.name].value,
                "parts": [asdict(part) for part in reckoned[column.name].parts],
            }
            for column in form.columns(field)
        ],
    }


def events_for(
    viewer: Viewer, tournament_id: UUID, after: int = 0, *, limit: int = store.PAGE
) -> list[dict[str, Any]]:
    """At most `limit` events behind version `after`. Nothing in them is private; the seed is only in the last.

    Raises NotFound.
    """
    visible(viewer, tournament_id)
    return [event.public() for event in store.read(tournament_id, after=after, limit=limit)]
