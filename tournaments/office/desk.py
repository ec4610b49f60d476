"""Where the deeds of the console are declared, and how each goes: what and why, a preview, the deed, and its trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Count, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from api.deeds import BareForm, Done, Given, Preview, ReasonForm, rehearse
from api.errors import NotFound, Problem
from games.office.deeds import DeedDesk, DeedPage, DeedView, person
from ledger.formats import money
from ledger.selectors import newest_position, posted_since
from tournaments import access, record
from tournaments.models import Tournament
from tournaments.problems import PreviewStale


class May(Protocol):
    """Finds a tournament for who may do something with it; raises NotFound, Forbidden, EnrolmentNeeded."""

    def __call__(self, viewer: access.Viewer, tournament_id: UUID, /) -> Tournament: ...


_declared: list[DeedPage] = []


def deed_page(name: str, route: str, *, may: May = access.managed) -> Callable[[DeedView], DeedView]:
    """Declare a view at `…/<id>/<route>`; it is given the desk, the request and the tournament, for who `may` alone."""

    def declare(view: DeedView) -> DeedView:
        def found(desk: Desk, request: HttpRequest, pk: UUID, **more: Any) -> HttpResponse:
            return view(desk, request, _for_whom(may, request, pk), **more)

        _declared.append(DeedPage(name, route, found))
        return view

    return declare


def _for_whom(may: May, request: HttpRequest, pk: UUID) -> Tournament:
    """Raises Http404 for who may not see it, PermissionDenied for who may not do that with it."""
    try:
        return may(person(request), pk)
    except NotFound:
        raise Http404 from None
    except Problem:
        raise PermissionDenied from None


@dataclass(frozen=True, slots=True)
class Deed:
    """What is done, in words and in code.

    `action` is its name among the actions of staff, `said` what is told when it is done, `back` where to go then.
    `preview` says what it would change; unless given that is found out by doing it and taking it back.
    """

    title: str
    action: str
    carry_out: Callable[[Given, datetime], object]
    said: str
    back: str
    lead: str = ""
    button: str = ""
    grave: bool = False
    """It cannot be taken back."""
    preview: Callable[[Given], Preview] | None = None


class Desk(DeedDesk):
    """The side of the back office on which a tournament's deeds are done."""

    pages = _declared

    def do(
        self,
        request: HttpRequest,
        tournament: Tournament,
        deed: Deed,
        *,
        form_class: type[BareForm] = ReasonForm,
        initial: Given | None = None,
    ) -> HttpResponse:
        def carry_out(given: Given, now: datetime) -> Done:
            before = record.head(tournament).version
            deed.carry_out(given, now)
            return Done(deed.said, tournament.subject, deed.back, links=_events(tournament, before))

        def preview(given: Given) -> Preview:
            found = (
                deed.preview(given)
                if deed.preview is not None
                else rehearsed(tournament, lambda: deed.carry_out(given, timezone.now()))
            )
            warnings = [*found.warnings, *(["This cannot be taken back."] if deed.grave else [])]
            return Preview(found.movements, found.facts, warnings, found.carried)

        return self.perform(
            request,
            title=deed.title,
            action=deed.action,
            carry_out=carry_out,
            preview=preview,
            back=deed.back,
            form_class=form_class,
            initial=initial,
            button=deed.button,
            lead=deed.lead,
        )


def address(page: str, tournament: Tournament, *more: object) -> str:
    return reverse(f"admin:{page}", args=[tournament.pk, *more])


def require_unchanged(tournament: Tournament, given: Given) -> None:
    """What was looked at is what is done: nothing may have happened since the form was opened. Raises PreviewStale."""
    if record.head(tournament).version != given["version"]:
        raise PreviewStale


def _events(tournament: Tournament, before: int) -> list[tuple[str, str]]:
    """Where the events stand that a deed has made: the newest on top of the list of what happened."""
    made = record.head(tournament).version
    if made == before:
        return []
    told = f"Event {made}" if made == before + 1 else f"Events {before + 1} to {made}"
    return [(told, f"{address('tournament_log', tournament)}?until={made}")]


# --- previews ------------------------------------------------------------------------------------------


def rehearsed(tournament: Tournament, deed: Callable[[], object]) -> Preview:
    """What a deed would change, found out by doing it and taking it back. It refuses as the deed itself would."""
    before, last = _state(tournament), newest_position()

    def done() -> Preview:
        deed()
        after = _state(Tournament.objects.get(pk=tournament.pk))
        changes = [
            (label, was if was == will else f"{was} → {will}")
            for (label, was), (_, will) in zip(before, after, strict=True)
        ]
        return Preview(facts=[*changes, *_moved(tournament, last)])

    return rehearse(done)


def _state(tournament: Tournament) -> Sequence[tuple[str, str]]:
    standing = tournament.entries.standing()
    return (
        ("Status", str(tournament.status)),
        ("Entries", str(standing.count())),
        ("Of them bots", str(standing.filter(bot=True).count())),
        ("Rounds", str(tournament.rounds or "as many as it takes")),
        ("Paused", tournament.paused or "no"),
        ("Stands still", tournament.stalled or "no"),
    )


def _moved(tournament: Tournament, last: int) -> list[tuple[str, str]]:
    """By reason, the transfers that came after the one at `last`."""
    new = posted_since(last, tournament.subject).order_by("reason")
    by_reason = new.values("reason", "currency").annotate(number=Count("pk"), sum=Sum("amount"))
    return [
        (f"Money: {row['reason']}", f"{row['number']} × together {money(row['sum'], row['currency'])}")
        for row in by_reason
    ]
