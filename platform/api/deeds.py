"""What is done in the back office: a form that asks for the reason, a preview, the deed, and a trace of who did it.

One mechanism for all of it. What is a deed, who may do it and what it changes is said by the part of the office whose
desk it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Protocol, TypeVar
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from api.errors import Problem
from api.office import ReadOnly

T = TypeVar("T")

Given = dict[str, Any]
"""What was typed into the form of a deed."""


@dataclass(frozen=True, slots=True)
class Movement:
    """A line of a preview; `note` says what it is for, or what is remarkable about it."""

    debit: str
    credit: str
    amount: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a deed will do: the money it moves, what else is good to know, and what gives pause."""

    movements: Sequence[Movement] = ()
    facts: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = field(default=())
    carried: Mapping[str, str] = field(default_factory=dict)
    """What hidden fields of the form are to hold when the deed is asked for: a token of what was shown, say."""


@dataclass(frozen=True, slots=True)
class Done:
    """What has been done.

    said     a sentence, told on the page `back`, to which one goes then
    subject  what it was done about, such as `player:…`
    made     what came of it, such as `transfer:12`, where that is something else
    links    the text and address of each thing that the sentence is about and `back` does not show
    """

    said: str
    subject: str
    back: str
    made: str = ""
    links: Sequence[tuple[str, str]] = ()


Previewed = Preview | Sequence[Movement]


class BareForm(forms.Form):
    """Of a deed that concerns neither people nor money, and needs no reason."""

    # Names the deed: a form that is sent twice does its work once.
    key = forms.CharField(widget=forms.HiddenInput, max_length=64)


class ReasonForm(BareForm):
    reason = forms.CharField(
        min_length=3,
        max_length=200,
        help_text="Kept for good beside what it explains, and read by auditors.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def order_fields(self, field_order: Iterable[str] | None) -> None:
        """As ever; the reason comes last, unless a form says where."""
        named = None if field_order is None else list(field_order)
        super().order_fields(named)
        if "reason" in self.fields and "reason" not in (named or ()):
            self.fields["reason"] = self.fields.pop("reason")


# --- the trace ----------------------------------------------------------------------------------------


class DoneBefore(Exception):
    """The form of this key has done its work already."""


class Keeper(Protocol):
    """Keeps who did what. What is above this package has the table for it."""

    def check_new(self, key: str) -> None:
        """Raises DoneBefore if a deed of this key is kept."""

    def keep(self, *, actor: Any, action: str, done: Done, reason: str, key: str, at: datetime) -> None:
        """Called in the transaction of the deed. Raises DoneBefore, if another was quicker."""


_keepers: list[Keeper] = []


def keep_deeds_by(keeper: Keeper) -> None:
    _keepers[:] = [keeper]


# --- the steps ----------------------------------------------------------------------------------------


class Commands(ReadOnly):
    """A deed goes form → preview → done; refusals are shown where they arise.

    Where `keeps_deeds` is False the services keep them, since they are done from elsewhere as well.
    """

    keeps_deeds: ClassVar[bool] = True

    def command(
        self,
        request: HttpRequest,
        *,
        title: str,
        action: str,
        preview: Callable[[Given], Previewed],
        deed: Callable[[Given, str], Any],
        form_class: type[BareForm] = ReasonForm,
        initial: Given | None = None,
        button: str = "Post it",
        lead: str = "",
        cancel: str = "",
        template: str = "office/command.html",
    ) -> HttpResponse:
        """One page for the three steps.

        action   the deed's name among the actions of staff
        preview  is given the cleaned form and says what would happen; it changes nothing
        deed     is given the cleaned form and a key that is the same however often the form is sent; what it answers
                 is put in words by `told`
        button   what the deed is called; `cancel` is where the way out leads, to the list unless told otherwise
        """
        form = _begun(request, form_class, {**(initial or {}), "key": uuid4().hex})
        out = cancel or self.list_address()
        shown: Preview | None = None
        if form.is_bound and form.is_valid():
            try:
                if "confirmed" in request.POST:
                    return self._carry_out(request, action, form.cleaned_data, deed, out)
                previewed = preview(form.cleaned_data)
                shown = previewed if isinstance(previewed, Preview) else Preview(previewed)
                form.data = _with(form.data, shown.carried)
            except Problem as problem:
                form.add_error(None, problem.detail)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": title,
            "form": form,
            "preview": shown,
            "button": button,
            "lead": lead,
            "cancel": out,
        }
        return TemplateResponse(request, template, context)

    def list_address(self) -> str:
        opts = self.model._meta
        return reverse(f"{self.admin_site.name}:{opts.app_label}_{opts.model_name}_changelist")

    def _carry_out(
        self, request: HttpRequest, action: str, given: Given, deed: Callable[[Given, str], Any], out: str
    ) -> HttpResponse:
        key = f"office:{request.user.pk}:{given['key']}"
        kept_as = f"{action}:{key}"
        keepers = _keepers if self.keeps_deeds else []
        try:
            with transaction.atomic():
                for keeper in keepers:
                    keeper.check_new(kept_as)
                done = self.told(deed(given, key))
                for keeper in keepers:
                    keeper.keep(
                        actor=request.user,
                        action=action,
                        done=done,
                        reason=given.get("reason", ""),
                        key=kept_as,
                        at=timezone.now(),
                    )
        except DoneBefore:
            self.message_user(request, "This had been done before; it was not done again.", messages.WARNING)
            return HttpResponseRedirect(out)
        links = format_html_join("", ' <a href="{1}">{0}</a>', done.links)
        self.message_user(request, format_html("{}{}", done.said, links), messages.SUCCESS)
        return HttpResponseRedirect(done.back)

    def told(self, answer: Any) -> Done:
        """What a deed answered, in words."""
        assert isinstance(answer, Done)
        return answer


def rehearse(deed: Callable[[], T]) -> T:
    """Do it, and take it back: what it answers tells what it would change. It refuses as the deed itself would."""
    with transaction.atomic():
        answer = deed()
        transaction.set_rollback(True)
    return answer


def _begun(request: HttpRequest, form_class: type[BareForm], initial: Given) -> BareForm:
    """The form as it was sent, or a fresh one; what asks for nothing is previewed at once."""
    if request.method == "POST":
        return form_class(request.POST)
    fresh = form_class(initial=initial)
    return fresh if fresh.visible_fields() else form_class(initial)


def _with(given: Mapping[str, Any], carried: Mapping[str, str]) -> Mapping[str, Any]:
    data: dict[str, Any] = given.copy()  # type: ignore[attr-defined]  # a form's data are a QueryDict or a dict
    data.update(carried)
    return data
