"""Balances, transfers, and the trial balance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Max, QuerySet, Sum

from ledger.betting.terms import PLAY_CURRENCY
from ledger.core.models import Account, OwnerKind, Purpose, Transfer


@dataclass(frozen=True, slots=True)
class Balance:
    """A balance in pence: `total`, of which `held` is not available."""

    available: int
    held: int
    total: int


NOTHING = Balance(0, 0, 0)


def find(*, owner: str, purpose: str, currency: str) -> Account | None:
    kind, _, key = owner.partition(":")
    return Account.objects.filter(kind=kind, key=key, purpose=purpose, currency=currency).first()


def balance(*, owner: str, purpose: str, currency: str) -> Balance:
    """Return an account's balance; zero if the account does not exist."""
    found = find(owner=owner, purpose=purpose, currency=currency)
    return NOTHING if found is None else Balance(found.available, found.held, found.total)


class BalanceOutput(TypedDict):
    available: int
    held: int
    total: int


def wallet(*, player: UUID, currency: str) -> dict[str, BalanceOutput]:
    """Return a player's balances by purpose; always with `cash` and `session`."""
    nothing: BalanceOutput = {"available": 0, "held": 0, "total": 0}
    found = {Purpose.CASH.value: nothing, Purpose.SESSION.value: nothing}
    for each in Account.objects.filter(kind=OwnerKind.PLAYER, key=str(player), currency=currency):
        found[each.purpose] = {"available": each.available, "held": each.held, "total": each.total}
    return found


def sums(account: Account, rows: QuerySet[Transfer]) -> tuple[int, int]:
    """Return what the account received by these transfers, and what it paid."""
    received, paid = (
        rows.filter(**{side: account}).aggregate(sum=Sum("amount"))["sum"] or 0
        for side in ("credit", "debit")
    )
    return received, paid


def total_at(account: Account, at: datetime, position: int | None = None) -> int:
    """Return the balance of an account at `at`, counting transfers of that instant up to `position`.

    It is computed back from the current balance. The newest page is cheap; an older one costs as much as was moved
    since.
    """
    when = Transfer._meta.get_field("at").get_db_prep_value(at, connection)
    later: list[tuple[str, list[Any]]] = [("at > %s", [when])]
    if position is not None:
        # Separate, because SQLite would scan the whole instant for `(at, position) > (…)`.
        later.append(("at = %s AND position > %s", [when, position]))
    sums, given = [], []
    for sign, side in (("-", "credit_id"), ("+", "debit_id")):
        for condition, values in later:
            sums.append(
                f"{sign} coalesce((SELECT sum(amount) FROM ledger_transfer WHERE {side} = %s AND {condition}), 0)"  # noqa: S608
            )
            given += [account.pk, *values]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT credits - debits {' '.join(sums)} FROM ledger_account WHERE id = %s",  # noqa: S608
            [*given, account.pk],
        )
        return int(cursor.fetchone()[0])


# --- transfers ---------------------------------------------------------------------------------------

RULING = ":ruling:"
"""Follows the subject in the keys of a ruling's transfers."""


def transfers_of(subject: str) -> list[dict[str, Any]]:
    """Return the transfers of a game or tournament as its bundle shows them (RULEBOOK 8), in order of posting.

    The transfers of rulings are excluded; they belong to the ruling.
    """
    rows = Transfer.objects.with_accounts().filter(subject=subject)
    own = rows.exclude(key__startswith=f"{subject}{RULING}").order_by("epoch", "xact", "position")
    return [as_bundled(row) for row in own]


def transfers_of_ruling(subject: str, number: int) -> list[Transfer]:
    """Return the transfers of the `number`-th ruling on a stake, a pot, or tournament results, in order."""
    rows = Transfer.objects.with_accounts().filter(
        subject=subject, key__startswith=f"{subject}{RULING}{number}:"
    )
    return list(rows.order_by("epoch", "xact", "position"))


def newest_position() -> int:
    """Return the position of the newest transfer, or 0."""
    return Transfer.objects.aggregate(last=Max("position"))["last"] or 0


def posted_since(position: int, subject: str) -> QuerySet[Transfer]:
    """Return the transfers of a subject after a position, in order."""
    return (
        Transfer.objects.with_accounts().filter(position__gt=position, subject=subject).order_by("position")
    )


