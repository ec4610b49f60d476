"""Evidence pages of a game: its events with verdicts, one event with its changes, and refused moves."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from accounts.staff import person
from core.errors import NoSuchVersion, NotFound, Problem
from disputes import access, states
from disputes.models import Dispute, PinnedEvidence
from disputes.staff.board import change_words, players_of
from games import access as games_access
from games.access import require_evidence
from games.evidence import selectors
from games.evidence.naming import event_words, in_words, people_at, seat_name
from games.evidence.selectors import EventPostingOutput, RefusedCommandOutput
from games.evidence.verification import EvidencePage, single
from games.models import GameRecord, RefusedCommand
from ledger.errors import InterestedParty
from ledger.staff import wording as ledger_wording
from staff import subjects
from staff.pages import page, render

PERMISSION = "games.view_gamerecord"
EVENTS_PER_PAGE = 100
REFUSED_PER_PAGE = 100
LARGEST = 10**9
RELATED_DISPUTES = 10
"""Disputes of related games to which an event can be pinned."""

EvidenceView = Callable[..., HttpResponse]


def evidence_page(name: str, route: str = "") -> Callable[[EvidenceView], EvidenceView]:
    """Register a page at `/admin/games/<id>/evidence/<route>` for people who may open the game's evidence.

    An auditor's early access is recorded first. Other people see the refusal.
    """

    def declare(view: EvidenceView) -> EvidenceView:
        @page(name, f"games/<uuid:game_id>/evidence/{route}", permission=PERMISSION)
        @wraps(view)
        def opened(request: HttpRequest, game_id: UUID, **kwargs: Any) -> HttpResponse:
            try:
                game = _visible(request, game_id)
            except InterestedParty as interested:
                raise PermissionDenied from interested
            try:
                require_evidence(person(request), game, now=timezone.now())
                return view(request, game, **kwargs)
            except NoSuchVersion:
                raise Http404 from None
            except Problem as problem:
                return _show(request, game, "closed.html", why=problem.detail)

        return opened

    return declare


def _visible(request: HttpRequest, game_id: UUID) -> GameRecord:
    """Return a game that the signed-in person may see. Raises Http404, InterestedParty."""
    try:
        return games_access.visible_game(person(request), game_id, now=timezone.now())
    except NotFound:
        raise Http404 from None


@evidence_page("game_evidence")
def events_page(request: HttpRequest, game: GameRecord) -> HttpResponse:
    after = _number(request, "after", 0)
    events = EvidencePage(game, now=timezone.now(), after=after, limit=EVENTS_PER_PAGE)
    overview = selectors.overview(events, person(request))
    lines, people = overview["results"], people_at(game)
    links = subjects.links(players_of(lines))
    pins = _pins(game)
    marks = {
        line["version"]: [
            "disputed" if one.game_id == game.pk and one.version == line["version"] else "pinned"
            for one in pins.get(line["version"], [])
        ]
        for line in lines
    }
    more = overview["version"] > after + EVENTS_PER_PAGE
    return _show(
        request,
        game,
        "events.html",
        tab="game_evidence",
        shown=overview,
        lines=[
            {
                **line,
                "text": event_words(line["event"], line["text"], people, links),
                "why": in_words(line["why"] or "", people),
                "player": None if line["seat"] is None else seat_name(line["seat"], people),
                "marks": marks[line["version"]],
            }
            for line in lines
        ],
        disputes=_disputes(request, game),
        links=links,
        first_page=after == 0,
        next_after=after + EVENTS_PER_PAGE if more else None,
        divergence_why=in_words((overview["divergence"] or {"why": ""})["why"], people),
        divergence_page=_page_with(overview["divergence"]),
    )


def _page_with(divergence: Mapping[str, Any] | None) -> int | None:
    """Return the `after` parameter of the page with the divergence."""
    return None if divergence is None else (divergence["version"] - 1) // EVENTS_PER_PAGE * EVENTS_PER_PAGE


@evidence_page("game_evidence_event", "<int:version>/")
def event_page(request: HttpRequest, game: GameRecord, version: int) -> HttpResponse:
    if not 1 <= version <= LARGEST:
        raise Http404
    viewer = person(request)
    shown = selectors.one_event(single(game, version, now=timezone.now()), viewer)
    people, links = people_at(game), subjects.links(players_of([shown]))
    expected = request.GET.get("h", "")
    refused = RefusedCommand.objects.filter(game=game, version=version)[:REFUSED_PER_PAGE]
    return _show(
        request,
        game,
        "event.html",
        shown=shown,
        text=event_words(shown["event"], shown["text"], people, links),
        why=in_words(shown["why"] or "", people),
        rewritten=expected if expected and not shown["hash"].startswith(expected) else "",
        event=_pretty(shown["event"]),
        before=_pretty(shown["before"]),
        after=_pretty(shown["after"]),
        changes=[
            {
                "text": change_words(one, people),
                "path": one["path"],
                "before": _line(one["before"]),
                "after": _line(one["after"]),
            }
            for one in shown["differences"]
        ],
        postings=_postings(shown["postings"]),
        seats=[(seat, seat_name(seat, people)) for seat in range(game.seats)],
        received=_received(request, game, version),
        refused=_refused(selectors.refused(game, viewer, refused), people),
        pins=_pins(game).get(version, []),
        disputes=_disputes(request, game),
        links=links,
        next=version + 1,
        previous=version - 1,
    )


def _postings(postings: Sequence[EventPostingOutput]) -> list[dict[str, Any]]:
    """Return the transfers of an event in words."""
    names = ledger_wording.names_of_texts(text for one in postings for text in (one["debit"], one["credit"]))
    return [
        {
            **one,
            "debit": names[one["debit"]],
            "credit": names[one["credit"]],
            "reason": ledger_wording.plain_reason(one["reason"]),
        }
        for one in postings
    ]


def _received(request: HttpRequest, game: GameRecord, version: int) -> dict[str, Any] | None:
    """Return what the requested seat was sent; `-` stands for spectators."""
    requested = request.GET.get("seat", "")
    if not requested:
        return None
    seat = None if requested == "-" else _number(request, "seat", 0)
    found = selectors.received(game, at=version, seat=seat)
    sent: Mapping[str, Any] = found
    parts = [
        {"name": name.replace("_", " "), "json": _pretty(sent[name]), **size}
        for name, size in found["bytes"].items()
    ]
    return {"seat": seat, "requested": requested, "parts": parts}


@evidence_page("game_evidence_refused", "refused/")
def refused_page(request: HttpRequest, game: GameRecord) -> HttpResponse:
    before = _number(request, "before", 0)
    refusals = RefusedCommand.objects.filter(game=game)
    if before:
        refusals = refusals.filter(pk__lt=before)
    found = selectors.refused(game, person(request), refusals[:REFUSED_PER_PAGE])
    return _show(
        request,
        game,
        "refused.html",
        tab="game_evidence_refused",
        refused=_refused(found, people_at(game)),
        links=subjects.links(f"player:{one['actor']}" for one in found),
        older=found[-1]["id"] if len(found) == REFUSED_PER_PAGE else None,
        is_newest=not before,
    )


def _refused(refusals: Iterable[RefusedCommandOutput], people: Mapping[int, str]) -> list[Mapping[str, Any]]:
    return [
        {
            **one,
            "fact": in_words(one["fact"] or "", people),
            "move": "too long to be stored" if one["move"] is None else _line(one["move"]),
        }
        for one in refusals
    ]


# --- context of the pages --------------------------------------------------------------------------------

TABS = (("game_evidence", "Events"), ("game_evidence_refused", "Refused moves"))


def _show(
    request: HttpRequest, game: GameRecord, template: str, *, tab: str = "", **context: Any
) -> HttpResponse:
    tabs = [
        {"title": title, "url": reverse(f"admin:{name}", args=[game.pk]), "current": name == tab}
        for name, title in TABS
    ]
    return render(
        request, f"disputes/staff/{template}", title=f"Evidence of {game}", game=game, tabs=tabs, **context
    )


def _disputes(request: HttpRequest, game: GameRecord) -> list[dict[str, Any]]:
    """Return the disputes of the game that the reader may see, and waiting ones of its deal, match, or tournament, and
    whether events of the game can be pinned to them.
    """
    visible = access.visible_disputes(person(request)).order_by("opened_at")
    found = list(visible.filter(game=game))
    related = Q(pk=None)
    for column in ("deal_group", "match", "tournament"):
        if value := getattr(game, column):
            related |= Q(**{f"game__{column}": value})
    waiting = visible.filter(related, status__in=states.WAITING).exclude(game=game)
    found += waiting[:RELATED_DISPUTES]
    return [
        {"dispute": one, "is_own": one.game_id == game.pk, "takes_pins": one.status in states.WAITING}
        for one in found
    ]


def _pins(game: GameRecord) -> Mapping[int, list[Dispute]]:
    """Return, by version, the disputes to which the event is pinned or whose claim is about it."""
    found: dict[int, list[Dispute]] = defaultdict(list)
    for pinned in PinnedEvidence.objects.filter(game=game).select_related("dispute__opener"):
        found[pinned.version].append(pinned.dispute)
    for dispute in Dispute.objects.filter(game=game).select_related("opener"):
        if dispute not in found[dispute.version]:
            found[dispute.version].append(dispute)
    return found


def _number(request: HttpRequest, name: str, default: int) -> int:
    """Return an integer query parameter. Raises Http404."""
    text = request.GET.get(name, "")
    if not text:
        return default
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise Http404
    return int(text)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pretty(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=1)
