"""Freezes: holds on what a subject has paid, until a claim about it is decided.

A subject is opaque: a game, a tournament, a market. Payments of the markets on it count as its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum

from core.errors import first_or_raise
from ledger.betting.models import Market
from ledger.core.holds import hold, locked, release
from ledger.core.keys import once
from ledger.core.models import player_owner
from ledger.core.participants import refuse_participant
from ledger.core.postings import Leg, fingerprint, lock, post
from ledger.errors import FreezeReleased, UnknownFreeze
from ledger.models import Account, Hold, HoldState, OwnerKind, PlaySession, Purpose, Transfer
from ledger.payouts import models as states
from ledger.payouts.models import Freeze, FrozenMoney, Payout, PayoutKind, PayoutStep
from ledger.payouts.requests import step

_NAMES = UUID("0c4c7a3b-52a4-5c55-8c3f-0a4a5a9d6f20")
ACTOR = "system:freezes"

PLACES = (Purpose.CASH, Purpose.SESSION)
"""The purposes of accounts where a player's money is held, in this order."""


def freeze(
    *, subject: str, player: UUID | None, claim: str, actor: str, at: datetime, reason: str = "claim"
) -> Freeze:
    """Hold what `subject` paid to all players (or to `player`), as far as they still have it.

    If less is available, unpaid payouts are put on hold: the subject's own prizes first, then as many of the newest as
    needed. The same `claim` is the same freeze.

    Raises KeyReused, InterestedParty.
    """
    print_ = fingerprint("freeze", subject, None if player is None else str(player), actor, reason)

    def make() -> Freeze:
        refuse_participant(subject, actor)
        made = Freeze.objects.create(
            id=uuid5(_NAMES, claim),
            key=claim,
            fingerprint=print_,
            subject=subject,
            player=player,
            reason=reason,
            actor=actor,
            at=at,
        )
        owners, waiting, _, places = _seize(made)
        for owner in owners:
            _cover(owner, waiting, places, at, newest=made)
        return made

    return once(Freeze, claim, print_, make)


def release_freeze(*, freeze: UUID, actor: str, reason: str, at: datetime) -> Freeze:
    """Release the holds of a freeze. Payouts that it put on hold, unless changed since, are requested again.

    Other freezes take what they lacked. Raises UnknownFreeze, InterestedParty, FreezeReleased.
    """
    with transaction.atomic():
        found = first_or_raise(Freeze.objects.select_for_update(no_key=True).filter(pk=freeze), UnknownFreeze)
        refuse_participant(found.subject, actor)
        if found.released_at is not None:
            raise FreezeReleased()
        owners, waiting, holds, places = _seize(found)
        for held in holds:
            if held.state == HoldState.HELD:
                release(hold=held, actor=actor, at=at)
        for payout in waiting:
            if payout.state == states.HELD and payout.steps.get(number=payout.version).freeze_id == found.pk:
                by = ACTOR if actor == payout.payee else actor
                step(payout, states.REQUESTED, actor=by, at=at, reason=reason)
        found.released_at, found.released_by, found.released_reason = at, actor, reason
        found.save(update_fields=["released_at", "released_by", "released_reason"])
        for owner in owners:
            _cover(owner, waiting, _reloaded(places), at)
        _sweep(_reloaded(places), found, at)
        return found


def is_frozen(subject: str) -> bool:
    """Return whether a claim freezes what a subject has paid."""
    return Freeze.objects.filter(subject=subject, released_at=None).exists()


# --- payments of a subject ---------------------------------------------------------------------------


def winnings(subjects: Iterable[str], owner: str, currency: str) -> int:
    """Return the pence that subjects, and the markets on them, have paid a player, less reversals and refusals."""
    wanted = set(subjects)
    paid = _paid_by(wanted).filter(credit__key=_key(owner), currency=currency)
    refused = Payout.objects.filter(
        kind=PayoutKind.PRIZE, payee=owner, currency=currency, subject__in=wanted, state=states.REJECTED
    )
    # Without rejections that were reversed, because the prize was reinstated or taken back.
    keys = [f"payout:{reference}" for reference in refused.values_list("reference", flat=True)]
    return _sum(paid) - _sum(Transfer.objects.filter(key__in=keys, reversed_by=None))


