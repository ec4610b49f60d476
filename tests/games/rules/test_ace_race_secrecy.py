"""RULEBOOK 1: private parts of Ace Race are visible only to their seats."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import Fact, GameKey
from tests.games.rules.ace_race import (
    DECLINE,
    DRAW,
    GAME,
    PASS,
    SEATS,
    after,
    bid,
    dealt,
    decided,
    give,
    play,
    position,
    refused,
    universe,
    view,
    wandered,
)


def parts(fact: Fact, seats: int):
    """Return what each seat receives of an event's private part, spectators first."""
    return [GAME.redact_private(fact, seat) for seat in (None, *range(seats))]


# --- sealed events ------------------------------------------------------------------------------


def test_no_seat_receives_the_packs():
    fact = GAME.deal(GAME.parse_config({}), 3, GameKey(bytes(32), ["", "", ""]))
    assert fact.private["packs"].keys() == {"deck"}
    assert parts(fact, 3) == [None] * 4


def test_a_drawn_card_is_visible_to_its_seat():
    (event,) = decided(position("KC", "2C", "3C", rule="low", pile="4C 9H", to_act=1), DRAW)
    assert event.data == {"move": DRAW, "facts": {"card": "??"}}
    assert event.private == {"move": DRAW, "facts": {"card": "9H"}}
    assert parts(event, 3) == [None, None, event.private, None]


def test_a_card_drawn_for_an_absent_seat_is_visible_to_that_seat():
    drawn, passed = GAME.expire(position("KC", "2C", rule="low", pile="4C 9H", to_act=1), 1)
    assert drawn.private == {"move": DRAW, "facts": {"card": "9H"}}
    assert parts(drawn, 2) == [None, None, drawn.private]
    assert passed.private is None


def test_the_cards_of_the_bid_are_visible_to_the_winner_of_the_bidding():
    start = dealt(3)
    (event,) = decided(after(start, bid(2), PASS), PASS)
    cards = view(after(start, bid(2), PASS, PASS), 1)["hand"][-2:]
    assert (event.seat, event.type) == (0, "pass")
    assert event.data == {"move": PASS, "facts": {"winner": 1, "cards": ["??", "??"]}}
    assert event.private == {"move": PASS, "facts": {"winner": 1, "cards": cards}}
    assert parts(event, 3) == [None, None, event.private, None]


def test_a_bid_won_with_0_seals_nothing():
    (event,) = decided(after(dealt(2), bid(0)), PASS)
    assert event.data["facts"] == {"winner": 1, "cards": []}
    assert event.private is None


def test_a_gift_is_visible_to_the_giver_and_each_part_to_its_receiver():
    state = position("2C 3C 4C", "5D", "6D", "7D", phase="giveaway", discards="8C")
    move = give(c2C=1, c3C=2)
    (event,) = decided(state, move)
    shown = {"type": "give", "gifts": [{"card": "??", "to": 1}, {"card": "??", "to": 2}]}
    assert event.data == {"move": shown, "facts": {}}
    assert event.private == {"move": move, "facts": {}}
    one = {"type": "give", "gifts": [{"card": "2C", "to": 1}, {"card": "??", "to": 2}]}
    two = {"type": "give", "gifts": [{"card": "??", "to": 1}, {"card": "3C", "to": 2}]}
    assert parts(event, 4) == [
        None,
        {"move": move, "facts": {}},
        {"move": one, "facts": {}},
        {"move": two, "facts": {}},
        None,
    ]


def test_declining_seals_nothing():
    (event,) = decided(position("2C 3C", "5D", phase="giveaway", discards="8C"), DECLINE)
    assert (event.data, event.private) == ({"move": DECLINE, "facts": {}}, None)


def test_the_order_of_a_reshuffle_is_visible_to_no_seat():
    (event,) = decided(
        position("AD 3C", "5D", rule="low", pile="9C TC", discards="8C"), play("AD", rule="high")
    )
    assert event.data["facts"] == {"draw_pile": 3}
    assert parts(event, 2) == [None] * 3


# --- views --------------------------------------------------------------------------------------


def test_a_view_shows_the_seats_hand_and_counts_the_others():
    state = position("2C 3C", "5D", "6D 7D 8D", pile="9C", rule="low")
    assert [view(state, seat)["hand"] for seat in (None, 0, 1, 2)] == [
        None,
        ["2C", "3C"],
        ["5D"],
        ["6D", "7D", "8D"],
    ]
    assert all(view(state, seat)["hands"] == [2, 1, 3] for seat in (None, 0, 1, 2))


def test_the_drawn_card_is_shown_to_its_seat_only():
    state = after(position("2C", "5D", pile="9C", rule="high"), DRAW)
    assert [view(state, seat)["drawn"] for seat in (None, 0, 1)] == ["??", "9C", "??"]


def test_a_view_has_the_keys_of_the_rulebook():
    assert list(view(dealt(2), 0)) == [
        *("phase", "dealer", "hand", "hands", "draw_pile", "discards", "rule", "rule_maker", "direction"),
        *("bids", "to_act", "drawn"),
    ]


# --- games that differ only in hidden cards -----------------------------------------------------


