"""The pages of one tournament: the console, the log, the standings, the rounds, and their common frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.staff import person
from core.errors import NotFound, Problem
from eventstore import store
from eventstore.store import StoredEvent
from games import rules
from staff.pages import page, render
from tournaments import access, formats, record
from tournaments.actions.commands import offered
from tournaments.actions.manual_pairing import CONSTRAINTS, takes_constraints, takes_manual_pairing
from tournaments.actions.rows import measure_name, measured, names_of, score_words
from tournaments.models import Round, RoundState, Status, Table, TableGame, Tournament
from tournaments.prizes import money
from tournaments.rounds import manual_pairing, selectors, stalls

MAY_LOOK = "tournaments.view_tournament"

TABS = (
    ("tournament_console", "Now"),
    ("tournament_field", "Field"),
    ("tournament_rounds", "Rounds"),
    ("tournament_standings", "Standings"),
    ("tournament_people", "People"),
    ("tournament_log", "Log"),
)

LOOK_AGAIN = 3
"""Seconds after which the page of a tournament in progress polls for changes."""

IN_PROGRESS = (Status.PUBLISHED, Status.RUNNING)

TournamentPage = Callable[..., HttpResponse]


def seen(request: HttpRequest, tournament_id: UUID) -> Tournament:
    """Return the tournament if it is visible. Raises Http404."""
    try:
        return access.visible(person(request), tournament_id)
    except Problem:
        raise Http404 from None


def whole_number(text: str) -> int:
    """Return a whole number from the query string. Raises Http404."""
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise Http404
    return int(text)


def tournament_page(name: str, route: str = "") -> Callable[[TournamentPage], TournamentPage]:
    """Register a page at `/admin/tournaments/<id>/<route>`. The view receives the tournament."""

    def declare(view: TournamentPage) -> TournamentPage:
        @page(name, f"tournaments/<uuid:tournament_id>/{route}", permission=MAY_LOOK)
        @wraps(view)
        def found(request: HttpRequest, tournament_id: UUID, **kwargs: Any) -> HttpResponse:
            return view(request, seen(request, tournament_id), **kwargs)

        return found

    return declare


def show(
    request: HttpRequest, tournament: Tournament, *, tab: str, template: str, **context: Any
) -> HttpResponse:
    """Render a page of the tournament in the common frame."""
    tabs = [
        {"title": title, "url": reverse(f"admin:{name}", args=[tournament.pk]), "current": name == tab}
        for name, title in TABS
    ]
    return render(
        request,
        f"tournaments/staff/{template}",
        title=tournament.name,
        tournament=tournament,
        format=formats.get(tournament.format).name,
        game=rules.title(tournament.rules),
        tabs=tabs,
        live=LOOK_AGAIN if tournament.status in IN_PROGRESS else 0,
        may_manage=access.may_manage(person(request), tournament),
        **context,
    )


RELAXED = {
    "bye-again": "Second bye",
    "short-again": "Second short table",
    "rematch": "Rematch",
    "apart": "Pair not kept apart",
}
"""The relaxations of a pairing, by name."""

Data = Mapping[str, Any]


def describe(type: str, data: Data) -> str:
    """Return an event as a sentence; for unknown types, the type and the reason."""
    if (words := WORDS.get(type)) is not None:
        return words(data)
    plain = type.replace("-", " ").capitalize()
    return f"{plain}: {data['reason']}" if data.get("reason") else plain


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _entries(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)


def _entered(data: Data) -> str:
    late = f", from round {data['first']} on" if data.get("first", 1) > 1 else ""
    return f"{'Bot' if data.get('bot') else 'Entry'} {data['entry']} entered{late}"


def _closed(data: Data) -> str:
    return f"Entries closed with {_count(len(data['entries']), 'entrant')}; {_count(data['rounds'], 'round')} to play"


def _paired(data: Data) -> str:
    byes = f", bye for {_entries(data['byes'])}" if data["byes"] else ""
    relaxed = f"; {_count(len(data['relaxed']), 'constraint')} relaxed" if data["relaxed"] else ""
    going_on = f"; entrants of this stage: {_entries(data['going_on'])}" if data.get("going_on") else ""
    return f"Round {data['round']} paired: {_count(len(data['tables']), 'table')}{byes}{relaxed}{going_on}"


def _disqualified(data: Data) -> str:
    since = "before the start" if data["after"] is None else f"after round {data['after']}"
    return f"Entry {data['entry']} disqualified {since}: {data['reason']}"


def _waiting(numbers: Sequence[int]) -> str:
    return f"Number {', '.join(map(str, numbers))}"


def _game(data: Data) -> str:
    return f"Game {data['number']} at table {data['table']} of round {data['round']}"


WORDS: dict[str, Callable[[Data], str]] = {
    "created": lambda data: f"Drafted: {formats.get(data['format']).name}, {rules.title(data['rules'])}",
    "terms-changed": lambda data: (
        f"Draft changed: {', '.join(name.replace('_', ' ') for name in data['changed'])}"
    ),
    "deleted": lambda data: "Draft deleted",
    "published": lambda data: "Published; seed committed",
    "entered": _entered,
    "checked-in": lambda data: f"Entry {data['entry']} checked in",
    "withdrawn": lambda data: f"Entry {data['entry']} withdrew",
    "not-checked-in": lambda data: f"Removed without check-in: {_entries(data['entries'])}",
    "entries-closed": _closed,
    "round-paired": _paired,
    "games-dealt": lambda data: f"{_count(len(data['games']), 'game')} of round {data['round']} dealt",
    "game-suspended": lambda data: f"{_game(data)} suspended: {data['reason']}",
    "game-resumed": lambda data: f"{_game(data)} resumed: {data['reason']}",
    "game-replaced": lambda data: (
        f"{_game(data)} {'continued as another game' if data['goes_on'] else 'dealt again'}: {data['reason']}"
    ),
    "round-opened": lambda data: f"Round {data['round']} opened",
    "no-show": lambda data: (
        f"Entry {data['entry']} did not come to table {data['table']} of round {data['round']}"
    ),
    "round-called": lambda data: f"Round {data['round']} to open now: {data['reason']}",
    "round-ended": lambda data: f"Time of round {data['round']} ended: {data['reason']}",
    "round-closed": lambda data: (
        f"Round {data['round']} closed with {_count(len(data['results']), 'result')}"
    ),
    "result-corrected": lambda data: (
        f"Correction {data['number']}: table {data['table']} of round {data['round']}: {data['reason']}"
    ),
    "retired": lambda data: f"Entry {data['entry']} left after round {data['after']}",
    "disqualified": _disqualified,
    "stalled": lambda data: f"Stalled: {data['reason']}",
    "paused": lambda data: f"Paused: {data['reason']}",
    "resumed": lambda data: "Resumed",
    "standings": lambda data: "Final standings",
    "prizes": lambda data: (
        f"Prizes for {_count(sum(1 for one in data['awards'] if one['amount']), 'entrant')}"
    ),
    "finished": lambda data: "Finished; seed revealed",
    "cancelled": lambda data: f"Cancelled: {data['reason']}",
    "role-given": lambda data: f"{data['player']} is now a {data['role']}",
    "role-taken": lambda data: f"{data['player']} is no longer a {data['role']}",
    "kept-apart": lambda data: (
        f"Entries {_entries(data['entries'])} kept apart from round {data['from']}: {data['reason']}"
    ),
    "brought-together": lambda data: (
        f"Entries {_entries(data['entries'])} to meet in round {data['round']}: {data['reason']}"
    ),
    "pair-released": lambda data: (
        f"Entries {_entries(data['entries'])} no longer {data['what']}: {data['reason']}"
    ),
    "round-laid-out": lambda data: f"Round {data['round']} paired manually: {data['reason']}",
    "layout-dropped": lambda data: f"Round {data['round']} returned to the engine",
    "waitlisted": lambda data: f"Number {data['waiting']} added to the waiting list",
    "admitted": lambda data: f"Number {data['waiting']} admitted from the waiting list",
    "waiting-ended": lambda data: f"{_waiting(data['waiting'])} left the waiting list: {data['why']}",
    "seed-revealed": lambda data: "Seed revealed",
}


# --- pages -------------------------------------------------------------------------------------------


EVENTS = 100
"""Events on one page."""

RANKS = 200
"""Standings on one page."""


@tournament_page("tournament_console")
def now_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    now = timezone.now()
    standing = tournament.entries.standing()
    latest = record.head(tournament).version
    return show(
        request,
        tournament,
        tab="tournament_console",
        template="console.html",
        commands=offered(person(request), tournament),
        needed=stalls.needed(tournament, person(request)),
        round=selectors.progress(tournament, now=now),
        latest=tournament.played_rounds.last(),
        entries=standing.count(),
        here=standing.exclude(checked_in_at=None).count(),
        left=standing.exclude(retired_after=None).count(),
        pool=money.pool(tournament),
        lines=_lines(tournament, after=max(0, latest - 8)),
    )


@dataclass(frozen=True, slots=True)
class Line:
    """An event in readable form."""

    version: int
    at: datetime
    what: str
    hash: str


def _line(event: StoredEvent) -> Line:
    return Line(event.version, datetime.fromisoformat(event.at), describe(event.type, event.data), event.hash)


def _lines(tournament: Tournament, *, after: int, until: int | None = None) -> list[Line]:
    """Return the lines, newest first."""
    return [_line(event) for event in reversed(store.read(tournament.pk, after=after, until=until))]


@tournament_page("tournament_log", "log/")
def log_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    latest = record.head(tournament).version
    until = whole_number(request.GET.get("until", str(latest)))
    after = max(0, until - EVENTS)
    return show(
        request,
        tournament,
        tab="tournament_log",
        template="log.html",
        lines=_lines(tournament, after=after, until=until),
        older=after,
        is_newest=until >= latest,
        whole=reverse("tournament-events", args=[tournament.pk]),
    )


@tournament_page("tournament_standings", "standings/")
def standings_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    asked, skipped = request.GET.get("entry", ""), whole_number(request.GET.get("after", "0"))
    try:
        arithmetic = selectors.arithmetic(tournament, whole_number(asked)) if asked else None
    except NotFound:
        raise Http404 from None
    standings = selectors.standings(tournament, person(request))
    ranked = standings["standings"]
    return show(
        request,
        tournament,
        tab="tournament_standings",
        template="standings.html",
        measures=[{**one, "name": measure_name(one["name"])} for one in standings["measures"]],
        closed=standings["rounds_closed"],
        ranked=[
            {
                **one,
                "totals": [
                    measured(measure["name"], total)
                    for measure, total in zip(standings["measures"], one["totals"], strict=True)
                ],
            }
            for one in ranked[skipped : skipped + RANKS]
        ],
        skipped=skipped,
        more=skipped + RANKS if skipped + RANKS < len(ranked) else None,
        has_prizes=tournament.status == Status.FINISHED,
        arithmetic=arithmetic and _worded(tournament, arithmetic),
    )


def _worded(tournament: Tournament, arithmetic: selectors.StandingBreakdownOutput) -> dict[str, Any]:
    """Return the arithmetic of a standing with the name of the entrant, and its columns by theirs."""
    columns = arithmetic["columns"]
    opponents = {entry for column in columns for part in column["parts"] for entry in part["opponents"]}
    names = names_of(tournament, {arithmetic["entry"], *opponents})
    worded = [
        {
            **column,
            "name": measure_name(column["name"]),
            "parts": [
                {**part, "opponents": [names[entry] for entry in part["opponents"]]}
                for part in column["parts"]
            ],
        }
        for column in columns
    ]
    return {**arithmetic, "who": names[arithmetic["entry"]], "columns": worded}


PAGE = 50
"""Tables on one page."""


@tournament_page("tournament_rounds", "rounds/")
def rounds_page(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    state = record.load(tournament.pk)
    following = state.closed + 1
    may_manage = access.may_manage(person(request), tournament)
    return show(
        request,
        tournament,
        tab="tournament_rounds",
        template="rounds.html",
        rounds=selectors.rounds(tournament)[::-1],
        may_pair_manually=may_manage and takes_manual_pairing(tournament),
        following=following,
        is_manual=manual_pairing.recorded_pairing(state, following) is not None,
        constraints=[
            {**one, "title": CONSTRAINTS[one["constraint"]]}
            for one in manual_pairing.constraints_in(tournament)
        ],
        may_constrain=tournament.status in IN_PROGRESS and may_manage and takes_constraints(tournament),
    )


@tournament_page("tournament_round", "rounds/<int:number>/")
def round_page(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    round = tournament.played_rounds.filter(number=number).first()
    after = whole_number(request.GET.get("after", "0"))
    if round is None:
        raise Http404
    unfinished = "going" in request.GET
    tables = list(_tables(round, unfinished=unfinished).filter(number__gt=after)[: PAGE + 1])
    closed = round.state == RoundState.CLOSED
    state = record.load(tournament.pk)
    pairing = next((one for one in state.played if one.round == number), None)
    exceptions = (
        []
        if pairing is None
        else [*pairing.byes, *(entry for one in pairing.relaxed for entry in one.entries)]
    )
    names = names_of(tournament, exceptions) if exceptions else {}
    if closed:
        _name_scores(tables, [measure.name for measure in state.measures])
    return show(
        request,
        tournament,
        tab="tournament_rounds",
        template="round.html",
        round=round,
        progress=None if closed else selectors.of_round(round, now=timezone.now()),
        tables=tables[:PAGE],
        more=tables[PAGE - 1].number if len(tables) > PAGE else None,
        unfinished=unfinished,
        paged=after != 0,
        shows_scores=closed,
        may_correct=closed and access.may_rule(person(request), tournament),
        byes=[names[entry] for entry in pairing.byes] if pairing else (),
        relaxed=[(RELAXED[one.what], [names[entry] for entry in one.entries]) for one in pairing.relaxed]
        if pairing
        else (),
    )


def _tables(round: Round, *, unfinished: bool) -> QuerySet[Table]:
    """Return the tables with their seats and games; with `unfinished`, only unfinished ones."""
    tables = round.tables.order_by("number").prefetch_related(
        "seats__entry__player", "games__scores__entry__player"
    )
    if not unfinished:
        return tables
    return tables.filter(Exists(TableGame.objects.filter(table=OuterRef("pk"), ended_at=None)))


def _name_scores(tables: Sequence[Table], names: Sequence[str]) -> None:
    """Give each score its `words`, such as `score 12, cards 3`."""
    for score in (score for table in tables for game in table.games.all() for score in game.scores.all()):
        score.words = score_words(names, score.measures)  # type: ignore[attr-defined]
