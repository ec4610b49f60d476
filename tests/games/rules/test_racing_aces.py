"""RULEBOOK 2: Racing Aces."""

from collections import Counter

import pytest

from games.rules import ConfigError, GameKey, Refused, get
from games.rules.cards import cards, texts
from games.rules.racing_aces.game import STOCK, State

RACE = get("racing-aces")
DRAW = {"type": "draw"}


def race(stock: str, **config) -> State:
    """Return a race whose cards are drawn in this order."""
    state = RACE.initial(RACE.parse_config(config), 0)
    return state._replace(stock=cards(stock.split())[::-1])


def drawn(state, times=1):
    for _ in range(times):
        for fact in RACE.decide(state, None, dict(DRAW)):
            state = RACE.evolve(state, fact.type, fact.seat, fact.data, fact.private)
    return state


def test_each_card_goes_to_the_end_of_its_suits_row():
    state = drawn(race("4C KH 2C 9S"), 3)
    assert RACE.view(state, None)["rows"] == {
        "C": ["AC", "4C", "2C"],
        "D": ["AD"],
        "H": ["AH", "KH"],
        "S": ["AS"],
    }


def test_a_draw_reveals_its_cards():
    (fact,) = RACE.decide(race("4C KH 2C 9S", cards_per_draw=2), None, DRAW)
    assert fact == ("draw", None, {"move": {"type": "draw"}, "facts": {"cards": ["4C", "KH"]}}, None)


def test_a_draw_has_fewer_cards_when_the_stock_has_fewer():
    state = drawn(race("4C KH 2C 9S", cards_per_draw=4), 0)
    assert len(RACE.decide(state, None, DRAW)[0].data["facts"]["cards"]) == 4
    (fact, finished) = RACE.decide(race("4C KH", cards_per_draw=3), None, DRAW)
    assert fact.data["facts"]["cards"] == ["4C", "KH"]
    assert finished.data["outcome"]["result"] == "no-winner"


def test_ruling_1_all_cards_of_a_draw_are_placed_and_the_row_completed_first_wins():
    state = drawn(race("2C 2H 3H 3C 4S", finish_line=3, cards_per_draw=4))
    assert RACE.outcome(state) == {
        "result": "won",
        "winner": "H",
        "rows": {"C": 3, "D": 1, "H": 3, "S": 1},
        "draws": 1,
    }


def test_a_row_may_grow_beyond_the_line_in_the_winning_draw():
    state = drawn(race("2C 3C 4C 5C 6H", finish_line=3, cards_per_draw=4))
    assert RACE.outcome(state)["rows"]["C"] == 5
    assert RACE.outcome(state)["winner"] == "C"


def test_ruling_2_an_empty_stock_without_a_row_at_the_line_is_no_winner():
    state = drawn(race("2C 2H"), 2)
    assert RACE.outcome(state) == {
        "result": "no-winner",
        "winner": None,
        "rows": {"C": 2, "D": 1, "H": 2, "S": 1},
        "draws": 2,
    }


def test_the_row_that_takes_the_last_card_can_still_win():
    assert RACE.outcome(drawn(race("2C 3C", finish_line=3), 2))["winner"] == "C"


def test_burned_cards_are_removed_face_down_before_the_start():
    config = RACE.parse_config({"burn": 5})
    state = RACE.initial(config, 0)
    fact = RACE.deal(config, 0, GameKey(bytes(range(32)), []))
    state = RACE.evolve(state, fact.type, fact.seat, fact.data, fact.private)
    pack = fact.private["packs"]["deck"]
    assert RACE.view(state, None)["burned"] == 5
    assert RACE.view(state, None)["stock"] == 43
    assert RACE.decide(state, None, DRAW)[0].data["facts"]["cards"] == [pack[-6]]


def test_the_stock_has_no_aces():
    assert len(STOCK) == 48
    assert not any(text.startswith("A") for text in texts(STOCK))


def test_with_48_cards_a_suit_wins_at_the_longest_line():
    config = RACE.parse_config({"finish_line": 13})
    state = RACE.initial(config, 0)._replace(stock=STOCK)
    while not state.over:
        state = drawn(state)
    assert RACE.outcome(state)["result"] == "won"


@pytest.mark.parametrize("seat", range(8))
def test_a_draw_by_a_seated_player_is_refused(seat):
    with pytest.raises(Refused) as refused:
        RACE.decide(race("2C"), seat, DRAW)
    assert refused.value.code == "not-your-turn"
    assert RACE.legal_moves(race("2C"), seat) == []


