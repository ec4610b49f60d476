"""Postings: the only way in which money moves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connection, transaction

from core.errors import KeyReused, first_or_raise
from core.sql import Statement, among, locking, savepoint, select
from eventstore.chain import canonical, format_at
from ledger.core.models import player_owner
from ledger.errors import (
    AlreadyReversed,
    BadAccount,
    BadAmount,
    BadPosting,
    BalanceTooLarge,
    EventMoney,
    InsufficientFunds,
    InterestedParty,
    NotReversible,
    UnknownTransfer,
)
from ledger.models import (
    MAY_BE_NEGATIVE,
    Account,
    OwnerKind,
    Purpose,
    Transfer,
)
from ledger.money import MOST_PENCE

MOST_LEGS = 1000
"""Legs of one posting. Larger postings are made in chunks, each with its key."""

_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_CURRENCY = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class Leg:
    debit: Account
    credit: Account
    amount: int
    reason: str


@dataclass(frozen=True, slots=True)
class Posting:
    id: UUID
    key: str
    transfers: tuple[Transfer, ...]
    replayed: bool


def account(*, owner: str, purpose: str, currency: str) -> Account:
    """Return an account, creating it if it is missing.

    `owner` is `house` or a kind and a key, such as `player:{id}`. Raises BadAccount.
    """
    kind, colon, key = owner.partition(":")
    if (
        kind not in OwnerKind.values
        or purpose not in Purpose.values
        or not _CURRENCY.fullmatch(currency)
        or bool(colon) != bool(_KEY.fullmatch(key))
        or (not colon and kind != OwnerKind.HOUSE)
    ):
        raise BadAccount(f"{owner}/{purpose} in {currency} is not a valid account.")
    for found in Account.objects.raw(_ACCOUNT, [kind, key, str(purpose), currency]):
        return found
    made, _ = Account.objects.get_or_create(
        kind=kind,
        key=key,
        purpose=purpose,
        currency=currency,
        defaults={"min_balance": None if purpose in MAY_BE_NEGATIVE else 0},
    )
    return made


# Raw SQL, because every posting runs it.
_ACCOUNT = f"{select(Account)} WHERE kind = %s AND key = %s AND purpose = %s AND currency = %s"


def player_accounts(players: Collection[UUID], *, purpose: str, currency: str) -> dict[UUID, Account]:
    """Return each player's account of a purpose. Missing ones are created, always in the same order."""
    known = Account.objects.filter(
        kind=OwnerKind.PLAYER, key__in=[str(player) for player in players], purpose=purpose, currency=currency
    )
    found = {UUID(one.key): one for one in known}
    for player in sorted(set(players) - found.keys(), key=str):
        found[player] = account(owner=player_owner(player), purpose=purpose, currency=currency)
    return found


def lock(accounts: Collection[Account]) -> dict[int, Account]:
    """Lock accounts until the transaction ends and return them by id: players first, the site last.

    The triggers lock in the same order, so postings never deadlock. A transaction that posts more than once locks the
    accounts of all its postings first. The rows that a posting is for (play session, stake, hold) are locked before any
    account.
    """
    # Raw SQL, because nearly every posting runs it.
    condition, parameters = among("id", [*{each.pk for each in accounts}])
    locked = Account.objects.raw(f"{select(Account)} WHERE {condition} {IN_ORDER} {locking()}", parameters)
    return {each.pk: each for each in locked}


IN_ORDER = "ORDER BY CASE kind WHEN 'player' THEN 0 WHEN 'house' THEN 2 ELSE 1 END, id"


def post(
    *,
    key: str,
    legs: Sequence[Leg],
    subject: str = "",
    event: int | None = None,
    actor: str,
    at: datetime,
    prechecked: bool = False,
) -> Posting:
    """Move money along every leg, or along none.

    Order the legs so that each can be paid after those before it. The same key with the same content returns the first
    posting, `replayed`. A refused posting leaves an open transaction usable, at the price of a savepoint. A caller that
    has locked the accounts, checked their balances, and uses a new key saves it with `prechecked`.

    Raises BadPosting, BadAmount, InsufficientFunds, BalanceTooLarge, KeyReused.
    """
    content = [[leg.debit.pk, leg.credit.pk, leg.amount, leg.reason] for leg in legs]
    check_legs(legs)
    return insert(
        key=key,
        fingerprint=fingerprint("post", content, subject, event, actor),
        legs=legs,
        subject=subject,
        event=event,
        actor=actor,
        at=at,
        prechecked=prechecked,
    )


