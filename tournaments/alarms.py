"""What tournaments tell the back office: their names, and which of them need somebody."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime

from django.db.models import F, Q
from django.urls import reverse

from ledger.models import Account, OwnerKind, Purpose
from ledger.office import subjects
from ledger.office.alarms import MOST_NAMED, Alarm, check, left_over
from tournaments.models import Status, Tournament

OVER = (Status.FINISHED, Status.CANCELLED)
STANDS_STILL = ~Q(stalled="") & ~Q(status__in=OVER)
"""A step of it has failed, or it waits for its organizer."""

MAY_LOOK = "tournaments.view_tournament"


def _names(keys: Collection[str]) -> dict[str, str]:
    named = Tournament.objects.filter(pk__in=subjects.uuids(keys)).values_list("pk", "name")
    return {str(key): name for key, name in named}


subjects.register(OwnerKind.TOURNAMENT, view="admin:tournament_console", names=_names)


@check
def tournaments_in_trouble(now: datetime) -> Iterator[Alarm]:
    """Those that stand still until their organizer acts, and those that have ended with money in escrow."""
    stalled = Tournament.objects.filter(STANDS_STILL)
    for tournament in stalled.order_by("pk")[:MOST_NAMED]:
        address = reverse("admin:tournament_console", args=[tournament.pk])
        yield Alarm(f"{tournament.name} waits for its organizer", tournament.stalled, address, MAY_LOOK)
    escrows = Account.objects.filter(kind=OwnerKind.TOURNAMENT, purpose=Purpose.ESCROW)
    having = {account.key: account for account in escrows.exclude(credits=F("debits"))}
    over = Tournament.objects.filter(pk__in=subjects.uuids(having), status__in=OVER)
    keys = sorted(str(key) for key in over.values_list("pk", flat=True))
    yield from left_over("tournament", [having[key] for key in keys])
