"""The examples of bots are short, and better than random moves."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from games.bots.comparison import Comparison, of_a_table, of_one_seat
from games.bots.protocol import Move, Observation, Random
from games.rules import get
from racecard_client import examples
from racecard_client.bot import Strategy
from racecard_client.examples.ace_race import AceRace
from racecard_client.examples.idle_aces import IdleAces
from racecard_client.examples.racing_demons import RacingDemons
from racecard_client.examples.vegas_solitaire import VegasSolitaire

FILES = sorted(Path(examples.__file__).parent.glob("[a-z]*.py"))


class FromOutside:
    """A strategy as a bot of the simulation, with an instance for each game and seat."""

    name = "from-outside"

    def __init__(self, make: Callable[[], Strategy]) -> None:
        self._make = make
        self._seats: dict[int | None, Strategy] = {}
        self._seen = 0

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        if (events := len(observation.history())) < self._seen:
            self._seats.clear()  # another game
        self._seen = events
        strategy: Any = self._seats.setdefault(observation.seat, self._make())
        move = strategy.choose(observation.view, observation.legal_moves)
        return rng.choice(observation.legal_moves) if move is None else dict(move)


def test_an_example_for_each_game_of_at_most_40_lines() -> None:
    assert [file.stem for file in FILES] == [
        "ace_race",
        "idle_aces",
        "racing_aces",
        "racing_demons",
        "vegas_solitaire",
    ]
    for file in FILES:
        assert len(file.read_text().splitlines()) <= 40, file.name


@pytest.mark.parametrize(
    ("rules", "make", "config", "least"),
    [
        ("vegas-solitaire", VegasSolitaire, {"draw": 3, "stake": 0}, 3),
        ("vegas-solitaire", VegasSolitaire, {"draw": 1, "stake": 0}, 3),
        ("idle-aces", IdleAces, {}, 50),
    ],
)
def test_more_cards_than_random_on_the_same_deals(
    rules: str, make: Callable[[], Strategy], config: dict[str, Any], least: int
) -> None:
    game, deals = get(rules), 12
    bots = [FromOutside(make), Random()]
    cards = of_one_seat(game, game.parse_config(config), bots, seed="examples", deals=range(deals))
    lead = sum(ours - randoms for ours, randoms in cards) / deals
    assert lead > least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "make", "config", "seats"),
    [
        ("ace-race", AceRace, {}, 2),
        ("ace-race", AceRace, {}, 4),
        ("racing-demons", RacingDemons, {}, 2),
        ("racing-demons", RacingDemons, {"pace": "turns"}, 2),
    ],
)
def test_more_games_won_than_random_at_a_table(
    rules: str, make: Callable[[], Strategy], config: dict[str, Any], seats: int
) -> None:
    """Each deal is played once from each seat. The lead is that of the share of first places."""
    game, bots = get(rules), (FromOutside(make), Random())
    found = of_a_table(game, game.parse_config(config), *bots, seats=seats, seed="examples", deals=range(12))
    compared = Comparison(found)
    assert compared.lead - compared.reach > 0.2, compared.document()
