"""Stake tables: opened with their first terms, read with the terms in force, and changed by new terms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

from django.apps import apps as installed
from django.conf import settings
from django.db import IntegrityError, connections, transaction
from django.db.models import Exists, OuterRef

from core.errors import first_or_raise, refusal_of
from ledger.core.models import Purpose, player_owner
from ledger.core.selectors import balance
from ledger.errors import (
    BadStakeTable,
    BadStakeTerms,
    InsufficientFunds,
    StakeOffStep,
    StakeTableClosed,
    StakeTableExists,
    StakeTermsStale,
    UnknownCurrency,
    UnknownStakeTable,
)
from ledger.hooks import initial_tables, staked_game
from ledger.limits.protection import precheck_stake
from ledger.money import money
from ledger.stakes.models import BEGINNING, GameStake, StakeStatus, StakeTable, StakeTerms
from ledger.stakes.terms import Figures
from rest.documents import Object
from rest.problems import problem_document

FARTHEST = timedelta(days=366)
"""The longest time before an announced change takes effect."""

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
    """Open a stake table. Its first terms are in force at once; name, game, mode, and currency cannot be changed.

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
    """Return the table that `open_table` would create with these figures, unsaved.

    Raises BadStakeTable, BadStakeTerms, UnknownCurrency.
    """
    if not _SLUG.fullmatch(slug) or len(slug) > 40:
        raise BadStakeTable(
            "A name has at most 40 lower-case letters, digits, and single hyphens between them."
        )
    if not _CURRENCY.fullmatch(currency):
        raise UnknownCurrency("A currency is three capital letters.")
    if faults := staked_game(rules).mode_faults(mode):
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
    """Add terms that take effect at `effective_from` (None: now). They withdraw announced terms that begin later.

    `expected` is the number of the newest terms that the caller has seen. Games already dealt keep their terms.
    Raises BadStakeTerms, StakeTermsStale.
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
            raise StakeTermsStale(number=newest.number) from error
        if newest.asked_at > at:
            raise BadStakeTerms(
                "The newest terms have a later time than this by the server's clock."
            ) from error
        raise


@dataclass(frozen=True, slots=True)
class Plan:
    """The effects of a change of terms.

    before     the terms in force until the change
    withdrawn  announced terms that would never be in force
    playing    the number of open games, which keep their terms
    """

    effective_from: datetime
    before: StakeTerms
    figures: Figures
    withdrawn: tuple[StakeTerms, ...]
    playing: int
    warnings: tuple[str, ...]

    @property
    def changes(self) -> list[tuple[str, object, object]]:
        """The figures that change: name, old value, and new value."""
        was, will = self.before.figures.columns(), self.figures.columns()
        return [(name, was[name], will[name]) for name in will if was[name] != will[name]]


def planned(
    *, table: StakeTable, figures: Figures, expected: int, effective_from: datetime | None, at: datetime
) -> Plan:
    """Return what `change_terms` would do, without writing. Raises BadStakeTerms, StakeTermsStale."""
    _check(table.rules, table.mode, figures)
    begins = at if effective_from is None else effective_from
    if not at <= begins <= at + FARTHEST:
        raise BadStakeTerms(f"A change takes effect now or within {FARTHEST.days} days.")
    history = list(StakeTerms.objects.filter(table=table))
    newest = max(terms.number for terms in history)
    if newest != expected:
        raise StakeTermsStale(number=newest)
    before, _ = in_force_and_ahead(history, begins)
    if before is None:
        raise BadStakeTerms("The stake table did not exist then.")
    _, announced = in_force_and_ahead(history, at)
    withdrawn = tuple(terms for terms in announced if terms.effective_from >= begins)
    if before.figures == figures and not withdrawn:
        raise BadStakeTerms("These terms are in force then already.")
    return Plan(
        effective_from=begins,
        before=before,
        figures=figures,
        withdrawn=withdrawn,
        playing=GameStake.objects.filter(stake_table=table, status=StakeStatus.OPEN).count(),
        warnings=tuple(warnings(table, figures)),
    )


def warnings(table: StakeTable, figures: Figures) -> list[str]:
    """Return the risks of these figures that the bank cannot cover now, one sentence each. They are allowed."""
    risk = staked_game(table.rules).risk(table.mode, figures)
    if not figures.open or risk == 0:
        return []
    has = balance(owner=table.bank_owner, purpose=Purpose.BANK, currency=table.currency).available
    found = []
    if has < risk:
        found.append(
            f"The bank has {money(has, table.currency)} available; one game at the maximum stake can cost "
            f"{money(risk, table.currency)}."
        )
    if figures.bank_limit is not None and figures.bank_limit < risk:
        found.append(
            f"The bank's limit is less than {money(risk, table.currency)}, the possible cost of one game at the "
            "maximum stake."
        )
    return found


def _check(rules: str, mode: str, figures: Figures) -> None:
    # The game's own checks need valid figures.
    if faults := figures.faults() or staked_game(rules).faults(mode, figures):
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


# --- reading ----------------------------------------------------------------------------------------


def stake_table(slug: str) -> StakeTable:
    """Return a stake table. Raises UnknownStakeTable."""
    return first_or_raise(StakeTable.objects.filter(slug=slug), UnknownStakeTable)


def terms_at(table: StakeTable, at: datetime) -> StakeTerms:
    """Return the terms in force at a time: the newest of those that have begun. One query.

    Raises StakeTableClosed for a time before the table existed.
    """
    found = StakeTerms.objects.filter(table=table, effective_from__lte=at).order_by("-number").first()
    if found is None:
        raise StakeTableClosed("The stake table did not exist then.")
    found.table = table
    return found


def in_force(at: datetime) -> dict[int, StakeTerms]:
    """Return the terms in force of every stake table, by primary key. One query."""
    begun = StakeTerms.objects.filter(effective_from__lte=at)
    newer = begun.filter(table=OuterRef("table"), number__gt=OuterRef("number"))
    return {terms.table_id: terms for terms in begun.filter(~Exists(newer))}


def check_stake(*, stake: int, stake_table: StakeTable, at: datetime) -> StakeTerms:
    """Return the terms in force if they accept this stake. Raises StakeTableClosed, StakeOffStep."""
    terms = terms_at(stake_table, at)
    if not terms.open:
        raise StakeTableClosed()
    if not terms.figures.takes(stake):
        currency = stake_table.currency
        raise StakeOffStep(
            f"Stakes at {stake_table.slug} are multiples of {money(terms.step, currency)} "
            f"from {money(terms.minimum, currency)} to {money(terms.maximum, currency)}.",
            step=terms.step,
            minimum=terms.minimum,
            maximum=terms.maximum,
            currency=currency,
        )
    return terms


def in_force_and_ahead(
    history: Iterable[StakeTerms], at: datetime
) -> tuple[StakeTerms | None, list[StakeTerms]]:
    """Return the terms of one table in force at a time, and the announced ones in order.

    Announced terms that newer terms withdrew are in neither.
    """
    ahead: list[StakeTerms] = []
    for terms in sorted(history, key=lambda row: -row.number):
        if terms.effective_from <= at:
            return terms, ahead[::-1]
        if not ahead or terms.effective_from < ahead[-1].effective_from:
            ahead.append(terms)
    return None, ahead[::-1]


TermsStatus = Literal["in-force", "announced", "past", "withdrawn"]
"""The status of terms. `withdrawn`: never in force."""


def states(history: Iterable[StakeTerms], at: datetime) -> dict[int, TermsStatus]:
    """Return the status of each terms by number."""
    rows = sorted(history, key=lambda row: row.number)
    now, ahead = in_force_and_ahead(rows, at)
    found: dict[int, TermsStatus] = {}
    for terms in rows:
        overtaken = any(
            newer.number > terms.number and newer.effective_from <= terms.effective_from for newer in rows
        )
        found[terms.number] = "withdrawn" if overtaken else "past"
    if now is not None:
        found[now.number] = "in-force"
    found.update({terms.number: "announced" for terms in ahead})
    return found


class Offer(NamedTuple):
    """A table's terms in force, the announced ones, and the number of the newest terms."""

    in_force: StakeTerms
    announced: list[StakeTerms]
    newest: int


