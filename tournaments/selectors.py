"""Documents of tournaments. All reads go through `access.visible`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf

from accounts.models import Player, name_for
from eventstore import store
from ledger import splits
from tournaments import access, record, schedules
from tournaments.access import Viewer, may_manage, may_rule, visible
from tournaments.entries import waiting
from tournaments.formats.history import History
from tournaments.formats.scoring import prizes
from tournaments.models import Entry, Seat, Status, TableGame, Tournament
from tournaments.prizes import money
from tournaments.rounds import selectors, stalls
from tournaments.rounds.selectors import StageMap, stage_map
from tournaments.rounds.stalls import STALLED as STALLED

# --- what is shown -------------------------------------------------------------------------------------


def document(tournament: Tournament, viewer: Viewer, *, now: datetime) -> dict[str, Any]:
    """Return a tournament as `viewer` sees it, with its progress and the viewer's entry."""
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
        "progress": selectors.progress(tournament, now=now),
        "state": stalls.state_of(tournament),
        "stalled": tournament.stalled or None,
        "needs_organizer": stalls.needed(tournament, viewer),
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
    """Return what each place would pay with the current entries, and at least the fewest that may start before it
    has.
    """
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
    """Return the viewer's role; `organizer` for the tournament's organizer."""
    if not isinstance(viewer, Player):
        return None
    return "organizer" if tournament.organizer_id == viewer.pk else access.role_of(viewer, tournament)


def own_games(tournament: Tournament, player: Player) -> list[dict[str, Any]]:
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


def entries(tournament: Tournament, *, called: str = "") -> QuerySet[Entry]:
    """Return the field in entry order, without withdrawn entries; with `called`, only names that contain it."""
    field = tournament.entries.standing().select_related("player")
    shown = Coalesce(NullIf("player__display_name", Value("")), "player__username")
    return field.alias(shown=shown).filter(shown__icontains=called) if called else field


def entry_document(entry: Entry, viewer: Viewer, *, where: StageMap | None = None) -> dict[str, Any]:
    """Return one entry. Others see the client seed when entries close. Pass `where` for many entries of one
    tournament.
    """
    own = isinstance(viewer, Player) and viewer.pk == entry.player_id
    where = where or stage_map(entry.tournament)
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
    """Return the waiting list, the first in line first."""
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


# --- standings and events ------------------------------------------------------------------------------


def events_for(
    viewer: Viewer, tournament_id: UUID, after: int = 0, *, limit: int = store.PAGE
) -> list[dict[str, Any]]:
    """Return at most `limit` events after version `after`. All of them are public; the seed is only in the last.

    Raises NotFound.
    """
    visible(viewer, tournament_id)
    return [event.public() for event in store.read(tournament_id, after=after, limit=limit)]


# --- stages and groups -------------------------------------------------------------------------------
