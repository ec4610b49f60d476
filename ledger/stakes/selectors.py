"""Stake tables and the terms in force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

from ledger.errors import StakeOffStep, StakeTableClosed, UnknownStakeTable
from ledger.stakes.models import StakeTable, StakeTerms
from ledger.stakes.models import own_currency as own_currency


def stake_table(slug: str) -> StakeTable:
    """Raises UnknownStakeTable."""
    found = StakeTable.objects.filter(slug=slug).first()
    if found is None:
        raise UnknownStakeTable()
    return found


def terms_at(table: StakeTable, at: datetime) -> StakeTerms:
    """The terms in force at a moment: of those that have begun by then, the ones asked for last. One query.

    Raises StakeTableClosed for a time before the table was there.
    """
    found = StakeTerms.objects.filter(table=table, effective_from__lte=at).order_by("-number").first()
    if found is None:
        raise StakeTableClosed("The stake table was not there yet.")
    found.table = table
    return found


def in_force(at: datetime) -> dict[int, StakeTerms]:
    """The terms in force of every stake table, by its primary key. One query."""
    begun = StakeTerms.objects.filter(effective_from__lte=at)
    newer = begun.filter(table=OuterRef("table"), number__gt=OuterRef("number"))
    return {terms.table_id: terms for terms in begun.filter(~Exists(newer))}


def check_stake(*, stake: int, stake_table: StakeTable, at: datetime) -> StakeTerms:
    """The terms in force, if they take this stake. Raises StakeTableClosed, StakeOffStep."""
    terms = terms_at(stake_table, at)
    if not terms.open:
        raise StakeTableClosed()
    if not terms.figures.takes(stake):
        raise StakeOffStep(
            f"Stakes at {stake_table.slug} are multiples of {terms.step} pence "
            f"from {terms.minimum} to {terms.maximum}.",
            step=terms.step,
            minimum=terms.minimum,
            maximum=terms.maximum,
            currency=stake_table.currency,
        )
    return terms


def standing(history: Iterable[StakeTerms], at: datetime) -> tuple[StakeTerms | None, list[StakeTerms]]:
    """Of all the terms of one table: those in force at a moment, and those announced for later, in order.

    What was announced and then withdrawn by newer terms is in neither.
    """
    ahead: list[StakeTerms] = []
    for terms in sorted(history, key=lambda row: -row.number):
        if terms.effective_from <= at:
            return terms, ahead[::-1]
        if not ahead or terms.effective_from < ahead[-1].effective_from:
            ahead.append(terms)
    return None, ahead[::-1]


def states(history: Iterable[StakeTerms], at: datetime) -> dict[int, str]:
    """By number: `in-force`, `announced`, `past`, or `withdrawn` for what was never in force and never will be."""
    rows = sorted(history, key=lambda row: row.number)
    now, ahead = standing(rows, at)
    found = {}
    for terms in rows:
        overtaken = any(
            newer.number > terms.number and newer.effective_from <= terms.effective_from for newer in rows
        )
        found[terms.number] = "withdrawn" if overtaken else "past"
    if now is not None:
        found[now.number] = "in-force"
    return found | {terms.number: "announced" for terms in ahead}


@dataclass(frozen=True, slots=True)
class Offer:
    """A table with its terms in force, whose columns it shows as its own, and those announced."""

    in_force: StakeTerms
    announced: list[StakeTerms]
    newest: int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.in_force, name)


def offer(table: StakeTable, at: datetime) -> Offer:
    """One query, none where the terms were fetched with the table. Raises StakeTableClosed as `terms_at` does."""
    history = list(table.terms.all())
    now, ahead = standing(history, at)
    if now is None:
        raise StakeTableClosed("The stake table was not there yet.")
    now.table = table
    return Offer(now, ahead, max(terms.number for terms in history))
