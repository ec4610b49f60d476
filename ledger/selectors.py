"""Reading the books. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max, Q, QuerySet, Sum, prefetch_related_objects

from ledger.betting.models import Market
from ledger.errors import UnknownSession
from ledger.lines import LineKind, kind_of
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


def transfers_of_ruling(subject: str, number: int) -> list[Transfer]:
    """What the `number`-th ruling on a stake, a pot or a tournament's results has moved, in the order it was made."""
    rows = Transfer.objects.with_accounts().filter(
        subject=subject, key__startswith=f"{subject}{RULING}{number}:"
    )
    return list(rows.order_by("epoch", "xact", "position"))


def newest_position() -> int:
    """Behind which whatever is posted next will come; 0 if nothing has been."""
    return Transfer.objects.aggregate(last=Max("position"))["last"] or 0


def posted_since(position: int, subject: str) -> QuerySet[Transfer]:
    """What has been posted about a subject behind a position, in that order."""
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
    kind: LineKind
    about: str
    """Of a market what was bet on, else the subject."""
    reverses: UUID | None
    reversed_by: UUID | None


def statement(account: Account, *, before: int | None = None, limit: int = 50) -> list[Line]:
    """The newest lines of an account, or those before the line of a position, newest first.

    In the order of `at`, among equals in the order in which they were posted. Every report goes by that time as well,
    so that the balance of any instant is the sum of the transfers made until then.
    """
    with one_snapshot():
        behind = Q()
        if before is not None:
            at = Transfer.objects.filter(pk=before).values_list("at", flat=True).first()
            if at is None:
                return []
            behind = Q(at=at, position__lt=before) | Q(at__lt=at)
        return lines(account, newest(account, behind, limit))


def newest(account: Account, behind: Q, most: int) -> list[Transfer]:
    """At most so many transfers of an account that `behind` lets through, newest first.

    Each side is read along its own index and no further: a condition with OR would fetch and sort the whole account,
    and so may a join with the accounts, where PostgreSQL's statistics of them are out of date.
    """
    paid, received = (
        Transfer.objects.filter(behind, **{side: account}).order_by("-at", "-position")[:most]
        for side in ("debit", "credit")
    )
    rows = sorted([*paid, *received], key=lambda row: (row.at, row.position), reverse=True)[:most]
    prefetch_related_objects(rows, "debit", "credit", "reverses", "reversed_by")
    return rows


def lines(account: Account, page: Sequence[Transfer], *, consecutive: bool = True) -> list[Line]:
    """Transfers of an account, newest first, as lines of its statement.

    Where some between them are left out (not `consecutive`), what these moved is asked for line by line.
    """
    if not page:
        return []
    running = total_at(account, page[0].at, page[0].position)
    about = about_of(page)
    made: list[Line] = []
    for newer, row in zip([None, *page], page, strict=False):
        if newer is not None:
            running -= made[-1].change if consecutive else _moved_between(account, row, newer)
        made.append(line(account, row, running, about=about.get(row.subject)))
    return made


def _moved_between(account: Account, older: Transfer, newer: Transfer) -> int:
    """What all transfers behind the older one changed, up to the newer one and with it."""
    span = Transfer.objects.filter(
        Q(at__gt=older.at) | Q(position__gt=older.position),
        Q(at__lt=newer.at) | Q(position__lte=newer.position),
        at__range=(older.at, newer.at),
    )
    received, paid = sums(account, span)
    return received - paid


def sums(account: Account, rows: QuerySet[Transfer]) -> tuple[int, int]:
    """What of these transfers the account received, and what it paid."""
    received, paid = (
        rows.filter(**{side: account}).aggregate(sum=Sum("amount"))["sum"] or 0
        for side in ("credit", "debit")
    )
    return received, paid


def about_of(page: Sequence[Transfer]) -> dict[str, str]:
    """By the subject of a market, what was bet on."""
    markets = {row.subject for row in page if row.subject.startswith(f"{OwnerKind.MARKET}:")}
    found = Market.objects.filter(pk__in=[UUID(subject.partition(":")[2]) for subject in markets])
    return {f"{OwnerKind.MARKET}:{market.pk}": market.subject for market in found} if markets else {}


def line(account: Account, row: Transfer, balance: int, *, about: str | None = None) -> Line:
    paid = row.debit_id == account.pk
    reversal: Transfer | None = getattr(row, "reversed_by", None)
    return Line(
        row.position,
        row.uuid,
        row.at,
        row.reason,
        row.subject,
        (row.credit if paid else row.debit).text,
        -row.amount if paid else row.amount,
        balance,
        kind_of(row),
        about or row.subject,
        None if row.reverses is None else row.reverses.uuid,
        None if reversal is None else reversal.uuid,
    )


def total_at(account: Account, at: datetime, position: int | None = None) -> int:
    """What an account had by the transfers made until `at`, of those made just then until the one at `position`.

    It is what the account has, without what came later. So the newest page costs nothing but itself, and an older one
    as much as was turned over since.
    """
    when = Transfer._meta.get_field("at").get_db_prep_value(at, connection)
    later: list[tuple[str, list[Any]]] = [("at > %s", [when])]
    if position is not None:
        # By itself, for SQLite would look through all of that instant for `(at, position) > (…)`.
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


def currencies_of(player: UUID) -> list[str]:
    owned = Account.objects.filter(kind=OwnerKind.PLAYER, key=str(player))
    return list(owned.values_list("currency", flat=True).distinct().order_by("currency"))
