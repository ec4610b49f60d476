"""Admin pages of stake tables and their terms, and of pots and buy-ins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from ledger import deposits, selectors
from ledger.errors import StakeTableExists
from ledger.hooks import staked_games
from ledger.models import Purpose
from ledger.money import money
from ledger.splits import WHOLE
from ledger.staff.actions import Choice, LedgerActions, MoneyField, actor, html_table, posted
from ledger.stakes import tables
from ledger.stakes.models import BuyIn, Pot, StakeTable, StakeTerms
from ledger.stakes.tables import offer, states, terms_at
from ledger.stakes.terms import Figures, is_split
from staff.actions import Done, Movement, Preview, ReasonForm
from staff.lists import ReadOnly

MANAGE = "ledger.manage_stakes"
AMOUNTS = ("minimum", "maximum", "step", "default", "bank_limit")


class SplitField(forms.CharField):
    """`winner`, or basis points by place."""

    def clean(self, value: Any) -> tuple[int, ...]:
        text = super().clean(value).strip()
        shares = ["10000"] if text == "winner" else text.replace(" ", "").split(",")
        split = tuple(
            int(share) for share in shares if share.isascii() and share.isdigit() and len(share) <= 5
        )
        if len(split) != len(shares) or not is_split(split):
            raise forms.ValidationError(
                f"Enter winner, or basis points by place with the sum {WHOLE}: 7000, 3000."
            )
        return split


class FiguresForm(ReasonForm):
    """The figures of a table."""

    minimum = MoneyField()
    maximum = MoneyField()
    step = MoneyField()
    default = MoneyField()
    win_rate = forms.CharField(
        max_length=20,
        required=False,
        label="Pay table",
        help_text="Fraction of the stake per card, such as 1/13.",
    )
    bank_limit = MoneyField(required=False, help_text="Empty: the whole balance of the bank.")
    open = forms.BooleanField(required=False, help_text="Whether new games are dealt.")
    rake = forms.IntegerField(min_value=0, max_value=WHOLE - 1, help_text="Basis points of a pot of buy-ins.")
    split = SplitField(max_length=400, help_text="Of a pot of buy-ins: winner, or basis points by place.")


class OpenForm(FiguresForm):
    """A new table in the installation's currency."""

    slug = forms.CharField(
        max_length=40,
        label="Name",
        help_text="Lower-case letters, digits, and hyphens; it cannot be changed.",
    )
    rules = forms.ChoiceField(
        choices=lambda: [(rules, rules) for rules in staked_games()],
        label="Game",
        help_text="The game that is played; it cannot be changed.",
    )
    mode = forms.CharField(
        max_length=80,
        required=False,
        help_text="Required options of the game, such as draw=3; empty: any. It cannot be changed.",
    )
    field_order = [
        "slug", "rules", "mode", "minimum", "maximum", "step", "default", "win_rate", "bank_limit", "open", "rake",
        "split", "reason",
    ]  # fmt: skip


class TermsForm(FiguresForm):
    effective_from = forms.DateTimeField(required=False, label="From", help_text="UTC. Empty: from now.")
    expected = forms.IntegerField(widget=forms.HiddenInput)


class OpenOrCloseForm(ReasonForm):
    expected = forms.IntegerField(widget=forms.HiddenInput)


class FundingForm(ReasonForm):
    amount = MoneyField()
    field_order = ["amount", "reason"]


def figures_of(given: dict[str, Any]) -> Figures:
    names = (*AMOUNTS, "win_rate", "open", "rake", "split")
    return Figures(**{name: given[name] for name in names})