def offer(table: StakeTable, at: datetime) -> Offer:
    """Return a table's offer. No query if the terms were prefetched. Raises StakeTableClosed as `terms_at`."""
    history = list(table.terms.all())
    now, ahead = in_force_and_ahead(history, at)
    if now is None:
        raise StakeTableClosed("The stake table did not exist then.")
    now.table = table
    return Offer(now, ahead, max(terms.number for terms in history))


class StakeReturnOutput(TypedDict):
    """What a careful player wins back on average, in one mode of a game against the bank."""

    mode: Annotated[str, "the option and its value, such as `draw=3`"]
    basis_points: Annotated[int, "ten-thousandths of the stake"]


class StakeQuoteOutput(TypedDict):
    """The possible results of a stake and whether the caller could make it now. Amounts in pence."""

    amount: int
    currency: str
    pay_per_card: Annotated[int | None, "against the bank: the pay per card"]
    max_win: Annotated[int | None, "against the bank: the pay for all cards"]
    break_even_cards: Annotated[int | None, "against the bank: the number of cards that return the stake"]
    returns: Annotated[
        list[StakeReturnOutput], "against the bank: the measured return to player of each mode"
    ]
    pot: Annotated[int | None, "among players: the sum of the buy-ins"]
    rake: Annotated[int | None, "the site's share of the pot"]
    places: Annotated[list[int], "the award of each place if none is shared"]
    balance_after: Annotated[int | None, "the caller's balance after the stake; null: insufficient"]
    obstacle: Annotated[Object | None, "the problem document with which the stake would be refused now"]


