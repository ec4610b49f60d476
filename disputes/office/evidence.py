"""A game's evidence: its events with a verdict on each, one event with what it changed, the moves that were refused."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from api.errors import NotFound, Problem
from disputes import access, states
from disputes.models import Dispute, PinnedEvidence
from games import access as games_access
from games.errors import NoSuchVersion
from games.evidence import selectors
from games.evidence.access import require_evidence
from games.evidence.models import RefusedCommand
from games.evidence.reading import Reading, single
from games.models import GameRecord
from games.office.deeds import person
from ledger.errors import InterestedParty
from ledger.office import subjects
from ledger.office.pages import page, render

MAY_LOOK = "games.view_gamerecord"
EVENTS_A_PAGE = 100
REFUSED_A_PAGE = 100
LARGEST = 10**9

EvidenceView = Callable[..., HttpResponse]


def evidence_page(name: str, route: str = "") -> Callable[[EvidenceView], EvidenceView]:
    """Declare a page at `/admin/games/<id>/evidence/<route>`, for who may open the game's evidence now.

    An auditor's look before the end is recorded first. Who may not is told why.
    """

    def declare(view: EvidenceView) -> EvidenceView:
        @page(name, f"games/<uuid:game_id>/evidence/{route}", permission=MAY_LOOK)
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
    """Raises Http404, InterestedParty."""
    try:
        return games_access.visible_game(person(request), game_id, now=timezone.now())
    except NotFound:
        raise Http404 from None


@evidence_page("game_evidence")
def events_page(request: HttpRequest, game: GameRecord) -> HttpResponse:
    after = _number(request, "after", 0)
    reading = Reading(game, now=timezone.now(), after=after, limit=EVENTS_A_PAGE)
    told = selectors.overview(reading, person(request))
    lines = told["results"]
    pins = _pins(game)
    for line in lines:
        line["marks"] = [
            "disputed" if one.game_id == game.pk and one.version == line["version"] else "pinned"
            for one in pins.get(line["version"], [])
        ]
    more = told["version"] > after + EVENTS_A_PAGE
    return _show(
        request,
        game,
        "events.html",
        tab="game_evidence",
        told=told,
        lines=lines,
        disputes=_disputes(request, game),
        links=subjects.links(_actors(lines)),
        first_page=after == 0,
        next_after=after + EVENTS_A_PAGE if more else None,
        divergence_page=_page_of(told["divergence"]),
    )


def _page_of(divergence: Mapping[str, Any] | None) -> int | None:
    """Behind which version the page with the divergence begins."""
    return None if divergence is None else (divergence["version"] - 1) // EVENTS_A_PAGE * EVENTS_A_PAGE


@evidence_page("game_evidence_event", "<int:version>/")
def event_page(request: HttpRequest, game: GameRecord, version: int) -> HttpResponse:
    if not 1 <= version <= LARGEST:
        raise Http404
    viewer = person(request)
    told = selectors.one_event(single(game, version, now=timezone.now()), viewer)
    expected = request.GET.get("h", "")
    refused = RefusedCommand.objects.filter(game=game, version=version)[:REFUSED_A_PAGE]
    return _show(
        request,
        game,
        "event.html",
        told=told,
        rewritten=expected if expected and not told["hash"].startswith(expected) else "",
        event=_pretty(told["event"]),
        before=_pretty(told["before"]),
        after=_pretty(told["after"]),
        changes=[
            {
                "words": one["words"],
                "path": one["path"],
                "before": _line(one["before"]),
                "after": _line(one["after"]),
            }
            for one in told["differences"]
        ],
        seats=[*range(game.seats), None],
        received=_received(request, game, version),
        refused=[_refused(one) for one in selectors.refused(game, viewer, refused)],
        pins=_pins(game).get(version, []),
        disputes=_disputes(request, game),
        links=subjects.links(_actors([told])),
        next=version + 1,
        previous=version - 1,
    )


def _received(request: HttpRequest, game: GameRecord, version: int) -> dict[str, Any] | None:
    """What the seat that was asked for was sent; `-` is who only looked on."""
    asked = request.GET.get("seat", "")
    if not asked:
        return None
    seat = None if asked == "-" else _number(request, "seat", 0)
    found = selectors.received(game, at=version, seat=seat)
    names = ("event", "view", "legal_moves", "answer")
    parts = [
        {"name": name.replace("_", " "), "json": _pretty(found[name]), **found["bytes"][name]}
        for name in names
        if name in found["bytes"]
    ]
    return {"seat": seat, "asked": asked, "parts": parts}


@evidence_page("game_evidence_refused", "refused/")
def refused_page(request: HttpRequest, game: GameRecord) -> HttpResponse:
    before = _number(request, "before", 0)
    kept = RefusedCommand.objects.filter(game=game)
    if before:
        kept = kept.filter(pk__lt=before)
    found = selectors.refused(game, person(request), kept[:REFUSED_A_PAGE])
    return _show(
        request,
        game,
        "refused.html",
        tab="game_evidence_refused",
        refused=[_refused(one) for one in found],
        links=subjects.links(f"player:{one['actor']}" for one in found),
        older=found[-1]["id"] if len(found) == REFUSED_A_PAGE else None,
        is_newest=not before,
    )


def _refused(told: dict[str, Any]) -> dict[str, Any]:
    return {**told, "move": "longer than is kept" if told["move"] is None else _line(told["move"])}


# --- what stands beside the events -----------------------------------------------------------------------

TABS = (("game_evidence", "Events"), ("game_evidence_refused", "Moves that were refused"))


def _show(
    request: HttpRequest, game: GameRecord, template: str, *, tab: str = "", **context: Any
) -> HttpResponse:
    tabs = [
        {"title": title, "url": reverse(f"admin:{name}", args=[game.pk]), "current": name == tab}
        for name, title in TABS
    ]
    name = f"{game.rules.replace('-', ' ').title()} {str(game.pk)[:8]}"
    return render(
        request, f"disputes/office/{template}", title=f"Evidence of {name}", game=game, tabs=tabs, **context
    )


def _disputes(request: HttpRequest, game: GameRecord) -> list[dict[str, Any]]:
    """Those of the game that the reader may know of; whether events can be pinned to them by somebody."""
    found = access.visible_disputes(person(request)).filter(game=game).order_by("opened_at")
    return [{"dispute": one, "takes_pins": one.status in states.WAITING} for one in found]


def _pins(game: GameRecord) -> Mapping[int, list[Dispute]]:
    """By version, the disputes to which the event is pinned, or whose claim is about it."""
    found: dict[int, list[Dispute]] = defaultdict(list)
    for pinned in PinnedEvidence.objects.filter(game=game).select_related("dispute"):
        found[pinned.version].append(pinned.dispute)
    for dispute in Dispute.objects.filter(game=game):
        if dispute not in found[dispute.version]:
            found[dispute.version].append(dispute)
    return found


def _actors(lines: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for line in lines:
        if line["origin"] and line["origin"]["actor"]:
            yield f"player:{line['origin']['actor']}"


def _number(request: HttpRequest, name: str, otherwise: int) -> int:
    """A whole number of the query. Raises Http404."""
    text = request.GET.get(name, "")
    if not text:
        return otherwise
    if not (text.isdecimal() and text.isascii() and len(text) < 10):
        raise Http404
    return int(text)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pretty(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=1)
