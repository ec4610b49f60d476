"""The off of a race with a market: betting closes, the deal is made, the first draw is made, all at once.

Nobody can know the winner while bets are open, since the deal is made from their seeds too (RULEBOOK 2 (3)).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from api.claims import Condition
from api.transient import retried
from eventstore.chain import parse_at
from eventstore.store import Command, StoredEvent, WrongVersion
from games import audit, log, markets, particulars, turnstile
from games.errors import SeatsOpen
from games.rules import table as tables
from games.rules.racing_aces import DRAW
from games.rules.table import Table
from games.services_begin import Dealt, begin


@dataclass(frozen=True, slots=True)
class Off:
    events: list[StoredEvent]
    """`dealt` and the first draw, and the end of a race that this draw decides."""
    table: Table


@retried
def off(
    *,
    game_id: UUID,
    now: datetime,
    seen: int,
    command: Command | None = None,
    condition: Condition | None = None,
) -> Off:
    """Make the first draw of a race with a market that waits for it at version `seen`.

    Raises WrongVersion (it no longer does), SeatsOpen, and what `eventstore.store.append` raises.
    """
    with turnstile.alone(game_id) as (head, table):
        game = audit.lock(game_id)
        market = markets.market_on(game_id)
        if head.version != seen or market is None:
            raise WrongVersion(game_id, seen, head.version)
        if len(table.seats) < game.seats:
            raise SeatsOpen(f"{len(table.seats)} of {game.seats} seats are taken.")
        draw = head.version + 2
        seeds = markets.close_market(market, event=draw, at=max(now, head.at or now))
        key = table._replace(bet_seeds=tuple(seeds)).key(particulars.server_seed(game_id))
        dealt = tables.deal(table, key)
        facts = (dealt, *tables.decide(log.after(table, [dealt]), None, dict(DRAW), key))
        result = log.after(table, facts)
        stored = log.append(
            game_id, head, facts, result, now=now, key=key, command=command, condition=condition
        )
        at = parse_at(stored[0].at)
        begin(Dealt(game, result, version=stored[0].version, at=at))
        if result.ended:
            log.end(game_id, result, game, version=draw, staked=False, at=at)
        else:
            markets.follow_draw(game_id, result, event=draw, at=at)
        return Off(stored, result)