def reverse(
    *,
    transfer: UUID,
    key: str,
    actor: str,
    reason: str,
    at: datetime,
    settles_escrow: bool = False,
) -> Posting:
    """Reverse a transfer, once.

    If the receiver's account no longer has the money, the rest comes from the player's cash, then from the player's
    `receivable` account, in the same posting. Money that follows from an event (a stake, winnings, a bet, a fee, a
    prize) is reversed only by a ruling on the event, which sets `settles_escrow` and uses a key of the event's subject.

    Raises UnknownTransfer, InterestedParty (the actor's own money), NotReversible, AlreadyReversed, EventMoney,
    InsufficientFunds, KeyReused.
    """
    print_ = fingerprint("reverse", str(transfer), actor, reason)
    with transaction.atomic():
        if known := known_posting(key, print_):
            return known
        original = first_or_raise(Transfer.objects.with_accounts().filter(uuid=transfer), UnknownTransfer)
        if not settles_escrow:
            check_correctable(original, actor)
        lenders = _lenders(original)
        # Another reversal of it holds these accounts, so what is read next includes its effect.
        locked = lock([original.debit, original.credit, *lenders])
        _check_not_reversed(original)
        legs = [
            *_lent(original, lenders, locked),
            Leg(original.credit, original.debit, original.amount, reason),
        ]
        return insert(
            key=key,
            fingerprint=print_,
            legs=legs,
            subject=original.subject,
            event=original.event,
            actor=actor,
            at=at,
            reverses=original,
        )


def take_back(transfers: Iterable[Transfer], *, key: str, actor: str, reason: str, at: datetime) -> None:
    """Reverse transfers of an escrow after a ruling, in this order, each under its own key below `key`.

    Only for the owner of the escrow. Raises as `reverse`.
    """
    for transfer in transfers:
        reverse(
            transfer=transfer.uuid,
            key=f"{key}:{transfer.position}",
            actor=actor,
            reason=reason,
            at=at,
            settles_escrow=True,
        )


def check_correctable(original: Transfer, actor: str) -> None:
    """Check whether staff may reverse a transfer, apart from the balance.

    Raises InterestedParty, NotReversible, AlreadyReversed, EventMoney.
    """
    _check_not_reversed(original)
    kind = original.subject.partition(":")[0]
    purposes = [side.purpose for side in _sides(original)]
    if original.event is not None or kind in _EVENTS or Purpose.ESCROW in purposes:
        raise EventMoney(
            "Open a dispute on the game, correct the tournament's result, or settle the market again.",
            subject=original.subject,
            event=original.event,
        )
    if any(side.kind == OwnerKind.PLAYER and side.purpose == Purpose.PAYABLE for side in _sides(original)):
        raise NotReversible("A prize that waits for approval is moved only by a decision about it.")
    if actor in (side.owner for side in _sides(original)):
        raise InterestedParty("Another administrator reverses a transfer to or from your own account.")


_EVENTS = (OwnerKind.GAME, OwnerKind.TOURNAMENT, OwnerKind.MARKET, "match")
"""Kinds of subject whose transfers follow from events."""


def _check_not_reversed(original: Transfer) -> None:
    if original.reverses_id is not None:
        raise NotReversible("A reversal cannot be reversed; make the transfer again.")
    if (before := Transfer.objects.filter(reverses=original).first()) is not None:
        raise _reversed_by(before)


def _reversed_by(before: Transfer) -> AlreadyReversed:
    at = format_at(before.at)
    return AlreadyReversed(
        f"Transfer {before.uuid} reversed it at {at}.", reversal=str(before.uuid), at=at, by=before.actor
    )


def _sides(transfer: Transfer) -> tuple[Account, Account]:
    return transfer.debit, transfer.credit


def _lenders(original: Transfer) -> list[Account]:
    """Return the player's accounts that cover what the receiving account no longer has."""
    receiver = original.credit
    if receiver.kind != OwnerKind.PLAYER or receiver.purpose == Purpose.RECEIVABLE:
        return []
    return [
        account(owner=receiver.owner, purpose=purpose, currency=receiver.currency)
        for purpose in (Purpose.CASH, Purpose.RECEIVABLE)
        if purpose != receiver.purpose
    ]


def _lent(original: Transfer, lenders: Sequence[Account], locked: Mapping[int, Account]) -> list[Leg]:
    """Return the legs that cover the missing amount, if any."""
    receiver = original.credit
    missing = original.amount - locked[receiver.pk].available
    legs = []
    for lender in lenders:
        can = missing if lender.min_balance is None else locked[lender.pk].available
        if (part := min(missing, can)) > 0:
            legs.append(Leg(lender, receiver, part, "shortfall of a reversal"))
            missing -= part
    return legs


