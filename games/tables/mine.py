"""A player's own games: the list with its filters, and the player's result and money in each game.

The seats of a player are read along their index in windows, and the filters apply to what was read. One request
therefore costs at most `WINDOWS` windows, however many games the player has and whatever the filters are. If they match
few games, a page can be short or empty and still have a next one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.db.models import prefetch_related_objects

from games.models import RUNNING, GameRecord, Status
from games.money import buy_ins
from games.rules import results
from ledger.selectors import stakes_on
from rest.documents import one_of
from rest.pagination import Partial

WINDOW = 100
"""Games of one player that are read at a time."""

WINDOWS = 10
"""Windows of one request."""

SHOWN = ("stake_table", "seatings__player__owner")
"""What a list shows of each game."""

STAKES = ("points", "money")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of a player's games; None: no restriction."""

    rules: str | None = None
    status: str | None = None
    result: str | None = None
    stake: str | None = None
    tournament: UUID | None = None
    free: bool = False

    @property
    def is_running(self) -> bool:
        """Whether only running games can match, which have an index of their own."""
        return self.free or self.status in RUNNING or self.result == results.RUNNING

    def among(self, window: Iterable[GameRecord], player: UUID) -> list[GameRecord]:
        found = [game for game in window if self._match(game)]
        if self.free or self.result not in (None, results.RUNNING):
            prefetch_related_objects(found, "seatings")
        if self.free:
            found = [game for game in found if _has_free_seat(game)]
        if self.result is not None:
            found = [game for game in found if result(game, player) == self.result]
        return found

    def _match(self, game: GameRecord) -> bool:
        return (
            self.rules in (None, game.rules)
            and self.status in (None, game.status)
            and self.stake in (None, STAKES[bool(game.stake or game.buy_in)])
        )


def page(player: UUID, wanted: Wanted, last: Sequence[Any] | None, most: int) -> Partial:
    """Return at most `most` matching games, newest first, after the one with this time and id."""
    found = Partial()
    size = most if wanted == Wanted() else WINDOW
    games = GameRecord.objects.all()
    if wanted.tournament is not None:  # by its own index
        games = games.filter(tournament=wanted.tournament)
    for _ in range(WINDOWS):
        window = games.newest_seating(player, last, size, running=wanted.is_running)
        found += wanted.among(window, player)
        if len(window) < size:
            found.last = None
            break
        found.last = last = [window[-1].created_at, window[-1].pk]
        if len(found) >= most:
            break
    del found[most:]
    prefetch_related_objects(found, *SHOWN)
    return found


def _has_free_seat(game: GameRecord) -> bool:
    return game.status == Status.OPEN and len(game.seatings.all()) < game.seats


def result(game: GameRecord, player: UUID) -> str:
    """Return the game's result for a player who sits in it. `game.seatings` should be prefetched."""
    if not game.ended:
        return results.RUNNING
    seat = game.seat_of(player)
    if game.outcome is None or seat is None:
        return results.VOID
    return results.result_for(game.outcome, seat, stake=game.stake)


class OwnOutput(TypedDict):
    """The caller's part in a game."""

    seat: int
    result: Annotated[str, one_of(results.RESULTS)]
    stake: Annotated[int, "pence paid; 0 for points, and from the second deal of a match on"]
    returned: Annotated[int | None, "pence received, by rulings too; null while the stake is open"]
    currency: Annotated[str | None, "null for points"]


def documents(games: Collection[GameRecord], player: UUID) -> dict[UUID, OwnOutput]:
    """Return the player's part in each game in which the player sits, in a few queries for all of them."""
    subjects = {
        game.pk: buy_ins.subject(game)
        for game in games
        if game.stake or (game.buy_in and game.match_number in (None, 1))
    }
    staked = stakes_on(player=player, subjects=list(subjects.values())) if subjects else {}
    found: dict[UUID, OwnOutput] = {}
    for game in games:
        seat = game.seat_of(player)
        paid = staked.get(subjects.get(game.pk, ""))
        if seat is not None:
            found[game.pk] = {
                "seat": seat,
                "result": result(game, player),
                "stake": paid.stake if paid else 0,
                "returned": paid.returned if paid else None,
                "currency": game.stake_table.currency if paid and game.stake_table else None,
            }
    return found
