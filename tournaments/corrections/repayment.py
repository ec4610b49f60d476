"""Final places and prizes, including corrections, and the repayment of changed prizes.

Only prizes that change are touched; pool and rake stay the same. A player owes what they have already spent, as
after every reversal (see `ledger.services.reverse`). A prize that was not approved yet, or was refused, waits for
approval again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.models import Player
from ledger import services as ledger
from ledger.models import Account, Transfer
from ledger.selectors import RULING
from ledger.services import Leg
from tournaments.errors import MoneyFrozen
from tournaments.formats.protocol import Standing
from tournaments.models import Award, CorrectedAward, Entry, Tournament
from tournaments.prizes import money


@dataclass(frozen=True, slots=True)
class Won:
    """A place and a prize in pence."""

    player: UUID
    place: int
    amount: int


def of(tournament_id: UUID | None) -> dict[int, Won]:
    """Return the places and prizes by entry number, with corrections. Empty before the end."""
    awards = Award.objects.filter(entry__tournament=tournament_id)
    won = {
        entry: Won(player, place, amount)
        for entry, player, place, amount in awards.values_list(
            "entry__number", "entry__player_id", "place", "amount"
        )
    }
    since = CorrectedAward.objects.filter(award__in=awards).order_by("number")
    for entry, place, amount in since.values_list("award__entry__number", "place", "amount"):
        won[entry] = Won(won[entry].player, place, amount)
    return won


def correct(
    tournament_id: UUID, standings: Sequence[Standing], amounts: Mapping[int, int], *, number: int
) -> None:
    """Store the places and prizes that a correction has changed."""
    had = of(tournament_id)
    keys = dict(Award.objects.filter(entry__tournament=tournament_id).values_list("entry__number", "pk"))
    CorrectedAward.objects.bulk_create(
        CorrectedAward(award_id=keys[one.entry], number=number, place=one.place, amount=amounts[one.entry])
        for one in standings
        if (had[one.entry].place, had[one.entry].amount) != (one.place, amounts[one.entry])
    )


# --- repayment ---------------------------------------------------------------------------------------


REASON = "result corrected"
"""The reason of transfers that take a prize back. The tournament's event has the reason of the correction."""


@dataclass(frozen=True, slots=True)
class Repaid:
    """A prize in pence before and after a correction."""

    entry: Entry
    was: int
    now: int


def require_unfrozen(tournament: Tournament) -> None:
    """Raise MoneyFrozen while a freeze holds what the tournament has paid."""
    if ledger.is_frozen(tournament.subject):
        raise MoneyFrozen


def pay_again(
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

    `event` is the version of the event with the new prizes. See `money.refund` for `paid_too`.
    Raises MoneyFrozen, and InsufficientFunds if the bank no longer has what its bots or a refused prize returned.
    """
    taken = [one for one in prizes if one.was]
    owners = sorted({f"player:{one.entry.player_id}" for one in taken if not one.entry.bot})
    waited = ledger.prizes_of(tournament.subject, owners)
    undecided = {one.player for one in waited if not one.is_paid}
    due = [(one.entry, one.now) for one in prizes if one.now]
    large = money.payable_accounts(tournament, due, also=undecided)
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
    # The money may have been frozen before the accounts were locked.
    require_unfrozen(tournament)
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
            money.request_approval(tournament, entry, amount, correction=number, asked_by=by, now=now)


def _paid(tournament: Tournament, taken: Sequence[Repaid]) -> list[Transfer]:
    """Return the transfers that paid these prizes. Bots share an account, so equal prizes are interchangeable."""
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