def another_world(state, seat, rng):
    """Return a game that looks the same to the seat: the other hands and the draw pile are dealt again."""
    hidden = [card for other, held in enumerate(state.hands) if other != seat for card in held]
    hidden += state.draw_pile
    rng.shuffle(hidden)
    hands = [
        held if other == seat else tuple(hidden.pop() for _ in held) for other, held in enumerate(state.hands)
    ]
    drawn = state.drawn
    if drawn >= 0 and state.to_act != seat:
        drawn = hands[state.to_act][-1]
    return state._replace(hands=tuple(hands), draw_pile=tuple(hidden), drawn=drawn)


def received(state, eyes, facts):
    """Return the bytes that the seat receives of the events."""
    shown = [
        {"type": fact.type, "seat": fact.seat, "data": fact.data, "private": GAME.redact_private(fact, eyes)}
        for fact in facts
    ]
    return json.dumps([shown, GAME.view(state, eyes), GAME.legal_moves(state, eyes)])


@settings(max_examples=20, deadline=None)
@given(
    seats=st.sampled_from(SEATS),
    number=st.integers(0, 2**40),
    moves=st.integers(0, 150),
    chained=st.booleans(),
    previous=st.booleans(),
    rng=st.randoms(use_true_random=False),
)
def test_hidden_cards_change_nothing_that_a_seat_receives(seats, number, moves, chained, previous, rng):
    """Compares views, legal moves, refusals, and the events of its own moves, for the seat and a spectator."""
    keys = {"continuation": "chained" if chained else "strict", "previous_winner": 1 if previous else None}
    state = wandered(seats, number, moves, **keys)
    for seat in (None, *range(seats)):
        world = another_world(state, seat, rng)
        assert received(state, seat, []) == received(world, seat, [])
        tried = list(universe(state))
        for move in rng.sample(tried, min(60, len(tried))):
            if seat != state.to_act:
                assert refused(state, move, seat) == refused(world, move, seat)
    if GAME.is_over(state):
        return
    seat = state.to_act
    world = another_world(state, seat, rng)
    for move in universe(state):
        assert refused(state, move) == refused(world, move)
    for move in rng.sample(GAME.legal_moves(state, seat), min(20, len(GAME.legal_moves(state, seat)))):
        one, two = decided(state, move), decided(world, move)
        learns = move["type"] == "draw" or one[0].data["facts"].get("winner") == seat
        if not learns:  # the card that it draws differs, and is visible to it
            assert received(after(state, move), seat, one) == received(after(world, move), seat, two)
        spectator = another_world(state, None, rng)
        if move["type"] in ("draw", "pass", "bid", "decline"):
            assert [fact.data for fact in one] == [fact.data for fact in decided(spectator, move)]


@settings(max_examples=20, deadline=None)
@given(seats=st.sampled_from(SEATS), number=st.integers(0, 2**40), rng=st.randoms(use_true_random=False))
def test_no_event_shows_a_card_to_a_seat_that_may_not_see_it(seats, number, rng):
    """In complete games, a seat receives only cards that were played, or that it was dealt, drew, gave, or got."""
    state = dealt(seats, number, previous_winner=0)
    known = {seat: {*view(state, seat)["hand"]} for seat in range(seats)} | {None: set()}
    for _ in range(120):
        if GAME.is_over(state):
            break
        seat, move = state.to_act, rng.choice(GAME.legal_moves(state, state.to_act))
        facts = decided(state, move)
        before, state = state, after(state, move)
        for eyes in known:
            may = known[eyes] | {*view(before)["discards"], *view(state)["discards"]}
            may |= set() if eyes is None else {*view(state, eyes)["hand"], *view(before, eyes)["hand"]}
            may |= {move["cards"][0]} if "rule" in move and move["type"] == "play" else set()
            text = received(state, eyes, facts[:1])
            seen = {card for card in cards_in(json.loads(text)) if card != "??"}
            assert seen <= may, (seat, move, eyes, seen - may)
            known[eyes] = may


def cards_in(document):
    if isinstance(document, dict):
        for value in document.values():
            yield from cards_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from cards_in(value)
    elif isinstance(document, str) and len(document) == 2 and (document[1] in "CDHS12?"):
        yield document


def test_the_two_games_differ():
    state = wandered(3, 5, 30)
    world = another_world(state, 0, random.Random(1))
    assert world.hands[1] != state.hands[1]
    assert GAME.view(world, 1) != GAME.view(state, 1)


@pytest.mark.parametrize("seats", SEATS)
def test_events_of_others_are_equal_in_both_games_for_a_watching_seat(seats):
    """A draw, bid, or gift does not reveal to a watching seat what was drawn or given."""
    rng = random.Random(seats)
    for number in range(20):
        state = wandered(seats, number, rng.randrange(60), previous_winner=1)
        if GAME.is_over(state) or (state.phase == 3 and not state.draw_pile):
            continue
        seat = state.to_act
        watcher = (seat + 1) % seats
        world = another_world(state, watcher, rng)
        for place, move in enumerate(GAME.legal_moves(state, seat)[:40]):
            if move["type"] not in ("draw", "bid", "pass", "give"):
                continue
            same = GAME.move_of(world, GAME.legal_actions(state, seat)[place])
            if any(gift["to"] == watcher for gift in move.get("gifts", ())):
                continue
            (one, *_), (two, *_) = decided(state, move), decided(world, same)
            if one.data["facts"].get("winner") != watcher:
                assert received(after(state, move), watcher, [one]) == received(
                    after(world, same), watcher, [two]
                )
