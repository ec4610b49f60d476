"""Postings of a tournament: fees, refunds, prizes, and rake, all through its escrow, and guaranteed prizes.

A bot has no cash account. The site stakes its fee from `house/promotion` and receives its prize there. So the pool
is always fully paid in, and no one wins people's money without a stake.

Guaranteed prizes are a hold in the site's bank account from publication on, so that they can always be paid.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.db.models import Sum

from accounts.models import Player
from accounts.roles import Role, has_role
from ledger import services as ledger
from ledger.errors import InsufficientFunds
from ledger.models import Account, Hold, HoldState, Transfer
from ledger.money import money
from ledger.selectors import balance
from ledger.services import Leg
from tournaments.errors import GuaranteeNotCovered, GuaranteeTooHigh, SiteCannotStake
from tournaments.models import Entry, Status, Tournament

T = TypeVar("T")

ACTOR = "tournaments"
PLAY_MONEY = "XTS"
"""The ISO 4217 code for testing."""

LEGS = 500
"""The most transfers of one posting. A larger field is paid in several postings within one transaction."""


def escrow(tournament: Tournament) -> Account:
    return ledger.account(owner=tournament.subject, purpose="escrow", currency=tournament.currency)


def purse(tournament: Tournament, entry: Entry) -> Account:
    """Return the account that pays an entrant's fee and receives the prize."""
    if entry.bot:
        return ledger.account(owner="house", purpose="promotion", currency=tournament.currency)
    return cash(tournament, entry.player_id)


def purses(tournament: Tournament, entries: Iterable[Entry]) -> dict[int, Account]:
    """Return the accounts by entry number.

    All tournaments use the same order, since an account may be created here and two concurrent ends could deadlock.
    """
    all_of_them = list(entries)
    people = [entry.player_id for entry in all_of_them if not entry.bot]
    own = ledger.player_accounts(people, purpose="cash", currency=tournament.currency)
    house = next((purse(tournament, entry) for entry in all_of_them if entry.bot), None)
    return {entry.number: house if entry.bot and house else own[entry.player_id] for entry in all_of_them}


def pool(tournament: Tournament) -> int:
    """Return the balance of the escrow, in pence."""
    return balance(owner=tournament.subject, purpose="escrow", currency=tournament.currency).total


def fees(tournament: Tournament) -> int:
    """Return the part of the pool that entrants paid in. The rest is the bank's overlay."""
    return pool(tournament) - guarantee_captured(tournament)


def accounts_for_bots(tournament: Tournament) -> tuple[Account, Account]:
    """Return the accounts from which the site stakes its bots' fees."""
    house = ledger.account(owner="house", purpose="promotion", currency=tournament.currency)
    return house, ledger.account(owner="house", purpose="external", currency=tournament.currency)


def provide_for_bots(tournament: Tournament, *, bots: int, event: int, now: datetime) -> None:
    """Ensure that the site can stake that many bots.

    It pays in play money as needed, in a recorded transfer. Other currencies must be there already. Raises
    SiteCannotStake.
    """
    house, outside = accounts_for_bots(tournament)
    # The fees are separate postings. What another tournament is about to stake is not available.
    house = ledger.lock([escrow(tournament), house, outside])[house.pk]
    short = bots * tournament.fee - house.available
    if short <= 0:
        return
    if tournament.currency != PLAY_MONEY:
        raise SiteCannotStake(
            f"{money(short, tournament.currency)} are missing for {bots} bots.", missing=short
        )
    _post(tournament, "promotion", [Leg(outside, house, short, "play money for bots")], event, now)


def cash(tournament: Tournament, player: UUID) -> Account:
    return ledger.account(owner=f"player:{player}", purpose="cash", currency=tournament.currency)


def require_funds(tournament: Tournament, player: UUID, now: datetime) -> None:
    """Raise PlayStopped, LimitReached, or InsufficientFunds if the player cannot pay the fee now."""
    _check_allowed(tournament, player, now)
    owned = balance(owner=f"player:{player}", purpose="cash", currency=tournament.currency)
    if owned.available < tournament.fee:
        raise InsufficientFunds


def take_fee(tournament: Tournament, entry: Entry, *, event: int, now: datetime) -> None:
    """Take the fee. Raises PlayStopped, LimitReached, InsufficientFunds, and the transaction enters no one."""
    if not entry.bot:
        _check_allowed(tournament, entry.player_id, now)
    if tournament.fee:
        legs = [Leg(purse(tournament, entry), escrow(tournament), tournament.fee, "entry fee")]
        _post(tournament, f"fee:{entry.number}", legs, event, now)


