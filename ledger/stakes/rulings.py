"""Settling the stake of a game that has ended anew, after a ruling; and how its money follows from that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from ledger.cashier import bank_of
from ledger.errors import BadAmount, GameInProgress, UnknownStake, WinningsTooLarge
from ledger.fields import MOST_PENCE
from ledger.models import Account, GameStake, Purpose, StakeStatus, Transfer
from ledger.posting import Leg, account, lock, post, take_back
from ledger.reconciliation.derivations import Flow
from ledger.selectors import RULING
from ledger.sessions import cash_of, escrow_of, locked_session, locked_stake, purse_of
from ledger.stakes.models_rulings import StakeRuling


def resettle_stake(
    *, game: UUID, winnings: int | None, reason: str, actor: str, at: datetime
) -> StakeRuling | None:
    """After a ruling: take back what the last settlement paid, and settle anew; `winnings` None gives the stake back.

    What the player no longer has is owed (see `posting.reverse`). Where the play session has been cashed out meanwhile
    the money goes to the player's cash. Settled alike already, nothing is moved: the ruling that stands, None if there
    is none.

    Raises UnknownStake, GameInProgress, BadAmount, WinningsTooLarge, InsufficientFunds (the bank cannot pay).
    """
    if winnings is not None and (type(winnings) is not int or not 0 <= winnings <= MOST_PENCE):
        raise BadAmount("Winnings are a whole number of pence.")
    with transaction.atomic():
        ended = locked(game)
        if ended.status == StakeStatus.OPEN:
            raise GameInProgress()
        if winnings is not None and winnings > ended.max_win:
            raise WinningsTooLarge(f"{winnings} pence are to be won where {ended.max_win} was the most.")
        last = ended.rulings.order_by("-number").first()
        if winnings == (ended.winnings if last is None else last.winnings):
            return last
        return _settle_anew(ended, last, winnings, reason, actor, at)


def locked(game: UUID) -> GameStake:
    """The stake of a game, locked behind its play session. Raises UnknownStake."""
    session = GameStake.objects.filter(game=game).values_list("session", flat=True).first()
    if session is None:
        raise UnknownStake()
    locked_session(session)
    return locked_stake(game)


def _settle_anew(
    ended: GameStake, last: StakeRuling | None, winnings: int | None, reason: str, actor: str, at: datetime
) -> StakeRuling:
    number = 1 if last is None else last.number + 1
    ruling = f"{ended.subject}{RULING}{number}"
    purse = purse_of(ended.session) if ended.session.is_open else cash_of(ended.session)
    escrow, bank = escrow_of(ended), bank_of(ended.stake_table)
    paid = _paid(ended, last)
    lock([purse, escrow, bank, *_sides(paid), *_lenders(ended)])
    take_back(reversed(paid), key=ruling, actor=actor, reason=reason, at=at)
    if winnings is None:
        legs = [Leg(escrow, purse, ended.stake, "refund")]
    else:
        legs = [Leg(escrow, bank, ended.stake, "stake")]
        legs += [Leg(bank, purse, winnings, "winnings")] if winnings else []
    posted = post(
        key=f"{ruling}:settlement",
        legs=legs,
        subject=ended.subject,
        event=paid[0].event,
        actor=actor,
        at=at,
    )
    return StakeRuling.objects.create(
        stake=ended,
        number=number,
        void=winnings is None,
        winnings=winnings,
        purse=purse,
        posting=posted.id,
        reason=reason,
        actor=actor,
        at=at,
    )


def _paid(ended: GameStake, last: StakeRuling | None) -> list[Transfer]:
    """What the settlement that stands has moved."""
    if last is not None:
        keys = [f"{ended.subject}{RULING}{last.number}:settlement"]
    else:
        keys = [f"{ended.subject}:settlement", f"{ended.subject}:refund"]
    return list(Transfer.objects.with_accounts().filter(key__in=keys).order_by("leg"))


def _sides(transfers: Sequence[Transfer]) -> list[Account]:
    return [side for transfer in transfers for side in (transfer.debit, transfer.credit)]


def _lenders(ended: GameStake) -> list[Account]:
    owner, currency = f"player:{ended.player}", ended.session.currency
    return [
        account(owner=owner, purpose=purpose, currency=currency)
        for purpose in (Purpose.CASH, Purpose.RECEIVABLE)
    ]


# --- reconciling -----------------------------------------------------------------------------------------


def rulings_on(games: Sequence[UUID]) -> Mapping[UUID, list[StakeRuling]]:
    """By game, in their order."""
    found: dict[UUID, list[StakeRuling]] = {}
    made = StakeRuling.objects.filter(stake__in=games).select_related("stake__stake_table", "purse")
    for ruling in made.order_by("stake", "number"):
        found.setdefault(ruling.stake_id, []).append(ruling)
    return found


def flows(ruling: StakeRuling) -> Iterator[Flow]:
    """What a ruling settled anew; what it took back mirrors what had been paid."""
    escrow, bank = f"{ruling.stake.subject}/escrow", f"{ruling.stake.stake_table.bank_owner}/bank"
    if ruling.winnings is None:
        yield Flow(escrow, ruling.purse.text, ruling.stake.stake)
        return
    yield Flow(escrow, bank, ruling.stake.stake)
    if ruling.winnings:
        yield Flow(bank, ruling.purse.text, ruling.winnings)
