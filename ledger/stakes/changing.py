"""Stake tables are opened, and their terms changed: a new row, dated, by somebody, for a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from ledger.errors import UnknownCurrency
from ledger.formats import money
from ledger.models import GameStake, Purpose, StakeStatus
from ledger.selectors import balance
from ledger.stakes.errors import BadStakeTable, BadStakeTerms, StakeTableExists, StakeTermsMoved
from ledger.stakes.figures import Figures
from ledger.stakes.kinds import kind_of
from ledger.stakes.models import StakeTable, StakeTerms
from ledger.stakes.selectors import standing

FARTHEST = timedelta(days=366)
"""How far ahead a change may be announced."""

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_CURRENCY = re.compile(r"[A-Z]{3}")


def open_table(
    *,
    slug: str,
    rules: str,
    mode: str,
    currency: str,
    figures: Figures,
    actor: str,
    reason: str,
    at: datetime,
) -> StakeTable:
    """A new stake table whose first terms are in force at once. Its name, game, mode and currency are for good.

    Raises BadStakeTable, BadStakeTerms, UnknownCurrency, StakeTableExists.
    """
    _check_reason(reason)
    table = new_table(slug=slug, rules=rules, mode=mode, currency=currency, figures=figures)
    try:
        with transaction.atomic():
            table.save(force_insert=True)
            _write(table, 1, figures, effective_from=at, actor=actor, reason=reason, at=at)
    except IntegrityError as error:
        if StakeTable.objects.filter(slug=slug).exists():
            raise StakeTableExists() from error
        raise
    return table


def new_table(*, slug: str, rules: str, mode: str, currency: str, figures: Figures) -> StakeTable:
    """The table that `open_table` would open with these figures; not saved.

    Raises BadStakeTable, BadStakeTerms, UnknownCurrency.
    """
    if not _SLUG.fullmatch(slug) or len(slug) > 40:
        raise BadStakeTable("A name is at most 40 small letters and digits, in words joined by hyphens.")
    if not _CURRENCY.fullmatch(currency):
        raise UnknownCurrency("A currency is three capital letters.")
    if faults := kind_of(rules).mode_faults(mode):
        raise BadStakeTable(" ".join(faults))
    _check(rules, mode, figures)
    return StakeTable(slug=slug, rules=rules, mode=mode, currency=currency)


def change_terms(
    *,
    table: StakeTable,
    figures: Figures,
    expected: int,
    effective_from: datetime | None,
    actor: str,
    reason: str,
    at: datetime,
) -> StakeTerms:
    """New terms from `effective_from` on, None: from now. What was announced for then or later is withdrawn by them.

    `expected` is the number of the newest terms that the asker has seen. No game already dealt is touched.
    Raises BadStakeTerms, StakeTermsMoved.
    """
    _check_reason(reason)
    plan = planned(table=table, figures=figures, expected=expected, effective_from=effective_from, at=at)
    try:
        with transaction.atomic():
            return _write(
                table,
                expected + 1,
                figures,
                effective_from=plan.effective_from,
                actor=actor,
                reason=reason,
                at=at,
            )
    except IntegrityError as error:
        newest = _newest(table)
        if newest.number != expected:
            raise StakeTermsMoved(number=newest.number) from error
        if newest.asked_at > at:
            raise BadStakeTerms(
                "The newest terms were asked for later than this by the server's clock."
            ) from error
        raise


@dataclass(frozen=True, slots=True)
class Plan:
    """What a change would mean.

    before    the terms that stand until it begins
    withdrawn those that were announced and would never be in force
    playing   open games, which keep the terms they were dealt under
    """

    effective_from: datetime
    before: StakeTerms
    figures: Figures
    withdrawn: tuple[StakeTerms, ...]
    playing: int
    warnings: tuple[str, ...]

    @property
    def changes(self) -> list[tuple[str, object, object]]:
        """Each figure that changes: its name, what it was, what it will be."""
        was, will = self.before.figures.columns(), self.figures.columns()
        return [(name, was[name], will[name]) for name in will if was[name] != will[name]]


def planned(
    *, table: StakeTable, figures: Figures, expected: int, effective_from: datetime | None, at: datetime
) -> Plan:
    """What `change_terms` would do; writes nothing. Raises BadStakeTerms, StakeTermsMoved."""
    _check(table.rules, table.mode, figures)
    begins = at if effective_from is None else effective_from
    if not at <= begins <= at + FARTHEST:
        raise BadStakeTerms(f"A change begins now or in the next {FARTHEST.days} days, never in the past.")
    history = list(StakeTerms.objects.filter(table=table))
    newest = max(terms.number for terms in history)
    if newest != expected:
        raise StakeTermsMoved(number=newest)
    before, _ = standing(history, begins)
    if before is None:
        raise BadStakeTerms("The stake table was not there yet.")
    _, announced = standing(history, at)
    withdrawn = tuple(terms for terms in announced if terms.effective_from >= begins)
    if before.figures == figures and not withdrawn:
        raise BadStakeTerms("These are the terms that would be in force then anyway.")
    return Plan(
        effective_from=begins,
        before=before,
        figures=figures,
        withdrawn=withdrawn,
        playing=GameStake.objects.filter(stake_table=table, status=StakeStatus.OPEN).count(),
        warnings=tuple(warnings(table, figures)),
    )


def warnings(table: StakeTable, figures: Figures) -> list[str]:
    """What these figures promise that the bank could not keep now, each a sentence. They are allowed all the same."""
    risk = kind_of(table.rules).risk(table.mode, figures)
    if not figures.open or risk == 0:
        return []
    has = balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency).available
    found = []
    if has < risk:
        found.append(
            f"The bank has {money(has, table.currency)} to spare; one game at the maximum stake may cost it "
            f"{money(risk, table.currency)}."
        )
    if figures.bank_limit is not None and figures.bank_limit < risk:
        found.append(
            f"The bank's limit is less than the {money(risk, table.currency)} that one game at the maximum stake "
            "may cost."
        )
    return found


def _check(rules: str, mode: str, figures: Figures) -> None:
    # A game is asked only about figures that are sound in themselves.
    if faults := figures.faults() or kind_of(rules).faults(mode, figures):
        raise BadStakeTerms(" ".join(faults), faults=faults)


def _check_reason(reason: str) -> None:
    if not 3 <= len(reason) <= 200:
        raise BadStakeTerms("A reason has 3 to 200 characters.")


def _newest(table: StakeTable) -> StakeTerms:
    return StakeTerms.objects.filter(table=table).latest("number")


def _write(
    table: StakeTable,
    number: int,
    figures: Figures,
    *,
    effective_from: datetime,
    actor: str,
    reason: str,
    at: datetime,
) -> StakeTerms:
    return StakeTerms.objects.create(
        table=table,
        number=number,
        **figures.columns(),
        effective_from=effective_from,
        asked_at=at,
        actor=actor,
        reason=reason,
    )
