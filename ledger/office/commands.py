"""Deeds that move money: what they would post, found out by doing them, and what they have posted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from api import deeds
from api.deeds import Done, Movement, rehearse
from ledger.formats import money
from ledger.models import OwnerKind, Transfer
from ledger.posting import Posting


def movement(transfer: Transfer) -> Movement:
    return Movement(
        transfer.debit.text, transfer.credit.text, money(transfer.amount, transfer.currency), transfer.reason
    )


def rehearsed(deed: Callable[[], Posting]) -> list[Movement]:
    """What a deed would post. It refuses as the deed itself would."""
    return rehearse(lambda: [movement(made) for made in deed().transfers])


class Commands(deeds.Commands):
    """Of a desk whose deeds post: the page of the transfer is shown then, unless told otherwise."""

    def told(self, answer: Any) -> Done:
        return posted(answer) if isinstance(answer, Posting) else super().told(answer)


def posted(posting: Posting, subject: str = "") -> Done:
    """The deed is about whoever has the money now, unless told otherwise."""
    made = posting.transfers[-1]
    return Done(
        said=f"Posted {money(made.amount, made.currency)}: {made.uuid}",
        subject=subject or made.credit.owner,
        back=reverse("admin:ledger_transfer_change", args=[made.pk]),
        made=f"transfer:{made.pk}",
    )


def actor(request: HttpRequest) -> str:
    return f"{OwnerKind.PLAYER}:{request.user.pk}"
