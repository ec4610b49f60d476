"""Pots: opened with their terms, filled by buy-ins at seating, divided once, and divided again after a ruling.

Functions join the caller's transaction with its event. The pot's row is locked before any account and orders concurrent
calls. The key of every posting contains the pot's subject, so a retry moves nothing twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from core.errors import KeyReused, first_or_raise
from ledger.core.models import player_owner
from ledger.core.participants import refuse_participant
from ledger.core.postings import Leg, account, lock, player_accounts, post, take_back
from ledger.core.selectors import RULING, as_bundled, balance
from ledger.errors import (
    BadPot,
    BoughtIn,
    InsufficientFunds,
    NotBoughtIn,
    PotClosed,
    PotOpen,
    UnknownCurrency,
    UnknownPot,
)
from ledger.limits.protection import check_stake_allowed, precheck_stake
from ledger.models import Account, OwnerKind, Purpose, StakeTable, Transfer
from ledger.stakes.models import BuyIn, BuyInStatus, Division, Pot, PotStatus
from ledger.stakes.tables import check_stake
from ledger.stakes.terms import PotTerms, Shares

POT_ACTOR = "system:games"
Places = Sequence[Sequence[UUID]]
"""Players by place. Players who share a place are in the order in which they get odd pence."""


def open_pot(
    *,
    subject: str,
    amount: int,
    currency: str,
    terms: PotTerms,
    stake_table: StakeTable,
    at: datetime,
) -> Pot:
    """Open a pot for `subject`, which owns the escrow. Each player pays `amount`, divided on these terms.

    The bounds of the buy-in are those of the stake table now. The same content again returns the same pot. Raises
    BadPot, UnknownCurrency, KeyReused, and what `check_stake` raises.
    """
    if faults := terms.faults():
        raise BadPot(" ".join(faults))
    check_stake(stake=amount, stake_table=stake_table, at=at)
    if stake_table.currency != currency:
        raise UnknownCurrency(f"{stake_table.slug} plays in {stake_table.currency}.")
    try:
        with transaction.atomic():
            return Pot.objects.create(
                subject=subject,
                currency=currency,
                amount=amount,
                stake_table=stake_table,
                rake=terms.rake,
                split=list(terms.split),
                escrow=account(owner=subject, purpose=Purpose.ESCROW, currency=currency),
                opened_at=at,
            )
    except IntegrityError as error:
        known = Pot.objects.select_related("stake_table").filter(subject=subject).first()
        if known is None:
            raise
        if (known.amount, known.currency, known.terms) != (amount, currency, terms):
            raise KeyReused() from error
        return known


def take_buy_in(*, subject: str, player: UUID, event: int, at: datetime) -> BuyIn:
    """Take a player's buy-in from cash into the pot. `event` is the version of the seating.

    The same seating again returns the same buy-in. Raises UnknownPot, PotClosed, BoughtIn, InsufficientFunds, and
    PlayStopped or LimitReached for a protected player.
    """
    with transaction.atomic():
        pot = lock_pot(subject)
        if known := pot.buy_ins.filter(event=event).first():
            if known.player != player:
                raise KeyReused()
            return known
        if pot.status != PotStatus.OPEN:
            raise PotClosed()
        if pot.buy_ins.standing().filter(player=player).exists():
            raise BoughtIn()
        check_stake_allowed(player=player, amount=pot.amount, currency=pot.currency, at=at)
        purse = _cash(player, pot)
        _post(
            pot,
            f"buy-in:{event}",
            [Leg(purse, pot.escrow, pot.amount, "buy-in")],
            event,
            at,
            player_owner(player),
        )
        return BuyIn.objects.create(
            pot=pot, event=event, player=player, purse=purse, amount=pot.amount, taken_at=at
        )


def precheck_buy_in(*, player: UUID, amount: int, currency: str, at: datetime) -> None:
    """Raise what taking such a buy-in would raise. Locks and moves nothing."""
    precheck_stake(player=player, amount=amount, currency=currency, at=at)
    owner = player_owner(player)
    if balance(owner=owner, purpose=Purpose.CASH, currency=currency).available < amount:
        raise InsufficientFunds(account=f"{owner}/{Purpose.CASH}")


def give_back_buy_in(*, subject: str, player: UUID, event: int, at: datetime) -> BuyIn:
    """Return a player's buy-in before the start. `event` is the version of the leaving.

    Raises UnknownPot, NotBoughtIn, PotClosed.
    """
    with transaction.atomic():
        pot = lock_pot(subject)
        if pot.status != PotStatus.OPEN:
            raise PotClosed()
        found = first_or_raise(
            pot.buy_ins.standing().filter(player=player).select_related("purse"), NotBoughtIn
        )
        legs = [Leg(pot.escrow, found.purse, found.amount, "buy-in given back")]
        _post(pot, f"buy-in-back:{event}", legs, event, at, player_owner(player))
        found.status, found.returned, found.ended_at = BuyInStatus.BACK, found.amount, at
        found.save(update_fields=["status", "returned", "ended_at"])
        return found


def settle_pot(*, subject: str, places: Places, event: int | None, at: datetime) -> Pot:
    """Divide the pot by places, once, which empties its escrow. The same places again change nothing.

    `places` names each player who bought in once. Raises UnknownPot, PotClosed (it was divided otherwise), BadPot.
    """
    with transaction.atomic():
        pot = lock_pot(subject)
        if pot.division:
            if pot.status == PotStatus.SETTLED and _last(pot).places == _written(places):
                return pot
            raise PotClosed()
        return _divide(pot, places, event=event, reason="settled", actor=POT_ACTOR, at=at)


def void_pot(*, subject: str, event: int | None, at: datetime) -> Pot:
    """Return every buy-in of an open pot. A void pot is unchanged.

    Raises UnknownPot, and PotClosed if it was settled; then `resettle_pot` voids it.
    """
    with transaction.atomic():
        pot = lock_pot(subject)
        if pot.division:
            if pot.status == PotStatus.VOID:
                return pot
            raise PotClosed()
        return _divide(pot, None, event=event, reason="void", actor=POT_ACTOR, at=at)


def resettle_pot(*, subject: str, places: Places | None, reason: str, actor: str, at: datetime) -> Pot:
    """Divide a pot again after a ruling: reverse the last division first. `places` None returns every buy-in.

    A player who has spent the money owes it (see `postings.reverse`). The same ruling again returns the same division.

    Raises UnknownPot, InterestedParty, PotOpen, BadPot, InsufficientFunds (the site no longer has its rake).
    """
    with transaction.atomic():
        pot = lock_pot(subject)
        refuse_participant(subject, actor)
        if not pot.division:
            raise PotOpen()
        last = _last(pot)
        wanted = (places is None, [] if places is None else _written(places), reason, actor)
        if (last.void, last.places, last.reason, last.actor) == wanted:
            return pot
        _check_places(pot, places)
        paid = _paid(pot)
        _lock_for_ruling(pot, paid)
        ruling = f"{pot.subject}{RULING}{pot.division + 1}"
        take_back(paid, key=ruling, actor=actor, reason=reason, at=at)
        return _divide(pot, places, event=last.event, reason=reason, actor=actor, at=at)


# --- parts -------------------------------------------------------------------------------------------


def lock_pot(subject: str) -> Pot:
    """Return the pot, locked until the transaction ends. Raises UnknownPot."""
    return first_or_raise(
        Pot.objects.select_for_update(of=("self",), no_key=True)
        .select_related("escrow", "stake_table")
        .filter(subject=subject),
        UnknownPot,
    )


def _divide(
    pot: Pot, places: Places | None, *, event: int | None, reason: str, actor: str, at: datetime
) -> Pot:
    _check_places(pot, places)
    parts = {part.player: part for part in pot.buy_ins.standing().select_related("purse").order_by("event")}
    gross = pot.amount * len(parts)
    if places is None:
        shares = Shares(0, {player: part.amount for player, part in parts.items()})
    else:
        shares = pot.terms.divide(gross, places)
    number = pot.division + 1
    Division.objects.create(
        pot=pot,
        number=number,
        void=places is None,
        places=[] if places is None else _written(places),
        gross=gross,
        rake=shares.rake,
        event=event,
        reason=reason,
        actor=actor,
        at=at,
    )
    word = "buy-in refunded" if places is None else "prize"
    legs = [
        Leg(pot.escrow, parts[player].purse, pence, word) for player, pence in shares.awards.items() if pence
    ]
    if shares.rake:
        legs.append(Leg(pot.escrow, _rake(pot), shares.rake, "rake"))
    if legs:
        _post(pot, _what(number), legs, event, at, actor)
    for player, part in parts.items():
        part.status = BuyInStatus.REFUNDED if places is None else BuyInStatus.PAID
        part.returned, part.division, part.ended_at = shares.awards[player], number, at
        part.save(update_fields=["status", "returned", "division", "ended_at"])
    pot.status = PotStatus.VOID if places is None else PotStatus.SETTLED
    pot.division, pot.ended_at = number, at
    pot.save(update_fields=["status", "division", "ended_at"])
    return pot


def _check_places(pot: Pot, places: Places | None) -> None:
    if places is None:
        return
    named = [player for place in places for player in place]
    bought_in = set(pot.buy_ins.standing().values_list("player", flat=True))
    if not named or len(set(named)) != len(named) or set(named) != bought_in:
        raise BadPot("The places must name each player who bought in once.")


def _what(number: int) -> str:
    """Return the end of a division's key, which separates a ruling's transfers from the game's own."""
    return "division" if number == 1 else f"{RULING.strip(':')}:{number}:division"


