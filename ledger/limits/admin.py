"""Limits and stops in the back office: read by those who see the books, added to by administrators, never edited."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils import timezone

from api.deeds import Done, Preview, ReasonForm
from ledger.formats import money
from ledger.limits import selectors, services, terms
from ledger.limits.models import LimitChange, LimitKind, Period, PlayStop, StopKind
from ledger.models import OwnerKind
from ledger.office.commands import Commands, actor
from ledger.office.fields import MoneyField


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
            raise forms.ValidationError("Say either the amount or that there is to be no limit.")
        return given


class StopForm(ReasonForm):
    player = forms.UUIDField(help_text="The player's id.")
    kind = forms.ChoiceField(choices=StopKind.choices)
    hours = forms.IntegerField(
        required=False, min_value=1, max_value=1008, help_text="Of a time-out: 1 to 1008."
    )
    months = forms.IntegerField(
        required=False,
        min_value=terms.FEWEST_MONTHS,
        max_value=terms.MOST_MONTHS,
        help_text="Of a self-exclusion: 6 to 60; empty: without end.",
    )
    field_order = ["player", "kind", "hours", "months", "reason"]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        time_out = given.get("kind") == StopKind.TIME_OUT
        if time_out != (given.get("hours") is not None) or (time_out and given.get("months") is not None):
            raise forms.ValidationError(
                "A time-out is of some hours, a self-exclusion of months or without end."
            )
        return given


class Protecting(Commands):
    """A list of rows that are only added, by one command."""

    change_list_template = "admin/ledger/limits/change_list.html"
    command_name: str
    add_label: str

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.add_by_command)
        return [path("protect/", view, name=self.command_name), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        tools = {
            "may_protect": request.user.has_perm("ledger.protect"),
            "add_address": reverse(f"admin:{self.command_name}"),
            "add_label": self.add_label,
        }
        return super().changelist_view(request, {**tools, **(extra_context or {})})

    def add_by_command(self, request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm("ledger.protect"):
            raise PermissionDenied
        return self.protect(request, {"player": request.GET.get("player", "")})

    def protect(self, request: HttpRequest, initial: dict[str, Any]) -> HttpResponse:
        raise NotImplementedError

    def told(self, answer: LimitChange | PlayStop) -> Done:
        name = self.model._meta.model_name
        return Done(
            said=f"Recorded: {answer}",
            subject=f"{OwnerKind.PLAYER}:{answer.protected.player}",
            back=reverse(f"admin:ledger_{name}_change", args=[answer.pk]),
            made=f"{name}:{answer.pk}",
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
    command_name = "ledger_limitchange_protect"
    add_label = "Set a limit for a player"

    @admin.display(description="limit", empty_value="none")
    def amount_money(self, change: LimitChange) -> str | None:
        return None if change.amount is None else money(change.amount, change.currency)

    @admin.display(description="was", empty_value="none")
    def was_money(self, change: LimitChange) -> str | None:
        return None if change.was is None else money(change.was, change.currency)

    def protect(self, request: HttpRequest, initial: dict[str, Any]) -> HttpResponse:
        return self.command(
            request,
            title=self.add_label,
            action="set-limit",
            form_class=LimitForm,
            initial=initial,
            preview=_preview_limit,
            deed=lambda given, key: services.set_limit(
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
            button="Set it",
            lead="A lower limit is in force at once, a higher one or none after 24 hours.",
        )


def _preview_limit(given: dict[str, Any]) -> Preview:
    currency, now = settings.RACECARD_CURRENCY, timezone.now()
    in_force = selectors.limits_in_force(player=given["player"], currency=currency, at=now)
    was = in_force.get((given["kind"], given["period"]))
    effective = terms.takes_effect(amount=given["amount"], was=was, at=now)

    def told(amount: int | None) -> str:
        return "none" if amount is None else money(amount, currency)

    facts = [
        ("player", str(given["player"])),
        ("limit", f"{given['kind']} per {given['period']}"),
        ("in force now", told(was)),
        ("asked for", told(given["amount"])),
        ("in force from", "now" if effective == now else f"{effective:%Y-%m-%d %H:%M} UTC"),
    ]
    return Preview(facts=facts)


@admin.register(PlayStop)
class PlayStopAdmin(Protecting):
    list_display = ["at", "protected", "kind", "until_told", "actor", "reason"]
    list_filter = ["kind"]
    search_fields = ["=protected__player"]
    ordering = ["-pk"]
    list_select_related = ["protected"]
    fields = ["protected", "kind", "at", "until_told", "actor", "reason"]
    command_name = "ledger_playstop_protect"
    add_label = "Stop a player's play"

    @admin.display(description="until", empty_value="without end")
    def until_told(self, stop: PlayStop) -> str | None:
        return None if stop.until is None else f"{stop.until:%Y-%m-%d %H:%M}"

    def protect(self, request: HttpRequest, initial: dict[str, Any]) -> HttpResponse:
        return self.command(
            request,
            title=self.add_label,
            action="stop-play",
            form_class=StopForm,
            initial=initial,
            preview=_preview_stop,
            deed=lambda given, key: _stop(given, key, actor(request)),
            button="Stop it",
            lead="It begins at once. Games that have begun go on; money can be cashed out and withdrawn.",
        )


def _preview_stop(given: dict[str, Any]) -> Preview:
    if given["kind"] == StopKind.TIME_OUT:
        length = f"{given['hours']} hours"
    else:
        length = "without end" if given["months"] is None else f"{given['months']} months"
    facts = [("player", str(given["player"])), ("stop", str(given["kind"])), ("length", length)]
    return Preview(facts=facts, warnings=["Nobody can shorten or lift it."])


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