# --- inserting ---------------------------------------------------------------------------------------


def fingerprint(*content: object) -> str:
    return hashlib.sha256(canonical(list(content))).hexdigest()


def check_amount(amount: object) -> None:
    if type(amount) is not int or not 1 <= amount <= MOST_PENCE:
        raise BadAmount(
            f"{str(amount)[:40]} is not an amount: a whole number of pence from 1 to {MOST_PENCE}."
        )


def check_legs(legs: Sequence[Leg]) -> None:
    if not 1 <= len(legs) <= MOST_LEGS:
        raise BadPosting(f"A posting has 1 to {MOST_LEGS} legs, not {len(legs)}.")
    if len({each.currency for leg in legs for each in (leg.debit, leg.credit)}) != 1:
        raise BadPosting("A posting is in one currency.")
    for leg in legs:
        check_amount(leg.amount)
        if leg.debit.pk == leg.credit.pk:
            raise BadPosting(f"{leg.debit.text} cannot pay itself.")
        if not 1 <= len(leg.reason) <= 200:
            raise BadPosting("Every leg has a reason of at most 200 characters.")


_COLUMNS = (
    "uuid",
    "posting",
    "key",
    "leg",
    "fingerprint",
    "debit",
    "credit",
    "currency",
    "amount",
    "reason",
    "subject",
    "event",
    "actor",
    "at",
    "reverses",
)
_NAMED = {field.name: field for field in Transfer._meta.concrete_fields}
_FIELDS = [_NAMED[name] for name in _COLUMNS]
_ATTRIBUTES = [field.attname for field in _FIELDS]
_DEBIT: Any = _NAMED["debit"]
_CREDIT: Any = _NAMED["credit"]
# The epoch is read in the statement itself, so that a restore in between cannot be missed.
EPOCH = "(SELECT coalesce(max(number), 0) FROM eventstore_epoch)"
_ROW = f"({', '.join(['%s'] * len(_COLUMNS))}, {EPOCH})"
_INSERT = f"INSERT INTO ledger_transfer ({', '.join(str(field.column) for field in _FIELDS)}, epoch) "
"""The only INSERT of transfers: followed by VALUES of `insert` or by the query of `post_query`."""


def insert(
    *,
    key: str,
    fingerprint: str,
    legs: Sequence[Leg],
    subject: str,
    event: int | None,
    actor: str,
    at: datetime,
    reverses: Transfer | None = None,
    posting: UUID | None = None,
    prechecked: bool = False,
) -> Posting:
    """Post legs under the caller's fingerprint, for services whose legs depend on balances.

    `reverses` belongs to the last leg. Otherwise like `post`.
    """
    if at.tzinfo is None:
        raise ValueError("`at` must be an aware datetime")
    check_legs(legs)
    id = posting or uuid4()
    rows = [
        _row(
            leg, uuid4(), id, key, number, fingerprint, leg.debit.pk, leg.credit.pk, leg.debit.currency, leg.amount,
            leg.reason, subject, event, actor, at, reverses.pk if reverses and number == len(legs) - 1 else None,
        )
        for number, leg in enumerate(legs)
    ]  # fmt: skip
    try:
        with nullcontext() if prechecked else savepoint():
            _insert_rows(rows)
    except IntegrityError as error:
        if prechecked and connection.in_atomic_block:
            raise (BalanceTooLarge() if "account_sums_bounded" in str(error) else error) from error
        return _explain(error, key, fingerprint, rows)
    return Posting(id, key, tuple(rows), replayed=False)


def _row(leg: Leg, *values: Any) -> Transfer:
    """Build a transfer from the values of `_COLUMNS`. The database sets position, epoch, and transaction."""
    row = Transfer.from_db(DEFAULT_DB_ALIAS, _ATTRIBUTES, values)
    _DEBIT.set_cached_value(row, leg.debit)
    _CREDIT.set_cached_value(row, leg.credit)
    return row


def _stored(row: Transfer) -> Iterator[Any]:
    """Return the values of `_COLUMNS` as the database takes them. Amounts have been checked."""
    if connection.vendor == "postgresql":
        return (getattr(row, field.attname) for field in _FIELDS)
    return (field.get_db_prep_save(getattr(row, field.attname), connection) for field in _FIELDS)


