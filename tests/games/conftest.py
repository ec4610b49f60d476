"""Tables of Vegas Solitaire and Racing Aces, opened through the services."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from games import context, services, state
from games.models import GameRecord
from ledger import services as ledger
from ledger.models import PlaySession, StakeTable
from tests import books
from tests.money import bankroll

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEED = bytes(range(32))


def at_stake_table(
    player: Player, table: StakeTable, session: PlaySession, *, now: datetime = NOON, **more: Any
) -> GameRecord:
    """Open a game of Vegas Solitaire at a stake table for a player, who sits down."""
    terms = {"config": {"draw": 1, "stake": 520}, "stake_table": table, "play_session": session, **more}
    game = services.create_game(rules="vegas-solitaire", seats=1, creator=player, now=now, **terms)
    services.take_seat(game=game, player=player, client_seed="", now=now)
    return game


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """Clear caches, so that no test uses the states of another."""
    state.cache.clear()
    context.clear_cache()


@pytest.fixture
def vegas() -> Callable[..., GameRecord]:
    """Return a function that deals a practice game of Vegas Solitaire to a player."""

    def deal(player: Player, *, draw: int = 1, seed: bytes = SEED, **more: Any) -> GameRecord:
        game = services.create_game(
            rules="vegas-solitaire",
            config={"draw": draw, "stake": 0},
            seats=1,
            creator=player,
            server_seed=seed,
            now=NOON,
            **more,
        )
        services.take_seat(game=game, player=player, client_seed="ann", now=NOON)
        return services.start_game(game=game, actor=player, now=NOON)

    return deal


@pytest.fixture
def race() -> Callable[..., GameRecord]:
    """Return a function that starts a race without seats."""

    def deal(operator: Player, *, config: dict[str, Any] | None = None, **more: Any) -> GameRecord:
        game = services.create_game(
            rules="racing-aces",
            config=config or {},
            seats=0,
            creator=operator,
            server_seed=SEED,
            now=NOON,
            **more,
        )
        return services.start_game(game=game, actor=operator, now=NOON)

    return deal


@pytest.fixture
def classic(db: None) -> StakeTable:
    """The stake table that every installation has, with a bank that can pay."""
    return bankroll(10_000_000, at=NOON)


@pytest.fixture
def cashed_in() -> Callable[..., PlaySession]:
    """A funded player with a play session."""

    def open_session(player: Player, amount: int = 10_000) -> PlaySession:
        ledger.deposit(
            player=player.pk,
            amount=amount,
            currency="XTS",
            key=f"deposit:{uuid.uuid4()}",
            actor="test",
            reason="play money",
            at=NOON,
        )
        return ledger.open_session(
            player=player.pk, amount=amount, currency="XTS", key=f"session:{uuid.uuid4()}", at=NOON
        )

    return open_session


@pytest.fixture
def staked(
    classic: StakeTable, cashed_in: Callable[..., PlaySession]
) -> Callable[..., tuple[GameRecord, PlaySession]]:
    """Return a function that deals a staked game of Vegas Solitaire and returns it with its play session."""

    def deal(player: Player, *, stake: int = 520, draw: int = 1) -> tuple[GameRecord, PlaySession]:
        session = cashed_in(player)
        config = {"draw": draw, "stake": stake}
        game = at_stake_table(player, classic, session, config=config, server_seed=SEED)
        return services.start_game(game=game, actor=player, now=NOON), session

    return deal


@pytest.fixture
def types() -> Callable[[GameRecord], list[str]]:
    """Return the types of a game's events, in order."""
    return lambda game: [event.type for event in store.read(game.pk)]


@pytest.fixture(autouse=True)
def money_follows_from_the_games(request: pytest.FixtureRequest) -> Iterator[None]:
    """After every test with a database, derive every balance from transfers, and these from games."""
    yield from books.reconciled(request)