def _paid(pot: Pot) -> list[Transfer]:
    key = f"{pot.subject}:{_what(pot.division)}"
    return list(Transfer.objects.with_accounts().filter(key=key).order_by("leg"))


def _lock_for_ruling(pot: Pot, paid: Sequence[Transfer]) -> None:
    """Lock all accounts of the reversals and of the new division, in order."""
    players = {UUID(transfer.credit.key) for transfer in paid if transfer.credit.kind == OwnerKind.PLAYER}
    debts = player_accounts(players, purpose=Purpose.RECEIVABLE, currency=pot.currency)
    purses = Account.objects.filter(pk__in=pot.buy_ins.standing().values("purse"))
    lock([pot.escrow, *purses, *debts.values(), _rake(pot)])


def _last(pot: Pot) -> Division:
    return Division.objects.get(pot=pot, number=pot.division)


def _written(places: Places) -> list[list[str]]:
    return [[str(player) for player in place] for place in places if place]


def _cash(player: UUID, pot: Pot) -> Account:
    return account(owner=player_owner(player), purpose=Purpose.CASH, currency=pot.currency)


def _rake(pot: Pot) -> Account:
    return account(owner=OwnerKind.HOUSE, purpose=Purpose.RAKE, currency=pot.currency)


def _post(pot: Pot, what: str, legs: Sequence[Leg], event: int | None, at: datetime, actor: str) -> None:
    post(key=f"{pot.subject}:{what}", legs=legs, subject=pot.subject, event=event, actor=actor, at=at)


def pots() -> QuerySet[Pot]:
    return Pot.objects.select_related("stake_table").prefetch_related("buy_ins", "divisions")


def pot(id: UUID) -> Pot:
    """Return a pot. Raises UnknownPot."""
    return first_or_raise(pots().filter(pk=id), UnknownPot)


def buy_ins_of(player: UUID) -> QuerySet[BuyIn]:
    """Return a player's own buy-ins."""
    return BuyIn.objects.filter(player=player).select_related("pot")


def transfers_of_ruling(pot: Pot, number: int) -> list[dict[str, Any]]:
    """Return the transfers of the division of this number, made by a ruling, as bundles show them."""
    key = f"{pot.subject}{RULING}{number}:"
    rows = Transfer.objects.with_accounts().filter(subject=pot.subject, key__startswith=key)
    return [as_bundled(row) for row in rows.order_by("epoch", "xact", "position")]
