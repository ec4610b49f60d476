"""Admin pages of limits and stops: staff read, administrators add, rows are never edited."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from ledger.limits import protection, services, terms
from ledger.limits.models import LimitChange, LimitKind, Period, PlayStop, StopKind
from ledger.models import OwnerKind
from ledger.money import money
from ledger.staff.actions import Choice, LedgerActions, MoneyField, actor
from staff.actions import Done, Preview, ReasonForm


class LimitForm(ReasonForm):
    player = forms.UUIDField(help_text="The player's id.")
    kind = forms.ChoiceField(choices=LimitKind.choices)
    period = forms.ChoiceField(choices=Period.choices)
    amount = MoneyField(required=False, least=0)
    none = forms.BooleanField(required=False, label="no limit", help_text="Instead of an amount.")
    field_order = ["player", "kind", "period", "amount", "none", "reason"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("none") == (given.get("amount") is not None) and "amount" not in self.errors:
            raise forms.ValidationError("Enter either an amount or no limit.")
        return given


class StopForm(ReasonForm):
    player = forms.UUIDField(help_text="The player's id.")
    kind = forms.ChoiceField(choices=StopKind.choices)
    hours = forms.IntegerField(
        required=False, min_value=1, max_value=1008, help_text="For a time-out: 1 to 1008."
    )
    months = forms.IntegerField(
        required=False,
        min_value=terms.FEWEST_MONTHS,
        max_value=terms.MOST_MONTHS,
        help_text="For a self-exclusion: 6 to 60; empty: permanent.",
    )
    field_order = ["player", "kind", "hours", "months", "reason"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        time_out = given.get("kind") == StopKind.TIME_OUT
        if time_out != (given.get("hours") is not None) or (time_out and given.get("months") is not None):
            raise forms.ValidationError(
                "Enter hours for a time-out, and months or nothing for a self-exclusion."
            )
        return given


class Protecting(LedgerActions):
    """A list of rows that one action adds and nothing changes."""

    add_label: str

    def get_urls(self) -> list[Any]:
        return [
            self.action_path("protect/", self.protect_view, "protect", "ledger.protect"),
            *super().get_urls(),
        ]

    def choices(self, request: HttpRequest, row: Any) -> list[Choice]:
        return [] if row else self.links(request, "ledger.protect", (self.add_label, "protect"))

    def protect_view(self, request: HttpRequest) -> HttpResponse:
        return self.protect(request, {"player": request.GET.get("player", "")})

    def protect(self, request: HttpRequest, initial: dict[str, Any]) -> HttpResponse:
        raise NotImplementedError

    def as_done(self, answer: LimitChange | PlayStop) -> Done:
        name = self.model._meta.model_name
        return Done(
            message=f"Recorded: {answer}",
            subject=f"{OwnerKind.PLAYER}:{answer.protected.player}",
            return_to=reverse(f"admin:ledger_{name}_change", args=[answer.pk]),
            result=f"{name}:{answer.pk}",
        )


@admin.register(LimitChange)
class LimitChangeAdmin(Protecting):
    list_display = ["at", "protected", "kind", "period", "amount_money", "was_money", "effective_at", "actor"]
    list_filter = ["kind", "period", "currency"]
    search_fields = ["=protected__player"]
    ordering = ["-pk"]
    list_select_related = ["protected"]
    fields = [
        "protected", "currency", "kind", "period", "amount_money", "was_money", "at", "effective_at", "actor", "reason",
    ]  # fmt: skip
    add_label = "Set a limit for a player"

    @admin.display(description="limit", empty_value="none")
    def amount_money(self, change: LimitChange) -> str | None:
        return None if change.amount is None else money(change.amount, change.currency)

    @admin.display(description="was", empty_value="none")
    def was_money(self, change: LimitChange) -> str | None:
        return None if change.was is None else money(change.was, change.currency)

    def protect(self, request: HttpRequest, initial: dict[str, Any]) -> HttpResponse:
        return self.run_action(
            request,
            title=self.add_label,
            action="set-limit",
            form_class=LimitForm,
            initial=initial,
            preview=_preview_limit,
            perform=lambda given, key: services.set_limit(
                player=given["player"],
                kind=given["kind"],
                period=given["period"],
                amount=given["amount"],
                currency=settings.RACECARD_CURRENCY,
                key=key,
                actor=actor(request),
                reason=given["reason"],
                at=timezone.now(),
            ),
            button="Set limit",
            lead="A lower limit takes effect at once, a higher one or none after 24 hours.",
        )


def _preview_limit(given: dict[str, Any]) -> Preview:
    currency, now = settings.RACECARD_CURRENCY, timezone.now()
    in_force = protection.limits_in_force(player=given["player"], currency=currency, at=now)
    was = in_force.get((given["kind"], given["period"]))
    effective = terms.takes_effect(amount=given["amount"], was=was, at=now)

    def text(amount: int | None) -> str:
        return "none" if amount is None else money(amount, currency)

    facts = [
        ("player", str(given["player"])),
        ("limit", f"{given['kind']} per {given['period']}"),
        ("in force now", text(was)),
        ("requested", text(given["amount"])),
        ("in force from", "now" if effective == now else f"{effective:%Y-%m-%d %H:%M} UTC"),
    ]
    return Preview(facts=facts)


@admin.register(PlayStop)
class PlayStopAdmin(Protecting):
    list_display = ["at", "protected", "kind", "until_text", "actor", "reason"]
    list_filter = ["kind"]
    search_fields = ["=protected__player"]
    ordering = ["-pk"]
    list_select_related = ["protected"]
    fields = ["protected", "kind", "at", "until_text", "actor", "reason"]
    add_label = "Stop a player's play"

    @admin.display(description="until", empty_value="permanent")
    def until_text(self, stop: PlayStop) -> str | None:
        return None if stop.until is None else f"{stop.until:%Y-%m-%d %H:%M}"

    def protect(self, request: HttpRequest, initial: dict[str, Any]) -> HttpResponse:
        return self.run_action(
            request,
            title=self.add_label,
            action="stop-play",
            form_class=StopForm,
            initial=initial,
            preview=_preview_stop,
            perform=lambda given, key: _stop(given, key, actor(request)),
            button="Stop play",
            lead="It takes effect at once. Open games continue; money can be cashed out and withdrawn.",
        )


def _preview_stop(given: dict[str, Any]) -> Preview:
    if given["kind"] == StopKind.TIME_OUT:
        length = f"{given['hours']} hours"
    else:
        length = "permanent" if given["months"] is None else f"{given['months']} months"
    facts = [("player", str(given["player"])), ("stop", str(given["kind"])), ("length", length)]
    return Preview(facts=facts, warnings=["It cannot be shortened or lifted."])


def _stop(given: dict[str, Any], key: str, by: str) -> PlayStop:
    order = {
        "player": given["player"],
        "key": key,
        "actor": by,
        "reason": given["reason"],
        "at": timezone.now(),
    }
    if given["kind"] == StopKind.TIME_OUT:
        return services.take_time_out(hours=given["hours"], **order)
    return services.exclude(months=given["months"], **order)
