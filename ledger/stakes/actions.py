"""Staff actions on stake tables (open one, change its terms, close and reopen it, fund its bank) and on pots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from core.errors import first_or_raise
from ledger import deposits, selectors
from ledger.core.postings import Posting
from ledger.core.selectors import newest_position, posted_since, usernames
from ledger.errors import BadStakeTerms, InsufficientFunds, StakeTableExists, UnknownStakeTable
from ledger.hooks import game_title, staked_games
from ledger.models import Purpose, Transfer
from ledger.money import money
from ledger.staff import wording
from ledger.staff.actions import LedgerAction, MoneyField, PercentField, posted, previewed
from ledger.stakes import pots, tables
from ledger.stakes.models import Pot, StakeTable, StakeTerms, table_name
from ledger.stakes.tables import offer, terms_at
from ledger.stakes.terms import Figures, is_split
from staff import subjects
from staff.actions import Change, Done, FormData, Movement, Preview, ReasonForm, change_page

MANAGE = "ledger.manage_stakes"
PERCENT = re.compile(r"\d{1,3}(\.\d{1,2})?", re.ASCII)
AMOUNTS = ("minimum", "maximum", "step", "default", "bank_limit")


class SplitField(forms.CharField):
    """`winner`, or percent by place; cleaned to basis points by place."""

    def clean(self, value: Any) -> tuple[int, ...]:
        text = super().clean(value).strip()
        shares = ["100"] if text == "winner" else text.replace(" ", "").split(",")
        split = tuple(int(Decimal(share) * 100) for share in shares if PERCENT.fullmatch(share))
        if len(split) != len(shares) or not is_split(split):
            raise forms.ValidationError("Enter winner, or percent by place with the sum 100: 70, 30.")
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
    rake = PercentField(help_text="Percent of a pot of buy-ins.")
    split = SplitField(
        max_length=400, help_text="Of a pot of buy-ins: winner, or percent by place, such as 70, 30."
    )


class OpenForm(FiguresForm):
    """A new table in the installation's currency."""

    slug = forms.CharField(
        max_length=40,
        label="Name",
        help_text="Lower-case letters, digits, and hyphens; it cannot be changed.",
    )
    rules = forms.ChoiceField(
        choices=lambda: [(rules, game_title(rules)) for rules in staked_games()],
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


def figures_of(data: FormData) -> Figures:
    names = (*AMOUNTS, "win_rate", "open", "rake", "split")
    return Figures(**{name: data[name] for name in names})


class OpenTable(LedgerAction[None]):
    name, label, page = "open-stake-table", "New stake table", "ledger_staketable_open"
    shows_result = True
    route = "open/"
    operations = ("stakes_open",)
    permission = MANAGE
    form = OpenForm
    lead = "Name, game, and mode cannot be changed. The terms are in force at once and can be changed."
    title = "Open a stake table"
    button = "Open the table"

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"open": True, "rake": 0, "split": "winner"}

    def preview(self, data: FormData) -> Preview:
        figures = figures_of(data)
        table = tables.new_table(**_identity(data), figures=figures)
        if StakeTable.objects.filter(slug=table.slug).exists():
            raise StakeTableExists()
        facts = [
            ("Name", table_name(data["slug"])),
            ("Game", game_title(data["rules"])),
            ("Mode", data["mode"] or "any"),
        ]
        figures_shown = [
            (figure_name(name), shown(name, value, table)) for name, value in figures.columns().items()
        ]
        return Preview(facts=[*facts, *figures_shown], warnings=tables.warnings(table, figures))

    def carry_out(self, data: FormData, key: str, now: datetime) -> StakeTable:
        figures = data.get("figures") or figures_of(data)
        return tables.open_table(
            **_identity(data), figures=figures, actor=self.by, reason=data["reason"], at=now
        )

    def done(self, made: StakeTable) -> Done:
        return Done(f"{made} is open. Fund its bank next.", made.bank_owner, change_page(made))


class TableAction(LedgerAction[StakeTable]):
    """An action on a stake table. REST names the table by its slug."""

    permission = MANAGE

    @classmethod
    def find(cls, actor: Any, pk: Any) -> StakeTable:
        if isinstance(pk, str):
            return tables.stake_table(pk)
        return first_or_raise(StakeTable.objects.filter(pk=pk), UnknownStakeTable)

    @property
    def title(self) -> str:
        return f"{self.label} {self.row}"


