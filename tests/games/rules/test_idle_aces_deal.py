"""RULEBOOK 4: config, deal, and view. RULEBOOK 7: the check value."""

import pytest

from games.rules import ConfigError
from games.rules.idle_aces.position import DECK, TEXT
from tests.games.rules.idle_aces import EVERY_CARD, GAME, all_cards, dealt, evolved, position


def test_the_check_value_of_the_deal(key):
    fact = GAME.deal(GAME.parse_config({}), 1, key)
    top = " ".join(fact.private["packs"]["deck"][-12:])
    assert top == "7C.b 6D.a 8H.a 7D.a 5C.b 8H.b 9C.a 6H.b KC.b JC.a 2S.b AS.a"
    assert (fact.type, fact.seat, fact.data) == ("dealt", None, {})
    assert list(fact.private["packs"]) == ["deck"]


def test_the_deck_before_the_shuffle_is_the_rest_of_pack_a_then_pack_b():
    texts = [TEXT[card] for card in DECK]
    assert " ".join(texts[:13]) == "AC.a 3C.a 4C.a 5C.a 6C.a 7C.a 8C.a 9C.a TC.a JC.a QC.a AD.a 3D.a"
    assert texts[43:46] == ["QS.a", "AC.b", "2C.b"]
    assert texts[-1] == "KS.b"
    assert len(texts) == 96


def test_twos_and_kings_of_pack_a_are_the_bases_in_suit_order():
    assert GAME.view(dealt(), 0) == {
        "stock": 96,
        "redeals_left": 1,
        "waste": None,
        "waste_count": 0,
        "twos": [["2C.a"], ["2D.a"], ["2H.a"], ["2S.a"]],
        "kings": [["KC.a"], ["KD.a"], ["KH.a"], ["KS.a"]],
        "aces": [],
    }


def test_two_complete_packs_are_on_the_table():
    assert all_cards(dealt()) == EVERY_CARD == list(range(104))


def test_the_first_card_dealt_is_the_last_of_the_list(key):
    config = GAME.parse_config({})
    state = evolved(GAME.initial(config, 1), GAME.deal(config, 1, key))
    (drawn,) = GAME.decide(state, 0, {"type": "draw"})
    assert drawn.data == {"move": {"type": "draw"}, "facts": {"card": "AS.a"}}


def test_the_default_is_one_redeal():
    assert GAME.config_json(GAME.parse_config({})) == {"redeals": 1}
    for redeals in (0, 1, 2):
        assert GAME.view(dealt(redeals=redeals), 0)["redeals_left"] == redeals


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"redeals": 3}, "redeals"),
        ({"redeals": -1}, "redeals"),
        ({"redeals": 1.0}, "redeals"),
        ({"redeals": True}, "redeals"),
        ({"redeals": "1"}, "redeals"),
        ({"redeals": None}, "redeals"),
        ({"draw": 1}, "draw"),
        ([], ""),
        (None, ""),
    ],
)
def test_an_invalid_config_is_refused(config, field):
    with pytest.raises(ConfigError) as refused:
        GAME.parse_config(config)
    assert refused.value.field == field


def test_the_config_has_no_stake():
    with pytest.raises(ConfigError, match="without a stake"):
        GAME.parse_config({}, staked=True)
    assert GAME.gains(dealt()) == (0,)


def test_a_view_has_its_keys_in_order():
    assert list(GAME.view(dealt(), 0)) == [
        "stock",
        "redeals_left",
        "waste",
        "waste_count",
        "twos",
        "kings",
        "aces",
    ]


def test_of_the_waste_only_the_top_card_is_shown():
    view = GAME.view(position(waste="5C.a 9D.b", twos=["3H.b"], aces="AS.a"), 0)
    assert (view["waste"], view["waste_count"]) == ("9D.b", 2)
    assert view["twos"][0] == ["2C.a", "3H.b"]
    assert view["aces"] == ["AS.a"]


def test_the_view_of_a_spectator_is_that_of_the_seat():
    state = position(waste="5C.a 9D.b")
    assert GAME.view(state, None) == GAME.view(state, 0)


def test_no_seat_receives_the_pack(key):
    fact = GAME.deal(GAME.parse_config({}), 1, key)
    assert all(GAME.redact_private(fact, seat) is None for seat in (None, 0))


def test_before_the_deal_the_table_is_empty():
    view = GAME.view(GAME.initial(GAME.parse_config({}), 1), 0)
    assert view == {
        "stock": 0,
        "redeals_left": 1,
        "waste": None,
        "waste_count": 0,
        "twos": [[]] * 4,
        "kings": [[]] * 4,
        "aces": [],
    }


def test_the_game_has_one_seat_and_no_time_limit():
    assert GAME.seats == (1,)
    assert GAME.time_limit(GAME.parse_config({})) is None
    undealt = GAME.initial(GAME.parse_config({}), 1)
    assert (GAME.to_act(undealt), GAME.to_act(dealt())) == ([], [0])