def stake_quote(
    table: StakeTable, *, amount: int, seats: int, player: UUID | None, at: datetime
) -> StakeQuoteOutput:
    """Return what a stake can win and whether the player could make it now. Raises what `check_stake` raises."""
    terms = check_stake(stake=amount, stake_table=table, at=at)
    game = staked_game(table.rules)
    found = game.quote(table.mode, terms.figures, stake=amount, seats=seats)
    left, obstacle = (None, None) if player is None else _of_player(table, amount, player, game.from_cash, at)
    return {
        "amount": amount,
        "currency": table.currency,
        "pay_per_card": found.pay_per_card,
        "max_win": found.max_win,
        "break_even_cards": found.break_even_cards,
        "returns": [{"mode": mode, "basis_points": share} for mode, share in found.returns.items()],
        "pot": found.pot,
        "rake": found.rake,
        "places": [*found.places],
        "balance_after": left,
        "obstacle": obstacle,
    }


def _of_player(
    table: StakeTable, amount: int, player: UUID, from_cash: bool, at: datetime
) -> tuple[int | None, Object | None]:
    """Return what the player has left after the stake, and the refusal. Buy-ins are paid from cash. For a stake against
    the bank, cash is moved to the play session if that holds less.
    """
    owner, purposes = player_owner(player), [Purpose.CASH] if from_cash else [Purpose.CASH, Purpose.SESSION]
    available = sum(
        balance(owner=owner, purpose=purpose, currency=table.currency).available for purpose in purposes
    )
    left = available - amount if available >= amount else None

    def stake() -> None:
        precheck_stake(player=player, amount=amount, currency=table.currency, at=at)
        if left is None:
            raise InsufficientFunds(account=f"{owner}/{Purpose.CASH}")

    refused = refusal_of(stake)
    return left, None if refused is None else problem_document(refused)


# --- initial tables ---------------------------------------------------------------------------------


def create_initial_tables(*, using: str, apps: Any = installed, **_: Any) -> None:
    try:
        stake_table, terms = (apps.get_model("ledger", name) for name in ("StakeTable", "StakeTerms"))
    except LookupError:
        return
    if terms._meta.db_table not in connections[using].introspection.table_names():
        return
    for initial in initial_tables():
        table, made = stake_table.objects.using(using).get_or_create(
            slug=initial.slug, defaults={"rules": initial.rules, "currency": settings.RACECARD_CURRENCY}
        )
        if made:
            terms.objects.using(using).create(
                table=table,
                number=1,
                **initial.figures.columns(),
                effective_from=BEGINNING,
                asked_at=BEGINNING,
                actor="system:seed",
                reason="What an installation starts with",
            )
