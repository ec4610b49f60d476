"""Admin pages of payouts: the queue, the page of a payout, and decisions with a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.errors import refusal_of
from ledger import services
from ledger.errors import PayoutFrozen, PayoutInBatch
from ledger.models import Transfer
from ledger.money import money
from ledger.payouts import models as states
from ledger.payouts import selectors
from ledger.payouts.decisions import approved_to, check_approver, goes_to
from ledger.payouts.freezes import is_needed
from ledger.payouts.models import Payout, PayoutKind
from ledger.payouts.requests import check_step
from ledger.staff.actions import Choice, LedgerActions, actor, html_table
from staff.actions import Done, Movement, Preview


@dataclass(frozen=True, slots=True)
class Decision:
    label: str
    permission: str
    becomes: str
    service: Callable[..., Payout]
    done: str


APPROVE = "ledger.approve_payout"
DECISIONS = {
    "approve": Decision(
        "Approve", APPROVE, states.APPROVED, services.approve_payout, "The payout is approved."
    ),
    "pay": Decision(
        "Mark as paid",
        "ledger.pay_payout",
        states.PAID,
        services.pay_payout,
        "The payout is recorded as paid.",
    ),
    "hold": Decision("Put on hold", APPROVE, states.HELD, services.hold_payout, "The payout is on hold."),
    "release": Decision(
        "Release", APPROVE, states.REQUESTED, services.release_payout, "The payout waits for approval again."
    ),
    "reject": Decision("Reject", APPROVE, states.REJECTED, services.reject_payout, "The payout is rejected."),
}


class WaitingFilter(admin.SimpleListFilter):
    """A filter for payouts that wait for a decision, which is the default."""

    title = "queue"
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("all", "All")]

    def choices(self, changelist: Any) -> Any:
        chosen = list(super().choices(changelist))
        chosen[0]["display"] = "Waiting"
        return chosen

    def queryset(self, request: HttpRequest, queryset: QuerySet[Payout]) -> QuerySet[Payout]:
        # A filter by state replaces this one.
        if self.value() == "all" or any(asked.startswith("state__") for asked in request.GET):
            return queryset
        return queryset.filter(state__in=states.OPEN)


@admin.register(Payout)
class PayoutAdmin(LedgerActions):
    list_display = [
        "reference", "requested_at", "whose", "amount_money", "state", "kind", "approvers", "batch",
    ]  # fmt: skip
    list_filter = [WaitingFilter, "state", "kind", "currency"]
    search_fields = ["=reference", "=payee", "=subject"]
    ordering = ["requested_at"]
    list_select_related = ["batch"]
    fields = [
        "reference", "kind", "player_name", "amount_money", "state", "destination", "subject", "two_persons", "batch",
        "origin", "requested_by", "requested_at", "history_table", "balance_table", "source_table",
    ]  # fmt: skip

    @admin.display(description="amount", ordering="amount")
    def amount_money(self, payout: Payout) -> str:
        return money(payout.amount, payout.currency)

    @admin.display(description="player", ordering="payee")
    def player_name(self, payout: Payout) -> str:
        name = _names([payout]).get(payout.player)
        return f"{name} ({payout.player})" if name else str(payout.player)

    @admin.display(description="player", ordering="payee")
    def whose(self, payout: Payout) -> SafeString:
        address = reverse("admin:staff_player", args=[payout.player])
        return format_html('<a href="{}">{}</a>', address, payout.named)  # type: ignore[attr-defined]  # prepared

    @admin.display(description="approvers")
    def approvers(self, payout: Payout) -> str:
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
        return html_table(["at", "was", "becomes", "by", "reason"], rows)

    @admin.display(description="the player's money")
    def balance_table(self, payout: Payout) -> SafeString:
        rows = (
            (purpose, *(money(part, payout.currency) for part in (had.available, had.held, had.total)))
            for purpose, had in selectors.standing(payout).balances.items()
        )
        return html_table(["", "available", "held", "total"], rows)

    @admin.display(description="sources")
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
        return html_table(["at", "from", "reason", "subject", "amount"], rows)

    def get_urls(self) -> list[Any]:
        own = [
            self.action_path(
                f"<uuid:payout_id>/decide/{name}/",
                partial(self.decide_view, name=name),
                name,
                decision.permission,
            )
            for name, decision in DECISIONS.items()
        ]
        return [*own, *super().get_urls()]

    def choices(self, request: HttpRequest, row: Payout | None) -> list[Choice]:
        return [] if row is None else _choices(row, request)

    def decide_view(self, request: HttpRequest, payout_id: UUID, name: str) -> HttpResponse:
        decision = DECISIONS[name]
        payout = get_object_or_404(Payout, pk=payout_id)
        amount = money(payout.amount, payout.currency)
        return self.run_action(
            request,
            title=f"{decision.label}: {amount}, {payout}",
            action=f"{name}-payout",
            preview=lambda given: _preview(payout, name, actor(request)),
            perform=lambda given, key: (
                decision.service(
                    payout=payout.pk, actor=actor(request), reason=given["reason"], at=timezone.now()
                ),
                decision,
            ),
            button=f"{decision.label}: {amount}",
            cancel=reverse("admin:ledger_payout_change", args=[payout.pk]),
        )

    def as_done(self, answer: tuple[Payout, Decision]) -> Done:
        payout, decision = answer
        first = payout.state == states.CHECKED
        said = (
            "You have approved the payout. A second person must approve it too." if first else decision.done
        )
        back = reverse("admin:ledger_payout_change", args=[payout.pk])
        return Done(said, f"payout:{payout.pk}", back, links=_posted(payout))


def _posted(payout: Payout) -> list[tuple[str, str]]:
    """Return the transfer of the payout's last step, if any."""
    posted = Transfer.objects.filter(subject=f"payout:{payout.pk}").order_by("-position").first()
    return (
        []
        if posted is None
        else [("Its transfer", reverse("admin:ledger_transfer_change", args=[posted.pk]))]
    )


