"""Test helpers: a duplicate tournament of Vegas Solitaire, players with money, and functions that play."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from accounts.services import sign_up
from eventstore import store
from games import services as games
from games import state
from games.models import GameRecord
from ledger import services as ledger
from ledger.betting.models import Market
from tests.due_jobs import run_due
from tests.money import CURRENCY, cash, fund
from tournaments import services
from tournaments.entries import registration
from tournaments.formats.replay import Replayed, replay
from tournaments.models import TableGame, Tournament
from tournaments.prizes import settlement
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds import services as rounds
from tournaments.terms import Terms

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEED = bytes(range(32))
FEE = 500


def terms(**changes: Any) -> Terms:
    return Terms(
        **{
            "name": "Sunday duplicate",
            "format": "duplicate",
            "rules": "vegas-solitaire",
            "config": {"draw": 3, "stake": 0},
            "rounds": 2,
            "games": 1,
            "round_seconds": 600,
            "capacity": 20,
            "currency": CURRENCY,
            "fee": FEE,
            "prizes": (5000, 3000, 2000),
            "rake": 0,
            **changes,
        }
    )


def rich(name: str, amount: int = 10_000) -> Player:
    """Return a player of that name with that many pence."""
    player = sign_up(username=name, password="correct horse battery", now=NOW)
    fund(cash(player.pk), amount)
    return player


def promotion(amount: int = 1_000_000) -> None:
    """Fund the account from which the site stakes its bots."""
    fund(ledger.account(owner="house", purpose="promotion", currency=CURRENCY), amount)


def enter(tournament: Tournament, *players: Player) -> None:
    for player in players:
        registration.enter(
            tournament_id=tournament.pk, player=player, client_seed=f"seed of {player.username}", now=NOW
        )


def start(tournament: Tournament, *, now: datetime = NOW) -> None:
    """Close the entries and run all due jobs."""
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=now)
    run_due(now)


def begin(published: Callable[..., Tournament], *names: str, **terms: Any) -> Tournament:
    """Return a running tournament of these players, by default cid and dan."""
    tournament = published(**terms)
    enter(tournament, *(rich(name) for name in names or ("cid", "dan")))
    start(tournament)
    return tournament


def entrants(tournament: Tournament) -> list[Player]:
    """Return the players in entry order."""
    return [entry.player for entry in tournament.entries.select_related("player").order_by("number")]


def games_of(tournament: Tournament, round: int) -> list[TableGame]:
    return list(
        TableGame.objects.filter(table__round__tournament=tournament, table__round__number=round)
        .select_related("table")
        .order_by("table__number", "number")
    )


def play(one: TableGame, player: Player, *, moves: int = 20, now: datetime = NOW) -> None:
    """Make at most that many legal moves, the first on the list each time, and collect."""
    for _ in range(moves):
        table = state.load(one.game)[1]
        legal = [move for move in table.legal_moves(0) if move["type"] not in ("collect", "undo")]
        if not legal:
            break
        games.play(game_id=one.game, player=player, move=legal[0], now=now)
    games.play(game_id=one.game, player=player, move={"type": "collect"}, now=now)


def play_round(tournament: Tournament, round: int, *, now: datetime = NOW) -> None:
    """Play every person's games of the round to the end, and run the jobs that follow."""
    for one in games_of(tournament, round):
        [seat] = one.table.seats.select_related("entry__player")
        if not state.load(one.game)[1].ended:
            play(one, seat.entry.player, moves=5 * seat.entry.number, now=now)
    run_due(now)


def later(seconds: int) -> datetime:
    return NOW + timedelta(seconds=seconds)


def score(game: UUID, now: datetime) -> None:
    """Score a finished game, as its job does. Raises StillPaid."""
    record, (_, table) = GameRecord.objects.get(pk=game), state.load(game)
    assert record.tournament is not None
    assert record.round is not None
    rounds.games_ended(
        tournament_id=record.tournament, number=record.round, moves={game: table.moves}, now=now
    )


def status_of(row: Tournament | Market) -> str:
    """Return the stored status."""
    row.refresh_from_db()
    return row.status


def types(tournament: Tournament) -> list[str]:
    return [event.type for event in store.read(tournament.pk)]


def replayed(tournament: Tournament) -> Replayed:
    """Replay the events as anyone can who has them."""
    return replay(str(tournament.pk), [event.public() for event in store.read(tournament.pk)])


def standings(tournament: Tournament) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = round_selectors.standings(tournament, None)["standings"]
    return rows


@transaction.atomic
def close_round(tournament: Tournament, number: int = 1, *, seconds: int = 600) -> bool:
    return rounds.close_round(tournament_id=tournament.pk, number=number, now=later(seconds))


@transaction.atomic
def settle(tournament: Tournament, *, seconds: int = 601) -> None:
    """Pay the prizes, as the last job of a tournament does."""
    settlement.finish(tournament_id=tournament.pk, now=later(seconds))
