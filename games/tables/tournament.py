"""The tables of a tournament round, many at a time: seated in one step and dealt in the next.

The events are those of `create_game`, `take_seat`, and `start_game`, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from eventstore.chain import parse_at
from eventstore.store import EMPTY, Head
from games import early_access, state
from games.models import GameRecord, GameSecret, RevealedSeed, Seat
from games.money import stakes
from games.play import stream
from games.play.start import Dealt, after_deals
from games.rules import Fact, Game
from games.rules import get as get_rules
from games.rules import table as tables
from games.rules.fairness import commitment
from games.rules.table import Table
from games.tables import terms
from games.tables.terms import Place


@transaction.atomic
def seat_tables(
    *,
    rules: str,
    config: Mapping[str, Any],
    draw_every: int | None = None,
    places: Sequence[Place],
    now: datetime,
) -> None:
    """Create the games and seat their players, with the tournament's entropy as client seed of every seat.

    `draw_every` is in seconds. Raises UnknownGame, ConfigError, InvalidTable, StakeNeedsSession, EarlyAccessUsed;
    WrongVersion if a game id is taken.
    """
    game = get_rules(rules)
    parsed = game.parse_config(config, staked=False)
    stakes.require_terms(game, parsed, creator=None, stake_table=None, play_session=None, at=now)
    terms.require_clocks(game, parsed, draw_every=draw_every, move_limit=None, game_limit=None)
    for seats in {len(place.sitters) for place in places}:
        terms.require_seats(game, seats)
        tables.require_dealable(game, parsed, seats)
    for tournament in {place.tournament.id for place in places}:
        early_access.require_unseen_by_any(_players(places), tournament=tournament)
    records = []
    for place in places:
        facts, table = _seated(game, parsed, place)
        stream.append(place.game, EMPTY, facts, table, now=now)
        records.append(
            GameRecord(
                id=place.game,
                rules=game.slug,
                rules_version=game.version,
                config=game.config_json(parsed),
                seats=len(place.sitters),
                draw_every=draw_every,
                commitment=table.commitment,
                hints=terms.hints(game, None, for_points=False, people=len(place.sitters)),
                created_at=now,
                **place.tournament.columns(),
            )
        )
    GameRecord.objects.bulk_create(records)
    GameSecret.objects.bulk_create(
        GameSecret(game_id=place.game, server_seed=place.server_seed) for place in places
    )
    Seat.objects.bulk_create(
        Seat(
            game_id=place.game,
            seat=seat,
            player_id=sitter.player,
            bot=sitter.bot,
            shown_as=sitter.shown_as,
            created_at=now,
        )
        for place in places
        for seat, sitter in enumerate(place.sitters)
    )


def _players(places: Sequence[Place]) -> set[UUID]:
    return {sitter.player for place in places for sitter in place.sitters}


def _seated(game: Game, config: Any, place: Place) -> tuple[list[Fact], tables.Table]:
    """Return the events that create and fill a table, and the table after them."""
    facts = [tables.create(game, config, commitment=commitment(place.server_seed))]
    table = stream.after(None, facts)
    for seat, sitter in enumerate(place.sitters):
        seated = tables.seat(table, seat, player=str(sitter.player), seed=place.tournament.entropy)
        table = stream.after(table, [seated])
        facts.append(seated)
    return facts, table


@transaction.atomic
def deal_tables(*, games: Sequence[UUID], now: datetime) -> None:
    """Deal full tables. Raises Refused if one has started."""
    records = GameRecord.objects.in_bulk(games)
    seeds = GameSecret.objects.in_bulk(games)
    dealt = [_deal(records[game], bytes(seeds[game].server_seed), now) for game in games]
    after_deals(dealt)


def _deal(record: GameRecord, server_seed: bytes, now: datetime) -> Dealt:
    def deal(head: Head, table: Table) -> Dealt:
        key = table.key(server_seed)
        fact = tables.deal(table, key)
        result = stream.after(table, [fact])
        [event] = stream.append(record.pk, head, [fact], result, now=now, key=key)
        return Dealt(record, result, version=event.version, at=parse_at(event.at))

    return state.execute(record.pk, deal)


def reveal_tournament_seed(*, tournament: UUID, seed: bytes) -> None:
    """Show the seed of an ended tournament in the bundles of its games from now on."""
    RevealedSeed.objects.get_or_create(tournament=tournament, defaults={"seed": seed})