class ChangeTerms(TableAction):
    name, label, page = "change-terms", "New terms", "ledger_staketable_terms"
    route = "<int:pk>/terms/"
    operations: ClassVar[Sequence[str]] = ("stake_terms_change",)
    form: ClassVar[type[ReasonForm]] = TermsForm
    lead = "Games already dealt keep their terms."
    button = "Change terms"

    @property
    def title(self) -> str:
        return f"New terms of {self.row}"

    def initial(self, query: Mapping[str, str]) -> FormData:
        offered = offer(self.row, timezone.now())
        split = _split(offered.in_force)
        return {**offered.in_force.figures.columns(), "split": split, "expected": offered.newest}

    def wanted(self, data: FormData) -> dict[str, Any]:
        """Return the figures, their start, and the terms that they replace."""
        return {
            "figures": data.get("figures") or figures_of(data),
            "expected": data["expected"],
            "effective_from": data["effective_from"],
        }

    def preview(self, data: FormData) -> Preview:
        table, wanted = self.row, self.wanted(data)
        plan = tables.planned(table=table, **wanted, at=timezone.now())
        has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
        changes = [
            Change(figure_name(name).capitalize(), shown(name, was, table), shown(name, will, table))
            for name, was, will in plan.changes
        ]
        begins = "now" if wanted["effective_from"] is None else f"{plan.effective_from:%d %b %Y %H:%M} UTC"
        withdrawn = [
            f"Terms {each.number}, announced for {each.effective_from:%d %b %Y %H:%M} UTC, are withdrawn."
            for each in plan.withdrawn
        ]
        facts = [
            ("from", begins),
            ("open games, which keep their terms", str(plan.playing)),
            ("held by the bank for them", money(has.held, table.currency)),
        ]
        return Preview(facts=facts, warnings=[*withdrawn, *plan.warnings], changes=changes)

    def carry_out(self, data: FormData, key: str, now: datetime) -> StakeTerms:
        return tables.change_terms(
            table=self.row, **self.wanted(data), actor=self.by, reason=data["reason"], at=now
        )

    def done(self, made: StakeTerms) -> Done:
        message = f"Terms {made.number} are in force from {made.effective_from:%d %b %Y %H:%M} UTC."
        return Done(message, made.table.bank_owner, self.back)


class Close(ChangeTerms):
    """New terms that differ from those in force only in `opens`."""

    name, label, page = "close-stake-table", "Close", "ledger_staketable_close"
    route = "<int:pk>/close/"
    operations = ()
    form = OpenOrCloseForm
    lead = "No new games are dealt. Open games are finished and paid."
    button = "Close the table"
    opens: ClassVar[bool] = False

    @property
    def title(self) -> str:
        return f"{self.label} {self.row}"

    def fits(self) -> bool:
        """Return whether the action would change something."""
        return bool(terms_at(self.row, timezone.now()).open) is not self.opens

    def preview(self, data: FormData) -> Preview:
        if why_not := self.unavailable():
            raise BadStakeTerms(why_not)
        return super().preview(data)

    def unavailable(self) -> str:
        return "" if self.fits() else f"The table is {'open' if self.opens else 'closed'} already."

    def initial(self, query: Mapping[str, str]) -> FormData:
        return {"expected": offer(self.row, timezone.now()).newest}

    def wanted(self, data: FormData) -> dict[str, Any]:
        columns = offer(self.row, timezone.now()).in_force.figures.columns()
        figures = Figures(**{**columns, "split": tuple(columns["split"]), "open": self.opens})
        return {"figures": figures, "expected": data["expected"], "effective_from": None}


class Reopen(Close):
    name, label, page = "reopen-stake-table", "Reopen", "ledger_staketable_reopen"
    route = "<int:pk>/reopen/"
    lead = "New games are dealt again, with the terms in force."
    button = "Reopen the table"
    opens = True


class Fund(TableAction):
    name, label, page = "fund-bank", "Fund", "ledger_staketable_fund"
    route = "<int:pk>/fund/"
    operations: ClassVar[Sequence[str]] = ("stakes_fund",)
    form = FundingForm
    button = "Fund the bank"
    service: ClassVar[Callable[..., Posting]] = staticmethod(deposits.fund_bank)
    sign: ClassVar[int] = 1

    @property
    def title(self) -> str:
        return f"Fund the bank of {self.row}"

    def preview(self, data: FormData) -> Preview:
        table, amount = self.row, self.sign * data["amount"]
        has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
        accounts = f"{table.bank_owner}/{Purpose.BANK}", f"house/{Purpose.EXTERNAL}"
        names = f"Bank of {table}", wording.OF_SITE[Purpose.EXTERNAL]
        (payer, payee), (debit, credit) = (
            (names, accounts) if self.sign < 0 else (names[::-1], accounts[::-1])
        )
        moved = Movement(
            payer, payee, money(data["amount"], table.currency), self.label, f"{debit} → {credit}"
        )
        left = has.available + amount
        if left < 0:
            available = money(has.available, table.currency)
            raise InsufficientFunds(f"The bank has {available} available. Enter that amount or less.")
        return Preview(
            [moved],
            [("Held for open games", money(has.held, table.currency))],
            changes=[
                wording.balance_change(f"{names[0]}: balance", has.total, has.total + amount, table.currency),
                wording.balance_change(f"{names[0]}: available", has.available, left, table.currency),
            ],
        )

    def carry_out(self, data: FormData, key: str, now: datetime) -> Posting:
        return type(self).service(
            stake_table=self.row,
            amount=data["amount"],
            key=key,
            actor=self.by,
            reason=data["reason"],
            at=now,
        )

    def done(self, made: Posting) -> Done:
        return posted(made, subject=self.row.bank_owner)


