"""Recent staff activity on the dashboard: only what the reader may open."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest

from accounts.models import Player
from staff import subjects
from staff.models import ActionRecord
from staff.subjects import Link

SEEN = 10
SEE_ALL = "staff.view_actionrecord"


@dataclass(frozen=True, slots=True)
class Recent:
    at: datetime
    who: str
    what: str
    subject: Link | None
    made: Link | None
    reason: str


def recent(request: HttpRequest) -> list[Recent]:
    """The latest staff actions, newest first: of all staff, for readers who may see them, else the reader's own."""
    found = ActionRecord.objects.order_by("-id")
    if not request.user.has_perm(SEE_ALL):
        found = found.filter(actor=str(request.user.pk))
    rows = list(found[:SEEN])
    links = subjects.links(
        (about for row in rows for about in (row.subject, row.made) if about), request.user
    )
    names = dict(Player.objects.filter(pk__in={row.actor for row in rows}).values_list("pk", "username"))
    return [
        Recent(
            at=row.at,
            who=names.get(row.actor, "the command line"),
            what=row.action.replace("-", " ").capitalize(),
            subject=links.get(row.subject),
            made=links.get(row.made),
            reason=row.visible_reason,
        )
        for row in rows
    ]