def test_no_card_can_be_drawn_after_the_end():
    state = drawn(race("2C 2H"), 2)
    with pytest.raises(Refused) as refused:
        RACE.decide(state, 3, DRAW)
    assert refused.value.code == "game-over"
    assert RACE.legal_moves(state, None) == []


def test_no_card_can_be_drawn_before_the_deal():
    with pytest.raises(Refused) as refused:
        RACE.decide(RACE.initial(RACE.parse_config({}), 0), None, DRAW)
    assert refused.value.code == "rule-forbids"


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ({"type": "draw", "count": 1}, "malformed-move"),
        ({"type": "shuffle"}, "unknown-move"),
        ({}, "malformed-move"),
        ([], "malformed-move"),
        ("draw", "malformed-move"),
        (None, "malformed-move"),
    ],
)
def test_the_form_is_checked_first(move, code):
    over = drawn(race("2C 2H"), 2)
    with pytest.raises(Refused) as refused:
        RACE.decide(over, 3, move)
    assert refused.value.code == code


@pytest.mark.parametrize("suits", [["C"], ["C", "H"], ["C", "D", "H", "S"]])
def test_the_leaders_are_the_longest_rows(suits):
    state = drawn(race(" ".join(f"2{suit}" for suit in suits) + " KS KD KH"), len(suits))
    assert RACE.view(state, None)["leader"] == suits


def test_a_view_has_its_keys_in_order():
    assert list(RACE.view(race("2C"), 0)) == ["rows", "stock", "burned", "finish_line", "leader"]


def test_the_view_shows_no_card_of_the_stock():
    one, other = drawn(race("2C 3H 4S")), drawn(race("2C KD 9D"))
    for seat in (None, 0, 7):
        assert RACE.view(one, seat) == RACE.view(other, seat)


def test_no_seat_receives_the_pack():
    fact = RACE.deal(RACE.parse_config({}), 0, GameKey(bytes(32), []))
    assert all(RACE.redact_private(fact, seat) is None for seat in (None, *range(8)))


def test_the_deal_contains_the_seeds_of_the_bets_of_a_market():
    fact = RACE.deal(RACE.parse_config({}), 1, GameKey(bytes(32), ["a"], ["x", ""]))
    assert fact.data == {"bet_seeds": ["x", ""]}
    assert RACE.deal(RACE.parse_config({}), 1, GameKey(bytes(32), ["a"], [])).data == {"bet_seeds": []}
    assert RACE.deal(RACE.parse_config({}), 1, GameKey(bytes(32), ["a"])).data == {}


def test_config_defaults():
    assert RACE.config_json(RACE.parse_config({})) == {"finish_line": 10, "cards_per_draw": 1, "burn": 0}


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"finish_line": 1}, "finish_line"),
        ({"finish_line": 14}, "finish_line"),
        ({"finish_line": "10"}, "finish_line"),
        ({"finish_line": 10.0}, "finish_line"),
        ({"finish_line": True}, "finish_line"),
        ({"finish_line": None}, "finish_line"),
        ({"cards_per_draw": 0}, "cards_per_draw"),
        ({"cards_per_draw": 5}, "cards_per_draw"),
        ({"burn": -1}, "burn"),
        ({"burn": 40}, "burn"),
        ({"burn": 47, "finish_line": 3}, "burn"),
        ({"pace": 1}, "pace"),
        ([], ""),
    ],
)
def test_an_invalid_config_is_refused(config, field):
    with pytest.raises(ConfigError) as refused:
        RACE.parse_config(config)
    assert refused.value.field == field


def test_the_largest_burn_and_line_with_which_a_suit_can_win_are_accepted():
    assert RACE.parse_config({"burn": 47, "finish_line": 2}).burn == 47
    assert RACE.parse_config({"burn": 39}).burn == 39


def test_the_server_draws_for_an_absent_operator():
    facts = RACE.expire(race("2C 2H"), None)
    assert facts[0].type == "draw"


def test_seats():
    assert RACE.seats == tuple(range(9))


def test_the_race_of_the_check_values():
    """The first deal of the check values: who wins, and when."""
    config = RACE.parse_config({})
    key = GameKey(bytes(range(32)), ["ann", ""])
    fact = RACE.deal(config, 2, key)
    state = RACE.evolve(RACE.initial(config, 2), fact.type, fact.seat, fact.data, fact.private)
    while not state.over:
        state = drawn(state)
    order = fact.private["packs"]["deck"][::-1]
    clubs = [draws for draws, text in enumerate(order, start=1) if text[1] == "C"]
    assert RACE.outcome(state)["winner"] == "C"
    assert RACE.outcome(state)["draws"] == clubs[8] == 26
    assert RACE.outcome(state)["rows"] == dict(Counter(text[1] for text in order[:26]) + Counter("CDHS"))
