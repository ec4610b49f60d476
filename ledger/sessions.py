"""Play sessions: cash in, stake, win, cash out.

A deal takes its stake from the session into the game's escrow and reserves on the bank of the stake table what the
player could win beyond the stake. Settlement empties the escrow into the bank and pays the winnings from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from ledger.cashier import bank_of
from ledger.errors import (
    BadAmount,
    BankLimit,
    GameInProgress,
    InsufficientFunds,
    KeyReused,
    SessionClosed,
    SessionOpen,
    StakeEnded,
    StakeTermsChanged,
    UnknownCurrency,
    UnknownSession,
    UnknownStake,
    WinningsTooLarge,
)
from ledger.fields import MOST_PENCE
from ledger.holding import hold, locked, release
from ledger.limits.checks import check_play_allowed, check_stake_allowed
from ledger.limits.errors import PlayStopped
from ledger.models import (
    Account,
    GameStake,
    Hold,
    OwnerKind,
    PlaySession,
    Purpose,
    StakeStatus,
    StakeTable,
    StakeTerms,
)
from ledger.posting import Leg, account, check_amount, lock, post
from ledger.stakes.schema import STAKE_FAULT
from ledger.stakes.selectors import check_stake

OPEN_ONCE = ("session_open_once", "ledger_playsession.player")
"""How PostgreSQL and SQLite name the constraint that a second open session breaks."""


def open_session(*, player: UUID, amount: int, currency: str, key: str, at: datetime) -> PlaySession:
    """Cash in: move money from the player's cash to a new play session.

    Raises BadAmount, PlayStopped, SessionOpen, InsufficientFunds, KeyReused.
    """
    check_amount(amount)
    try:
        with transaction.atomic():
            check_play_allowed(player=player, at=at)
            session = PlaySession.objects.create(
                player=player, currency=currency, key=key, opened_at=at, cash_in=amount
            )
            legs = [Leg(cash_of(session), purse_of(session), amount, "cash in")]
            post(key=f"session:{session.pk}:in", legs=legs, subject=session.subject, actor=_by(player), at=at)
            return session
    except (IntegrityError, PlayStopped) as error:
        known = PlaySession.objects.filter(key=key).first()
        if known is not None:
            if (known.player, known.currency, known.cash_in) == (player, currency, amount):
                return known
            raise KeyReused() from error
        # What the database said counts: the session in the way may have been cashed out since.
        if any(name in str(error) for name in OPEN_ONCE):
            raise SessionOpen() from error
        raise


def cash_out(*, session: UUID | PlaySession, key: str, at: datetime) -> PlaySession:
    """Close a play session and move what is left in it to the player's cash.

    Raises SessionClosed, GameInProgress.
    """
    with transaction.atomic():
        closing = locked_session(session)
        if not closing.is_open:
            if closing.cash_out_key == key:
                return closing
            raise SessionClosed()
        if closing.stakes.filter(status=StakeStatus.OPEN).exists():
            raise GameInProgress()
        purse, cash = purse_of(closing), cash_of(closing)
        left = lock([purse, cash])[purse.pk].available
        if left:
            post(
                key=f"session:{closing.pk}:out",
                legs=[Leg(purse, cash, left, "cash out")],
                subject=closing.subject,
                actor=_by(closing.player),
                at=at,
            )
        closing.cash_out = left
        closing.cash_out_key = key
        closing.closed_at = at
        closing.save(update_fields=["cash_out", "cash_out_key", "closed_at"])
        return closing


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

    The terms are those in force at `at`, and stay with the stake. `win_rate` is the pay table that the game was made
    for; None lets it be. `event` is the version of the event that it commits with; `summary` is what the betting
    history shall say. Called again for the same game and stake it answers the stake that stands.

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
        standing = lock([purse, escrow, bank])
        _check_cover(standing[purse.pk], stake, standing[bank.pk], reserve, terms)
        by = _by(playing.player)
        post(
            key=f"{taken.subject}:stake",
            legs=[Leg(purse, escrow, stake, "stake")],
            subject=taken.subject,
            event=event,
            actor=by,
            at=at,
        )
        if reserve > 0:
            # Without an end: as long as the game is open, the bank must be able to pay it.
            taken.reserve = hold(
                key=f"{taken.subject}:reserve",
                account=bank,
                amount=reserve,
                subject=taken.subject,
                expires_at=None,
                actor=by,
                at=at,
            )
        try:
            with transaction.atomic():
                taken.save(force_insert=True)
        except IntegrityError as error:
            # New terms were quicker, or another session of the same player, in another currency.
            if STAKE_FAULT in str(error):
                raise StakeTermsChanged() from error
            raise GameInProgress() from error
        return taken


def settle_stake(
    *,
    game: UUID,
    winnings: int,
    event: int,
    at: datetime,
    summary: Mapping[str, Any] | None = None,
) -> GameStake:
    """Pay a game's winnings (0 to its maximum) to its session; its escrow and its reserve are zero afterwards.

    `summary` is added to what `take_stake` was given. The session stays open while its game is, so the money has
    somewhere to go. Raises UnknownStake, StakeEnded, WinningsTooLarge, BadAmount.
    """
    if type(winnings) is not int or not 0 <= winnings <= MOST_PENCE:
        raise BadAmount("Winnings are a whole number of pence.")
    with transaction.atomic():
        ended = locked_stake(game)
        if ended.status != StakeStatus.OPEN:
            if ended.status == StakeStatus.SETTLED and ended.winnings == winnings:
                return ended
            raise StakeEnded()
        if winnings > ended.max_win:
            raise WinningsTooLarge(f"{winnings} pence were won where {ended.max_win} was the most.")
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
            actor=_by(ended.player),
            at=at,
        )
        return _end(ended, StakeStatus.SETTLED, winnings, summary, at)


def refund_stake(
    *, game: UUID, event: int, at: datetime, summary: Mapping[str, Any] | None = None
) -> GameStake:
    """Give a void game's stake back to its session. Raises UnknownStake, StakeEnded."""
    with transaction.atomic():
        ended = locked_stake(game)
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
        return _end(ended, StakeStatus.REFUNDED, None, summary, at)


