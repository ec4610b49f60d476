"""What comes with a deal, in the transaction that appends it."""

from __future__ import annotations

from datetime import datetime, timedelta

from games import clocks, log, stakes
from games.models import GameRecord, Seat, Status
from games.rules.table import Table
from jobs import services as jobs
from ledger import services as ledger

CLOCK = "games.clock"
SERVER_DRAWS = "games.draw"


def begin(game: GameRecord, table: Table, *, version: int, at: datetime) -> None:
    """What comes with the deal: the stake, the record, the first moves of bots and of the server.

    `table` is as it stands after the deal, `version` and `at` are the deal's. Raises what taking a stake raises.
    """
    if game.stake:
        assert game.play_session is not None
        assert game.stake_table is not None
        ledger.take_stake(
            session=game.play_session,
            game=game.pk,
            stake=game.stake,
            max_win=stakes.max_win(table.game, table.config),
            stake_table=game.stake_table,
            event=version,
            at=at,
            win_rate=game.config["win_rate"],
            summary={"rules": game.rules, "config": game.config},
        )
    GameRecord.objects.filter(pk=game.pk).update(status=Status.ACTIVE, started_at=at)
    if Seat.objects.filter(game=game, seat__in=table.to_act(), player__is_bot=True).exists():
        log.schedule_bots(game.pk, version=version, now=at)
    game.started_at = at
    if rings := clocks.of(game).rings(table, at):
        jobs.schedule(kind=CLOCK, key=f"{CLOCK}:{game.pk}", payload={"game": str(game.pk)}, due=rings)
    if game.draw_every is not None:
        jobs.schedule(
            kind=SERVER_DRAWS,
            key=f"{SERVER_DRAWS}:{game.pk}",
            payload={"game": str(game.pk)},
            due=at + timedelta(seconds=game.draw_every),
        )
