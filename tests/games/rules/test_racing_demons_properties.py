"""Properties of Racing Demons in positions reached by bots and by random moves."""

import random
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from games import bots
from games.bots import Observation
from games.rules import Fact, GameKey, Refused
from games.rules.racing_demons.position import CARD, texts
from tests.games.rules.racing_demons import GAME, PASS, STUCK, TURN, after, consistent, move

pytestmark = pytest.mark.slow

STEADY = bots.get("racing-demons")
WORK = [f"work:{pile}" for pile in range(4)]
CONFIGS = st.fixed_dictionaries(
    {
        "turn": st.sampled_from([1, 3]),
        "pace": st.sampled_from(["race", "turns"]),
        "stuck": st.sampled_from(["burn", "end"]),
    }
)


def universe(state):
    """Return every well-formed move, including one foundation and one count too many."""
    started = range(len(state.foundations) + 1)
    targets = [*WORK, "foundation:new", *(f"foundation:{number}" for number in started)]
    between = [(source, to) for source in WORK for to in WORK]
    return [
        *(TURN, STUCK, PASS),
        *(
            move(source, to)
            for source in ("demon", "waste", *WORK)
            for to in targets
            if (source, to) not in between
        ),
        *(move(source, to, count) for source, to in between for count in range(1, 15)),
    ]


class Played:
    """A game from the deal, with some moves of bots and then some random ones."""

    def __init__(self, seed, seats, config, packs=None):
        self.config, self.seats = GAME.parse_config(config), seats
        key = GameKey(seed.to_bytes(32, "big"), [""] * seats)
        self.events = [GAME.deal(self.config, seats, key)]
        if packs:
            self.events = [Fact("dealt", None, {}, {"packs": packs})]
        self.state = after(GAME.initial(self.config, seats), *self.events)
        self.made = []

    def play(self, seat, made):
        facts = GAME.decide(self.state, seat, made)
        self.events += facts
        self.made.append((seat, made))
        self.state = after(self.state, *facts)

    def some(self, rng, by_bots, by_chance):
        for step in range(by_bots + by_chance):
            if GAME.is_over(self.state):
                return self
            seat = rng.choice(
                [seat for seat in GAME.to_act(self.state) if GAME.legal_moves(self.state, seat)]
            )
            legal = GAME.legal_moves(self.state, seat)
            observation = Observation(GAME.view(self.state, seat), legal, seat=seat)
            self.play(seat, STEADY.choose(observation, rng) if step < by_bots else rng.choice(legal))
        return self


@st.composite
def games(draw):
    rng = random.Random(draw(st.integers(0, 2**32)))
    played = Played(draw(st.integers(0, 2**40)), draw(st.sampled_from(GAME.seats)), draw(CONFIGS))
    return played.some(rng, draw(st.integers(0, 150)), draw(st.integers(0, 40)))


def accepted(state, seat):
    for made in universe(state):
        try:
            GAME.decide(state, seat, made)
        except Refused:
            continue
        yield tuple(made.items())


@settings(max_examples=16, deadline=None)
@given(games())
def test_exactly_the_listed_moves_are_accepted(played):
    for seat in range(played.seats):
        listed = [tuple(made.items()) for made in GAME.legal_moves(played.state, seat)]
        assert len(listed) == len(set(listed))
        assert set(listed) == set(accepted(played.state, seat))