class Defund(Fund):
    name, label, page = "take-from-bank", "Withdraw", "ledger_staketable_defund"
    route = "<int:pk>/defund/"
    operations = ("stakes_defund",)
    button = "Withdraw money"
    service = staticmethod(deposits.defund_bank)
    sign = -1

    @property
    def title(self) -> str:
        return f"Withdraw money from the bank of {self.row}"


# --- pots --------------------------------------------------------------------------------------------


class PotRulingForm(ReasonForm):
    """The places of a ruling by username; cleaned to player ids by place, or to None if every buy-in is refunded."""

    places = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        required=False,
        max_length=5_000,
        help_text="One line for each place: usernames with spaces between them. Players on one line share the place.",
    )
    void = forms.BooleanField(required=False, label="Refund", help_text="Refund every buy-in instead.")
    field_order = ("places", "void", "reason")

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        lines = [line.split() for line in given.get("places", "").splitlines() if line.strip()]
        if given.get("void"):
            return {**given, "places": None}
        named = {name for line in lines for name in line}
        ids = dict(get_user_model().objects.filter(username__in=named).values_list("username", "pk"))
        if unknown := sorted(named - ids.keys()):
            raise forms.ValidationError(f"There is no player {unknown[0]}.")
        if not lines:
            raise forms.ValidationError("Enter the places, or refund every buy-in.")
        return {**given, "places": [[ids[name] for name in line] for line in lines]}


class ResettlePot(LedgerAction[Pot]):
    name, label, page = "resettle-pot", "Divide again", "ledger_pot_resettle"
    route = "<uuid:pk>/resettle/"
    operations = ("pot_resettle",)
    permission = "ledger.rule_pot"
    form = PotRulingForm
    lead = "The last division is reversed and the pot is divided again. Players owe a prize that they have spent."
    button = "Divide the pot again"

    @classmethod
    def find(cls, actor: Any, pk: UUID) -> Pot:
        return pots.pot(pk)

    @property
    def title(self) -> str:
        return f"Divide the pot of {subjects.link(self.row.subject).text} again"

    def unavailable(self) -> str:
        return "" if self.row.division else "Divide again: available after the pot was divided."

    def initial(self, query: Mapping[str, str]) -> FormData:
        """Return the places of the division in effect."""
        last = self.row.divisions.last()
        return {"places": "" if last is None else "\n".join(names_by_place(last.places))}

    def preview(self, data: FormData) -> Preview:
        before, last = newest_position(), self.row.divisions.last()
        had = "refunded" if last is None or last.void else "; ".join(names_by_place(last.places))
        will = "refunded" if data["places"] is None else "; ".join(names_by_place(data["places"]))

        def command() -> Iterable[Transfer]:
            self.carry_out(data, "", timezone.now())
            return posted_since(before, self.row.subject)

        shown = previewed(command)
        return replace(shown, changes=[Change("Places", had, will), *shown.changes])

    def carry_out(self, data: FormData, key: str, now: datetime) -> Pot:
        subject, reason = self.row.subject, data["reason"]
        return pots.resettle_pot(subject=subject, places=data["places"], reason=reason, actor=self.by, at=now)

    def done(self, made: Pot) -> Done:
        return Done("The pot is divided again.", made.subject, self.back, result=f"pot:{made.pk}")


def names_by_place(places: Sequence[Sequence[object]]) -> list[str]:
    """Return the usernames of each place."""
    by_id = [[UUID(str(player)) for player in place] for place in places]
    names = usernames(player for place in by_id for player in place)
    return [" ".join(names.get(player, str(player)) for player in place) for place in by_id]


def _identity(data: FormData) -> dict[str, str]:
    named = {name: data[name] for name in ("slug", "rules", "mode")}
    return {**named, "currency": data.get("currency", settings.RACECARD_CURRENCY)}


def _split(terms: StakeTerms) -> str:
    return "winner" if len(terms.split) == 1 else ", ".join(f"{share / 100:g}" for share in terms.split)


def figure_name(name: str) -> str:
    return "pay table" if name == "win_rate" else name.replace("_", " ")


def shown(name: str, value: object, table: StakeTable) -> str:
    """Format one of a table's figures."""
    if name in AMOUNTS:
        return money(value, table.currency) if isinstance(value, int) else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "rake" and isinstance(value, int):
        return f"{value / 100:g}%"
    if isinstance(value, list):
        return "winner" if len(value) == 1 else ", ".join(f"{share / 100:g}%" for share in value)
    return str(value) or "none"
