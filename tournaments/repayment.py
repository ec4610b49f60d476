"""Prizes after a correction: what was paid to whom it was not due to comes back, and goes to whom it is.

Only prizes that change are touched; pool and rake stay what they were. What a player has spent is owed, as after every
reversal (see `ledger.posting.reverse`). A prize that nobody had approved yet, or that was refused, is waited for anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.models import Player
from ledger import services as ledger
from ledger.models import Account, Transfer
from ledger.selectors import RULING
from ledger.services import Leg
from tournaments import money
from tournaments.models import Entry, Tournament
from tournaments.problems import MoneyFrozen

REASON = "result corrected"
"""Of the transfers that take a prize back. Why it was corrected stands in the tournament's event."""


@dataclass(frozen=True, slots=True)
class Repaid:
    """A prize in pence before and after."""

    entry: Entry
    was: int
    now: int


def require_free(tournament: Tournament) -> None:
    """Raises MoneyFrozen while a claim holds what the tournament has paid: who claimed is answered first."""
    if ledger.is_frozen(tournament.subject):
        raise MoneyFrozen


def pay_anew(
    tournament: Tournament,
    prizes: Sequence[Repaid],
    *,
    number: int,
    event: int,
    actor: Player,
    now: datetime,
    paid_too: Iterable[Account] = (),
) -> None:
    """Take back and pay the prizes that change, once for each correction (`number`, from 1).

    `event`: the version of the event that tells the new prizes. `paid_too` as in `money.refund`.
    Raises MoneyFrozen, and InsufficientFunds where the house no longer has what its bots, or a refusal, brought it.
    """
    taken = [one for one in prizes if one.was]
    owners = sorted({f"player:{one.entry.player_id}" for one in taken if not one.entry.bot})
    waited = ledger.prizes_of(tournament.subject, owners)
    undecided = {one.player for one in waited if not one.is_paid}
    due = [(one.entry, one.now) for one in prizes if one.now]
    large = money.prizes_that_wait(tournament, due, also=undecided)
    goes = {**money.purses(tournament, [entry for entry, _ in due]), **large}
    back = _paid(tournament, taken)
    ledger.lock(
        [
            money.escrow(tournament),
            *goes.values(),
            *(account for transfer in back for account in (transfer.debit, transfer.credit)),
            *(account for one in waited for account in one.accounts),
            *_purses_and_debts(tournament, owners),
            *paid_too,
        ]
    )
    # A claim may have frozen the money before the accounts were locked.
    require_free(tournament)
    by, ruling = f"player:{actor.pk}", f"{tournament.subject}{RULING}{number}"
    for one in waited:
        key = f"{ruling}:refusal:{one.payout.reference}"
        ledger.take_back_prize(waited=one, actor=by, reason=REASON, key=key, at=now)
    ledger.take_back(back, key=f"{ruling}:back", actor=by, reason=REASON, at=now)
    source = money.escrow(tournament)
    legs = [Leg(source, goes[entry.number], amount, "prize") for entry, amount in due]
    for chunk, some in enumerate(money.chunks(legs)):
        ledger.post(
            key=f"{ruling}:prizes:{chunk}",
            legs=some,
            subject=tournament.subject,
            event=event,
            actor=by,
            at=now,
        )
    for entry, amount in due:
        if entry.number in large:
            money.ask_for_prize(tournament, entry, amount, correction=number, asked_by=by, now=now)


def _paid(tournament: Tournament, taken: Sequence[Repaid]) -> list[Transfer]:
    """The transfers by which these prizes were paid. Bots share a purse: which of equal ones it was is no matter."""
    standing = Transfer.objects.with_accounts().filter(
        subject=tournament.subject, reason="prize", reverses=None, reversed_by=None
    )
    known: dict[tuple[str, int], list[Transfer]] = defaultdict(list)
    for transfer in standing.order_by("position"):
        known[transfer.credit.owner, transfer.amount].append(transfer)
    return [
        known["house" if one.entry.bot else f"player:{one.entry.player_id}", one.was].pop() for one in taken
    ]


def _purses_and_debts(tournament: Tournament, owners: Sequence[str]) -> list[Account]:
    return [
        ledger.account(owner=owner, purpose=purpose, currency=tournament.currency)
        for owner in owners
        for purpose in ("cash", "receivable")
    ]
