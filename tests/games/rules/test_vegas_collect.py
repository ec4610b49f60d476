"""RULEBOOK 3: winnings (6), cards put up automatically (7), absent players (8), and the outcome."""

import pytest

from games.rules import Refused

COLLECT = {"type": "collect"}
COMPLETE = {"result": "collected", "cards": 52, "winnings": 2080, "complete": True}


def move(source, target, count=None):
    keys = {"type": "move", "from": source, "to": target}
    return keys if count is None else keys | {"count": count}


# (6)


def test_ruling_6_winnings_are_the_win_rate_times_the_cards_on_the_foundations(vegas, position, play):
    state = position("5D", waste="5S", foundations="4S 2H")
    assert vegas.view(state, 0)["winnings"] == 6 * 40
    assert vegas.view(play(state, move("waste", "foundation")), 0)["winnings"] == 7 * 40
    assert vegas.view(play(state, move("foundation:S", "column:0")), 0)["winnings"] == 5 * 40


def test_ruling_6_collect_ends_the_game(vegas, position):
    collected, finished = vegas.decide(position("5D", foundations="4S"), 0, COLLECT)
    assert collected == ("collect", 0, {"move": COLLECT, "facts": {"cards": 4, "winnings": 160}}, None)
    outcome = {"result": "collected", "cards": 4, "winnings": 160, "complete": False}
    assert finished == ("finished", None, {"outcome": outcome}, None)


def test_ruling_6_collect_is_legal_at_once_after_the_deal(vegas, key):
    config = vegas.parse_config({"draw": 1})
    fact = vegas.deal(config, 1, key)
    state = vegas.evolve(vegas.initial(config, 1), fact.type, fact.seat, fact.data, fact.private)
    assert COLLECT in vegas.legal_moves(state, 0)
    assert vegas.decide(state, 0, COLLECT)[0].data["facts"] == {"cards": 0, "winnings": 0}


def test_after_collect_the_game_is_over(vegas, position, play, refusal):
    state = play(position("5D"), COLLECT)
    for each in (COLLECT, {"type": "draw"}, {"type": "undo"}):
        assert refusal(state, each).code == "game-over"
    assert vegas.legal_moves(state, 0) == []
    assert vegas.to_act(state) == []


def test_after_the_end_no_move_is_playable_or_undoable(vegas, position, play):
    state = play(position("6C", waste="9D 5H", fan=2), {"type": "draw"}, {"type": "undo"})
    before = vegas.view(play(state, {"type": "draw"}, {"type": "undo"}), 0)
    assert before["waste_playable"] is True
    done = play(state, COLLECT)
    after = vegas.view(done, 0)
    assert after == before | {"waste_playable": False, "undoable": False}


# (7)


def test_ruling_7_the_flip_of_the_last_face_down_card_puts_up_the_rest(vegas, position, play):
    state = position("(QS)", "KD", "KS", stock="", foundations="KC QD KH JS")
    facts = vegas.decide(state, 0, {"type": "flip", "column": 0})[0].data["facts"]
    assert facts == {"card": "QS", "auto": ["QS", "KD", "KS"]}


@pytest.fixture
def one_to_turn(position):
    return position("KC QD", "(QS)", "KD", "KS", "KH", stock="", foundations="QC JD QH JS")


def test_ruling_7_cards_are_put_up_by_rank_then_suit(vegas, one_to_turn):
    facts = vegas.decide(one_to_turn, 0, {"type": "flip", "column": 1})[0].data["facts"]
    assert facts == {"card": "QS", "auto": ["QD", "QS", "KC", "KD", "KH", "KS"]}


def test_ruling_7_the_cards_are_part_of_the_event_that_caused_it(vegas, one_to_turn, play):
    assert [fact.type for fact in vegas.decide(one_to_turn, 0, {"type": "flip", "column": 1})] == ["flip"]
    done = play(one_to_turn, {"type": "flip", "column": 1})
    assert done.layout.foundations == (13, 13, 13, 13)
    assert not any(done.layout.columns)


def test_ruling_7_a_move_that_empties_the_waste_puts_up_the_rest(vegas, position, play):
    state = position(
        "KC QD", "QS", "KD", "KS", stock="", waste="KH", foundations="QC JD QH JS", passes_left=1
    )
    facts = vegas.decide(state, 0, move("waste", "foundation"))[0].data["facts"]
    assert facts == {"cards": ["KH"], "auto": ["QD", "QS", "KC", "KD", "KS"]}
    facts = vegas.decide(state, 0, move("waste", "column:4"))[0].data["facts"]
    assert facts == {"cards": ["KH"], "auto": ["QD", "QS", "KC", "KD", "KH", "KS"]}


