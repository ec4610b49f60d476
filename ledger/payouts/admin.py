"""Payouts in the back office: the queue, a page for each with all that one should know, decisions with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from api.deeds import Done, Movement, Preview
from api.errors import Problem
from ledger import services
from ledger.betting.admin import _table
from ledger.formats import money
from ledger.models import Transfer
from ledger.office.commands import Commands, actor
from ledger.payouts import selectors, states
from ledger.payouts.decisions import approved_to, check_approver, goes_to
from ledger.payouts.errors import PayoutFrozen, PayoutInBatch
from ledger.payouts.freezes import is_needed
from ledger.payouts.models import Payout, PayoutKind
from ledger.payouts.steps import check_step


@dataclass(frozen=True, slots=True)
class Deed:
    label: str
    permission: str
    becomes: str
    service: Callable[..., Payout]
    done: str


APPROVE = "ledger.approve_payout"
DEEDS = {
    "approve": Deed("Approve", APPROVE, states.APPROVED, services.approve_payout, "The payout is approved."),
    "pay": Deed(
        "Mark as paid", "ledger.pay_payout", states.PAID, services.pay_payout, "The payout is booked as paid."
    ),
    "hold": Deed("Put on hold", APPROVE, states.HELD, services.hold_payout, "The payout is on hold."),
    "release": Deed(
        "Release", APPROVE, states.REQUESTED, services.release_payout, "It waits for approval again."
    ),
    "reject": Deed("Reject", APPROVE, states.REJECTED, services.reject_payout, "The payout is rejected."),
}


class WaitingFilter(admin.SimpleListFilter):
    """What waits for somebody, unless all are asked for."""

    title = "queue"
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("all", "Ended ones too")]

    def choices(self, changelist: Any) -> Any:
        chosen = list(super().choices(changelist))
        chosen[0]["display"] = "Waiting"
        return chosen

    def queryset(self, request: HttpRequest, queryset: QuerySet[Payout]) -> QuerySet[Payout]:
        # Whoever filters by state says which.
        if self.value() == "all" or any(asked.startswith("state__") for asked in request.GET):
            return queryset
        return queryset.filter(state__in=states.OPEN)


@admin.register(Payout)
class PayoutAdmin(Commands):
    list_display = [
        "reference", "requested_at", "whose", "amount_money", "state", "kind", "persons", "batch",
    ]  # fmt: skip
    list_filter = [WaitingFilter, "state", "kind", "currency"]
    search_fields = ["=reference", "=payee", "=subject"]
    ordering = ["requested_at"]
    list_select_related = ["batch"]
    fields = [
        "reference", "kind", "player_name", "amount_money", "state", "destination", "subject", "two_persons", "batch",
        "origin", "requested_by", "requested_at", "history_table", "balance_table", "source_table",
    ]  # fmt: skip
    change_form_template = "admin/ledger/payout/change_form.html"

    @admin.display(description="amount", ordering="amount")
    def amount_money(self, payout: Payout) -> str:
        return money(payout.amount, payout.currency)

    @admin.display(description="player", ordering="payee")
    def player_name(self, payout: Payout) -> str:
        name = _names([payout]).get(payout.player)
        return f"{name} ({payout.player})" if name else str(payout.player)

    @admin.display(description="player", ordering="payee")
    def whose(self, payout: Payout) -> SafeString:
        address = reverse("admin:office_player", args=[payout.player])
        return format_html('<a href="{}">{}</a>', address, payout.named)  # type: ignore[attr-defined]  # prepared

    @admin.display(description="persons")
    def persons(self, payout: Payout) -> str:
        return "two" if payout.two_persons else "one"

    def prepare(self, rows: Sequence[Payout]) -> None:
        names = _names(rows)
        for payout in rows:
            payout.named = names.get(payout.player, str(payout.player)[:8])  # type: ignore[attr-defined]

    @admin.display(description="history")
    def history_table(self, payout: Payout) -> SafeString:
        rows = (
            (f"{step.at:%Y-%m-%d %H:%M}", step.was, step.becomes, step.actor, step.reason)
            for step in payout.steps.all()
        )
        return _table(["at", "was", "becomes", "by", "reason"], rows)

    @admin.display(description="the player's money")
    def balance_table(self, payout: Payout) -> SafeString:
        rows = (
            (purpose, *(money(part, payout.currency) for part in (had.available, had.held, had.total)))
            for purpose, had in selectors.standing(payout).balances.items()
        )
        return _table(["", "available", "held", "total"], rows)

    @admin.display(description="where it came from")
    def source_table(self, payout: Payout) -> SafeString:
        rows = (
            (
                f"{one.at:%Y-%m-%d %H:%M}",
                one.debit.text,
                one.reason,
                one.subject,
                money(one.amount, one.currency),
            )
            for one in selectors.standing(payout).sources
        )
        return _table(["at", "from", "reason", "subject", "amount"], rows)

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.decide_view)
        return [
            path("<uuid:payout_id>/decide/<slug:deed>/", view, name="ledger_payout_decide"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            payout = Payout.objects.filter(pk=UUID(object_id)).first()
        except ValueError:
            payout = None
        choices = [] if payout is None else _choices(payout, request)
        return super().change_view(
            request, object_id, form_url, {"choices": choices, **(extra_context or {})}
        )

    def decide_view(self, request: HttpRequest, payout_id: UUID, deed: str) -> HttpResponse:
        chosen = DEEDS.get(deed)
        if chosen is None:
            raise Http404
        if not request.user.has_perm(chosen.permission):
            raise PermissionDenied
        payout = Payout.objects.filter(pk=payout_id).first()
        if payout is None:
            raise Http404
        amount = money(payout.amount, payout.currency)
        return self.command(
            request,
            title=f"{chosen.label}: {amount}, {payout}",
            action=f"{deed}-payout",
            preview=lambda given: _preview(payout, deed, actor(request)),
            deed=lambda given, key: (
                chosen.service(
                    payout=payout.pk, actor=actor(request), reason=given["reason"], at=timezone.now()
                ),
                chosen,
            ),
            button=f"{chosen.label}: {amount}",
            cancel=reverse("admin:ledger_payout_change", args=[payout.pk]),
        )

    def told(self, answer: tuple[Payout, Deed]) -> Done:
        payout, deed = answer
        first = payout.state == states.CHECKED
        said = "You have approved it; another person has to as well." if first else deed.done
        back = reverse("admin:ledger_payout_change", args=[payout.pk])
        return Done(said, f"payout:{payout.pk}", back, links=_posted(payout))


def _posted(payout: Payout) -> list[tuple[str, str]]:
    """What the payout's last step has moved, if it has."""
    posted = Transfer.objects.filter(subject=f"payout:{payout.pk}").order_by("-position").first()
    return (
        []
        if posted is None
        else [("Its transfer", reverse("admin:ledger_transfer_change", args=[posted.pk]))]
    )


