"""Where the deeds about a dispute are declared, and how each goes: what and why, a preview, the deed, and its trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from api.deeds import Done, Given, Preview, ReasonForm
from api.errors import Problem
from disputes import access
from disputes.errors import DisputeMovedOn
from disputes.models import REASON_LENGTH, Dispute
from games.office.deeds import DeedDesk, DeedPage, DeedView, person


class DeedForm(ReasonForm):
    """A reason, and the dispute's event up to which its page was read."""

    reason = forms.CharField(
        min_length=3,
        max_length=REASON_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Kept for good beside what it explains, and read by everybody concerned.",
    )
    events = forms.IntegerField(widget=forms.HiddenInput)


@dataclass(frozen=True, slots=True)
class Deed:
    """What is done, in words and in code. `carry_out` answers with what is told when it is done."""

    title: str
    action: str
    """Its name among the actions of staff."""
    carry_out: Callable[[Given, datetime], str]
    preview: Callable[[Given], Preview]
    lead: str = ""
    button: str = ""


_declared: list[DeedPage] = []


def deed_page(name: str, route: str) -> Callable[[DeedView], DeedView]:
    """Declare a view at `…/<id>/<route>`; it is given the desk, the request and the dispute, if that may be known of.

    Who may do what with it is asked by the services. That an auditor comes to it is recorded as a look before: what is
    shown and refused there follows from what has been played.
    """

    def declare(view: DeedView) -> DeedView:
        def found(desk: Desk, request: HttpRequest, pk: UUID, **more: Any) -> HttpResponse:
            dispute = visible(request, pk)
            access.look(person(request), dispute, now=timezone.now())
            return view(desk, request, dispute, **more)

        _declared.append(DeedPage(name, route, found))
        return view

    return declare


class Desk(DeedDesk):
    pages = _declared

    def do(
        self,
        request: HttpRequest,
        dispute: Dispute,
        deed: Deed,
        *,
        form_class: type[DeedForm] = DeedForm,
        initial: Given | None = None,
    ) -> HttpResponse:
        def carry_out(given: Given, now: datetime) -> Done:
            require_unchanged(dispute, given)
            return Done(deed.carry_out(given, now), f"dispute:{dispute.pk}", page_of(dispute))

        return self.perform(
            request,
            title=deed.title,
            action=deed.action,
            carry_out=carry_out,
            preview=deed.preview,
            back=page_of(dispute),
            form_class=form_class,
            initial={"events": dispute.events, **(initial or {})},
            button=deed.button,
            lead=deed.lead,
        )


def visible(request: HttpRequest, dispute_id: UUID) -> Dispute:
    """The dispute, for whoever may know of it. Raises Http404."""
    try:
        return access.visible_dispute(person(request), dispute_id)
    except Problem:
        raise Http404 from None


def page_of(dispute: Dispute) -> str:
    return reverse("admin:dispute_page", args=[dispute.pk])


def require_unchanged(dispute: Dispute, given: Given) -> None:
    """Nothing may have happened since the form was opened. Raises DisputeMovedOn."""
    present = Dispute.objects.only("events", "status").get(pk=dispute.pk)
    if present.events != given["events"]:
        raise DisputeMovedOn("Something has happened in it since this was opened.", state=str(present.status))
