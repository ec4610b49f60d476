"""Races with markets, for tests."""

from __future__ import annotations

from typing import Any

from accounts.models import Player
from eventstore import store
from games import services
from games.models import GameRecord
from games.money import markets
from ledger.betting.models import Bet, Market
from ledger.services import Terms
from tests.games.conftest import NOON, SEED
from tests.ledger.betting.markets import bank, money_of

DRAW = {"type": "draw"}


def open_table(
    operator: Player, *, seats: int = 0, config: dict[str, Any] | None = None, **more: Any
) -> GameRecord:
    return services.create_game(
        rules="racing-aces",
        config=config or {},
        seats=seats,
        creator=operator,
        server_seed=SEED,
        now=NOON,
        **more,
    )


def open_market(
    game: GameRecord, kind: str = "fixed", *, opened_by: str = "player:adam", **terms: Any
) -> Market:
    """Open a market whose bank can pay."""
    if kind == "fixed":
        bank()
    return markets.open_market(game=game, kind=kind, terms=Terms(**terms), opened_by=opened_by, now=NOON)


def draw(game: GameRecord, operator: Player, **more: Any) -> services.Played:
    return services.play(game_id=game.pk, player=operator, move=DRAW, now=NOON, **more)


def to_the_end(game: GameRecord, operator: Player) -> dict[str, Any]:
    """Draw the race to its end, and return the outcome."""
    while True:
        played = draw(game, operator)
        if played.events[-1]["type"] == "finished":
            outcome: dict[str, Any] = played.events[-1]["data"]["outcome"]
            return outcome


def dealt_seeds(game: GameRecord) -> list[str]:
    [dealt] = [event for event in store.read(game.pk) if event.type == "dealt"]
    return list(dealt.data["bet_seeds"])


def types(game: GameRecord) -> list[str]:
    return [event.type for event in store.read(game.pk)]


def as_it_is(made: Bet) -> Bet:
    return Bet.objects.select_related("runner").get(pk=made.pk)


def status_of(market: Market) -> str:
    return Market.objects.values_list("status", flat=True).get(pk=market.pk)


def gained(made: Bet, had: int = 100_000) -> int:
    """Return what a bettor with one bet has gained."""
    return money_of(made) - had
