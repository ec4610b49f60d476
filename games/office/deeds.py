"""Deeds of the back office: pages beside the thing that they are about, on which they are previewed, done and told.

What is a deed, who may do it and what it changes is said by the part of the office whose desk it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils import timezone

from accounts.models import Player
from accounts.services import record_action
from ledger.office.commands import Commands, Preview, ReasonForm

Given = dict[str, Any]
"""What was typed into the form of a deed."""

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
        subject: str,
        carry_out: Callable[[Given, datetime], str],
        preview: Callable[[Given], Preview],
        back: str,
        form_class: type[ReasonForm] = ReasonForm,
        initial: Given | None = None,
        button: str = "",
        lead: str = "",
    ) -> HttpResponse:
        """Form, preview and deed on one page.

        `carry_out` answers with what is told when it is done; `action` is the deed's name among the actions of staff,
        kept with it in one transaction, and `back` where to go then.
        """

        def done(given: Given, key: str) -> tuple[str, str]:
            now = timezone.now()
            with transaction.atomic():
                said = carry_out(given, now)
                record_action(
                    actor=person(request), action=action, subject=subject, at=now, reason=given["reason"]
                )
            return said, back

        return self.command(
            request,
            title=title,
            form_class=form_class,
            initial=initial or {},
            preview=preview,
            deed=done,
            button=button or title,
            lead=lead,
            cancel=back,
        )

    def _done(self, request: HttpRequest, done: tuple[str, str]) -> HttpResponse:
        said, back = done
        self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(back)


def person(request: HttpRequest) -> Player:
    """Who has signed in: the back office is open to nobody else."""
    assert isinstance(request.user, Player)
    return request.user
