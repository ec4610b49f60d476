"""Fees in, prizes out, and nothing left between: every posting of a tournament, all of it through its escrow.

A bot has no purse. The house stakes its fee from `house/promotion` and takes its prize back there, so the pool holds
what it is said to hold, and what people have paid is never won by somebody who staked nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from ledger import services as ledger
from ledger.errors import InsufficientFunds
from ledger.models import Account
from ledger.selectors import balance
from ledger.services import Leg
from tournaments import guarantees
from tournaments.models import Entry, Tournament
from tournaments.problems import HouseCannotStake

T = TypeVar("T")

ACTOR = "tournaments"
PLAY_MONEY = "XTS"
"""ISO 4217's code for testing."""

LEGS = 500
"""Legs of one posting; a larger field is paid in several, in the same transaction."""


def escrow(tournament: Tournament) -> Account:
    return ledger.account(owner=tournament.subject, purpose="escrow", currency=tournament.currency)


def purse(tournament: Tournament, entry: Entry) -> Account:
    """Where an entrant's fee comes from and its prize goes to."""
    if entry.bot:
        return ledger.account(owner="house", purpose="promotion", currency=tournament.currency)
    return cash(tournament, entry.player_id)


def purses(tournament: Tournament, entries: Iterable[Entry]) -> dict[int, Account]:
    """By entry number. In one order for all tournaments: a purse may be made here, and two that end at once would
    wait for each other's."""
    all_of_them = list(entries)
    people = [entry.player_id for entry in all_of_them if not entry.bot]
    own = ledger.player_accounts(people, purpose="cash", currency=tournament.currency)
    house = next((purse(tournament, entry) for entry in all_of_them if entry.bot), None)
    return {entry.number: house if entry.bot and house else own[entry.player_id] for entry in all_of_them}


def pool(tournament: Tournament) -> int:
    """What lies in escrow, in pence."""
    return balance(owner=tournament.subject, purpose="escrow", currency=tournament.currency).total


def fees(tournament: Tournament) -> int:
    """What of the pool was paid in by entrants: the rest is the house's, who guaranteed the prizes."""
    return pool(tournament) - guarantees.captured(tournament)


def accounts_for_bots(tournament: Tournament) -> tuple[Account, Account]:
    """Where the house's stakes come from, and where play money for them does."""
    house = ledger.account(owner="house", purpose="promotion", currency=tournament.currency)
    return house, ledger.account(owner="house", purpose="external", currency=tournament.currency)


def provide_for_bots(tournament: Tournament, *, bots: int, event: int, now: datetime) -> None:
    """See that the house can stake so many bots.

    Play money it pays in as it needs it, as a transfer that says so. Any other must lie there already: raises
    HouseCannotStake.
    """
    house, outside = accounts_for_bots(tournament)
    # The fees come in postings of their own; and what another tournament is about to stake is not there.
    house = ledger.lock([escrow(tournament), house, outside])[house.pk]
    short = bots * tournament.fee - house.available
    if short <= 0:
        return
    if tournament.currency != PLAY_MONEY:
        raise HouseCannotStake(f"{short} pence are missing for {bots} bots.", missing=short)
    _post(tournament, "promotion", [Leg(outside, house, short, "play money for bots")], event, now)


def cash(tournament: Tournament, player: UUID) -> Account:
    return ledger.account(owner=f"player:{player}", purpose="cash", currency=tournament.currency)


def refuse_broke(tournament: Tournament, player: UUID, now: datetime) -> None:
    """Whether somebody could pay the fee now. Raises PlayStopped, LimitReached, InsufficientFunds."""
    _check_allowed(tournament, player, now)
    owned = balance(owner=f"player:{player}", purpose="cash", currency=tournament.currency)
    if owned.available < tournament.fee:
        raise InsufficientFunds


def take_fee(tournament: Tournament, entry: Entry, *, event: int, now: datetime) -> None:
    """Raises PlayStopped, LimitReached, InsufficientFunds: then nothing is entered, for it is one transaction."""
    if not entry.bot:
        _check_allowed(tournament, entry.player_id, now)
    if tournament.fee:
        legs = [Leg(purse(tournament, entry), escrow(tournament), tournament.fee, "entry fee")]
        _post(tournament, f"fee:{entry.number}", legs, event, now)


