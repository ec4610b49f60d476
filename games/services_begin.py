"""What comes with a deal, in the transaction that appends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from games import clocks, log, stakes
from games.models import GameRecord, Seat, Status
from games.rules.table import Table
from jobs import services as jobs
from jobs.services import Planned
from ledger import services as ledger

CLOCK = "games.clock"
SERVER_DRAWS = "games.draw"


@dataclass(frozen=True, slots=True)
class Dealt:
    """`table` is as it stands after the deal, `version` and `at` are the deal's."""

    game: GameRecord
    table: Table
    version: int
    at: datetime


def begin(dealt: Dealt) -> None:
    """What comes with the deal: the stake, the record, the first moves of bots and of the server.

    Raises what taking a stake raises.
    """
    game = dealt.game
    if game.stake:
        assert game.play_session is not None
        assert game.stake_table is not None
        ledger.take_stake(
            session=game.play_session,
            game=game.pk,
            stake=game.stake,
            max_win=stakes.max_win(dealt.table.game, dealt.table.config),
            stake_table=game.stake_table,
            event=dealt.version,
            at=dealt.at,
            win_rate=game.config["win_rate"],
            summary={"rules": game.rules, "config": game.config},
        )
    begin_all([dealt])


def begin_all(dealt: Sequence[Dealt]) -> None:
    """The same for games without a stake: a few statements, however many they are."""
    for at, games in groupby(dealt, key=lambda one: one.at):
        ids = [one.game.pk for one in games]
        GameRecord.objects.filter(pk__in=ids).update(status=Status.ACTIVE, started_at=at)
    bots = set(
        Seat.objects.filter(game__in=[one.game.pk for one in dealt], player__is_bot=True).values_list(
            "game", "seat"
        )
    )
    planned: list[Planned] = []
    for one in dealt:
        one.game.started_at = one.at
        planned += _follows(one, any((one.game.pk, seat) in bots for seat in one.table.to_act()))
    jobs.schedule_all(planned)


def follow(dealt: Dealt, *, again: str = "") -> None:
    """Let bots, the clock and the server's draws go on at a dealt game, from `dealt.version` and `dealt.at`.

    `again` tells the jobs of a game that was resumed from those that it had before.
    """
    bots = dealt.game.seatings.filter(player__is_bot=True, seat__in=dealt.table.to_act())
    jobs.schedule_all(_follows(dealt, bots.exists(), again))


def withdraw(game: GameRecord) -> Iterator[str]:
    """The keys of the jobs that would make moves, or look at a clock, at a game that is suspended."""
    again = ["", *(f":{one}" for one in game.suspensions.values_list("pk", flat=True))]
    for which in again:
        yield f"{CLOCK}:{game.pk}{which}"
        yield f"{SERVER_DRAWS}:{game.pk}{which}"


def _follows(dealt: Dealt, waits_for_bot: bool, again: str = "") -> Iterator[Planned]:
    game, at = dealt.game, dealt.at
    payload = {"game": str(game.pk)}
    if waits_for_bot:
        yield log.bots_play(game.pk, version=dealt.version, now=at, again=again)
    if rings := clocks.of(game).rings(dealt.table, at):
        yield Planned(kind=CLOCK, key=f"{CLOCK}:{game.pk}{again}", payload=payload, due=rings)
    if game.draw_every is not None:
        due = at + timedelta(seconds=game.draw_every)
        yield Planned(kind=SERVER_DRAWS, key=f"{SERVER_DRAWS}:{game.pk}{again}", payload=payload, due=due)
