"""What staff did last, for the first page of the back office: who, what, about what, why, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from accounts.models import Player, StaffAction
from jobs.models import Job
from ledger.models import StakeTable
from ledger.office import subjects
from ledger.office.subjects import Link, uuids
from ledger.payouts.models import Payout

SEEN = 10
SEE_ALL = "accounts.view_staffaction"

Names = Callable[[Collection[str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Recent:
    at: datetime
    who: str
    what: str
    subject: Link | None
    made: Link | None
    reason: str


def recent(request: HttpRequest) -> list[Recent]:
    """The newest first: of all staff, for those who may see that, else what the reader did."""
    found = StaffAction.objects.order_by("-id")
    if not request.user.has_perm(SEE_ALL):
        found = found.filter(actor=str(request.user.pk))
    rows = list(found[:SEEN])
    links = _links({about for row in rows for about in (row.subject, row.made) if about}, request.user)
    names = dict(Player.objects.filter(pk__in={row.actor for row in rows}).values_list("pk", "username"))
    return [
        Recent(
            at=row.at,
            who=names.get(row.actor, "the command line"),
            what=row.action.replace("-", " ").capitalize(),
            subject=links.get(row.subject),
            made=links.get(row.made),
            reason=row.told_reason,
        )
        for row in rows
    ]


# --- what it was about --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """What `kind:key` is called and where it is shown, to who has the permission."""

    view: str
    permission: str
    word: str = ""
    names: Names | None = None


def _players(keys: Collection[str]) -> Mapping[str, str]:
    known = Player.objects.filter(pk__in=uuids(keys)).values_list("pk", "username")
    return {str(pk): name for pk, name in known}


def _jobs(keys: Collection[str]) -> Mapping[str, str]:
    known = Job.objects.filter(pk__in=_numbers(keys)).values_list("pk", "key")
    return {str(pk): key for pk, key in known}


def _payouts(keys: Collection[str]) -> Mapping[str, str]:
    known = Payout.objects.filter(pk__in=uuids(keys)).values_list("pk", "reference")
    return {str(pk): f"payout {reference}" for pk, reference in known}


def _numbers(keys: Iterable[str]) -> list[int]:
    return [int(key) for key in keys if key.isascii() and key.isdigit() and len(key) < 19]


KINDS = {
    "player": Kind("accounts_player_change", "accounts.view_player", names=_players),
    "job": Kind("jobs_job_change", "jobs.view_job", names=_jobs),
    "payout": Kind("ledger_payout_change", "ledger.view_payout", names=_payouts),
    "transfer": Kind("ledger_transfer_change", "ledger.view_transfer", "its transfer"),
    "market": Kind("ledger_market_change", "ledger.view_market", "market"),
    "batch": Kind("ledger_payoutbatch_change", "ledger.view_payoutbatch", "batch"),
    "freeze": Kind("ledger_freeze_change", "ledger.view_freeze", "its freeze"),
    "limitchange": Kind("ledger_limitchange_change", "ledger.view_limitchange", "its limit"),
    "playstop": Kind("ledger_playstop_change", "ledger.view_playstop", "its stop"),
}
"""Those that the office alone names; games, tournaments and disputes tell it everywhere."""

WITH_THEIR_ID = ("market", "batch")


def _links(about: Collection[str], reader: Any) -> dict[str, Link]:
    by_kind: dict[str, set[str]] = {}
    for subject in about:
        kind, _, key = subject.partition(":")
        by_kind.setdefault(kind, set()).add(key)
    found = subjects.links(subject for subject in about if subject.partition(":")[0] not in KINDS)
    for kind, keys in by_kind.items():
        if (known := KINDS.get(kind)) is not None:
            names = known.names(keys) if known.names else {}
            for key in keys:
                found[f"{kind}:{key}"] = _link(known, kind, key, names, reader)
    return found | _banks(by_kind.get("house", ()), reader)


def _link(known: Kind, kind: str, key: str, names: Mapping[str, str], reader: Any) -> Link:
    text = (
        names.get(key, subjects.short(f"{kind}:{key}"))
        if kind in WITH_THEIR_ID or known.names
        else known.word
    )
    is_there = known.names is None or key in names
    may = is_there and reader.has_perm(known.permission)
    return Link(text, reverse(f"admin:{known.view}", args=[key]) if may else "")


def _banks(slugs: Collection[str], reader: Any) -> dict[str, Link]:
    """A bank is named by its stake table."""
    may = reader.has_perm("ledger.view_staketable")
    known = StakeTable.objects.filter(slug__in=slugs).values_list("slug", "pk")
    return {
        f"house:{slug}": Link(slug, reverse("admin:ledger_staketable_change", args=[pk]) if may else "")
        for slug, pk in known
    }