def everybody_paid(subject: str, player: UUID | None) -> dict[tuple[str, str], int]:
    """Return what a subject has paid, by player (`player:{id}`) and currency."""
    paid = _paid_by([subject])
    if player is not None:
        paid = paid.filter(credit__key=str(player))
    sides = paid.values_list("credit__key", "currency").distinct().order_by("credit__key", "currency")
    return {
        (owner := player_owner(key), currency): winnings([subject], owner, currency)
        for key, currency in sides
    }


def _sum(rows: QuerySet[Any]) -> int:
    return int(rows.aggregate(sum=Sum("amount"))["sum"] or 0)


def _paid_by(subjects: Iterable[str]) -> QuerySet[Transfer]:
    wanted = set(subjects)
    markets = Market.objects.filter(subject__in=wanted).values_list("pk", flat=True)
    return Transfer.objects.filter(
        subject__in=[*wanted, *(f"market:{id}" for id in markets)],
        credit__kind=OwnerKind.PLAYER,
        reverses=None,
        reversed_by=None,
    ).exclude(debit__kind=OwnerKind.PLAYER, debit__key=F("credit__key"))


def _owners(made: Freeze) -> list[str]:
    """Return the players whose money a freeze is about."""
    if made.player is not None:
        return [player_owner(made.player)]
    keys = _paid_by([made.subject]).values_list("credit__key", flat=True).distinct().order_by("credit__key")
    return [player_owner(key) for key in keys]


def _claims(owner: str) -> list[Freeze]:
    """Return the open freezes on a player's money, oldest first."""
    mine = Q(player=None) | Q(player=UUID(_key(owner)))
    return list(Freeze.objects.filter(mine, released_at=None).order_by("at", "pk"))


def _key(owner: str) -> str:
    return owner.partition(":")[2]


# --- holds -------------------------------------------------------------------------------------------


def is_needed(payout: Payout) -> bool:
    """Return whether a payout on hold covers money that freezes would otherwise lack."""
    claims = _claims(payout.payee)
    subjects = {claim.subject for claim in claims}
    if _is_prize_of(payout, subjects):
        return True
    stopped = Payout.objects.filter(payee=payout.payee, state=states.HELD).exclude(pk=payout.pk)
    kept = _frozen(payout.payee, payout.currency, claims) + _stopped(payout.currency, list(stopped))
    return winnings(subjects, payout.payee, payout.currency) > kept


def _frozen(owner: str, currency: str, claims: Sequence[Freeze]) -> int:
    return _sum(
        Hold.objects.filter(
            frozen__freeze__in=claims,
            state=HoldState.HELD,
            account__kind=OwnerKind.PLAYER,
            account__key=_key(owner),
            account__currency=currency,
        )
    )


def _stopped(currency: str, payouts: Sequence[Payout]) -> int:
    return sum(one.amount for one in payouts if one.state == states.HELD and one.currency == currency)


def _by_freezes(payouts: Sequence[Payout]) -> list[Payout]:
    """Return the payouts that are on hold because of a freeze."""
    newest = PayoutStep.objects.filter(payout__in=payouts, number=F("payout__version"), becomes=states.HELD)
    stopped = set(newest.filter(freeze__isnull=False).values_list("payout", flat=True))
    return [payout for payout in payouts if payout.pk in stopped]


def _cover(
    owner: str,
    waiting: Sequence[Payout],
    places: Sequence[Account],
    at: datetime,
    newest: Freeze | None = None,
) -> None:
    """Hold what the claims on a player's money lack, the oldest first. Payouts and accounts are locked."""
    own = [payout for payout in waiting if payout.payee == owner and payout.is_open]
    mine = sorted(
        (place for place in places if place.owner == owner),
        key=lambda place: PLACES.index(Purpose(place.purpose)),
    )
    claims = sorted(_claims(owner), key=lambda claim: claim == newest)
    currencies = sorted({place.currency for place in mine} | {payout.currency for payout in own})
    for number, claim in enumerate(claims, start=1):
        for prize in own:
            if _is_prize_of(prize, {claim.subject}):
                _stop(prize, claim, at)
        subjects = {each.subject for each in claims[:number]}
        for currency in currencies:
            kept = _frozen(owner, currency, claims) + _stopped(currency, _by_freezes(own))
            _hold_or_stop(claim, winnings(subjects, owner, currency) - kept, currency, own, mine, at)


