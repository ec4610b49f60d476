"""Properties of every race."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import GameKey, get
from games.rules.racing_aces.game import STOCK

RACE = get("racing-aces")


@st.composite
def races(draw):
    line = draw(st.integers(2, 13))
    config = RACE.parse_config(
        {
            "finish_line": line,
            "cards_per_draw": draw(st.integers(1, 4)),
            "burn": draw(st.integers(0, 49 - line)),
        }
    )
    return config, GameKey(draw(st.binary(min_size=32, max_size=32)), [])


@pytest.mark.compiled
@settings(max_examples=32, deadline=None)
@given(races())
def test_every_card_is_in_a_row_in_the_stock_or_burned(race):
    config, key = race
    fact = RACE.deal(config, 0, key)
    state = RACE.evolve(RACE.initial(config, 0), *fact)
    draws = 0
    while not state.over:
        event = RACE.decide(state, None, {"type": "draw"})[0]
        state = RACE.evolve(state, *event)
        draws += 1
        placed = [card for row in state.rows for card in row[1:]]
        assert len(placed) + len(state.stock) + config.burn == len(STOCK)
        assert len({*placed, *state.stock}) == len(placed) + len(state.stock)
    outcome = RACE.outcome(state)
    assert outcome["draws"] == draws == state.draws
    at_the_line = {suit for suit, length in outcome["rows"].items() if length >= config.finish_line}
    assert (outcome["winner"] in at_the_line) if at_the_line else outcome["result"] == "no-winner"
    assert config.burn or at_the_line


@settings(max_examples=16, deadline=None)
@given(races(), st.randoms(use_true_random=False))
def test_the_order_of_the_stock_changes_nothing_visible(race, rng):
    config, key = race
    state = RACE.evolve(RACE.initial(config, 0), *RACE.deal(config, 0, key))
    for _ in range(rng.randint(0, 5)):
        if not state.over:
            state = RACE.evolve(state, *RACE.decide(state, None, {"type": "draw"})[0])
    other = state._replace(stock=tuple(rng.sample(state.stock, len(state.stock))))
    for seat in (None, 0):
        assert RACE.view(state, seat) == RACE.view(other, seat)
        assert RACE.legal_moves(state, seat) == RACE.legal_moves(other, seat)