def _check_allowed(tournament: Tournament, player: UUID, now: datetime) -> None:
    """Also who enters without a fee plays."""
    if tournament.fee:
        ledger.check_stake_allowed(player=player, amount=tournament.fee, currency=tournament.currency, at=now)
    else:
        ledger.check_play_allowed(player=player, at=now)


def refund(
    tournament: Tournament,
    entries: Iterable[Entry],
    *,
    reason: str,
    event: int,
    now: datetime,
    paid_too: Iterable[Account] = (),
) -> None:
    """Give fees back. An entry number is refunded once, whoever asks again.

    `paid_too`: accounts that this transaction will move money of later, to be locked with these.
    """
    if not tournament.fee:
        return
    source, refunded = escrow(tournament), list(entries)
    into = purses(tournament, refunded)
    ledger.lock([source, *into.values(), *paid_too])
    for chunk in chunks(refunded):
        legs = [Leg(source, into[entry.number], tournament.fee, reason) for entry in chunk]
        _post(tournament, f"refund:{chunk[0].number}", legs, event, now)


def pay_out(
    tournament: Tournament,
    awards: Sequence[tuple[Entry, int]],
    *,
    rake: int,
    event: int,
    now: datetime,
    overlay: int = 0,
    paid_too: Iterable[Account] = (),
) -> None:
    """Prizes (entry, pence) and the house's rake; the escrow is empty afterwards, or there was nothing to pay.

    `overlay`: what the house adds to the fees, from the guarantee; the rest of that is free then.

    A person's prize above the limit goes to `payable`, and waits there for approval. `paid_too` as in `refund`.
    """
    source = escrow(tournament)
    won = [(entry, amount) for entry, amount in awards if amount]
    large = prizes_that_wait(tournament, won)
    goes = {**purses(tournament, [entry for entry, _ in won]), **large}
    legs = [Leg(source, goes[entry.number], amount, "prize") for entry, amount in won]
    if rake:
        house = ledger.account(owner="house", purpose="rake", currency=tournament.currency)
        legs.append(Leg(source, house, rake, "rake"))
    moved = [account for leg in legs for account in (leg.debit, leg.credit)]
    ledger.lock([source, *moved, *guarantees.accounts(tournament), *paid_too])
    guarantees.settle(tournament, overlay=overlay, into=source, now=now)
    for number, chunk in enumerate(chunks(legs)):
        _post(tournament, f"prizes:{number}", chunk, event, now)
    for entry, amount in won:
        if entry.number in large:
            ask_for_prize(tournament, entry, amount, now=now)


def ask_for_prize(
    tournament: Tournament,
    entry: Entry,
    amount: int,
    *,
    now: datetime,
    correction: int = 0,
    asked_by: str = ACTOR,
) -> None:
    """Let a prize that has been posted to `payable` wait there for approval: the first, or that of a correction."""
    ledger.request_prize(
        player=entry.player_id,
        amount=amount,
        currency=tournament.currency,
        subject=tournament.subject,
        key=prize_key(tournament, entry.number, correction),
        requested_by=asked_by,
        at=now,
    )


def prize_key(tournament: Tournament, entry: int, correction: int = 0) -> str:
    """Under which a prize waits."""
    return f"{tournament.subject}:prize:{entry}" + (f":{correction}" if correction else "")


def prizes_that_wait(
    tournament: Tournament, won: Sequence[tuple[Entry, int]], *, also: Collection[str] = ()
) -> dict[int, Account]:
    """Where they wait, by entry number; made in one order for all tournaments, as purses are.

    `also`: players (`player:{id}`) whose prizes wait whatever they come to.
    """
    large = [
        entry
        for entry, amount in won
        if not entry.bot and (ledger.prize_needs_approval(amount) or f"player:{entry.player_id}" in also)
    ]
    wait = ledger.player_accounts(
        [entry.player_id for entry in large], purpose="payable", currency=tournament.currency
    )
    return {entry.number: wait[entry.player_id] for entry in large}


def _post(tournament: Tournament, what: str, legs: Sequence[Leg], event: int, now: datetime) -> None:
    ledger.post(
        key=f"{tournament.subject}:{what}",
        legs=legs,
        subject=tournament.subject,
        event=event,
        actor=ACTOR,
        at=now,
    )


def chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[start : start + LEGS] for start in range(0, len(items), LEGS))