@settings(max_examples=16, deadline=None)
@given(games())
def test_every_card_of_every_pack_is_somewhere_once(played):
    state = played.state
    cards = [card for foundation in state.foundations for card in foundation]
    for seat, side in enumerate(state.sides):
        own = [*side.demon, *side.stock, *side.waste, *(card for pile in side.work for card in pile)]
        assert {card // 52 for card in own} <= {seat}
        assert all(side.work)
        cards += own
    assert sorted(cards) == list(range(52 * played.seats))


@settings(max_examples=16, deadline=None)
@given(games())
def test_the_bit_sets_agree_with_the_cards(played):
    assert consistent(played.state)


@pytest.mark.compiled
@settings(max_examples=16, deadline=None)
@given(games())
def test_folding_the_events_gives_the_live_state(played):
    folded = after(GAME.initial(played.config, played.seats), *played.events)
    assert folded == played.state
    assert GAME.outcome(folded) == GAME.outcome(played.state)
    if GAME.is_over(folded):
        assert played.events[-1] == Fact("finished", None, {"outcome": GAME.outcome(folded)})


@settings(max_examples=10, deadline=None)
@given(games())
def test_actions_are_the_legal_moves_in_order_with_the_same_effects(played):
    state = played.state
    for seat in range(played.seats):
        actions = GAME.legal_actions(state, seat)
        assert [GAME.move_of(state, action) for action in actions] == GAME.legal_moves(state, seat)
        for action in actions:
            assert GAME.apply_action(state, seat, action) == after(
                state, *GAME.decide(state, seat, GAME.move_of(state, action))
            )
    assert GAME.is_over(state) == (GAME.outcome(state) is not None)
    assert GAME.is_over(state) or any(GAME.legal_actions(state, seat) for seat in GAME.to_act(state))


# --- hidden cards ------------------------------------------------------------------------------------


@settings(max_examples=16, deadline=None)
@given(games())
def test_a_view_shows_only_face_up_cards(played):
    state, shown = played.state, Counter()
    view = GAME.view(state, None)
    assert view["you"] is None
    assert [side["seat"] for side in view["others"]] == list(range(played.seats))
    for side in view["others"]:
        shown.update([*side["waste"], *(card for pile in side["work"] for card in pile)])
        shown.update([side["demon_top"]] if side["demon"] else [])
        assert len(side["waste"]) <= state.config.turn
    shown.update(card for foundation in view["foundations"] for card in foundation["cards"])
    assert max(shown.values()) == 1
    hidden = [
        card
        for side in state.sides
        for card in (*side.demon[:-1], *side.stock, *side.waste[: len(side.waste) - side.fan])
    ]
    assert set(shown).isdisjoint(texts(hidden))
    for seat in range(played.seats):
        own = GAME.view(state, seat)
        assert own["you"] == {key: value for key, value in view["others"][seat].items() if key != "seat"}
        assert own["others"] == [side for side in view["others"] if side["seat"] != seat]


def result(played, made):
    """Return everything that seats receive during these moves: views, refusals, and events without `private`."""
    seen = []
    for seat, each in made:
        played.play(seat, each)
        seen.append(GAME.view(played.state, seat))
        seen.append(GAME.legal_moves(played.state, seat))
    seen += [(event.type, event.seat, event.data) for event in played.events]
    state = played.state
    seen.append(GAME.view(state, None))
    for seat in range(played.seats):
        for each in universe(state):
            try:
                GAME.decide(state, seat, each)
            except Refused as refused:
                seen.append((refused.code, refused.rule, refused.fact))
            else:
                seen.append(None)
        if legal := GAME.legal_moves(state, seat):
            observation = Observation(GAME.view(state, seat), legal, seat=seat)
            seen.append(STEADY.choose(observation, random.Random(1)))
    return seen


def unturned(played):
    """Return by seat the cards of demon and stock that were never face up during the game."""
    seen = {
        CARD[card]
        for event in played.events[1:]
        for key in ("cards", "filled")
        for card in [event.data.get("facts", {}).get(key, [])]
        for card in ([card] if isinstance(card, str) else card)
    }
    for side in played.state.sides:
        yield list(side.demon[:-1]), [card for card in side.stock if card not in seen]


@settings(max_examples=10, deadline=None)
@given(games(), st.randoms(use_true_random=False))
def test_hidden_cards_change_nothing_that_a_seat_receives(played, rng):
    """Two games with hidden cards in another order have the same events, views, moves, refusals, and bot moves."""
    made = list(played.made)
    original = played.events[0].private["packs"]
    other = {label: list(pack) for label, pack in original.items()}
    for seat, (demon, stock) in enumerate(unturned(played)):
        pack = other[f"deck|{seat}"]
        for cards in (texts(demon), texts(stock)):
            places = [pack.index(card) for card in cards]
            rng.shuffle(cards)
            for place, card in zip(places, cards, strict=True):
                pack[place] = card
    assume(other != original)
    config = GAME.config_json(played.config)
    one, two = (Played(0, played.seats, config, packs) for packs in (original, other))
    assert result(one, made) == result(two, made)


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_the_packs_are_private_to_the_end(seat):
    key = GameKey(bytes(32), ["", ""])
    fact = GAME.deal(GAME.parse_config({}), 2, key)
    assert GAME.redact_private(fact, seat) is None