def as_bundled(row: Transfer) -> dict[str, Any]:
    return {
        "id": str(row.uuid),
        "debit": row.debit.text,
        "credit": row.credit.text,
        "amount": row.amount,
        "currency": row.currency,
        "reason": row.reason,
        "event": row.event,
    }


class BalanceChange(NamedTuple):
    """A change of an owner's balance. `owner` is `player:…`, `house`, or `house:…`; `amount` in pence, negative for a
    loss.
    """

    owner: str
    currency: str
    amount: int


def balance_changes(since: int) -> list[BalanceChange]:
    """Return the balance changes that the open transaction has made since a position, by owner and currency, without
    escrows.
    """
    # Only rows of this transaction count, because others may commit at the same time.
    own = " AND t.xact = pg_current_xact_id()::text::bigint" if connection.vendor == "postgresql" else ""
    sums: dict[tuple[str, str], int] = defaultdict(int)
    with connection.cursor() as cursor:
        for side, sign in (("credit_id", 1), ("debit_id", -1)):
            cursor.execute(
                "SELECT a.kind, a.key, t.currency, sum(t.amount) FROM ledger_transfer t "  # noqa: S608
                f"JOIN ledger_account a ON a.id = t.{side} WHERE t.position > %s{own} AND a.kind IN (%s, %s, %s) "
                "GROUP BY a.kind, a.key, t.currency",
                [since, OwnerKind.PLAYER, OwnerKind.HOUSE, OwnerKind.PLAY],
            )
            for kind, key, currency, amount in cursor.fetchall():
                sums[f"{kind}:{key}" if key else kind, currency] += sign * int(amount)
    return [
        BalanceChange(owner, currency, amount) for (owner, currency), amount in sorted(sums.items()) if amount
    ]


# --- trial balance -----------------------------------------------------------------------------------


class TrialRowOutput(TypedDict):
    kind: str
    purpose: str
    debits: int
    credits: int
    held: int
    balance: int


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """The sums of all accounts of a currency by kind and purpose. `total` is zero, or the ledger is wrong."""

    currency: str
    rows: list[TrialRowOutput]

    @property
    def debits(self) -> int:
        return sum(row["debits"] for row in self.rows)

    @property
    def credits(self) -> int:
        return sum(row["credits"] for row in self.rows)

    @property
    def total(self) -> int:
        return self.credits - self.debits


def trial_balance(currency: str) -> TrialBalance:
    """Return the trial balance from all accounts. `ledger.reports.purposes` reads kept sums instead."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT kind, purpose, sum(debits), sum(credits), sum(held) FROM ledger_account "
            "WHERE currency = %s GROUP BY kind, purpose ORDER BY kind, purpose",
            [currency],
        )
        found = cursor.fetchall()
    rows: list[TrialRowOutput] = [
        {
            "kind": kind,
            "purpose": purpose,
            "debits": int(debits),
            "credits": int(credits),
            "held": int(held),
            "balance": int(credits - debits),
        }
        for kind, purpose, debits, credits, held in found
    ]
    return TrialBalance(currency, rows)


def currencies() -> list[str]:
    """Return the currencies with accounts. Money comes from an account of the site, or is play money."""
    site = Account.objects.filter(kind=OwnerKind.HOUSE)
    found = set(site.values_list("currency", flat=True).distinct())
    # Without an order PostgreSQL's generic plan reads all accounts until it finds the first one of play money.
    if Account.objects.filter(kind=OwnerKind.PLAY).order_by("purpose", "id").values_list("pk").first():
        found.add(PLAY_CURRENCY)
    return sorted(found)


def currencies_of(player: UUID) -> list[str]:
    owned = Account.objects.filter(kind=OwnerKind.PLAYER, key=str(player))
    return list(owned.values_list("currency", flat=True).distinct().order_by("currency"))


# --- people ------------------------------------------------------------------------------------------


def usernames(players: Iterable[UUID]) -> dict[UUID, str]:
    """Return the usernames of players by id. An id without an account is left out."""
    people = get_user_model().objects.filter(pk__in=set(players))
    return dict(people.values_list("pk", "username"))


# --- subjects ----------------------------------------------------------------------------------------


def valid_uuids(keys: Iterable[str]) -> list[UUID]:
    """Return the keys that are ids. A subject is opaque text, so its key may be anything."""
    found = []
    for key in keys:
        with suppress(ValueError):
            found.append(UUID(key))
    return found
