"""Races with chosen suits whose winning suit is known in advance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import Player
from games import services, state
from games.models import GameRecord
from games.rules import GameKey, get
from games.rules.cards import SUITS
from ledger.selectors import stake_table
from tests.games.conftest import NOON, SEED

BUY_IN = 101
"""Two winners of five seats cannot share five of these equally."""
NO_WINNER = 39
"""This many burned cards leave no suit enough cards for a line of ten, under SEED and with up to eight seats."""


def winner(seats: int, burn: int = 0) -> str | None:
    """Return the winning suit of a race under SEED with empty client seeds."""
    race = get("racing-aces")
    config = race.parse_config({"suits": "chosen", "burn": burn})
    key = GameKey(SEED, [""] * seats)
    game_state = race.evolve(race.initial(config, seats), *race.deal(config, seats, key))
    while not race.is_over(game_state):
        game_state = race.apply_action(game_state, None, 0)
    outcome = race.outcome(game_state)
    assert outcome is not None
    found: str | None = outcome["winner"]
    return found


def suits(seats: int, *, winners: Sequence[int]) -> list[str]:
    """Return a suit for each seat: the winning one for the given seats."""
    won = winner(seats)
    others = [suit for suit in SUITS * 2 if suit != won]
    return [str(won) if seat in winners else others.pop(0) for seat in range(seats)]


def opened(
    creator: Player, *, seats: int, burn: int = 0, buy_in: int | None = BUY_IN, **more: Any
) -> GameRecord:
    return services.create_game(
        rules="racing-aces",
        config={"suits": "chosen", "burn": burn},
        seats=seats,
        creator=creator,
        stake_table=stake_table("race-bets") if buy_in else None,
        buy_in=buy_in,
        server_seed=SEED,
        now=NOON,
        **more,
    )


def sit_down(game: GameRecord, people: Sequence[Player], chosen: Sequence[str]) -> None:
    for who, suit in zip(people, chosen, strict=True):
        services.take_seat(game=game, player=who, client_seed="", suit=suit, now=NOON)


def raced(game: GameRecord, operator: Player) -> GameRecord:
    """Let the operator deal and draw the race to its end."""
    services.start_game(game=game, actor=operator, now=NOON)
    while not state.load(game.pk)[1].ended:
        services.play(game_id=game.pk, player=operator, move={"type": "draw"}, now=NOON)
    return GameRecord.objects.get(pk=game.pk)
