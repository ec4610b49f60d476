"""The tables of a tournament's round, many at a time: seated in one step, dealt in the next.

What `create_game`, `take_seat` and `start_game` do for one table that anybody may sit down at is done here for tables
whose places are fixed beforehand; the same events come of it, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from eventstore.chain import parse_at
from eventstore.store import EMPTY, WrongVersion
from games import audit, limits, log, stakes, state, terms
from games.errors import Contended
from games.models import GameRecord, GameSecret, RevealedSeed, Seat
from games.rules import Fact, Game
from games.rules import get as get_rules
from games.rules import table as tables
from games.rules.fairness import commitment
from games.services_begin import Dealt, begin_all


@dataclass(frozen=True, slots=True)
class TournamentRef:
    """The place of a game in a tournament. Games with one `deal_group` share their deal and hide it from each other.

    `commitment` and `entropy` are the tournament's; `ended_job` is the kind of job scheduled, in the transaction that
    ends the game, with {"game", "tournament", "round"}.
    """

    id: UUID
    round: int
    deal: int
    deal_group: str
    commitment: str
    entropy: str
    ended_job: str

    def columns(self) -> dict[str, Any]:
        """As the record of the game holds it."""
        return {
            "tournament": self.id,
            "round": self.round,
            "deal": self.deal,
            "deal_group": self.deal_group,
            "tournament_commitment": self.commitment,
            "entropy": self.entropy,
            "ended_job": self.ended_job,
        }


@dataclass(frozen=True, slots=True)
class Sitter:
    """`bot` is the strategy of a player that the server plays; of no meaning for a person."""

    player: UUID
    bot: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A table to be: the id of its game, the seed of its deal, who sits at it from seat 0."""

    game: UUID
    server_seed: bytes
    tournament: TournamentRef
    sitters: Sequence[Sitter]


@transaction.atomic
def seat_tables(
    *,
    rules: str,
    config: Mapping[str, Any],
    draw_every: int | None = None,
    places: Sequence[Place],
    now: datetime,
) -> None:
    """Make the games and seat their players, with the tournament's entropy in every seat; `draw_every` in seconds.

    Raises UnknownGame, ConfigError, InvalidTable, StakeNeedsSession, LookedEarly; WrongVersion if a game's id is taken.
    """
    game = get_rules(rules)
    parsed = game.parse_config(config, staked=False)
    stakes.require_terms(game, parsed, creator=None, stake_table=None, play_session=None, at=now)
    terms.require_clocks(game, parsed, draw_every=draw_every, move_limit=None, game_limit=None)
    for seats in {len(place.sitters) for place in places}:
        terms.require_seats(game, seats)
        tables.require_dealable(game, parsed, seats)
    for tournament in {place.tournament.id for place in places}:
        audit.require_unseen_by_any(_players(places), tournament=tournament)
    records = []
    for place in places:
        facts, table = _seated(game, parsed, place)
        log.append(place.game, EMPTY, facts, table, now=now)
        records.append(
            GameRecord(
                id=place.game,
                rules=game.slug,
                rules_version=game.version,
                config=game.config_json(parsed),
                seats=len(place.sitters),
                draw_every=draw_every,
                commitment=table.commitment,
                hints=terms.hints(game, None, for_points=False),
                created_at=now,
                **place.tournament.columns(),
            )
        )
    GameRecord.objects.bulk_create(records)
    GameSecret.objects.bulk_create(
        GameSecret(game_id=place.game, server_seed=place.server_seed) for place in places
    )
    Seat.objects.bulk_create(
        Seat(game_id=place.game, seat=seat, player_id=sitter.player, bot=sitter.bot)
        for place in places
        for seat, sitter in enumerate(place.sitters)
    )


def _players(places: Sequence[Place]) -> set[UUID]:
    return {sitter.player for place in places for sitter in place.sitters}


def _seated(game: Game, config: Any, place: Place) -> tuple[list[Fact], tables.Table]:
    """The events that make and fill a table, and the table after them."""
    facts = [tables.create(game, config, commitment=commitment(place.server_seed))]
    table = log.after(None, facts)
    for seat, sitter in enumerate(place.sitters):
        seated = tables.seat(table, seat, player=str(sitter.player), seed=place.tournament.entropy)
        table = log.after(table, [seated])
        facts.append(seated)
    return facts, table


@transaction.atomic
def deal_tables(*, games: Sequence[UUID], now: datetime) -> None:
    """Make the deals of full tables. Raises Refused where one has begun, Contended."""
    records = GameRecord.objects.in_bulk(games)
    seeds = GameSecret.objects.in_bulk(games)
    dealt = [_deal(records[game], bytes(seeds[game].server_seed), now) for game in games]
    begin_all(dealt)


def _deal(record: GameRecord, server_seed: bytes, now: datetime) -> Dealt:
    """What this process remembers is good enough: upon a stale head nothing is appended."""
    known = state.peek(record.pk)
    for _ in range(limits.ATTEMPTS):
        head, table = known or state.load(record.pk)
        key = table.key(server_seed)
        fact = tables.deal(table, key)
        result = log.after(table, [fact])
        try:
            [event] = log.append(record.pk, head, [fact], result, now=now, key=key)
        except WrongVersion:
            known = None
            continue
        return Dealt(record, result, version=event.version, at=parse_at(event.at))
    raise Contended


def reveal_tournament_seed(*, tournament: UUID, seed: bytes) -> None:
    """Show the seed of a tournament that has ended in the bundles of its games from now on."""
    RevealedSeed.objects.get_or_create(tournament=tournament, defaults={"seed": seed})
