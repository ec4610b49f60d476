"""Staff actions on their own pages below the object that they change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import ClassVar

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils import timezone

from accounts.models import Player
from staff.actions import ActionAdmin, ActionForm, Done, FormData, Preview, ReasonForm

ActionView = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class ActionPage:
    """A view at `…/<id>/<route>`. It is called with the admin, the request, and the id as `pk`."""

    name: str
    route: str
    view: ActionView


class ActionPageAdmin(ActionAdmin):
    """An admin whose staff actions have pages."""

    pages: ClassVar[Sequence[ActionPage]] = ()

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            path(f"<uuid:pk>/{one.route}", wrap(partial(one.view, self)), name=one.name) for one in self.pages
        ] + list(super().get_urls())

    def perform(
        self,
        request: HttpRequest,
        *,
        title: str,
        action: str,
        carry_out: Callable[[FormData, datetime], Done],
        preview: Callable[[FormData], Preview],
        back: str,
        form_class: type[ActionForm] = ReasonForm,
        initial: FormData | None = None,
        button: str = "",
        lead: str = "",
    ) -> HttpResponse:
        """Show form, preview, and result of an action on one page; `back` is the address of its cancel link."""
        return self.run_action(
            request,
            title=title,
            action=action,
            form_class=form_class,
            initial=initial,
            preview=preview,
            perform=lambda given, key: carry_out(given, timezone.now()),
            button=button or title,
            lead=lead,
            cancel=back,
        )


def person(request: HttpRequest) -> Player:
    """Return the signed-in player; staff pages are open to no one else."""
    assert isinstance(request.user, Player)
    return request.user