def test_ruling_7_without_remaining_cards_the_event_has_no_such_fact(vegas, position, play):
    state = position(stock="", waste="KS", foundations="KC KD KH QS")
    done = play(state, move("waste", "foundation"))
    assert vegas.decide(state, 0, move("waste", "foundation"))[0].data["facts"] == {"cards": ["KS"]}
    assert vegas.view(done, 0)["undoable"] is False


@pytest.mark.parametrize("hindrance", [{"stock": "KH"}, {"waste": "KH 5S"}])
def test_ruling_7_not_while_stock_or_waste_have_a_card(vegas, position, hindrance):
    state = position("KC QD", "(QS)", "KD", "KS", **({"stock": ""} | hindrance), foundations="QC JD QH JS")
    assert vegas.decide(state, 0, {"type": "flip", "column": 1})[0].data["facts"] == {"card": "QS"}


def test_ruling_7_not_while_a_card_is_face_down(vegas, position):
    state = position("KC QD", "(QS)", "(KD)", "KS", "KH", stock="", foundations="QC JD QH JS")
    assert vegas.decide(state, 0, {"type": "flip", "column": 1})[0].data["facts"] == {"card": "QS"}


def test_ruling_7_afterwards_only_collect_is_legal(vegas, one_to_turn, play, refusal):
    done = play(one_to_turn, {"type": "flip", "column": 1})
    assert vegas.legal_moves(done, 0) == [COLLECT]
    assert refusal(done, {"type": "undo"}).code == "cannot-undo"
    others = [
        {"type": "draw"},
        {"type": "recycle"},
        {"type": "flip", "column": 0},
        move("waste", "foundation"),
        move("foundation:H", "column:0"),
    ]
    assert {refusal(done, other).code for other in others} == {"rule-forbids"}


def test_ruling_7_afterwards_the_maximum_is_collected(vegas, one_to_turn, play):
    done = play(one_to_turn, {"type": "flip", "column": 1}, COLLECT)
    assert vegas.outcome(done) == COMPLETE
    assert vegas.view(done, 0)["winnings"] == vegas.view(done, 0)["max_win"]


# (8)


def test_ruling_8_an_abandoned_game_is_collected_for_the_player(vegas, position):
    expired, finished = vegas.expire(position("5D", foundations="4S"), 0)
    assert expired == (
        "expired",
        None,
        {"seat": 0, "move": COLLECT, "facts": {"cards": 4, "winnings": 160}},
        None,
    )
    assert finished.data["outcome"]["result"] == "collected"


def test_ruling_8_expired_ends_the_game(vegas, position):
    state = position("5D", foundations="4S")
    expired, finished = vegas.expire(state, 0)
    state = vegas.evolve(state, *expired)
    assert vegas.outcome(state) == finished.data["outcome"]


def test_ruling_8_an_ended_game_does_not_expire(vegas, position, play):
    with pytest.raises(Refused) as refused:
        vegas.expire(play(position("5D"), COLLECT), 0)
    assert refused.value.code == "game-over"


# stakes


@pytest.mark.parametrize(
    ("stake", "rate", "per_card"),
    [(520, "1/13", 40), (104, "1/13", 8), (1_040_000, "1/13", 80_000), (104, "5/52", 10), (520, "5/52", 50)],
)
def test_the_win_rate_is_a_fraction_of_the_stake(vegas, position, stake, rate, per_card):
    view = vegas.view(position("5D", foundations="4S", stake=stake, win_rate=rate), 0)
    assert (view["stake"], view["win_rate"], view["winnings"], view["max_win"]) == (
        stake,
        per_card,
        4 * per_card,
        52 * per_card,
    )


def test_without_a_stake_each_card_is_a_point(vegas, position, play):
    view = vegas.view(position("5D", foundations="4S", stake=0), 0)
    assert (view["stake"], view["win_rate"], view["winnings"], view["max_win"]) == (0, 1, 4, 52)
    assert list(vegas.gains(play(position("5D", foundations="4S", stake=0), COLLECT))) == [0]


def test_the_gain_of_the_seat_is_winnings_less_stake(vegas, position, play):
    assert vegas.gains(position("5D")) is None
    assert list(vegas.gains(play(position("5D", foundations="4S"), COLLECT))) == [160 - 520]
