"""Commands of the back office: a form with a reason, a preview of what it does, then the deed. Refusals are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse

from api.errors import Problem
from api.office import ReadOnly
from ledger.formats import money
from ledger.models import OwnerKind
from ledger.posting import Posting


@dataclass(frozen=True, slots=True)
class Movement:
    """A line of a preview; `note` says what it is for, or what is remarkable about it."""

    debit: str
    credit: str
    amount: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a command will do: the money it moves, what else is good to know, and what gives pause."""

    movements: Sequence[Movement] = ()
    facts: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = field(default=())
    carried: Mapping[str, str] = field(default_factory=dict)
    """What hidden fields of the form are to hold when the deed is asked for: a token of what was shown, say."""


def rehearsed(deed: Callable[[], Posting]) -> list[Movement]:
    """What a deed would post, found out by doing it and taking it back. It refuses as the deed itself would."""
    with transaction.atomic():
        moved = [
            Movement(made.debit.text, made.credit.text, money(made.amount, made.currency), note=made.reason)
            for made in deed().transfers
        ]
        transaction.set_rollback(True)
    return moved


class ReasonForm(forms.Form):
    reason = forms.CharField(
        min_length=3,
        max_length=200,
        help_text="Kept for good beside what it explains, and read by auditors.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    # Names the command: a form that is sent twice does its work once.
    key = forms.CharField(widget=forms.HiddenInput, max_length=64)


Previewed = Preview | Sequence[Movement]


class Commands(ReadOnly):
    """A command goes form → preview → deed; refusals are shown where they arise."""

    def command(
        self,
        request: HttpRequest,
        *,
        title: str,
        form_class: type[ReasonForm],
        initial: dict[str, Any],
        preview: Callable[[dict[str, Any]], Previewed],
        deed: Callable[[dict[str, Any], str], Any],
        button: str = "Post it",
        lead: str = "",
        cancel: str = "",
    ) -> HttpResponse:
        """One page for the three steps.

        preview  is given the cleaned form and says what would happen; it moves nothing
        deed     is given the cleaned form and a key that is the same however often the form is sent
        button   what the deed is called; `cancel` is where the way out leads, to the list unless told otherwise
        """
        fresh = {**initial, "key": uuid4().hex}
        form = form_class(request.POST) if request.method == "POST" else form_class(initial=fresh)
        shown: Preview | None = None
        if request.method == "POST" and form.is_valid():
            try:
                if "confirmed" in request.POST:
                    done = deed(form.cleaned_data, f"office:{request.user.pk}:{form.cleaned_data['key']}")
                    return self._done(request, done)
                previewed = preview(form.cleaned_data)
                shown = previewed if isinstance(previewed, Preview) else Preview(previewed)
                form.data = _with(request.POST, shown.carried)
            except Problem as problem:
                form.add_error(None, problem.detail)
        opts = self.model._meta
        context = {
            **self.admin_site.each_context(request),
            "opts": opts,
            "title": title,
            "form": form,
            "preview": shown,
            "button": button,
            "lead": lead,
            "cancel": cancel or reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist"),
        }
        return TemplateResponse(request, "office/command.html", context)

    def _done(self, request: HttpRequest, done: Any) -> HttpResponse:
        """What is shown after the deed: unless told otherwise, the transfer that it posted."""
        made = done.transfers[-1]
        self.message_user(
            request, f"Posted {money(made.amount, made.currency)}: {made.uuid}", messages.SUCCESS
        )
        return HttpResponseRedirect(reverse("admin:ledger_transfer_change", args=[made.pk]))


def _with(posted: QueryDict, carried: Mapping[str, str]) -> QueryDict:
    data = posted.copy()
    for name, value in carried.items():
        data[name] = value
    return data


def actor(request: HttpRequest) -> str:
    return f"{OwnerKind.PLAYER}:{request.user.pk}"
