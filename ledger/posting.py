"""Accounts and transfers: the one way in which money moves."""

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

from eventstore.chain import canonical, format_at
from ledger.errors import (
    AlreadyReversed,
    BadAccount,
    BadAmount,
    BadPosting,
    BalanceTooLarge,
    EventMoney,
    InsufficientFunds,
    InterestedParty,
    KeyReused,
    NotReversible,
    UnknownTransfer,
)
from ledger.fields import MOST_PENCE
from ledger.models import (
    MAY_BE_NEGATIVE,
    Account,
    OwnerKind,
    Purpose,
    Transfer,
)
from ledger.rows import among, locking, select
from ledger.transactions import savepoint

MOST_LEGS = 1000
"""Legs of one posting; whatever is larger goes in chunks of its own, each with a key."""

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
    """The account, made if there is none.

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
        raise BadAccount(f"{owner}/{purpose} in {currency} can be no account.")
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


# Written out, since everything that moves money comes here.
_ACCOUNT = f"{select(Account)} WHERE kind = %s AND key = %s AND purpose = %s AND currency = %s"


def player_accounts(players: Collection[UUID], *, purpose: str, currency: str) -> dict[UUID, Account]:
    """Each player's account of that purpose; those that are missing are made, by everybody in one order."""
    known = Account.objects.filter(
        kind=OwnerKind.PLAYER, key__in=[str(player) for player in players], purpose=purpose, currency=currency
    )
    found = {UUID(one.key): one for one in known}
    for player in sorted(set(players) - found.keys(), key=str):
        found[player] = account(owner=f"{OwnerKind.PLAYER}:{player}", purpose=purpose, currency=currency)
    return found


def lock(accounts: Collection[Account]) -> dict[int, Account]:
    """The accounts as they stand, by id, locked until the transaction ends: players first, the house last.

    The triggers lock in the same order, so postings never wait for one another in a circle. A transaction that posts
    more than once locks the accounts of all its postings first: those of the next one may come before what it has.
    Rows that say what a posting is for (play session, stake, hold) are locked before any account.
    """
    return lock_numbered({each.pk for each in accounts})


def lock_numbered(ids: Collection[int], *, purse_of: tuple[UUID, str] | None = None) -> dict[int, Account]:
    """As `lock`, with the cash of a player in a currency if there is such an account."""
    # Written out, since nearly everything that moves money comes here.
    condition, parameters = among("id", list(ids))
    if purse_of is not None:
        player, currency = purse_of
        condition += " OR kind = %s AND key = %s AND purpose = %s AND currency = %s"
        parameters += [OwnerKind.PLAYER.value, str(player), Purpose.CASH.value, currency]
    locked = Account.objects.raw(f"{select(Account)} WHERE {condition} {_IN_ORDER} {locking()}", parameters)
    return {each.pk: each for each in locked}


_IN_ORDER = "ORDER BY CASE kind WHEN 'player' THEN 0 WHEN 'house' THEN 2 ELSE 1 END, id"