# --- parts -------------------------------------------------------------------------------------------


def cash_of(session: PlaySession) -> Account:
    return account(owner=_by(session.player), purpose=Purpose.CASH, currency=session.currency)


def purse_of(session: PlaySession) -> Account:
    return account(owner=_by(session.player), purpose=Purpose.SESSION, currency=session.currency)


def escrow_of(staked: GameStake) -> Account:
    return account(owner=staked.subject, purpose=Purpose.ESCROW, currency=staked.stake_table.currency)


def _by(player: UUID) -> str:
    return f"{OwnerKind.PLAYER}:{player}"


def locked_session(session: UUID | PlaySession) -> PlaySession:
    """Until the transaction ends. Raises UnknownSession."""
    id = session.pk if isinstance(session, PlaySession) else session
    found = PlaySession.objects.select_for_update().filter(pk=id).first()
    if found is None:
        raise UnknownSession()
    return found


def locked_stake(game: UUID) -> GameStake:
    """Until the transaction ends, its session having been locked before where it is to be paid. Raises UnknownStake."""
    found = (
        GameStake.objects.select_for_update(of=("self",))
        .select_related("session", "stake_table")
        .filter(game=game)
        .first()
    )
    if found is None:
        raise UnknownStake()
    return found


def _check_win(max_win: object) -> None:
    if type(max_win) is not int or not 0 <= max_win <= MOST_PENCE:
        raise BadAmount("A maximum win is a whole number of pence.")


def _check_cover(purse: Account, stake: int, bank: Account, reserve: int, terms: StakeTerms) -> None:
    if purse.available < stake:
        raise InsufficientFunds(
            f"The play session has {purse.available} pence.",
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
    return ended
