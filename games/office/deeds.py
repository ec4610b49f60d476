"""Desks of the back office: deeds done on pages beside the thing that they are about.

What is a deed, who may do it and what it changes is said by the part of the office whose desk it is; how it goes by
`api.deeds`.
"""

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
from api.deeds import BareForm, Commands, Done, Given, Preview, ReasonForm

DeedView = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class DeedPage:
    """A view at `…/<id>/<route>`, which is given the desk, the request and the id as `pk`."""

    name: str
    route: str
    view: DeedView


class DeedDesk(Commands):
    """The side of the back office on which the deeds about one kind of thing are done."""

    pages: ClassVar[Sequence[DeedPage]] = ()

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
        carry_out: Callable[[Given, datetime], Done],
        preview: Callable[[Given], Preview],
        back: str,
        form_class: type[BareForm] = ReasonForm,
        initial: Given | None = None,
        button: str = "",
        lead: str = "",
    ) -> HttpResponse:
        """Form, preview and deed on one page; `back` is where the way out leads."""
        return self.command(
            request,
            title=title,
            action=action,
            form_class=form_class,
            initial=initial,
            preview=preview,
            deed=lambda given, key: carry_out(given, timezone.now()),
            button=button or title,
            lead=lead,
            cancel=back,
        )


def person(request: HttpRequest) -> Player:
    """Who has signed in: the back office is open to nobody else."""
    assert isinstance(request.user, Player)
    return request.user
