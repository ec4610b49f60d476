"""Prechecks for joining a table: the player's seat, whether it is to act, and why the player could not sit down.

Taking the seat checks again, since another player may be faster.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Annotated, TypedDict

from accounts.errors import AccountNeeded, BotRefused
from accounts.models import Player
from core.errors import NotFound, Problem, refusal_of
from games import access, state
from games.challenges.records import is_challenged
from games.early_access import has_early_access
from games.errors import ChallengeTable, EarlyAccessUsed, OwnSessionOnly, SeatsTaken, TournamentTable
from games.models import GameRecord, Status
from ledger.services import check_play_allowed, precheck_buy_in
from rest.documents import Object
from rest.problems import problem_document


class YouOutput(TypedDict):
    """What the caller may do at a table."""

    seat: Annotated[int | None, "the caller's own"]
    to_act: Annotated[bool, "whether the game waits for that seat"]
    obstacle: Annotated[Object | None, "the problem that sitting down would be refused with now"]


class JoinCheck:
    """Checks many tables for one player; what holds for all tables is queried once."""

    def __init__(self, player: Player, *, now: datetime, invite: str = "", may_play: bool = False) -> None:
        """`may_play` is true if the caller has just checked that the player may play."""
        self._player = player
        self._invite = invite
        self._stopped = cache(
            lambda: (
                None if may_play else refusal_of(lambda: check_play_allowed(player=player.person_id, at=now))
            )
        )
        self._unpaid = cache(
            lambda amount, currency: refusal_of(
                lambda: precheck_buy_in(player=player.pk, amount=amount, currency=currency, at=now)
            )
        )

    def document(self, game: GameRecord) -> YouOutput:
        """`game.seatings` should be prefetched."""
        seat = game.seat_of(self._player.pk)
        refused = None if seat is not None else self.obstacle(game, len(game.seatings.all()))
        return {
            "seat": seat,
            "to_act": seat is not None and _is_to_act(game, seat),
            "obstacle": None if refused is None else problem_document(refused),
        }

    def obstacle(self, game: GameRecord, taken: int, *, early_access: bool | None = None) -> Problem | None:
        """Return the error that taking a seat would raise now, or None.

        `taken` is the number of seats that are taken. `early_access` says whether the player has had early access to
        the game; None if the caller does not know.
        """
        if game.tournament is not None:
            return TournamentTable()
        if not self._is_invited(game):
            return NotFound()
        if game.private and is_challenged(game.pk):
            return ChallengeTable()
        if game.stake and game.creator_id != self._player.pk:
            return OwnSessionOnly()
        try:
            reserved = access.reserved_seat(game, self._player)
        except SeatsTaken as refused:
            return refused
        if (reserved is None or game.match_id is None) and (stopped := self._stopped()):
            return stopped
        if game.status != Status.OPEN or taken >= game.seats:
            return SeatsTaken()
        if early_access or (early_access is None and has_early_access(self._player.pk, game=game.pk)):
            return EarlyAccessUsed()
        if game.buy_in and game.stake_table and game.match_number in (None, 1):
            if self._player.is_guest:
                return AccountNeeded()
            if self._player.is_owned_bot:
                return BotRefused()
            return self._unpaid(game.buy_in, game.stake_table.currency)
        return None

    def _is_invited(self, game: GameRecord) -> bool:
        return not game.private or self._invite == game.invite or access.is_expected(game, self._player)


def _is_to_act(game: GameRecord, seat: int) -> bool:
    return (
        game.status == Status.ACTIVE and game.suspended_at is None and seat in state.load(game.pk)[1].to_act()
    )
