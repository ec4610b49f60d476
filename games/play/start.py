"""The start of a game: what follows a deal, in its transaction, and the start of a race with a market."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from core.commands import Command, Condition
from eventstore.chain import parse_at
from eventstore.store import StoredEvent, WrongVersion
from games import context, early_access, state
from games.errors import NotStarted, SeatsOpen
from games.models import SERVER_PLAYS, GameRecord, Seat, Status
from games.money import markets, stakes
from games.play import clocks, stream
from games.rules import table as tables
from games.rules.table import Table
from jobs import services as jobs
from jobs.services import Planned

CLOCK = "games.clock"
SERVER_DRAWS = "games.draw"


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal: the table after it, and its version and time."""

    game: GameRecord
    table: Table
    version: int
    at: datetime


def after_deal(dealt: Dealt) -> None:
    """Take the stake, update the record, and schedule the first moves. Raises what taking a stake raises."""
    stakes.take(dealt.game, dealt.table, event=dealt.version, at=dealt.at)
    after_deals([dealt])


def after_deals(dealt: Sequence[Dealt]) -> None:
    """Do the same for games without a stake, in a few statements."""
    for at, games in groupby(dealt, key=lambda one: one.at):
        ids = [one.game.pk for one in games]
        GameRecord.objects.filter(pk__in=ids).update(status=Status.ACTIVE, started_at=at)
    bots = set(
        Seat.objects.filter(SERVER_PLAYS, game__in=[one.game.pk for one in dealt]).values_list("game", "seat")
    )
    planned: list[Planned] = []
    for one in dealt:
        one.game.started_at = one.at
        planned += _planned_jobs(one, any((one.game.pk, seat) in bots for seat in one.table.to_act()))
    jobs.schedule_all(planned)


def schedule_play(dealt: Dealt, *, again: str = "") -> None:
    """Schedule bots, clock, and server draws of a dealt game, from `dealt.version` and `dealt.at`.

    `again` distinguishes the jobs of a resumed game from its earlier ones.
    """
    bots = dealt.game.seatings.filter(SERVER_PLAYS, seat__in=dealt.table.to_act())
    jobs.schedule_all(_planned_jobs(dealt, bots.exists(), again))


def play_job_keys(game: GameRecord) -> Iterator[str]:
    """Return the keys of the jobs that move or check a clock in a suspended game."""
    again = ["", *(f":{one}" for one in game.suspensions.values_list("pk", flat=True))]
    for which in again:
        yield f"{CLOCK}:{game.pk}{which}"
        yield f"{SERVER_DRAWS}:{game.pk}{which}"


def _planned_jobs(dealt: Dealt, waits_for_bot: bool, again: str = "") -> Iterator[Planned]:
    game, at = dealt.game, dealt.at
    payload = {"game": str(game.pk)}
    if waits_for_bot:
        yield stream.bots_job(game.pk, version=dealt.version, now=at, again=again)
    if next_alarm := clocks.of(game).next_alarm(dealt.table, at):
        yield Planned(kind=CLOCK, key=f"{CLOCK}:{game.pk}{again}", payload=payload, due=next_alarm)
    if game.draw_every is not None:
        due = at + timedelta(seconds=game.draw_every)
        yield Planned(kind=SERVER_DRAWS, key=f"{SERVER_DRAWS}:{game.pk}{again}", payload=payload, due=due)


@dataclass(frozen=True, slots=True)
class RaceStart:
    events: list[StoredEvent]
    """`dealt`, the first draw, and the end of a race that this draw decides."""
    table: Table


def start_race(
    *,
    game_id: UUID,
    now: datetime,
    seen: int,
    command: Command | None = None,
    condition: Condition | None = None,
) -> RaceStart:
    """Close betting, deal, and make the first draw of a race with a market that waits at version `seen`.

    No one can know the winner while bets are open, since the deal also depends on their seeds (RULEBOOK 2 (3)). Raises
    WrongVersion, SeatsOpen, NotStarted (bets are promised until the end of a countdown), and what
    `eventstore.store.append` raises.
    """
    with state.locked(game_id) as (head, table):
        game = early_access.lock(game_id)
        market = markets.market_on(game_id)
        if head.version != seen or market is None:
            raise WrongVersion(game_id, seen, head.version)
        if len(table.seats) < game.seats:
            raise SeatsOpen(f"{len(table.seats)} of {game.seats} seats are taken.")
        if game.starts_at is not None and game.starts_at > now:
            raise NotStarted("The race starts at the end of its countdown.")
        draw = head.version + 2
        seeds = markets.close_market(market, event=draw, at=max(now, head.at or now))
        key = table._replace(bet_seeds=tuple(seeds)).key(context.server_seed(game_id))
        dealt = tables.deal(table, key)
        move = dict(markets.of_rules(table.game.slug).first_move)
        facts = (dealt, *tables.decide(stream.after(table, [dealt]), None, move, key))
        result = stream.after(table, facts)
        stored = stream.append(
            game_id, head, facts, result, now=now, key=key, command=command, condition=condition
        )
        at = parse_at(stored[0].at)
        after_deal(Dealt(game, result, version=stored[0].version, at=at))
        if result.ended:
            stream.end_game(game_id, result, game, version=draw, staked=False, at=at)
        else:
            markets.reprice_in_running(game_id, result, event=draw, at=at)
        return RaceStart(stored, result)