def _hold_or_stop(
    claim: Freeze,
    missing: int,
    currency: str,
    payouts: Sequence[Payout],
    places: Sequence[Account],
    at: datetime,
) -> None:
    for place in places:
        if place.currency == currency:
            taken = _hold(claim, place, min(missing, place.available), at)
            place.held += taken
            missing -= taken
    by_freezes = _by_freezes(payouts)
    missing -= _stopped(currency, [one for one in payouts if one not in by_freezes])
    for payout in sorted(payouts, key=lambda one: (one.requested_at, one.reference), reverse=True):
        if missing > 0 and payout.currency == currency and payout.state != states.HELD:
            _stop(payout, claim, at)
            missing -= payout.amount


def _is_prize_of(payout: Payout, subjects: set[str]) -> bool:
    return payout.kind == PayoutKind.PRIZE and payout.subject in subjects


class _Overtaken(Exception):
    """A row was added after the lists of rows to lock had been read."""


def _seize(made: Freeze) -> tuple[list[str], list[Payout], list[Hold], list[Account]]:
    """Lock the players' rows that decide about a freeze, in the order of all callers: open payouts, the holds of the
    freeze, accounts.

    While the accounts are locked, no payout begins and no other freeze adds a hold. Rows added between reading a list
    and locking the accounts are found by reading again; then all locks are taken again from the beginning, to keep the
    order.
    """
    while True:
        try:
            with transaction.atomic():
                owners = _owners(made)
                waiting = _waiting(owners)
                holds = [locked(id) for id in _holds(made)]
                places = list(lock(_places(owners)).values())
                read = {*owners, *(one.pk for one in [*waiting, *holds]), *(one.pk for one in places)}
                owners_now = _owners(made)
                if read.issuperset(
                    {
                        *owners_now,
                        *(one.pk for one in _not_ended(owners_now)),
                        *_holds(made),
                        *(one.pk for one in _places(owners_now)),
                    }
                ):
                    return owners, waiting, holds, places
                raise _Overtaken
        except _Overtaken:
            continue


def _holds(made: Freeze) -> list[UUID]:
    return list(made.money.order_by("hold").values_list("hold", flat=True))


def _not_ended(owners: Sequence[str]) -> QuerySet[Payout]:
    return Payout.objects.filter(payee__in=owners, state__in=states.OPEN)


def _waiting(owners: Sequence[str]) -> list[Payout]:
    """Return the open payouts of these players, locked in the order of their keys."""
    return list(_not_ended(owners).select_for_update(of=("self",)).order_by("pk"))


def _places(owners: Sequence[str]) -> list[Account]:
    keys = [_key(owner) for owner in owners]
    return list(Account.objects.filter(kind=OwnerKind.PLAYER, key__in=keys, purpose__in=PLACES))


def _reloaded(places: Sequence[Account]) -> list[Account]:
    return list(Account.objects.filter(pk__in=[place.pk for place in places]).order_by("pk"))


def _hold(made: Freeze, place: Account, amount: int, at: datetime) -> int:
    if amount <= 0:
        return 0
    held = hold(
        key=f"freeze:{made.pk}:{place.pk}:{made.money.count()}",
        account=place,
        amount=amount,
        subject=made.ledger_subject,
        expires_at=None,
        actor=made.actor,
        at=at,
    )
    FrozenMoney.objects.create(freeze=made, hold=held)
    return amount


def _stop(payout: Payout, made: Freeze, at: datetime) -> None:
    if payout.state != states.HELD:
        # The actor is the system, because the claimant may be the payee, who cannot decide about the payout.
        step(payout, states.HELD, actor=ACTOR, at=at, reason=f"claim on {made.subject}", freeze=made)


# --- release ----------------------------------------------------------------------------------------


def _sweep(places: Sequence[Account], found: Freeze, at: datetime) -> None:
    """Move holds from a play session that was cashed out to the player's cash."""
    cash = {(one.owner, one.currency): one for one in places if one.purpose == Purpose.CASH}
    for place in places:
        if place.purpose != Purpose.SESSION or not place.available:
            continue
        if PlaySession.objects.filter(player=place.key, currency=place.currency, closed_at=None).exists():
            continue
        post(
            key=f"freeze:{found.pk}:out:{place.pk}",
            legs=[Leg(place, cash[place.owner, place.currency], place.available, "cash out")],
            subject=found.ledger_subject,
            actor=ACTOR,
            at=at,
        )
