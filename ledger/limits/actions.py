"""Staff actions that protect a player: set a limit, stop play."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from ledger.core.models import player_owner
from ledger.limits import protection, services, terms
from ledger.limits.models import LimitChange, Period, PlayStop, StopKind
from ledger.money import money
from ledger.staff.actions import LedgerAction, MoneyField, PlayerField
from staff.actions import Change, Done, FormData, Preview, ReasonForm


class LimitForm(ReasonForm):
    player = PlayerField()
    kind = forms.ChoiceField(choices=terms.CHOICES)
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
    player = PlayerField()
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


class Protection(LedgerAction[None]):
    """An action that adds a row about a player, which nothing changes later."""

    permission = "ledger.protect"
    route = "protect/"
    recorded: ClassVar[str]
    """The beginning of the message, before the name of the player."""

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"player": query.get("player", "")}

    def done(self, made: LimitChange | PlayStop) -> Done:
        name = made._meta.model_name
        return Done(
            message=f"{self.recorded} {_name({'player': made.protected.player})}.",
            subject=player_owner(made.protected.player),
            return_to=reverse(f"admin:ledger_{name}_change", args=[made.pk]),
            result=f"{name}:{made.pk}",
        )


class SetLimit(Protection):
    name, label, page = "set-limit", "Set a limit for a player", "ledger_limitchange_protect"
    operations = ("player_limits_create",)
    form = LimitForm
    recorded = "The limit is recorded for"
    lead = "A lower limit takes effect at once, a higher one or none after 24 hours."
    button = "Set limit"

    def preview(self, data: FormData) -> Preview:
        currency, now = settings.RACECARD_CURRENCY, timezone.now()
        in_force = protection.limits_in_force(player=data["player"], currency=currency, at=now)
        was = in_force.get((data["kind"], data["period"]))
        effective = terms.takes_effect(amount=data["amount"], was=was, at=now)

        def text(amount: int | None) -> str:
            return "none" if amount is None else money(amount, currency)

        facts = [
            ("Player", _name(data)),
            ("In force from", "now" if effective == now else f"{effective:%d %b %Y %H:%M} UTC"),
        ]
        kind, period = dict(terms.CHOICES)[data["kind"]], Period(data["period"]).label
        limit = Change(f"{kind} per {period}".capitalize(), text(was), text(data["amount"]))
        return Preview(facts=facts, changes=[limit])

    def carry_out(self, data: FormData, key: str, now: datetime) -> LimitChange:
        return services.set_limit(
            player=data["player"],
            kind=data["kind"],
            period=data["period"],
            amount=data["amount"],
            currency=settings.RACECARD_CURRENCY,
            key=key,
            actor=self.by,
            reason=data["reason"],
            at=now,
        )


class StopPlay(Protection):
    name, label, page = "stop-play", "Stop a player's play", "ledger_playstop_protect"
    operations = ("player_time_outs_create", "player_exclusions_create")
    form = StopForm
    recorded = "Play is stopped for"
    lead = "It takes effect at once. Open games continue; money can be cashed out and withdrawn."
    button = "Stop play"

    def preview(self, data: FormData) -> Preview:
        if data["kind"] == StopKind.TIME_OUT:
            length = f"{data['hours']} hours"
        else:
            length = "permanent" if data["months"] is None else f"{data['months']} months"
        facts = [("Player", _name(data)), ("Stop", data["kind"]), ("Length", length)]
        return Preview(facts=facts, warnings=["It cannot be shortened or lifted."])

    def carry_out(self, data: FormData, key: str, now: datetime) -> PlayStop:
        order: dict[str, Any] = {
            "player": data["player"],
            "key": key,
            "actor": self.by,
            "reason": data["reason"],
            "at": now,
        }
        if data["kind"] == StopKind.TIME_OUT:
            return services.take_time_out(hours=data["hours"], **order)
        return services.exclude(months=data["months"], **order)


def _name(data: FormData) -> str:
    return str(PlayerField().prepare_value(data["player"]))
