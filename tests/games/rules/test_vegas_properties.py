"""Properties of Vegas Solitaire in positions reached by a bot and then by random moves."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import bots
from games.bots import Observation
from games.rules import GameKey, Refused, get
from games.rules.cards import PACK
from games.rules.vegas_solitaire import SOURCES, TARGETS, Layout, State

VEGAS = get("vegas-solitaire")
BOT = bots.get("vegas-solitaire")
COLLECT = {"type": "collect"}

UNIVERSE = [
    *({"type": type} for type in ("draw", "recycle", "undo", "collect")),
    *({"type": "flip", "column": column} for column in range(7)),
    *({"type": "move", "from": source, "to": target} for source in SOURCES for target in TARGETS),
    *(
        {"type": "move", "from": f"column:{source}", "to": f"column:{target}", "count": count}
        for source in range(7)
        for target in range(7)
        for count in range(1, 15)
    ),
]
"""Every well-formed move, up to counts that no run has."""


def dealt(seed: int, draw: int) -> State:
    config = VEGAS.parse_config({"draw": draw})
    fact = VEGAS.deal(config, 1, GameKey(seed.to_bytes(32, "big"), [""]))
    return VEGAS.evolve(VEGAS.initial(config, 1), fact.type, fact.seat, fact.data, fact.private)


def after(state: State, move) -> State:
    for fact in VEGAS.decide(state, 0, move):
        state = VEGAS.evolve(state, fact.type, fact.seat, fact.data, fact.private)
    return state


@st.composite
def positions(draw):
    """Return positions after some moves of the bot, for progress, and then random moves, for rare cases."""
    state = dealt(draw(st.integers(0, 2**40)), draw(st.sampled_from([1, 3])))
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 100))):
        move = BOT.choose(Observation(VEGAS.view(state, 0), VEGAS.legal_moves(state, 0)), rng)
        if move == COLLECT:
            break
        state = after(state, move)
    for _ in range(draw(st.integers(0, 30))):
        state = after(
            state, rng.choice([move for move in VEGAS.legal_moves(state, 0) if move != COLLECT] or [COLLECT])
        )
        if state.collected:
            break
    return state


def without_default_count(move):
    """Remove the count of a move where it is 1 or ignored."""
    written = dict(move)
    if written.get("count") == 1:
        del written["count"]
    return tuple(sorted(written.items()))


@settings(max_examples=24, deadline=None)
@given(positions())
def test_exactly_the_listed_moves_are_accepted(state):
    accepted = set()
    for move in UNIVERSE:
        try:
            VEGAS.decide(state, 0, move)
        except Refused:
            continue
        accepted.add(without_default_count(move))
    listed = [without_default_count(move) for move in VEGAS.legal_moves(state, 0)]
    assert len(listed) == len(set(listed))
    assert set(listed) == accepted


def all_cards(layout: Layout) -> list[int]:
    built = [13 * suit + rank for suit, height in enumerate(layout.foundations) for rank in range(height)]
    return sorted(
        [*layout.stock, *layout.waste, *(card for column in layout.columns for card in column), *built]
    )


@settings(max_examples=24, deadline=None)
@given(positions())
def test_no_card_is_lost_or_doubled(state):
    assert all_cards(state.layout) == list(PACK)
    for move in VEGAS.legal_moves(state, 0):
        assert all_cards(after(state, move).layout) == list(PACK)


@settings(max_examples=16, deadline=None)
@given(positions())
def test_undo_restores_the_state(state):
    for move in VEGAS.legal_moves(state, 0):
        done = after(state, move)
        if done.before is not None:
            assert after(done, {"type": "undo"}).layout == state.layout


@settings(max_examples=24, deadline=None)
@given(positions(), st.randoms(use_true_random=False))
def test_hidden_cards_change_nothing_that_a_seat_receives(state, rng):
    """Two games that differ only in face-down cards have the same views, legal moves, refusals, and bot moves."""
    other = with_other_hidden_cards(state, rng)
    assert VEGAS.view(state, 0) == VEGAS.view(other, 0)
    assert VEGAS.view(state, None) == VEGAS.view(other, None)
    assert VEGAS.legal_moves(state, 0) == VEGAS.legal_moves(other, 0)
    for move in UNIVERSE:
        assert refused(state, move) == refused(other, move)
    if moves := VEGAS.legal_moves(state, 0):
        one, two = (
            BOT.choose(Observation(VEGAS.view(world, 0), moves), random.Random(1)) for world in (state, other)
        )
        assert one == two


def with_other_hidden_cards(state: State, rng: random.Random) -> State:
    layout = state.layout
    hidden = [
        *layout.stock,
        *(card for column, down in zip(layout.columns, layout.down, strict=True) for card in column[:down]),
    ]
    rng.shuffle(hidden)
    columns = []
    for column, down in zip(layout.columns, layout.down, strict=True):
        columns.append((*[hidden.pop() for _ in range(down)], *column[down:]))
    return state._replace(layout=layout._replace(stock=tuple(hidden), columns=tuple(columns)))


def refused(state, move):
    try:
        VEGAS.decide(state, 0, move)
    except Refused as refusal:
        return refusal.code, refusal.rule, refusal.fact
    return None


@settings(max_examples=16, deadline=None)
@given(positions())
def test_a_view_shows_each_card_once_and_no_hidden_one(state):
    view = VEGAS.view(state, 0)
    shown = [*view["waste"], *(card for column in view["columns"] for card in column["up"])]
    assert max(Counter(shown).values(), default=1) == 1
    assert len(view["waste"]) <= state.config.draw


KNOWN_TOTALS = {1: [1, 3, 10, 33, 110, 369], 3: [1, 3, 10, 32, 100, 306]}
"""By cards drawn: how many sequences of 0, 1, 2 … moves there are from a deal, `collect` left out."""


@pytest.mark.parametrize("draw", [1, 3])
def test_known_totals_from_a_fixed_deal(draw):
    assert [sequences(dealt(52, draw), length) for length in range(6)] == KNOWN_TOTALS[draw]


def sequences(state: State, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(
        sequences(after(state, move), depth - 1) for move in VEGAS.legal_moves(state, 0) if move != COLLECT
    )


@pytest.mark.compiled
@pytest.mark.parametrize("draw", [1, 3])
def test_folding_the_events_gives_the_live_state(draw):
    state = folded = dealt(7, draw)
    rng = random.Random(7)
    for _ in range(300):
        move = rng.choice([move for move in VEGAS.legal_moves(state, 0) if move != COLLECT])
        (fact,) = VEGAS.decide(state, 0, move)
        state = after(state, move)
        folded = VEGAS.evolve(folded, *fact)
        assert folded == state
