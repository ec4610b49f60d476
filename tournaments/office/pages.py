"""What the pages of one tournament have in common: who may open them, their tabs, what stands above each."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from api.errors import Problem
from games.office.deeds import person
from ledger.office.pages import page, render
from tournaments import access
from tournaments.models import Status, Tournament

MAY_LOOK = "tournaments.view_tournament"

TABS = (
    ("tournament_console", "Now"),
    ("tournament_field", "Field"),
    ("tournament_rounds", "Rounds"),
    ("tournament_standings", "Standings"),
    ("tournament_people", "People"),
    ("tournament_log", "What happened"),
)

LOOK_AGAIN = 3
"""Seconds after which a page of a tournament that goes on asks for what is new."""

GOES_ON = (Status.PUBLISHED, Status.RUNNING)

TournamentPage = Callable[..., HttpResponse]


def seen(request: HttpRequest, tournament_id: UUID) -> Tournament:
    """The tournament, for whoever may see it. Raises Http404."""
    try:
        return access.visible(person(request), tournament_id)
    except Problem:
        raise Http404 from None


def whole_number(text: str) -> int:
    """A whole number from the query of a page. Raises Http404."""
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise Http404
    return int(text)


def tournament_page(name: str, route: str = "") -> Callable[[TournamentPage], TournamentPage]:
    """Declare a page at `/admin/tournaments/<id>/<route>`; the view is given the tournament that was asked for."""

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
    """A page of the tournament in the frame that all of them have."""
    tabs = [
        {"title": title, "url": reverse(f"admin:{name}", args=[tournament.pk]), "current": name == tab}
        for name, title in TABS
    ]
    return render(
        request,
        f"tournaments/office/{template}",
        title=tournament.name,
        tournament=tournament,
        tabs=tabs,
        live=LOOK_AGAIN if tournament.status in GOES_ON else 0,
        may_manage=access.may_manage(person(request), tournament),
        **context,
    )
