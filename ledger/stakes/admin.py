"""Stake tables in the back office: the terms in force, their history, and the commands that add to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from api.deeds import Done, Movement, Preview
from ledger import cashier, selectors
from ledger.formats import money
from ledger.models import Purpose
from ledger.office.commands import Commands, actor, posted
from ledger.posting import Posting
from ledger.stakes import changing
from ledger.stakes.errors import StakeTableExists
from ledger.stakes.figures import Figures
from ledger.stakes.forms import AMOUNTS, FundingForm, OpenForm, TermsForm, TurnForm, figures_of
from ledger.stakes.models import StakeTable, StakeTerms
from ledger.stakes.selectors import offer, own_currency, states, terms_at


@admin.register(StakeTable)
class StakeTableAdmin(Commands):
    list_display = ["slug", "rules", "mode", "currency", "stakes", "win_rate", "is_open", "announced", "bank"]
    ordering = ["slug"]
    fields = ["slug", "rules", "mode", "currency", "bank", "history"]
    change_form_template = "admin/ledger/staketable/change_form.html"
    change_list_template = "admin/ledger/staketable/change_list.html"

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
        heads = ("", "", "from", *Figures.__dataclass_fields__, "asked at", "by", "reason")
        rows = sorted(table.terms.all(), key=lambda row: -row.number)
        standing = states(rows, timezone.now())
        return format_html(
            "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
            _cells("th", (head.replace("_", " ") for head in heads)),
            format_html_join(
                "", "<tr>{}</tr>", ((_cells("td", _row(row, standing[row.number], table)),) for row in rows)
            ),
        )

    def get_urls(self) -> list[Any]:
        wrapped = {
            "terms": self.terms_view,
            "close": self.close_view,
            "reopen": self.reopen_view,
            "fund": self.fund_view,
            "defund": self.defund_view,
        }
        own = [
            path(f"<int:pk>/{name}/", self.admin_site.admin_view(view), name=f"ledger_staketable_{name}")
            for name, view in wrapped.items()
        ]
        opening = path("open/", self.admin_site.admin_view(self.open_view), name="ledger_staketable_open")
        return [opening, *own, *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may = {"may_manage": request.user.has_perm("ledger.manage_stakes")}
        return super().changelist_view(request, {**may, **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        table = StakeTable.objects.filter(pk=object_id).first() if object_id.isdigit() else None
        may = {
            "may_manage": request.user.has_perm("ledger.manage_stakes"),
            "is_open": table is not None and terms_at(table, timezone.now()).open,
        }
        return super().change_view(request, object_id, form_url, {**may, **(extra_context or {})})

    def open_view(self, request: HttpRequest) -> HttpResponse:
        _need(request)
        return self.command(
            request,
            title="Open a stake table",
            action="open-stake-table",
            form_class=OpenForm,
            initial={"open": True, "rake": 0, "split": "winner"},
            preview=_preview_new,
            deed=lambda given, key: changing.open_table(
                **_identity(given),
                figures=figures_of(given),
                actor=actor(request),
                reason=given["reason"],
                at=timezone.now(),
            ),
            button="Open the table",
            lead="Its name, game and mode are for good; its terms are in force at once and can be changed.",
        )

    def terms_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        table = _managed(request, pk)
        shown = offer(table, timezone.now())
        initial = {
            **shown.in_force.figures.columns(),
            "split": _split(shown.in_force),
            "expected": shown.newest,
        }
        return self.command(
            request,
            title=f"New terms of {table.slug}",
            action="change-terms",
            form_class=TermsForm,
            initial=initial,
            preview=lambda given: _preview(table, _wanted(given)),
            deed=lambda given, key: _change(table, _wanted(given), given["reason"], actor(request)),
            button="Write the new terms",
            lead="What is played already keeps the terms that it was dealt under.",
            cancel=_page(table),
        )

    def close_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._turn(request, pk, open=False)

    def reopen_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._turn(request, pk, open=True)

    def _turn(self, request: HttpRequest, pk: int, *, open: bool) -> HttpResponse:
        table = _managed(request, pk)

        def wanted(given: dict[str, Any]) -> dict[str, Any]:
            shown = offer(table, timezone.now())
            columns = shown.in_force.figures.columns()
            figures = Figures(**{**columns, "split": tuple(columns["split"]), "open": open})
            return {"figures": figures, "expected": given["expected"], "effective_from": None}

        return self.command(
            request,
            title=f"{'Open' if open else 'Close'} {table.slug}",
            action="reopen-stake-table" if open else "close-stake-table",
            form_class=TurnForm,
            initial={"expected": offer(table, timezone.now()).newest},
            preview=lambda given: _preview(table, wanted(given)),
            deed=lambda given, key: _change(table, wanted(given), given["reason"], actor(request)),
            button="Open the table" if open else "Close the table",
            lead=""
            if open
            else "No new game is dealt; what is played already is played to its end and paid.",
            cancel=_page(table),
        )

    def fund_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._move(request, pk, "Fund the bank of", cashier.fund_bank, into=True)

    def defund_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        return self._move(request, pk, "Take money out of the bank of", cashier.defund_bank, into=False)

    def _move(
        self, request: HttpRequest, pk: int, what: str, deed: Callable[..., Posting], *, into: bool
    ) -> HttpResponse:
        table = _managed(request, pk)
        return self.command(
            request,
            title=f"{what} {table.slug}",
            action="fund-bank" if into else "take-from-bank",
            form_class=FundingForm,
            preview=lambda given: _preview_move(table, given["amount"], into=into),
            deed=lambda given, key: posted(
                deed(
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

    def told(self, answer: StakeTable | StakeTerms | Done) -> Done:
        if isinstance(answer, StakeTable):
            said = f"{answer.slug} is there; fund its bank next."
            return Done(said, answer.bank_owner, _page(answer))
        if isinstance(answer, StakeTerms):
            said = f"Terms {answer.number} stand from {answer.effective_from:%Y-%m-%d %H:%M} UTC."
            return Done(said, answer.table.bank_owner, _page(answer.table))
        return super().told(answer)


def _need(request: HttpRequest) -> None:
    if not request.user.has_perm("ledger.manage_stakes"):
        raise PermissionDenied


def _managed(request: HttpRequest, pk: int) -> StakeTable:
    _need(request)
    table = StakeTable.objects.filter(pk=pk).first()
    if table is None:
        raise Http404
    return table


def _page(table: StakeTable) -> str:
    return reverse("admin:ledger_staketable_change", args=[table.pk])


def _identity(given: dict[str, Any]) -> dict[str, str]:
    return {**{name: given[name] for name in ("slug", "rules", "mode")}, "currency": own_currency()}


def _wanted(given: dict[str, Any]) -> dict[str, Any]:
    return {
        "figures": figures_of(given),
        "expected": given["expected"],
        "effective_from": given["effective_from"],
    }


def _change(table: StakeTable, wanted: dict[str, Any], reason: str, by: str) -> StakeTerms:
    return changing.change_terms(table=table, **wanted, actor=by, reason=reason, at=timezone.now())


def _preview(table: StakeTable, wanted: dict[str, Any]) -> Preview:
    plan = changing.planned(table=table, **wanted, at=timezone.now())
    has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
    changes = [
        (name.replace("_", " "), f"{_shown(name, was, table)} → {_shown(name, will, table)}")
        for name, was, will in plan.changes
    ]
    begins = "now" if wanted["effective_from"] is None else f"{plan.effective_from:%Y-%m-%d %H:%M} UTC"
    withdrawn = [
        f"Terms {each.number}, announced for {each.effective_from:%Y-%m-%d %H:%M} UTC, are withdrawn by this."
        for each in plan.withdrawn
    ]
    facts = [
        ("from", begins),
        *changes,
        ("open games, which keep their terms", str(plan.playing)),
        ("what the bank holds for them", money(has.held, table.currency)),
    ]
    return Preview(facts=facts, warnings=[*withdrawn, *plan.warnings])


def _preview_new(given: dict[str, Any]) -> Preview:
    figures = figures_of(given)
    table = changing.new_table(**_identity(given), figures=figures)
    if StakeTable.objects.filter(slug=table.slug).exists():
        raise StakeTableExists()
    facts = [(name, str(value) or "any") for name, value in _identity(given).items()]
    shown = [
        (name.replace("_", " "), _shown(name, value, table)) for name, value in figures.columns().items()
    ]
    return Preview(facts=[*facts, *shown], warnings=changing.warnings(table, figures))


def _preview_move(table: StakeTable, amount: int, *, into: bool) -> list[Movement]:
    has = selectors.balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency)
    bank, world = f"{table.bank_owner}/{Purpose.BANK}", f"house/{Purpose.EXTERNAL}"
    left = has.available + (amount if into else -amount)
    note = (
        f"The bank holds {money(has.held, table.currency)} for what is open; beside that it will have "
        f"{money(left, table.currency)}."
        if left >= 0
        else f"The bank has no more than {money(has.available, table.currency)} to spare; this will be refused."
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


def _cells(tag: str, texts: Any) -> SafeString:
    return format_html_join("", f"<{tag}>{{}}</{tag}>", ((text,) for text in texts))
