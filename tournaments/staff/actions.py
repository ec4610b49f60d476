"""The kit of staff actions on a tournament: form, preview, action, and its trace in the log."""

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

from core.errors import NotFound, Problem
from games.staff.actions import ActionPage, ActionPageAdmin, ActionView, person
from ledger.money import money
from ledger.selectors import newest_position, posted_since
from staff.actions import ActionForm, Done, FormData, Preview, ReasonForm, dry_run
from tournaments import access, record
from tournaments.errors import PreviewStale
from tournaments.models import Tournament


class May(Protocol):
    """Returns a tournament if the viewer may do something with it. Raises NotFound, Forbidden, EnrolmentNeeded."""

    def __call__(self, viewer: access.Viewer, tournament_id: UUID, /) -> Tournament: ...


_declared: list[ActionPage] = []


def action_page(name: str, route: str, *, may: May = access.managed) -> Callable[[ActionView], ActionView]:
    """Register a view at `…/<id>/<route>` for viewers whom `may` accepts. It receives the admin, the request, and
    the tournament.
    """

    def declare(view: ActionView) -> ActionView:
        def found(model_admin: ActionAdmin, request: HttpRequest, pk: UUID, **more: Any) -> HttpResponse:
            return view(model_admin, request, _for_whom(may, request, pk), **more)

        _declared.append(ActionPage(name, route, found))
        return view

    return declare


def _for_whom(may: May, request: HttpRequest, pk: UUID) -> Tournament:
    """Return the tournament. Raises Http404 if it is not visible, PermissionDenied if the action is not permitted."""
    try:
        return may(person(request), pk)
    except NotFound:
        raise Http404 from None
    except Problem:
        raise PermissionDenied from None


@dataclass(frozen=True, slots=True)
class StaffAction:
    """A staff action: its texts and its function.

    `action` is its name in the audit trail, `said` the message afterwards, `back` the next page. `preview`
    describes the changes; by default they are found by rolling back a trial run.
    """

    title: str
    action: str
    carry_out: Callable[[FormData, datetime], object]
    said: str
    back: str
    lead: str = ""
    button: str = ""
    grave: bool = False
    """Whether it cannot be undone."""
    preview: Callable[[FormData], Preview] | None = None


class ActionAdmin(ActionPageAdmin):
    """The base class of the tournament admin, on which actions are registered."""

    pages = _declared

    def do(
        self,
        request: HttpRequest,
        tournament: Tournament,
        action: StaffAction,
        *,
        form_class: type[ActionForm] = ReasonForm,
        initial: FormData | None = None,
    ) -> HttpResponse:
        def carry_out(given: FormData, now: datetime) -> Done:
            before = record.head(tournament).version
            action.carry_out(given, now)
            return Done(action.said, tournament.subject, action.back, links=_events(tournament, before))

        def preview(given: FormData) -> Preview:
            found = (
                action.preview(given)
                if action.preview is not None
                else rehearsed(tournament, lambda: action.carry_out(given, timezone.now()))
            )
            warnings = [*found.warnings, *(["This cannot be undone."] if action.grave else [])]
            return Preview(found.movements, found.facts, warnings, found.hidden)

        return self.perform(
            request,
            title=action.title,
            action=action.action,
            carry_out=carry_out,
            preview=preview,
            back=action.back,
            form_class=form_class,
            initial=initial,
            button=action.button,
            lead=action.lead,
        )


def address(page: str, tournament: Tournament, *more: object) -> str:
    return reverse(f"admin:{page}", args=[tournament.pk, *more])


def require_unchanged(tournament: Tournament, given: FormData) -> None:
    """Raise PreviewStale if an event was appended since the form was opened."""
    if record.head(tournament).version != given["version"]:
        raise PreviewStale


def _events(tournament: Tournament, before: int) -> list[tuple[str, str]]:
    """Return a link to the events that the action has appended."""
    made = record.head(tournament).version
    if made == before:
        return []
    events = f"Event {made}" if made == before + 1 else f"Events {before + 1} to {made}"
    return [(events, f"{address('tournament_log', tournament)}?until={made}")]


# --- previews ------------------------------------------------------------------------------------------


def rehearsed(tournament: Tournament, action: Callable[[], object]) -> Preview:
    """Return the changes of an action, by rolling back a trial run. Refusals are those of the action."""
    before, last = _state(tournament), newest_position()

    def done() -> Preview:
        action()
        after = _state(Tournament.objects.get(pk=tournament.pk))
        changes = [
            (label, was if was == will else f"{was} → {will}")
            for (label, was), (_, will) in zip(before, after, strict=True)
        ]
        return Preview(facts=[*changes, *_moved(tournament, last)])

    return dry_run(done)


def _state(tournament: Tournament) -> Sequence[tuple[str, str]]:
    standing = tournament.entries.standing()
    return (
        ("Status", str(tournament.status)),
        ("Entries", str(standing.count())),
        ("Of these, bots", str(standing.filter(bot=True).count())),
        ("Rounds", str(tournament.rounds or "as many as needed")),
        ("Paused", tournament.paused or "no"),
        ("Stalled", tournament.stalled or "no"),
    )


def _moved(tournament: Tournament, last: int) -> list[tuple[str, str]]:
    """Return the transfers after `last`, by reason."""
    new = posted_since(last, tournament.subject).order_by("reason")
    by_reason = new.values("reason", "currency").annotate(number=Count("pk"), sum=Sum("amount"))
    return [
        (f"Money: {row['reason']}", f"{row['number']} × together {money(row['sum'], row['currency'])}")
        for row in by_reason
    ]
