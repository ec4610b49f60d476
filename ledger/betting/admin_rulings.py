"""What administrators rule about markets in the back office: settle, settle anew, void, each after a preview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import PermissionDenied
from django.db.models import Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils import timezone

from api.deeds import Done, Given, Preview, ReasonForm, rehearse
from ledger import services
from ledger.betting.models import ENDED, BetStatus, Market, MarketStatus
from ledger.formats import money
from ledger.office import subjects
from ledger.office.commands import Commands, actor, movement
from ledger.selectors import newest_position, posted_since

RULE = "ledger.rule_market"
LISTED = 25
"""So many transfers a preview shows one by one."""

Rule = Callable[[Market, Given, str], Market]


class WinnersForm(ReasonForm):
    winners = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Several tied; none: nobody won, and the market's terms say what happens.",
    )
    field_order = ["winners", "void", "reason"]


class AnewForm(WinnersForm):
    void = forms.BooleanField(required=False, help_text="Instead of winners: every stake goes back.")

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("void") and given.get("winners"):
            raise forms.ValidationError("A void market has no winners.")
        return given


def _of(market: Market, form: type[ReasonForm]) -> type[ReasonForm]:
    """The form with the runners of a market that have not withdrawn, where it asks for winners."""
    if not issubclass(form, WinnersForm):
        return form
    names = market.runners.filter(withdrawn_at=None).order_by("number").values_list("name", flat=True)

    class OneMarketsForm(form):  # type: ignore[valid-type, misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.fields["winners"].choices = [(name, name) for name in names]

    return OneMarketsForm


@dataclass(frozen=True, slots=True)
class Ruling:
    """`fits` are the states in which it can be ruled; `why` says of the others why not."""

    label: str
    fits: tuple[str, ...]
    why: str
    lead: str
    rule: Rule
    form: type[ReasonForm] = WinnersForm


def _settle(market: Market, given: Given, by: str) -> Market:
    return services.settle_market(
        market=market, winners=given["winners"], reason=given["reason"], actor=by, at=timezone.now()
    )


def _resettle(market: Market, given: Given, by: str) -> Market:
    return services.resettle_market(
        market=market,
        winners=None if given["void"] else given["winners"],
        reason=given["reason"],
        actor=by,
        at=timezone.now(),
    )


def _void(market: Market, given: Given, by: str) -> Market:
    return services.void_market(market=market, reason=given["reason"], actor=by, at=timezone.now())


RULINGS = {
    "settle": Ruling(
        "Settle",
        (MarketStatus.CLOSED,),
        "Settle: once betting is closed, which the event does that it is about.",
        "Where nothing else brings the result. Bets are paid at once.",
        _settle,
    ),
    "resettle": Ruling(
        "Settle anew",
        ENDED,
        "Settle anew: once it has been settled.",
        "What the last settlement moved is taken back and paid anew; what somebody no longer has is owed.",
        _resettle,
        AnewForm,
    ),
    "void": Ruling(
        "Void",
        (MarketStatus.OPEN, MarketStatus.CLOSED),
        "Void: as long as it is not settled; afterwards settle it anew.",
        "Every stake goes back.",
        _void,
        ReasonForm,
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    label: str
    address: str
    why: str


class MarketRulings(Commands):
    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.ruling_view)
        own = [
            path(f"<uuid:market_id>/{name}/", view, {"name": name}, name=f"ledger_market_{name}")
            for name in RULINGS
        ]
        return [*own, *super().get_urls()]

    def choices(self, request: HttpRequest, market: Market | None) -> list[Choice]:
        """What this member of staff can rule now, and of the rest why not."""
        if market is None or not request.user.has_perm(RULE):
            return []
        return [
            Choice(
                ruling.label,
                reverse(f"admin:ledger_market_{name}", args=[market.pk]),
                "" if market.status in ruling.fits else ruling.why,
            )
            for name, ruling in RULINGS.items()
        ]

    def ruling_view(self, request: HttpRequest, market_id: UUID, name: str) -> HttpResponse:
        if not request.user.has_perm(RULE):
            raise PermissionDenied
        market = Market.objects.filter(pk=market_id).first()
        if market is None:
            raise Http404
        ruling = RULINGS[name]
        about = subjects.link(market.subject)

        def ruled(given: Given) -> Market:
            return ruling.rule(market, given, actor(request))

        return self.command(
            request,
            title=f"{ruling.label} the {market.get_kind_display().lower()} on {about.text}",
            action=f"{name}-market",
            form_class=_of(market, ruling.form),
            preview=lambda given: _preview(market, given, lambda: ruled(given)),
            deed=lambda given, key: ruled(given),
            button=ruling.label,
            lead=ruling.lead,
            cancel=reverse("admin:ledger_market_change", args=[market.pk]),
        )

    def told(self, answer: Market) -> Done:
        said = {
            MarketStatus.SETTLING: "The market is being settled.",
            MarketStatus.SETTLED: "The market is settled.",
            MarketStatus.VOID: "Every stake went back.",
        }
        back = reverse("admin:ledger_market_change", args=[answer.pk])
        return Done(said[MarketStatus(answer.status)], answer.owner, back)


def _preview(market: Market, given: Given, ruled: Callable[[], Market]) -> Preview:
    """What the ruling posts, found out by making it and taking it back; it refuses as the ruling itself would."""
    open_bets = market.bets.filter(status=BetStatus.OPEN)
    staked = open_bets.aggregate(sum=Sum("stake"))["sum"] or 0
    facts = [
        ("Bets that stand open", f"{open_bets.count()}, of {money(staked, market.currency)}"),
        ("Players", str(market.bets.values("player").distinct().count())),
    ]
    if "winners" in given:
        named = "none: it is void" if given.get("void") else ", ".join(given["winners"]) or "nobody"
        facts.insert(0, ("Winners", named))
    before = newest_position()

    def shown() -> Preview:
        done, notes = ruled(), []
        made = posted_since(before, market.owner)
        if (count := made.count()) > LISTED:
            notes.append(f"{count} transfers in all; the first {LISTED} are shown.")
        if done.status == MarketStatus.SETTLING:
            notes.append("So many bets are paid by a job, step by step; what is shown is what begins it.")
        return Preview([movement(one) for one in made[:LISTED]], facts, notes)

    return rehearse(shown)