@admin.register(StakeTable)
class StakeTableAdmin(LedgerActions):
    list_display = ["slug", "rules", "mode", "currency", "stakes", "win_rate", "is_open", "announced", "bank"]
    ordering = ["slug"]
    fields = ["slug", "rules", "mode", "currency", "bank", "history"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[StakeTable]:
        return StakeTable.objects.prefetch_related("terms")

    @admin.display(description="stakes")
    def stakes(self, table: StakeTable) -> str:
        terms = offer(table, timezone.now())
        least, most = money(terms.minimum, table.currency), money(terms.maximum, table.currency)
        return f"{least} to {most} in steps of {money(terms.step, table.currency)}"

    @admin.display(description="pay table")
    def win_rate(self, table: StakeTable) -> str:
        return str(offer(table, timezone.now()).win_rate)

    @admin.display(description="open", boolean=True)
    def is_open(self, table: StakeTable) -> bool:
        return bool(offer(table, timezone.now()).open)

    @admin.display(description="announced")
    def announced(self, table: StakeTable) -> str:
        return ", ".join(
            f"{terms.effective_from:%Y-%m-%d %H:%M}" for terms in offer(table, timezone.now()).announced
        )

    @admin.display(description="bank (available / held)")
    def bank(self, table: StakeTable) -> str:
        has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
        return f"{money(has.available, table.currency)} / {money(has.held, table.currency)}"

    @admin.display(description="terms, newest first")
    def history(self, table: StakeTable) -> SafeString:
        heads = ["", "", "from", *(name.replace("_", " ") for name in Figures.__dataclass_fields__)]
        rows = sorted(table.terms.all(), key=lambda row: -row.number)
        standing = states(rows, timezone.now())
        return html_table(
            [*heads, "requested at", "by", "reason"], (_row(row, standing[row.number], table) for row in rows)
        )

    def get_urls(self) -> list[Any]:
        views: dict[str, Callable[..., HttpResponse]] = {
            "terms": self.terms_view,
            "close": partial(self.open_or_close_view, open=False),
            "reopen": partial(self.open_or_close_view, open=True),
            "fund": partial(self.funding_view, into=True),
            "defund": partial(self.funding_view, into=False),
        }
        own = [self.action_path(f"<int:pk>/{name}/", view, name, MANAGE) for name, view in views.items()]
        return [self.action_path("open/", self.open_view, "open", MANAGE), *own, *super().get_urls()]

    def choices(self, request: HttpRequest, row: StakeTable | None) -> list[Choice]:
        if row is None:
            return self.links(request, MANAGE, ("New stake table", "open"))
        turn = ("Close", "close") if terms_at(row, timezone.now()).open else ("Open", "reopen")
        bank = (("Fund", "fund"), ("Withdraw", "defund"))
        return self.links(request, MANAGE, ("New terms", "terms"), turn, *bank, row=row)

    def open_view(self, request: HttpRequest) -> HttpResponse:
        return self.run_action(
            request,
            title="Open a stake table",
            action="open-stake-table",
            form_class=OpenForm,
            initial={"open": True, "rake": 0, "split": "winner"},
            preview=_preview_new,
            perform=lambda given, key: tables.open_table(
                **_identity(given),
                figures=figures_of(given),
                actor=actor(request),
                reason=given["reason"],
                at=timezone.now(),
            ),
            button="Open the table",
            lead="Name, game, and mode cannot be changed. The terms are in force at once and can be changed.",
        )

    def terms_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        table = get_object_or_404(StakeTable, pk=pk)
        shown = offer(table, timezone.now())
        initial = {
            **shown.in_force.figures.columns(),
            "split": _split(shown.in_force),
            "expected": shown.newest,
        }
        return self.run_action(
            request,
            title=f"New terms of {table.slug}",
            action="change-terms",
            form_class=TermsForm,
            initial=initial,
            preview=lambda given: _preview(table, _wanted(given)),
            perform=lambda given, key: _change(table, _wanted(given), given["reason"], actor(request)),
            button="Change terms",
            lead="Games already dealt keep their terms.",
            cancel=_page(table),
        )

    def open_or_close_view(self, request: HttpRequest, pk: int, *, open: bool) -> HttpResponse:
        table = get_object_or_404(StakeTable, pk=pk)

        def wanted(given: dict[str, Any]) -> dict[str, Any]:
            shown = offer(table, timezone.now())
            columns = shown.in_force.figures.columns()
            figures = Figures(**{**columns, "split": tuple(columns["split"]), "open": open})
            return {"figures": figures, "expected": given["expected"], "effective_from": None}

        return self.run_action(
            request,
            title=f"{'Open' if open else 'Close'} {table.slug}",
            action="reopen-stake-table" if open else "close-stake-table",
            form_class=OpenOrCloseForm,
            initial={"expected": offer(table, timezone.now()).newest},
            preview=lambda given: _preview(table, wanted(given)),
            perform=lambda given, key: _change(table, wanted(given), given["reason"], actor(request)),
            button="Open the table" if open else "Close the table",
            lead="" if open else "No new games are dealt. Open games are finished and paid.",
            cancel=_page(table),
        )

    def funding_view(self, request: HttpRequest, pk: int, *, into: bool) -> HttpResponse:
        table = get_object_or_404(StakeTable, pk=pk)
        title = "Fund the bank of" if into else "Withdraw money from the bank of"
        command = deposits.fund_bank if into else deposits.defund_bank
        return self.run_action(
            request,
            title=f"{title} {table.slug}",
            action="fund-bank" if into else "take-from-bank",
            form_class=FundingForm,
            preview=lambda given: _preview_move(table, given["amount"], into=into),
            perform=lambda given, key: posted(
                command(
                    stake_table=table,
                    amount=given["amount"],
                    key=key,
                    actor=actor(request),
                    reason=given["reason"],
                    at=timezone.now(),
                ),
                subject=table.bank_owner,
            ),
            cancel=_page(table),
        )

    def as_done(self, answer: StakeTable | StakeTerms | Done) -> Done:
        if isinstance(answer, StakeTable):
            said = f"{answer.slug} is open. Fund its bank next."
            return Done(said, answer.bank_owner, _page(answer))
        if isinstance(answer, StakeTerms):
            said = f"Terms {answer.number} are in force from {answer.effective_from:%Y-%m-%d %H:%M} UTC."
            return Done(said, answer.table.bank_owner, _page(answer.table))
        return super().as_done(answer)


def _page(table: StakeTable) -> str:
    return reverse("admin:ledger_staketable_change", args=[table.pk])


def _identity(given: dict[str, Any]) -> dict[str, str]:
    return {
        **{name: given[name] for name in ("slug", "rules", "mode")},
        "currency": settings.RACECARD_CURRENCY,
    }


def _wanted(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "figures": figures_of(given),
        "expected": given["expected"],
        "effective_from": given["effective_from"],
    }


def _change(table: StakeTable, wanted: dict[str, Any], reason: str, by: str) -> StakeTerms:
    return tables.change_terms(table=table, **wanted, actor=by, reason=reason, at=timezone.now())


def _preview(table: StakeTable, wanted: dict[str, Any]) -> Preview:
    plan = tables.planned(table=table, **wanted, at=timezone.now())
    has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
    changes = [
        (name.replace("_", " "), f"{_shown(name, was, table)} → {_shown(name, will, table)}")
        for name, was, will in plan.changes
    ]
    begins = "now" if wanted["effective_from"] is None else f"{plan.effective_from:%Y-%m-%d %H:%M} UTC"
    withdrawn = [
        f"Terms {each.number}, announced for {each.effective_from:%Y-%m-%d %H:%M} UTC, are withdrawn."
        for each in plan.withdrawn
    ]
    facts = [
        ("from", begins),
        *changes,
        ("open games, which keep their terms", str(plan.playing)),
        ("held by the bank for them", money(has.held, table.currency)),
    ]
    return Preview(facts=facts, warnings=[*withdrawn, *plan.warnings])


def _preview_new(given: dict[str, Any]) -> Preview:
    figures = figures_of(given)
    table = tables.new_table(**_identity(given), figures=figures)
    if StakeTable.objects.filter(slug=table.slug).exists():
        raise StakeTableExists()
    facts = [(name, str(value) or "any") for name, value in _identity(given).items()]
    shown = [
        (name.replace("_", " "), _shown(name, value, table)) for name, value in figures.columns().items()
    ]
    return Preview(facts=[*facts, *shown], warnings=tables.warnings(table, figures))


def _preview_move(table: StakeTable, amount: int, *, into: bool) -> list[Movement]:
    has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
    bank, world = f"{table.bank_owner}/{Purpose.BANK}", f"house/{Purpose.EXTERNAL}"
    left = has.available + (amount if into else -amount)
    note = (
        f"The bank holds {money(has.held, table.currency)} for open games; {money(left, table.currency)} will be "
        "available."
        if left >= 0
        else f"Only {money(has.available, table.currency)} are available; this will be refused."
    )
    return [Movement(world if into else bank, bank if into else world, money(amount, table.currency), note)]


def _row(terms: StakeTerms, state: str, table: StakeTable) -> list[str]:
    figures = terms.figures.columns()
    return [
        str(terms.number),
        state,
        f"{terms.effective_from:%Y-%m-%d %H:%M}",
        *(_shown(name, figures[name], table) for name in figures),
        f"{terms.asked_at:%Y-%m-%d %H:%M}",
        terms.actor,
        terms.reason,
    ]


def _shown(name: str, value: object, table: StakeTable) -> str:
    if name in AMOUNTS:
        return money(value, table.currency) if isinstance(value, int) else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "winner" if len(value) == 1 else ", ".join(str(share) for share in value)
    return str(value)


def _split(terms: StakeTerms) -> str:
    return "winner" if len(terms.split) == 1 else ", ".join(str(share) for share in terms.split)


# --- pots and buy-ins -------------------------------------------------------------------------------


@admin.register(Pot)
class PotAdmin(ReadOnly):
    list_display = ["opened_at", "subject", "stake_table", "buy_in", "held_now", "status", "ended_at"]
    list_filter = ["status", "stake_table"]
    search_fields = ["=subject", "=id"]
    ordering = ["-opened_at"]
    list_select_related = ["stake_table", "escrow"]
    fields = [
        "id", "subject", "stake_table", "buy_in", "rake", "split", "status", "held_now", "parts", "rulings",
        "opened_at", "ended_at",
    ]  # fmt: skip

    @admin.display(description="buy-in")
    def buy_in(self, pot: Pot) -> str:
        return money(pot.amount, pot.currency)

    @admin.display(description="in escrow")
    def held_now(self, pot: Pot) -> str:
        return money(pot.escrow.total, pot.currency)

    @admin.display(description="buy-ins")
    def parts(self, pot: Pot) -> SafeString:
        rows = (
            (part.player, part.get_status_display(), _money(part.returned, pot))
            for part in pot.buy_ins.order_by("event")
        )
        return html_table(["player", "status", "returned"], rows)

    @admin.display(description="divisions")
    def rulings(self, pot: Pot) -> SafeString:
        rows = (
            (
                made.number,
                "void" if made.void else "; ".join(", ".join(place) for place in made.places),
                _money(made.gross, pot),
                _money(made.rake, pot),
                made.reason,
                made.actor,
            )
            for made in pot.divisions.all()
        )
        return html_table(["", "places", "pot", "rake", "reason", "by"], rows)


@admin.register(BuyIn)
class BuyInAdmin(ReadOnly):
    list_display = ["taken_at", "pot", "player", "paid", "status", "returned_money"]
    list_filter = ["status"]
    search_fields = ["=player", "=pot__subject"]
    ordering = ["-taken_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[BuyIn]:
        return BuyIn.objects.select_related("pot", "purse")

    @admin.display(description="buy-in")
    def paid(self, part: BuyIn) -> str:
        return money(part.amount, part.pot.currency)

    @admin.display(description="returned")
    def returned_money(self, part: BuyIn) -> str:
        return _money(part.returned, part.pot)


def _money(amount: int | None, pot: Pot) -> str:
    return "" if amount is None else money(amount, pot.currency)