def post(
    *,
    key: str,
    legs: Sequence[Leg],
    subject: str = "",
    event: int | None = None,
    actor: str,
    at: datetime,
    foreseen: bool = False,
) -> Posting:
    """Move money along every leg, or along none.

    Write the legs so that each can be paid once those before it are. The same key with the same content answers what it
    did the first time, `replayed`; a posting may be part of an open transaction, which stays usable if it is refused.
    It need not if that is `foreseen`: who has locked the accounts, seen that they have enough and uses a key that is
    new saves the savepoint.

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
        foreseen=foreseen,
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
    """Take a transfer back by another one, once.

    If the money is no longer where the player received it, what is missing comes from the player's cash first, and what
    is missing there too is lent by the player's `receivable` account, in the same posting. Money that follows from an
    event (a stake, winnings, a bet, a fee, a prize) is reversed by a ruling on the event alone, which says so by
    `settles_escrow` and uses a key of the event's subject: any other reversal would contradict the event.

    Raises UnknownTransfer, InterestedParty (the actor's own money), NotReversible, AlreadyReversed, EventMoney,
    InsufficientFunds, KeyReused.
    """
    print_ = fingerprint("reverse", str(transfer), actor, reason)
    with transaction.atomic():
        if known := known_posting(key, print_):
            return known
        original = Transfer.objects.with_accounts().filter(uuid=transfer).first()
        if original is None:
            raise UnknownTransfer()
        if not settles_escrow:
            check_correctable(original, actor)
        lenders = _lenders(original)
        # Another reversal of it holds these accounts, so what is read next includes its effect.
        standing = lock([original.debit, original.credit, *lenders])
        _check_not_reversed(original)
        legs = [
            *_lent(original, lenders, standing),
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
    """After a ruling: reverse what an escrow has moved, in this order, each by a key of its own below `key`.

    By who settles that escrow. Raises as `reverse`.
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
    """Whether staff may take a transfer back by a reversal, money aside.

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
        raise NotReversible("A prize that waits for approval is moved by what is decided about it alone.")
    if actor in (side.owner for side in _sides(original)):
        raise InterestedParty("Another administrator reverses a transfer to or from your own account.")


_EVENTS = (OwnerKind.GAME, OwnerKind.TOURNAMENT, OwnerKind.MARKET, "match")
"""Kinds of subject whose transfers follow from events."""


def _check_not_reversed(original: Transfer) -> None:
    if original.reverses_id is not None:
        raise NotReversible("A reversal is not reversed; make the transfer again.")
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
    """The player's accounts that make up for money that its receiver no longer has there."""
    receiver = original.credit
    if receiver.kind != OwnerKind.PLAYER or receiver.purpose == Purpose.RECEIVABLE:
        return []
    return [
        account(owner=receiver.owner, purpose=purpose, currency=receiver.currency)
        for purpose in (Purpose.CASH, Purpose.RECEIVABLE)
        if purpose != receiver.purpose
    ]


def _lent(original: Transfer, lenders: Sequence[Account], standing: Mapping[int, Account]) -> list[Leg]:
    """The legs that make up for what is missing; none if it is all there."""
    receiver = original.credit
    missing = original.amount - standing[receiver.pk].available
    legs = []
    for lender in lenders:
        can = missing if lender.min_balance is None else standing[lender.pk].available
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
            f"{str(amount)[:40]} is no amount; it is a whole number of pence from 1 to {MOST_PENCE}."
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
_INSERT = f"INSERT INTO ledger_transfer ({', '.join(str(field.column) for field in _FIELDS)}, epoch) VALUES "  # noqa: S608


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
    foreseen: bool = False,
) -> Posting:
    """Post legs under a fingerprint of the caller's: for services whose legs depend on how the accounts stand.

    `reverses` belongs to the last leg. Otherwise as `post`.
    """
    if at.tzinfo is None:
        raise ValueError("a transfer is made at an aware datetime")
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
        with nullcontext() if foreseen else savepoint():
            _insert_rows(rows)
    except IntegrityError as error:
        if foreseen and connection.in_atomic_block:
            raise (BalanceTooLarge() if "account_sums_bounded" in str(error) else error) from error
        return _explain(error, key, fingerprint, rows)
    return Posting(id, key, tuple(rows), replayed=False)


def _row(leg: Leg, *values: Any) -> Transfer:
    """Of the values of `_COLUMNS`. Its position, epoch and transaction are the database's to say."""
    row = Transfer.from_db(DEFAULT_DB_ALIAS, _ATTRIBUTES, values)
    _DEBIT.set_cached_value(row, leg.debit)
    _CREDIT.set_cached_value(row, leg.credit)
    return row


def _stored(row: Transfer) -> Iterator[Any]:
    """The values of `_COLUMNS` as the database takes them; amounts have been checked."""
    if connection.vendor == "postgresql":
        return (getattr(row, field.attname) for field in _FIELDS)
    return (field.get_db_prep_save(getattr(row, field.attname), connection) for field in _FIELDS)


def _insert_rows(rows: Sequence[Transfer]) -> None:
    values = [value for row in rows for value in _stored(row)]
    with connection.cursor() as cursor:
        cursor.execute(f"{_INSERT}{', '.join([_ROW] * len(rows))} RETURNING leg, position", values)
        positions = dict(cursor.fetchall())
    for row in rows:
        row.position = positions[row.leg]


def _explain(error: IntegrityError, key: str, fingerprint: str, rows: Sequence[Transfer]) -> Posting:
    """What the refusal of the database means; for a key that is known with this content, its posting."""
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
    standing = Account.objects.in_bulk([row.debit_id for row in rows])
    for row in rows:
        payer = standing[row.debit_id]
        if payer.min_balance is not None and payer.available - row.amount < payer.min_balance:
            return payer.text
    return rows[0].debit.text


def known_posting(key: str, fingerprint: str) -> Posting | None:
    """What was posted under a key with this content, `replayed`; None if nothing was. Raises KeyReused."""
    rows = tuple(Transfer.objects.with_accounts().filter(key=key).order_by("leg"))
    if not rows:
        return None
    if rows[0].fingerprint != fingerprint:
        raise KeyReused()
    return Posting(rows[0].posting, key, rows, replayed=True)
