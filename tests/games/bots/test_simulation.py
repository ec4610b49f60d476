"""Simulated games: deterministic, verifiable, and each bot sees only its seat's view."""

import gc
import json
import tracemalloc

import pytest

from config.cli.simulate import Tally
from games import bots
from games.bots.simulation import simulate
from games.rules import get
from games.rules.bundles.verification import verify

CASES = [
    ("vegas-solitaire", {"draw": 1}, 1),
    ("vegas-solitaire", {"draw": 3, "stake": 0}, 1),
    ("racing-aces", {"burn": 9, "cards_per_draw": 2}, 0),
    ("racing-aces", {}, 8),
]


def played(slug, config, seats, *, bot="steady", seed="s", number=0):
    game = get(slug)
    return simulate(
        game, game.parse_config(config), seats=seats, bots=[bots.get(slug, bot)], seed=seed, number=number
    )


@pytest.mark.parametrize(("slug", "config", "seats"), CASES)
@pytest.mark.parametrize("bot", ["steady", "random"])
def test_every_simulated_game_verifies(slug, config, seats, bot):
    for number in range(10):
        report = verify(played(slug, config, seats, bot=bot, number=number).bundle)
        assert set(report.checks.values()) == {"passed"}, report.faults


@pytest.mark.parametrize(("slug", "config", "seats"), CASES)
def test_the_same_seed_gives_the_same_bytes(slug, config, seats):
    one, again, other, next_one = (
        json.dumps(played(slug, config, seats, seed=seed, number=number).bundle)
        for seed, number in (("s", 1), ("s", 1), ("t", 1), ("s", 2))
    )
    assert one == again
    assert len({one, other, next_one}) == 3


@pytest.mark.parametrize(
    ("slug", "names"),
    [("vegas-solitaire", ["steady", "strong", "random"]), ("racing-aces", ["steady", "random"])],
)
def test_bots_have_names(slug, names):
    assert bots.names(slug) == names
    for name in bots.names(slug):
        assert bots.get(slug, name).name == name


@pytest.mark.parametrize(("slug", "name"), [("vegas-solitaire", "genius"), ("bridge", "steady")])
def test_an_unknown_bot_is_refused(slug, name):
    with pytest.raises(bots.UnknownBot):
        bots.get(slug, name)


def test_a_bot_receives_only_its_seats_view_and_legal_moves():
    """The recorder sees what a bot sees: no pack, no face-down card, no seed."""
    seen = []

    class Recorder:
        name = "recorder"

        def choose(self, observation, rng):
            seen.append(observation.view)
            return bots.get("vegas-solitaire").choose(observation, rng)

    game = get("vegas-solitaire")
    result = simulate(game, game.parse_config({"draw": 3}), seats=1, bots=[Recorder()], seed="s", number=3)
    first = seen[0]
    shown = {card for column in first["columns"] for card in column["up"]} | set(first["waste"])
    text = json.dumps(first)
    pack = result.bundle["events"][2]["private"]["packs"]["deck"]
    assert len(shown) == 7
    assert all(json.dumps(card) not in text for card in pack if card not in shown)


def test_a_counted_game_retains_no_memory():
    tally = Tally(("steady",))
    tracemalloc.start()
    for number in range(60):
        tally.add(played("racing-aces", {}, 0, number=number).table)
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 150_000  # bytes; one race alone takes about 50,000
    assert tally.games == 60
