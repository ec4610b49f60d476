"""Stakes against the bank: taken at the deal, settled or refunded at the end, resettled after a ruling.

A deal moves the stake from the play session to the game's escrow and reserves on the bank of the stake table what the
player could win beyond the stake. The settlement empties the escrow into the bank and pays the winnings from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from core.errors import KeyReused, first_or_raise
from ledger.core.holds import hold, locked, release
from ledger.core.models import player_owner
from ledger.core.postings import Leg, account, lock, post, take_back
from ledger.core.selectors import RULING
from ledger.deposits import bank_of
from ledger.errors import (
    BadAmount,
    BankLimit,
    GameInProgress,
    InsufficientFunds,
    SessionClosed,
    StakeEnded,
    StakeTermsChanged,
    UnknownCurrency,
    UnknownStake,
    WinningsTooLarge,
)
from ledger.limits.protection import check_stake_allowed
from ledger.models import (
    Account,
    GameStake,
    Hold,
    PlaySession,
    Purpose,
    StakeStatus,
    StakeTable,
    StakeTerms,
    Transfer,
)
from ledger.money import MOST_PENCE, money
from ledger.reconciliation.derivations import Flow
from ledger.stakes.models import StakeRuling
from ledger.stakes.schema import STAKE_FAULT
from ledger.stakes.sessions import cash_of, leave_session, locked_session, purse_of
from ledger.stakes.tables import check_stake


def take_stake(
    *,
    session: UUID | PlaySession,
    game: UUID,
    stake: int,
    max_win: int,
    stake_table: StakeTable,
    event: int,
    at: datetime,
    win_rate: str | None = None,
    summary: Mapping[str, Any] | None = None,
) -> GameStake:
    """Take a game's stake into its escrow and reserve the rest of its maximum win on the table's bank.

    The terms are those in force at `at`, and stay with the stake. `win_rate` is the pay table of the game; None skips
    its check. `event` is the version of the event of the deal. `summary` is shown in the betting history. The same game
    and stake again return the existing stake.

    Raises StakeTableClosed, StakeOffStep, StakeTermsChanged, UnknownCurrency, SessionClosed, GameInProgress,
    PlayStopped, LimitReached, InsufficientFunds, BankLimit.
    """
    _check_win(max_win)
    with transaction.atomic():
        playing = locked_session(session)
        if known := GameStake.objects.filter(game=game).first():
            if (known.session_id, known.stake, known.max_win) == (playing.pk, stake, max_win):
                return known
            raise KeyReused()
        terms = _check_terms(playing, stake, stake_table, win_rate, at)
        taken = GameStake(
            game=game,
            session=playing,
            player=playing.player,
            stake_table=stake_table,
            terms=terms,
            stake=stake,
            max_win=max_win,
            summary=dict(summary or {}),
            staked_at=at,
        )
        purse, escrow, bank = purse_of(playing), escrow_of(taken), bank_of(stake_table)
        reserve = max_win - stake
        accounts = lock([purse, escrow, bank])
        _check_cover(accounts[purse.pk], stake, accounts[bank.pk], reserve, terms)
        by = player_owner(playing.player)
        post(
            key=f"{taken.subject}:stake",
            legs=[Leg(purse, escrow, stake, "stake")],
            subject=taken.subject,
            event=event,
            actor=by,
            at=at,
        )
        if reserve > 0:
            # Without an expiry: the bank must be able to pay as long as the game is open.
            taken.reserve = hold(
                key=f"{taken.subject}:reserve",
                account=bank,
                amount=reserve,
                subject=taken.subject,
                expires_at=None,
                actor=by,
                at=at,
            )
        _insert(taken)
        return taken


def _check_terms(
    playing: PlaySession, stake: int, stake_table: StakeTable, win_rate: str | None, at: datetime
) -> StakeTerms:
    """Check that the session may stake this at the table, and return the terms in force."""
    terms = check_stake(stake=stake, stake_table=stake_table, at=at)
    if win_rate not in (None, terms.win_rate):
        raise StakeTermsChanged(f"{stake_table.slug} now pays {terms.win_rate} of the stake per card.")
    if playing.currency != stake_table.currency:
        raise UnknownCurrency(f"{stake_table.slug} plays in {stake_table.currency}.")
    if not playing.is_open:
        raise SessionClosed()
    if GameStake.objects.filter(player=playing.player, status=StakeStatus.OPEN).exists():
        raise GameInProgress()
    check_stake_allowed(player=playing.player, amount=stake, currency=playing.currency, at=at)
    return terms


def _insert(taken: GameStake) -> None:
    try:
        with transaction.atomic():
            taken.save(force_insert=True)
    except IntegrityError as error:
        # New terms came first, or a stake of the same player in another currency.
        if STAKE_FAULT in str(error):
            raise StakeTermsChanged() from error
        raise GameInProgress() from error


def settle_stake(
    *,
    game: UUID,
    winnings: int,
    event: int,
    at: datetime,
    summary: Mapping[str, Any] | None = None,
) -> GameStake:
    """Pay a game's winnings (0 to its maximum) to its session. Its escrow and its reserve are zero afterwards.

    `summary` is merged into that of `take_stake`. The session cannot be closed while its game is open. One that was
    opened for this game alone is cashed out.

    Raises UnknownStake, StakeEnded, WinningsTooLarge, BadAmount.
    """
    if type(winnings) is not int or not 0 <= winnings <= MOST_PENCE:
        raise BadAmount("Winnings are a whole number of pence.")
    with transaction.atomic():
        ended = lock_stake(game)
        if ended.status != StakeStatus.OPEN:
            if ended.status == StakeStatus.SETTLED and ended.winnings == winnings:
                return ended
            raise StakeEnded()
        if winnings > ended.max_win:
            raise _too_large(winnings, ended)
        purse, escrow, bank = purse_of(ended.session), escrow_of(ended), bank_of(ended.stake_table)
        legs = [Leg(escrow, bank, ended.stake, "stake")]
        if winnings:
            legs.append(Leg(bank, purse, winnings, "winnings"))
        reserve = _locked_reserve(ended)
        lock([purse, escrow, bank])
        _free(reserve, at)
        post(
            key=f"{ended.subject}:settlement",
            legs=legs,
            subject=ended.subject,
            event=event,
            actor=player_owner(ended.player),
            at=at,
        )
        return _end(ended, StakeStatus.SETTLED, winnings, summary, at)


def refund_stake(*, game: UUID, event: int, at: datetime) -> GameStake:
    """Return the stake of a void game to its session, which is then as in `settle_stake`.

    Raises UnknownStake, StakeEnded.
    """
    with transaction.atomic():
        ended = lock_stake(game)
        if ended.status == StakeStatus.REFUNDED:
            return ended
        if ended.status != StakeStatus.OPEN:
            raise StakeEnded()
        purse, escrow = purse_of(ended.session), escrow_of(ended)
        reserve = _locked_reserve(ended)
        lock([purse, escrow, bank_of(ended.stake_table)])
        _free(reserve, at)
        post(
            key=f"{ended.subject}:refund",
            legs=[Leg(escrow, purse, ended.stake, "refund")],
            subject=ended.subject,
            event=event,
            actor="system:games",
            at=at,
        )
        return _end(ended, StakeStatus.REFUNDED, None, None, at)


def escrow_of(staked: GameStake) -> Account:
    return account(owner=staked.subject, purpose=Purpose.ESCROW, currency=staked.stake_table.currency)


def locked_stake(game: UUID) -> GameStake:
    """Return the stake, locked until the transaction ends. Lock its session first to pay it. Raises UnknownStake."""
    return first_or_raise(
        GameStake.objects.select_for_update(of=("self",))
        .select_related("session", "stake_table")
        .filter(game=game),
        UnknownStake,
    )


def _check_win(max_win: object) -> None:
    if type(max_win) is not int or not 0 <= max_win <= MOST_PENCE:
        raise BadAmount("A maximum win is a whole number of pence.")


def _too_large(winnings: int, ended: GameStake) -> WinningsTooLarge:
    currency = ended.session.currency
    most = money(ended.max_win, currency)
    return WinningsTooLarge(f"{money(winnings, currency)} exceed the maximum win of {most}.")


def _check_cover(purse: Account, stake: int, bank: Account, reserve: int, terms: StakeTerms) -> None:
    if purse.available < stake:
        raise InsufficientFunds(
            f"The play session has {money(purse.available, purse.currency)}.",
            account=purse.text,
            available=purse.available,
            currency=purse.currency,
        )
    limit = terms.bank_limit
    if reserve > 0 and (bank.available < reserve or (limit is not None and bank.held + reserve > limit)):
        raise BankLimit()


def _locked_reserve(ended: GameStake) -> Hold | None:
    return None if ended.reserve_id is None else locked(ended.reserve_id)


def _free(reserve: Hold | None, at: datetime) -> None:
    if reserve is not None:
        release(hold=reserve, actor="system:games", at=at)


def _end(
    ended: GameStake,
    status: StakeStatus,
    winnings: int | None,
    summary: Mapping[str, Any] | None,
    at: datetime,
) -> GameStake:
    ended.status = status
    ended.winnings = winnings
    ended.summary = {**ended.summary, **(summary or {})}
    ended.ended_at = at
    ended.save(update_fields=["status", "winnings", "summary", "ended_at"])
    leave_session(ended.session, at=at)
    return ended


def resettle_stake(
    *, game: UUID, winnings: int | None, reason: str, actor: str, at: datetime
) -> StakeRuling | None:
    """Resettle a stake after a ruling: reverse the last settlement and settle again. `winnings` None returns the stake.

    A player who has spent the money owes it (see `postings.reverse`). If the play session is closed, the money goes to
    the player's cash. If the result is the same, nothing moves and the ruling in effect, or None, is returned.

    Raises UnknownStake, GameInProgress, BadAmount, WinningsTooLarge, InsufficientFunds (the bank cannot pay).
    """
    if winnings is not None and (type(winnings) is not int or not 0 <= winnings <= MOST_PENCE):
        raise BadAmount("Winnings are a whole number of pence.")
    with transaction.atomic():
        ended = lock_stake(game)
        if ended.status == StakeStatus.OPEN:
            raise GameInProgress()
        if winnings is not None and winnings > ended.max_win:
            raise _too_large(winnings, ended)
        last = ended.rulings.order_by("-number").first()
        if winnings == (ended.winnings if last is None else last.winnings):
            return last
        return _settle_again(ended, last, winnings, reason, actor, at)


def lock_stake(game: UUID) -> GameStake:
    """Return the stake of a game, locked after its play session. Raises UnknownStake."""
    session = first_or_raise(
        GameStake.objects.filter(game=game).values_list("session", flat=True), UnknownStake
    )
    locked_session(session)
    return locked_stake(game)


def _settle_again(
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
    """Return the transfers of the settlement in effect."""
    if last is not None:
        keys = [f"{ended.subject}{RULING}{last.number}:settlement"]
    else:
        keys = [f"{ended.subject}:settlement", f"{ended.subject}:refund"]
    return list(Transfer.objects.with_accounts().filter(key__in=keys).order_by("leg"))


def _sides(transfers: Sequence[Transfer]) -> list[Account]:
    return [side for transfer in transfers for side in (transfer.debit, transfer.credit)]


def _lenders(ended: GameStake) -> list[Account]:
    owner, currency = player_owner(ended.player), ended.session.currency
    return [
        account(owner=owner, purpose=purpose, currency=currency)
        for purpose in (Purpose.CASH, Purpose.RECEIVABLE)
    ]


# --- reconciling -----------------------------------------------------------------------------------------


def rulings_on(games: Sequence[UUID]) -> Mapping[UUID, list[StakeRuling]]:
    """Return the rulings by game, in order."""
    found: dict[UUID, list[StakeRuling]] = {}
    made = StakeRuling.objects.filter(stake__in=games).select_related("stake__stake_table", "purse")
    for ruling in made.order_by("stake", "number"):
        found.setdefault(ruling.stake_id, []).append(ruling)
    return found


def ruling_flows(ruling: StakeRuling) -> Iterator[Flow]:
    """Yield the flows of the new settlement; those of the reversals mirror what was paid."""
    escrow, bank = f"{ruling.stake.subject}/escrow", f"{ruling.stake.stake_table.bank_owner}/bank"
    if ruling.winnings is None:
        yield Flow(escrow, ruling.purse.text, ruling.stake.stake)
        return
    yield Flow(escrow, bank, ruling.stake.stake)
    if ruling.winnings:
        yield Flow(bank, ruling.purse.text, ruling.winnings)
