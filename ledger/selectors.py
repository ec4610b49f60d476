"""Reading the books. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from ledger.errors import UnknownSession
from ledger.models import Account, GameStake, OwnerKind, PlaySession, Purpose, Transfer
from ledger.reconciliation.books import reconcile as reconcile
from ledger.reconciliation.report import Difference as Difference
from ledger.stakes.selectors import stake_table as stake_table
from ledger.stakes.selectors import terms_at as terms_at


@dataclass(frozen=True, slots=True)
class Balance:
    """`total` is what the account has, `held` what of it is promised, `available` the rest; in pence."""

    available: int
    held: int
    total: int


NOTHING = Balance(0, 0, 0)


def find(*, owner: str, purpose: str, currency: str) -> Account | None:
    kind, _, key = owner.partition(":")
    return Account.objects.filter(kind=kind, key=key, purpose=purpose, currency=currency).first()


def balance(*, owner: str, purpose: str, currency: str) -> Balance:
    """An account's balance; zero if it has never been used."""
    found = find(owner=owner, purpose=purpose, currency=currency)
    return NOTHING if found is None else Balance(found.available, found.held, found.total)


def wallet(*, player: UUID, currency: str) -> dict[str, Balance]:
    """What a player has by purpose; `cash` and `session` are always there."""
    owned = Account.objects.filter(kind=OwnerKind.PLAYER, key=str(player), currency=currency)
    held = {each.purpose: Balance(each.available, each.held, each.total) for each in owned}
    return {Purpose.CASH.value: NOTHING, Purpose.SESSION.value: NOTHING, **held}


# --- transfers ---------------------------------------------------------------------------------------


RULING = ":ruling:"
"""Follows the subject in the keys of what a ruling moved."""


def transfers_of(subject: str) -> list[dict[str, Any]]:
    """The transfers of a game or tournament as its bundle shows them (RULEBOOK 8), in the order they were made.

    Without those that a ruling caused: they stand with the ruling.
    """
    rows = Transfer.objects.with_accounts().filter(subject=subject)
    own = rows.exclude(key__startswith=f"{subject}{RULING}").order_by("epoch", "xact", "position")
    return [as_bundled(row) for row in own]


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


@dataclass(frozen=True, slots=True)
class Line:
    """A transfer as the owner of one account sees it: what it changed and what was there afterwards."""

    position: int
    transfer: UUID
    at: datetime
    reason: str
    subject: str
    other: str
    change: int
    balance: int


def statement(account: Account, *, before: int | None = None, limit: int = 50) -> list[Line]:
    """The newest lines of an account, or those before a line's position, newest first."""
    behind = Q() if before is None else Q(position__lt=before)
    with one_snapshot():
        return lines(account, newest(account, behind, limit))


def newest(account: Account, behind: Q, most: int) -> list[Transfer]:
    """At most so many transfers of an account that `behind` lets through, newest first.

    Each side is read along its own index and no further: a condition with OR would fetch and sort the whole account.
    """
    paid, received = (
        Transfer.objects.with_accounts().filter(behind, **{side: account}).order_by("-position")[:most]
        for side in ("debit", "credit")
    )
    return sorted([*paid, *received], key=lambda row: -row.position)[:most]


def lines(account: Account, page: Sequence[Transfer]) -> list[Line]:
    """Consecutive transfers of an account, newest first, as lines of its statement."""
    if not page:
        return []
    running = total_at(account, page[0].position)
    made = []
    for row in page:
        change = row.amount if row.credit_id == account.pk else -row.amount
        other = row.debit if row.credit_id == account.pk else row.credit
        made.append(
            Line(row.position, row.uuid, row.at, row.reason, row.subject, other.text, change, running)
        )
        running -= change
    return made


def total_at(account: Account, position: int) -> int:
    """What an account had once the transfer at `position` was made: what it has, without what came later.

    So the newest page costs nothing but itself, and an older one as much as was turned over to come to it.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT credits - debits "
            "- coalesce((SELECT sum(amount) FROM ledger_transfer WHERE credit_id = %s AND position > %s), 0) "
            "+ coalesce((SELECT sum(amount) FROM ledger_transfer WHERE debit_id = %s AND position > %s), 0) "
            "FROM ledger_account WHERE id = %s",
            [account.pk, position, account.pk, position, account.pk],
        )
        return int(cursor.fetchone()[0])


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Let several queries of a block see the same moment, unless the caller's transaction has begun already.

    On SQLite a position that is there says that all before it are, so nothing can come between them.
    """
    if connection.vendor == "sqlite" or connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


# --- play --------------------------------------------------------------------------------------------


def play_session(*, player: UUID, session: UUID) -> PlaySession:
    """A play session for its own player. Raises UnknownSession, for a stranger's too."""
    found = PlaySession.objects.filter(pk=session, player=player).first()
    if found is None:
        raise UnknownSession()
    return found


def session_balance(session: PlaySession) -> Balance:
    """What the session has now; nothing once it is cashed out, whatever the player's next session has."""
    if not session.is_open:
        return NOTHING
    owner = f"{OwnerKind.PLAYER}:{session.player}"
    return balance(owner=owner, purpose=Purpose.SESSION, currency=session.currency)


def session_history(session: PlaySession) -> QuerySet[GameStake]:
    """The staked games of a session, oldest first."""
    return session.stakes.select_related("stake_table").order_by("staked_at", "game")


# --- the whole ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TrialRow:
    kind: str
    purpose: str
    accounts: int
    debits: int
    credits: int
    held: int

    @property
    def balance(self) -> int:
        return self.credits - self.debits


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """Every account of a currency, summed by kind and purpose. `total` is zero, or money came from nowhere."""

    currency: str
    rows: tuple[TrialRow, ...]

    @property
    def debits(self) -> int:
        return sum(row.debits for row in self.rows)

    @property
    def credits(self) -> int:
        return sum(row.credits for row in self.rows)

    @property
    def total(self) -> int:
        return self.credits - self.debits


def trial_balance(currency: str) -> TrialBalance:
    """Summed by the database: as many rows as there are kinds of account, however long the ledger."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT kind, purpose, count(*), sum(debits), sum(credits), sum(held) FROM ledger_account "
            "WHERE currency = %s GROUP BY kind, purpose ORDER BY kind, purpose",
            [currency],
        )
        return TrialBalance(
            currency, tuple(TrialRow(row[0], row[1], *map(int, row[2:])) for row in cursor.fetchall())
        )


def currencies() -> list[str]:
    return list(Account.objects.values_list("currency", flat=True).distinct().order_by("currency"))