def _names(payouts: Iterable[Payout]) -> dict[UUID, str]:
    """Return the names of payees."""
    people = get_user_model().objects.filter(pk__in={payout.player for payout in payouts})
    return dict(people.values_list("pk", "username"))


def _choices(payout: Payout, request: HttpRequest) -> list[Choice]:
    return [
        Choice(
            decision.label,
            reverse(f"admin:ledger_payout_{name}", args=[payout.pk]),
            _why_not(payout, name, actor(request)),
        )
        for name, decision in DECISIONS.items()
        if request.user.has_perm(decision.permission) and states.may_become(payout.state, decision.becomes)
    ]


def _why_not(payout: Payout, name: str, by: str) -> str:
    refusal = refusal_of(lambda: _check(payout, name, by))
    return "" if refusal is None else f"{DECISIONS[name].label} unavailable: {refusal.detail}"


def _check(payout: Payout, name: str, by: str) -> None:
    """Raise what the decision would raise, as far as that can be known in advance."""
    check_step(payout, DECISIONS[name].becomes, by)
    if name == "approve":
        check_approver(payout, by)
    if name == "pay" and payout.batch_id is not None:
        raise PayoutInBatch()
    if name == "release" and is_needed(payout):
        raise PayoutFrozen()


def _second_approver(payout: Payout) -> str:
    if approved_to(payout) == states.CHECKED:
        return "A payout of this size needs a second approver before it is paid."
    return "This is the second approval. It must come from another person than the first."


def _preview(payout: Payout, name: str, by: str) -> Preview:
    _check(payout, name, by)
    amount = money(payout.amount, payout.currency)
    prize = payout.kind == PayoutKind.PRIZE
    moved, notes = [], []
    paid_at_once = prize and name == "approve" and approved_to(payout) == states.APPROVED
    if name == "pay" or paid_at_once:
        moved = [Movement(payout.account.text, goes_to(payout).text, amount, str(payout))]
    elif name == "reject" and prize:
        moved = [Movement(payout.account.text, "house/payable", amount, f"{payout} rejected")]
    elif name == "reject":
        notes = [f"{amount} becomes available on the player's cash account."]
    if name in ("hold", "reject") and payout.batch_id is not None:
        notes.append("It is removed from its batch. If the file was sent to the bank, inform the bank.")
    facts = [("Amount", amount), ("To", payout.destination or "the player's cash"), ("Player", payout.payee)]
    if payout.two_persons:
        facts.append(("Second approver", _second_approver(payout)))
    for purpose, had in selectors.standing(payout).balances.items():
        facts.append((f"The player's {purpose}", money(had.available, payout.currency)))
    return Preview(moved, facts, notes)
