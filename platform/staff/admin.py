"""The pages of staff actions: form, preview, done; and their log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import capfirst

from core.errors import NotFound, Problem
from staff import actions, subjects
from staff.actions import ActionForm, ActionLink, AlreadyDone, FormData, Preview, StaffAction
from staff.columns import TECHNICAL, in_words, subject_column
from staff.lists import ReadOnly, choices_of
from staff.models import ActionRecord

Action = StaffAction[Any]


class ActionAdmin(ReadOnly):
    """An admin with the pages of staff actions, and links to those that it offers on its list and on its rows."""

    staff_actions: ClassVar[Sequence[type[Action]]] = ()
    """Actions that have pages."""
    list_actions: ClassVar[Sequence[type[Action]]] = ()
    """Those of them that the list links to."""

    change_form_template = "staff/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        own = [
            path(each.route, wrap(partial(self.action_page, action_class=each)), name=each.page)
            for each in (*self.list_actions, *self.staff_actions)
        ]
        return [*own, *super().get_urls()]

    def list_links(self, request: HttpRequest) -> list[ActionLink]:
        """Return the links above the list."""
        return actions.links(self.list_actions, request.user)

    def row_links(self, request: HttpRequest, row: Any) -> list[ActionLink]:
        """Return the links on the page of a row."""
        return actions.links(self.staff_actions, request.user, row)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        offered = self.list_links(request)
        return super().changelist_view(request, {"action_links": offered, **(extra_context or {})})

    def row_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        return {**super().row_context(request, row), "action_links": self.row_links(request, row)}

    def confirmation(self, request: HttpRequest) -> HttpResponse | None:
        """Return the way to the page where the user confirms their identity, if the session must do so first."""
        found: HttpResponse | None = self.admin_site.confirmation(request)  # type: ignore[attr-defined]
        return found

    def list_address(self) -> str:
        opts = self.model._meta
        return reverse(f"{self.admin_site.name}:{opts.app_label}_{opts.model_name}_changelist")

    def action_page(self, request: HttpRequest, *, action_class: type[Action], **where: Any) -> HttpResponse:
        """Serve the page of an action at whichever of its steps the request is. Refusals appear on the form.

        The form of an action of one step is shown with its preview.
        """
        try:
            action = action_class.open(request.user, **where)
        except NotFound:
            raise Http404 from None
        except Problem:
            raise PermissionDenied from None
        if action.is_sensitive and (away := self.confirmation(request)):
            return away
        came_from = self._came_from(request)
        back = came_from or action.back or self.list_address()
        query = {name: request.GET.get(name, "") for name in request.GET}
        initial = {**action.initial(query), "key": uuid4().hex}
        form, refusal = _bound_form(request, action.form_class(), initial), ""
        preview: Preview | None = None
        if form.is_bound and form.is_valid():
            try:
                if "confirmed" in request.POST:
                    return self._perform(request, action, form.cleaned_data, came_from, back)
                preview = _preview(action, form.cleaned_data)
                form.data = _with_hidden(form.data, preview.hidden)
            except Problem as problem:
                _add_refusal(form, problem)
        if wrong := next((name for name in form.errors if name in form.fields), None):
            form.fields[wrong].widget.attrs["autofocus"] = True
        if form.is_bound and form.errors and not form.visible_fields():
            refusal = str(form.non_field_errors()[0])
        at_once = False
        if action.is_one_step and preview is None:
            preview, refusal = _preview_at_once(action, initial)
            at_once = preview is not None
        context = {
            **self.admin_site.each_context(request),
            "opts": self.model._meta,
            "title": action.title,
            "form": form,
            "preview": preview,
            "at_once": at_once,
            "refusal": refusal,
            "button": action.button,
            "is_final": action.is_final,
            "lead": action.lead,
            "cancel": back,
            "came_from": came_from,
        }
        return TemplateResponse(request, action.template, context)

    def _came_from(self, request: HttpRequest) -> str:
        """Return the staff page from which the action was opened, or an empty text."""
        given = request.POST.get("back") or request.headers.get("Referer", "")
        if not url_has_allowed_host_and_scheme(
            given, {request.get_host()}, require_https=request.is_secure()
        ):
            return ""
        parts = urlsplit(given)
        inside = parts.path.startswith(reverse("admin:index", current_app=self.admin_site.name))
        if not inside or parts.path == request.path:
            return ""
        return urlunsplit(("", "", parts.path, parts.query, ""))

    def _perform(
        self, request: HttpRequest, action: Action, data: FormData, came_from: str, back: str
    ) -> HttpResponse:
        key = f"office:{request.user.pk}:{data['key']}"  # part of stored idempotency keys
        try:
            _, done = actions.perform(action, data, key=key)
        except AlreadyDone:
            self.message_user(request, "Already done; not repeated.", messages.WARNING)
            return HttpResponseRedirect(back)
        links = format_html_join("", ' <a href="{1}">{0}</a>', done.links)
        self.message_user(request, format_html("{}{}", done.message, links), messages.SUCCESS)
        return HttpResponseRedirect(done.return_to if action.shows_result else came_from or done.return_to)


def _add_refusal(form: Form, problem: Problem) -> None:
    """Show a refusal at the field that it names, if the form has it."""
    field = problem.extra.get("field")
    if field in form.fields:
        form.add_error(field, capfirst(problem.detail.removeprefix(f"{field}: ")))
    else:
        form.add_error(None, problem.detail)


def _preview_at_once(action: Action, initial: FormData) -> tuple[Preview | None, str]:
    """Return the preview of an action before its reason is known, or why it is refused."""
    form = action.form_class()({**initial, "reason": "the reason below"})
    if not form.is_valid():
        return None, ""
    try:
        return _preview(action, form.cleaned_data), ""
    except Problem as problem:
        return None, problem.detail


def _preview(action: Action, data: FormData) -> Preview:
    found = action.preview(data)
    if not action.is_final:
        return found
    warnings = [*found.warnings, "This cannot be undone."]
    return replace(found, warnings=warnings)


def _bound_form(request: HttpRequest, form_class: Callable[..., ActionForm], initial: FormData) -> ActionForm:
    """The submitted form, or a new one. A form without visible fields is bound at once, so it shows its preview."""
    if request.method == "POST":
        return form_class(request.POST)
    fresh = form_class(initial=initial)
    return fresh if fresh.visible_fields() else form_class(initial)


def _with_hidden(given: Mapping[str, Any], hidden: Mapping[str, str]) -> Mapping[str, Any]:
    data: dict[str, Any] = given.copy()  # type: ignore[attr-defined]  # a form's data are a QueryDict or a dict
    data.update(hidden)
    return data


WHO = subject_column(
    "actor",
    "by",
    of=lambda record: f"player:{record.actor}" if record.actor.int else subjects.COMMAND_LINE,
)
RESULT = subject_column("made", "result")


@admin.register(ActionRecord)
class StaffActionAdmin(ReadOnly):
    list_display = ["at", WHO, "what", "subject", "why", RESULT]
    list_filter = [choices_of("action", lambda: [(name, in_words(name)) for name, _ in actions.names()])]
    search_fields = ["=actor", "=subject"]
    fields = ["at", WHO, "what", "subject", "why", RESULT, "details"]
    technical = TECHNICAL | {"details"}

    @admin.display(description="action")
    def what(self, record: ActionRecord) -> str:
        return in_words(record.action)

    @admin.display(description="reason")
    def why(self, record: ActionRecord) -> str:
        return record.visible_reason

    def subtitle(self, row: ActionRecord) -> str:
        action = in_words(row.action)
        return f"{action}: {super().subtitle(row)}" if row.subject else action
