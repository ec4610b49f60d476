"""Play sessions: cash in, play, cash out. A player has one open session per currency."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from core.errors import KeyReused, first_or_raise
from ledger.core.models import Account, Purpose, player_owner
from ledger.core.postings import Leg, account, check_amount, lock, post
from ledger.core.selectors import NOTHING, Balance, balance
from ledger.errors import GameInProgress, PlayStopped, SessionClosed, SessionOpen, UnknownSession
from ledger.limits.protection import check_play_allowed
from ledger.stakes.models import GameStake, PlaySession, StakeStatus

ONE_GAME = "game:"
"""The beginning of the key of a session that is opened for one game, and cashed out when this game ends."""

OPEN_ONCE = ("session_open_once", "ledger_playsession.player")
"""The name of the constraint against a second open session in errors of PostgreSQL and SQLite."""


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
            post(
                key=f"session:{session.pk}:in",
                legs=legs,
                subject=session.subject,
                actor=player_owner(player),
                at=at,
            )
            return session
    except (IntegrityError, PlayStopped) as error:
        known = PlaySession.objects.filter(key=key).first()
        if known is not None:
            if (known.player, known.currency, known.cash_in) == (player, currency, amount):
                return known
            raise KeyReused() from error
        # Decide by the error of the database, because the other session may have been cashed out since.
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
                actor=player_owner(closing.player),
                at=at,
            )
        closing.cash_out = left
        closing.cash_out_key = key
        closing.closed_at = at
        closing.save(update_fields=["cash_out", "cash_out_key", "closed_at"])
        return closing


def session_for_game(
    *,
    player: UUID,
    game: UUID,
    stake: int,
    currency: str,
    at: datetime,
    after: PlaySession | None = None,
) -> PlaySession:
    """Return the session from which a game is staked: the open one if it holds the stake, else a new one for this game.

    An open session that holds less is cashed out first. `after` is the session that the game had before, if it was
    closed before the deal. Raises BadAmount, PlayStopped, GameInProgress, InsufficientFunds.
    """
    key = f"{ONE_GAME}{game}" if after is None else f"{ONE_GAME}{game}:{after.pk}"
    with transaction.atomic():
        current = (
            PlaySession.objects.select_for_update()
            .filter(player=player, currency=currency, closed_at=None)
            .first()
        )
        if current is not None:
            if session_balance(current).available >= stake:
                return current
            cash_out(session=current, key=f"{key}:before", at=at)
        return open_session(player=player, amount=stake, currency=currency, key=key, at=at)


def leave_session(session: PlaySession, *, at: datetime) -> None:
    """Cash out a session that was opened for one game, after the end of a game, unless it is played from further."""
    if session.key.startswith(ONE_GAME):
        with suppress(GameInProgress, SessionClosed):
            cash_out(session=session, key=f"{session.key}:after", at=at)


# --- parts -------------------------------------------------------------------------------------------


def cash_of(session: PlaySession) -> Account:
    return account(owner=player_owner(session.player), purpose=Purpose.CASH, currency=session.currency)


def purse_of(session: PlaySession) -> Account:
    return account(owner=player_owner(session.player), purpose=Purpose.SESSION, currency=session.currency)


def locked_session(session: UUID | PlaySession) -> PlaySession:
    """Return the session, locked until the transaction ends. Raises UnknownSession."""
    id = session.pk if isinstance(session, PlaySession) else session
    return first_or_raise(PlaySession.objects.select_for_update().filter(pk=id), UnknownSession)


# --- play sessions -----------------------------------------------------------------------------------


def play_session(*, player: UUID, session: UUID) -> PlaySession:
    """Return a player's own play session. Raises UnknownSession, also for another player's session."""
    return first_or_raise(PlaySession.objects.filter(pk=session, player=player), UnknownSession)


def session_balance(session: PlaySession) -> Balance:
    """Return the balance of a session; zero after its cash-out."""
    if not session.is_open:
        return NOTHING
    owner = player_owner(session.player)
    return balance(owner=owner, purpose=Purpose.SESSION, currency=session.currency)


def session_history(session: PlaySession) -> QuerySet[GameStake]:
    """Return the staked games of a session, oldest first."""
    return session.stakes.select_related("stake_table").order_by("staked_at", "game")
