"""Staff actions: a form that asks for the reason, a preview, a confirmation, and a record of who did it.

All staff pages use this mechanism. The package that owns an action defines its form, its permission, and its effect.
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

from core.errors import Problem
from staff.lists import ReadOnly

T = TypeVar("T")

FormData = dict[str, Any]
"""The cleaned data of an action's form."""


@dataclass(frozen=True, slots=True)
class Movement:
    """A transfer in a preview. `note` states its purpose or anything unusual about it."""

    debit: str
    credit: str
    amount: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects of an action before it is performed.

    movements  the transfers that it will make
    facts      labels and values
    warnings   reasons to reconsider
    hidden     values for hidden fields of the form, such as a token of the previewed state
    """

    movements: Sequence[Movement] = ()
    facts: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = field(default=())
    hidden: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a performed action.

    message    a sentence shown on the page `return_to`, to which the browser is redirected
    subject    the object of the action, such as `player:…`
    result     the object that the action created, such as `transfer:12`, if it is not the subject
    links      the text and address of each object that the message mentions and `return_to` does not show
    """

    message: str
    subject: str
    return_to: str
    result: str = ""
    links: Sequence[tuple[str, str]] = ()


PreviewResult = Preview | Sequence[Movement]


class ActionForm(forms.Form):
    """The form of an action that affects neither people nor money, and therefore needs no reason."""

    # The idempotency key: a form that is sent twice takes effect once.
    key = forms.CharField(widget=forms.HiddenInput, max_length=64)


class ReasonForm(ActionForm):
    reason = forms.CharField(
        min_length=3,
        max_length=200,
        help_text="Stored permanently with this action and visible to auditors.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def order_fields(self, field_order: Iterable[str] | None) -> None:
        """Order the fields, with the reason last unless the form gives it another place."""
        named = None if field_order is None else list(field_order)
        super().order_fields(named)
        if "reason" in self.fields and "reason" not in (named or ()):
            self.fields["reason"] = self.fields.pop("reason")


# --- the record ---------------------------------------------------------------------------------------


class AlreadyDone(Exception):
    """An action with this key has already been performed."""


class ActionRecorder(Protocol):
    """Stores performed actions. A package above this one implements it with its own table."""

    def check_new(self, key: str) -> None:
        """Raise AlreadyDone if an action with this key is stored."""

    def record(self, *, actor: Any, action: str, done: Done, reason: str, key: str, at: datetime) -> None:
        """Store the action in the transaction that performs it. Raise AlreadyDone if another request was first."""


_recorders: list[ActionRecorder] = []


def set_action_recorder(recorder: ActionRecorder) -> None:
    _recorders[:] = [recorder]


# --- the steps ----------------------------------------------------------------------------------------


class ActionAdmin(ReadOnly):
    """A model admin whose actions have three steps: form, preview, done. Refusals appear on the form.

    Set `records_actions` to False where the services record the actions themselves.
    """

    records_actions: ClassVar[bool] = True

    def run_action(
        self,
        request: HttpRequest,
        *,
        title: str,
        action: str,
        preview: Callable[[FormData], PreviewResult],
        perform: Callable[[FormData, str], Any],
        form_class: type[ActionForm] = ReasonForm,
        initial: FormData | None = None,
        button: str = "Confirm",
        lead: str = "",
        cancel: str = "",
        template: str = "staff/action.html",
    ) -> HttpResponse:
        """Serve the page of an action at whichever of its three steps the request is.

        action   the name under which the action is recorded
        preview  computes the effects from the cleaned form, without a change
        perform  performs the action; takes the cleaned form and an idempotency key, which stays the same if the form
                 is sent again; `as_done` converts what it returns
        button   the label of the confirming button
        cancel   the address of the cancel link; by default, the list
        """
        form = _bound_form(request, form_class, {**(initial or {}), "key": uuid4().hex})
        out = cancel or self.list_address()
        shown: Preview | None = None
        if form.is_bound and form.is_valid():
            try:
                if "confirmed" in request.POST:
                    return self._perform(request, action, form.cleaned_data, perform, out)
                previewed = preview(form.cleaned_data)
                shown = previewed if isinstance(previewed, Preview) else Preview(previewed)
                form.data = _with_hidden(form.data, shown.hidden)
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

    def _perform(
        self,
        request: HttpRequest,
        action: str,
        data: FormData,
        perform: Callable[[FormData, str], Any],
        out: str,
    ) -> HttpResponse:
        key = f"office:{request.user.pk}:{data['key']}"  # part of stored idempotency keys
        recorded_as = f"{action}:{key}"
        recorders = _recorders if self.records_actions else []
        try:
            with transaction.atomic():
                for recorder in recorders:
                    recorder.check_new(recorded_as)
                done = self.as_done(perform(data, key))
                for recorder in recorders:
                    recorder.record(
                        actor=request.user,
                        action=action,
                        done=done,
                        reason=data.get("reason", ""),
                        key=recorded_as,
                        at=timezone.now(),
                    )
        except AlreadyDone:
            self.message_user(request, "Already done; not repeated.", messages.WARNING)
            return HttpResponseRedirect(out)
        links = format_html_join("", ' <a href="{1}">{0}</a>', done.links)
        self.message_user(request, format_html("{}{}", done.message, links), messages.SUCCESS)
        return HttpResponseRedirect(done.return_to)

    def as_done(self, answer: Any) -> Done:
        """Convert the return value of `perform`. Subclasses override this for other types."""
        assert isinstance(answer, Done)
        return answer


def dry_run(perform: Callable[[], T]) -> T:
    """Perform an action, roll it back, and return its result. It raises the same refusals as the action itself."""
    with transaction.atomic():
        answer = perform()
        transaction.set_rollback(True)
    return answer


def _bound_form(request: HttpRequest, form_class: type[ActionForm], initial: FormData) -> ActionForm:
    """The submitted form, or a new one. A form without visible fields is bound at once, so it shows its preview."""
    if request.method == "POST":
        return form_class(request.POST)
    fresh = form_class(initial=initial)
    return fresh if fresh.visible_fields() else form_class(initial)


def _with_hidden(given: Mapping[str, Any], hidden: Mapping[str, str]) -> Mapping[str, Any]:
    data: dict[str, Any] = given.copy()  # type: ignore[attr-defined]  # a form's data are a QueryDict or a dict
    data.update(hidden)
    return data