def _names(payouts: Iterable[Payout]) -> dict[UUID, str]:
    """Of those who are to be paid."""
    people = get_user_model().objects.filter(pk__in={payout.player for payout in payouts})
    return dict(people.values_list("pk", "username"))


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision that fits the payout's state; `why` says why this member of staff may not take it."""

    label: str
    address: str
    why: str


def _choices(payout: Payout, request: HttpRequest) -> list[Choice]:
    return [
        Choice(
            deed.label,
            reverse("admin:ledger_payout_decide", args=[payout.pk, name]),
            _why_not(payout, name, actor(request)),
        )
        for name, deed in DEEDS.items()
        if request.user.has_perm(deed.permission) and states.may_become(payout.state, deed.becomes)
    ]


def _why_not(payout: Payout, name: str, by: str) -> str:
    try:
        _check(payout, name, by)
    except Problem as problem:
        return problem.detail
    return ""


def _check(payout: Payout, name: str, by: str) -> None:
    """Raises as the deed itself would, as far as can be known before."""
    check_step(payout, DEEDS[name].becomes, by)
    if name == "approve":
        check_approver(payout, by)
    if name == "pay" and payout.batch_id is not None:
        raise PayoutInBatch()
    if name == "release" and is_needed(payout):
        raise PayoutFrozen()


def _two_persons(payout: Payout) -> str:
    if approved_to(payout) == states.CHECKED:
        return "Two persons approve a payout of this size; nothing leaves before the other one has."
    return "This is the second approval, by another person than the one before."


def _preview(payout: Payout, name: str, by: str) -> Preview:
    _check(payout, name, by)
    amount = money(payout.amount, payout.currency)
    prize = payout.kind == PayoutKind.PRIZE
    moved, told = [], []
    paid_at_once = prize and name == "approve" and approved_to(payout) == states.APPROVED
    if name == "pay" or paid_at_once:
        moved = [Movement(payout.account.text, goes_to(payout).text, amount, str(payout))]
    elif name == "reject" and prize:
        moved = [Movement(payout.account.text, "house/payable", amount, f"{payout} rejected")]
    elif name == "reject":
        told = [f"{amount} is free again on the player's cash account."]
    if name in ("hold", "reject") and payout.batch_id is not None:
        told.append("It leaves its batch: if its file has gone to the bank, tell the bank.")
    facts = [("Amount", amount), ("To", payout.destination or "the player's cash"), ("Player", payout.payee)]
    if payout.two_persons:
        facts.append(("Two persons", _two_persons(payout)))
    for purpose, had in selectors.standing(payout).balances.items():
        facts.append((f"The player's {purpose}", money(had.available, payout.currency)))
    return Preview(moved, facts, told)
