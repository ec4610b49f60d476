"""How a tournament stands now, what can be done about it, and what has happened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from api.errors import NotFound
from eventstore import store
from eventstore.store import StoredEvent
from games.office.deeds import person
from tournaments import help, money, progress, record, selectors
from tournaments.models import Status, Tournament
from tournaments.office import market
from tournaments.office.commands import offered
from tournaments.office.pages import show, tournament_page, whole_number
from tournaments.office.words import told

EVENTS = 100
"""Of one page of what has happened."""

RANKS = 200
"""Of one page of the standings."""


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
        open_market=market.offered(request, tournament),
        needed=help.needed(tournament, person(request)),
        round=progress.progress(tournament, now=now),
        latest=tournament.played_rounds.last(),
        entries=standing.count(),
        here=standing.exclude(checked_in_at=None).count(),
        left=standing.exclude(retired_after=None).count(),
        pool=money.pool(tournament),
        lines=_lines(tournament, after=max(0, latest - 8)),
    )


@dataclass(frozen=True, slots=True)
class Line:
    """An event as people read it."""

    version: int
    at: datetime
    what: str
    hash: str


def _line(event: StoredEvent) -> Line:
    return Line(event.version, datetime.fromisoformat(event.at), told(event.type, event.data), event.hash)


def _lines(tournament: Tournament, *, after: int, until: int | None = None) -> list[Line]:
    """The newest first."""
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
        measures=standings["measures"],
        closed=standings["rounds_closed"],
        ranked=ranked[skipped : skipped + RANKS],
        skipped=skipped,
        more=skipped + RANKS if skipped + RANKS < len(ranked) else None,
        has_prizes=tournament.status == Status.FINISHED,
        arithmetic=arithmetic,
    )