def _check_allowed(tournament: Tournament, player: UUID, now: datetime) -> None:
    """Check the player's limits. Entering without a fee counts as playing, too."""
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
    """Refund fees. Each entry number is refunded once.

    `paid_too`: accounts that this transaction uses later, to be locked with these.
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
    """Pay the prizes (entry, pence) and the site's rake. The escrow is empty afterwards.

    `overlay` is captured from the guarantee, whose rest is released. A person's prize above the limit goes to
    `payable` and waits there for approval. See `refund` for `paid_too`.
    """
    source = escrow(tournament)
    won = [(entry, amount) for entry, amount in awards if amount]
    large = payable_accounts(tournament, won)
    goes = {**purses(tournament, [entry for entry, _ in won]), **large}
    legs = [Leg(source, goes[entry.number], amount, "prize") for entry, amount in won]
    if rake:
        house = ledger.account(owner="house", purpose="rake", currency=tournament.currency)
        legs.append(Leg(source, house, rake, "rake"))
    moved = [account for leg in legs for account in (leg.debit, leg.credit)]
    ledger.lock([source, *moved, *guarantee_accounts(tournament), *paid_too])
    settle_guarantee(tournament, overlay=overlay, into=source, now=now)
    for number, chunk in enumerate(chunks(legs)):
        _post(tournament, f"prizes:{number}", chunk, event, now)
    for entry, amount in won:
        if entry.number in large:
            request_approval(tournament, entry, amount, now=now)


def request_approval(
    tournament: Tournament,
    entry: Entry,
    amount: int,
    *,
    now: datetime,
    correction: int = 0,
    asked_by: str = ACTOR,
) -> None:
    """Request approval of a prize in `payable`: the original one, or that of a correction."""
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
    """Return the key of a prize that waits for approval."""
    return f"{tournament.subject}:prize:{entry}" + (f":{correction}" if correction else "")


def payable_accounts(
    tournament: Tournament, won: Sequence[tuple[Entry, int]], *, also: Collection[str] = ()
) -> dict[int, Account]:
    """Return the `payable` accounts by entry number, created in the same order for all tournaments.

    `also`: players (`player:{id}`) whose prizes wait regardless of the amount.
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


# --- guaranteed prizes -------------------------------------------------------------------------------------
#
# Administrators guarantee any amount, organizers up to `RACECARD_ORGANIZER_GUARANTEE` in all their tournaments that
# are not over. At the end, the overlay is captured from the hold and the rest is released. A cancelled tournament
# releases all of it.


def bank(currency: str) -> Account:
    return ledger.account(owner="house", purpose="bank", currency=currency)


def hold_guarantee(tournament: Tournament, *, actor: Player, event: int, now: datetime) -> None:
    """Hold the guaranteed prizes of a tournament that is being published.

    The site pays in play money as needed, in a recorded transfer. Other currencies must be in `house/bank`. Raises
    GuaranteeTooHigh, GuaranteeNotCovered.
    """
    if not tournament.guarantee:
        return
    outside = ledger.account(owner="house", purpose="external", currency=tournament.currency)
    purse = bank(tournament.currency)
    # The lock makes a second guarantee see the first one's hold.
    purse = ledger.lock([purse, outside])[purse.pk]
    _check_guarantor(tournament, actor)
    short = tournament.guarantee - purse.available
    if short > 0 and tournament.currency == PLAY_MONEY:
        ledger.post(
            key=f"{tournament.subject}:guarantee",
            legs=[Leg(outside, purse, short, "play money for guaranteed prizes")],
            subject=tournament.subject,
            event=event,
            actor=ACTOR,
            at=now,
        )
    try:
        ledger.hold(
            key=_guarantee_key(tournament),
            account=purse,
            amount=tournament.guarantee,
            subject=tournament.subject,
            expires_at=None,
            actor=ACTOR,
            at=now,
        )
    except InsufficientFunds:
        raise GuaranteeNotCovered(
            f"{money(short, tournament.currency)} are missing.", missing=short
        ) from None


def _check_guarantor(tournament: Tournament, actor: Player) -> None:
    if has_role(actor, Role.ADMINISTRATOR):
        return
    standing = Tournament.objects.filter(
        organizer=tournament.organizer_id, status__in=(Status.PUBLISHED, Status.RUNNING)
    ).exclude(pk=tournament.pk)
    promised = standing.aggregate(sum=Sum("guarantee"))["sum"] or 0
    most = settings.RACECARD_ORGANIZER_GUARANTEE
    if promised + tournament.guarantee > most:
        raise GuaranteeTooHigh(
            f"An organizer may guarantee {money(most, tournament.currency)} in all; "
            f"{money(promised, tournament.currency)} are guaranteed already.",
            maximum=most,
            guaranteed=promised,
        )


def guarantee_held(tournament: Tournament) -> int:
    """Return the amount on hold, in pence."""
    found = Hold.objects.filter(key=_guarantee_key(tournament), state=HoldState.HELD).first()
    return found.amount if found is not None else 0


def guarantee_captured(tournament: Tournament) -> int:
    """Return the amount captured from the guarantee into the tournament's escrow, in pence."""
    found = Hold.objects.filter(key=_guarantee_key(tournament), state=HoldState.CAPTURED).first()
    if found is None or found.posting is None:
        return 0
    return sum(transfer.amount for transfer in Transfer.objects.filter(posting=found.posting))


def guarantee_accounts(tournament: Tournament) -> list[Account]:
    """Return the accounts that settling the guarantee uses, to be locked with others."""
    return [bank(tournament.currency)] if tournament.guarantee else []


def settle_guarantee(tournament: Tournament, *, overlay: int, into: Account, now: datetime) -> None:
    """Capture the overlay from the hold and release the rest. A second call changes nothing."""
    kept = Hold.objects.filter(key=_guarantee_key(tournament), state=HoldState.HELD).first()
    if kept is None:
        return
    if overlay:
        ledger.capture(
            hold=kept.pk,
            credit=into,
            amount=overlay,
            key=f"{tournament.subject}:overlay",
            reason="guarantee",
            actor=ACTOR,
            at=now,
        )
    else:
        ledger.release(hold=kept.pk, actor=ACTOR, at=now)


def _guarantee_key(tournament: Tournament) -> str:
    return f"{tournament.subject}:guarantee"