def _insert_rows(rows: Sequence[Transfer]) -> None:
    values = [value for row in rows for value in _stored(row)]
    positions = dict(_insert(f"VALUES {', '.join([_ROW] * len(rows))} RETURNING leg, position", values))
    for row in rows:
        row.position = positions[row.leg]


def _insert(source: str, values: Sequence[Any]) -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_INSERT + source, values)
        return list(cursor.fetchall()) if "RETURNING" in source else []


def posting(
    *, key: str, leg: Leg, subject: str, event: int | None = None, actor: str, at: datetime
) -> Statement:
    """Return the statement of a posting of one leg, for `write_all`.

    The caller has locked the accounts, checked their balances, and uses a new key. Raises BadPosting, BadAmount.
    """
    check_legs([leg])
    content = [[leg.debit.pk, leg.credit.pk, leg.amount, leg.reason]]
    row = _row(
        leg, uuid4(), uuid4(), key, 0, fingerprint("post", content, subject, event, actor), leg.debit.pk,
        leg.credit.pk, leg.debit.currency, leg.amount, leg.reason, subject, event, actor, at, None,
    )  # fmt: skip
    return Statement(
        f"{_INSERT}SELECT {', '.join(['%s'] * len(_COLUMNS))}, {EPOCH}{{after}}", list(_stored(row))
    )


def post_query(
    *,
    key: str,
    fingerprint: str,
    debit: Account,
    legs: str,
    parameters: Sequence[Any],
    subject: str,
    event: int | None,
    actor: str,
    at: datetime,
) -> None:
    """Post thousands of legs out of one account in one statement, without loading them.

    `legs` is a query with `parameters` of the columns leg (from 0), credit_id, amount, and reason. The caller has
    locked what the query reads and uses a new key; the database checks everything else.
    """
    head = Transfer(
        posting=uuid4(),
        key=key,
        fingerprint=fingerprint,
        debit=debit,
        currency=debit.currency,
        subject=subject,
        event=event,
        actor=actor,
        at=at,
    )
    computed = {**_COMPUTED, "uuid": _RANDOM_UUID[connection.vendor]}
    columns = [computed.get(name, "%s") for name in _COLUMNS]
    fields = [field for field in _FIELDS if field.name not in _COMPUTED]
    values = [field.get_db_prep_save(getattr(head, field.attname), connection) for field in fields]
    _insert(f"SELECT {', '.join(columns)}, {EPOCH} FROM ({legs}) legs ORDER BY leg", [*values, *parameters])  # noqa: S608


_COMPUTED = {
    "uuid": "",  # by the database, see `_RANDOM_UUID`
    "leg": "legs.leg",
    "credit": "legs.credit_id",
    "amount": "legs.amount",
    "reason": "legs.reason",
    "reverses": "NULL",
}
_RANDOM_UUID = {
    "postgresql": "gen_random_uuid()",
    # Django stores a UUID there as 32 hexadecimal digits; this is one of version 4.
    "sqlite": "lower(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) "
    "|| '8' || substr(hex(randomblob(2)), 2) || hex(randomblob(6)))",
}


def _explain(error: IntegrityError, key: str, fingerprint: str, rows: Sequence[Transfer]) -> Posting:
    """Raise the error for a constraint violation, or return the posting of a known key with this content."""
    text = str(error)
    if "transfer_key_once" in text or "ledger_transfer (key, leg)" in text:
        if known := known_posting(key, fingerprint):
            return known
    elif "account_balance_floor" in text:
        raise InsufficientFunds(account=_payer_in_want(rows)) from error
    elif "account_sums_bounded" in text:
        raise BalanceTooLarge() from error
    elif "reverses" in text and (before := Transfer.objects.filter(reverses=rows[-1].reverses_id).first()):
        raise _reversed_by(before) from error
    raise error


def _payer_in_want(rows: Sequence[Transfer]) -> str:
    payers = Account.objects.in_bulk([row.debit_id for row in rows])
    for row in rows:
        payer = payers[row.debit_id]
        if payer.min_balance is not None and payer.available - row.amount < payer.min_balance:
            return payer.text
    return rows[0].debit.text


def known_posting(key: str, fingerprint: str) -> Posting | None:
    """Return the posting of a key with this content, `replayed`, or None. Raises KeyReused."""
    rows = tuple(Transfer.objects.with_accounts().filter(key=key).order_by("leg"))
    if not rows:
        return None
    if rows[0].fingerprint != fingerprint:
        raise KeyReused()
    return Posting(rows[0].posting, key, rows, replayed=True)
