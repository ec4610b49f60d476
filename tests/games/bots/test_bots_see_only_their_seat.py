"""Every bot makes the same move in two games that differ only in what its seat cannot see."""

import pytest

from games import bots
from games.bots.registry import thinking
from games.rules import get
from games.rules.registry import manifests
from tests.games.bots.worlds import another, chance, courses, dealt

TABLES = [
    ("racing-aces", {"burn": 4}, 2),
    ("vegas-solitaire", {"draw": 1, "stake": 0}, 1),
    ("vegas-solitaire", {"draw": 3, "stake": 0}, 1),
    ("idle-aces", {}, 1),
    ("ace-race", {}, 2),
    ("ace-race", {"previous_winner": 2}, 4),
    ("racing-demons", {}, 3),
    ("racing-demons", {"pace": "turns", "turn": 1}, 2),
]
PLAYERS = [(table, name) for table in TABLES for name in bots.names(table[0])]
LOOKED_AT = 6
"""Positions of a game, spread over its moves."""


def pairs(table, number):
    """Return the seat to act and pairs of games that it cannot distinguish."""
    slug, raw, seats = table
    rules, rng = get(slug), chance(slug, seats, number)
    played = list(courses(dealt(rules, raw, seats, number), bots.get(slug, "steady"), 90, rng))
    for seat, game in played[:: max(1, len(played) // LOOKED_AT)]:
        if rules.legal_moves(game.state, seat) and (other := another(game, seat, rng)):
            yield seat, game, other


@pytest.fixture(scope="module")
def alike():
    """Return the pairs of each table, made once."""
    made = {}

    def of(table):
        key = repr(table)
        if key not in made:
            made[key] = [pair for number in range(2) for pair in pairs(table, number)]
        return made[key]

    return of


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_games_differ_in_hidden_cards(alike, table):
    differing = [game.state != other.state for _, game, other in alike(table)]
    assert sum(differing) >= 4


@pytest.mark.parametrize(("table", "name"), PLAYERS, ids=str)
def test_a_bot_makes_the_same_move_in_both_games(alike, table, name):
    slug, _, _ = table
    bot = thinking(bots.get(slug, name), 8)
    for number, (seat, game, other) in enumerate(alike(table)):
        one, same = game.observation(seat), other.observation(seat)
        assert one.legal_moves == same.legal_moves
        chosen = bot.choose(one, chance("choice", number))
        assert chosen == bot.choose(same, chance("choice", number))
        assert chosen in one.legal_moves


@pytest.mark.parametrize("slug", [slug for slug, about in manifests().items() if about.hints])
def test_a_hint_is_the_move_of_one_of_these_bots(slug):
    """A hint therefore depends on no hidden card either."""
    assert bots.hint(slug) in [bots.get(slug, name) for name in bots.names(slug)]


def test_a_bot_that_used_hidden_cards_would_be_detected(alike):
    """The pairs distinguish a bot that knows the pack from one that does not."""
    result = [
        game.state.layout.stock[-1:] != other.state.layout.stock[-1:]
        for _, game, other in alike(TABLES[1])
        if game.state.layout.stock
    ]
    assert any(result)
