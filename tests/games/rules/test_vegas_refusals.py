"""RULEBOOK 1: the order of the checks of a move of Vegas Solitaire, and malformed moves and configs."""

import pytest

from games.rules import ConfigError

MALFORMED = [
    None,
    True,
    0,
    "draw",
    [],
    [{"type": "draw"}],
    {},
    {"type": None},
    {"type": 5},
    {"type": ["draw"]},
    {"kind": "draw"},
    {"type": "draw", "count": 1},
    {"type": "draw", "seat": 0},
    {"type": "collect", "": ""},
    {"type": "flip"},
    {"type": "flip", "column": 7},
    {"type": "flip", "column": -1},
    {"type": "flip", "column": "0"},
    {"type": "flip", "column": 0.0},
    {"type": "flip", "column": False},
    {"type": "flip", "column": None},
    {"type": "flip", "column": [0]},
    {"type": "flip", "column": 10**400},
    {"type": "move"},
    {"type": "move", "from": "waste"},
    {"type": "move", "to": "foundation"},
    {"type": "move", "from": "stock", "to": "foundation"},
    {"type": "move", "from": "foundation", "to": "column:0"},
    {"type": "move", "from": "foundation:X", "to": "column:0"},
    {"type": "move", "from": "column:7", "to": "foundation"},
    {"type": "move", "from": "column:0", "to": "foundation:H"},
    {"type": "move", "from": "column:0", "to": "column:00"},
    {"type": "move", "from": "column:0", "to": "column:٣"},
    {"type": "move", "from": "column:0", "to": "column:1\n"},
    {"type": "move", "from": "Waste", "to": "foundation"},
    {"type": "move", "from": {"pile": "waste"}, "to": "foundation"},
    {"type": "move", "from": "column:0", "to": "column:1", "count": 0},
    {"type": "move", "from": "column:0", "to": "column:1", "count": -1},
    {"type": "move", "from": "column:0", "to": "column:1", "count": 1.0},
    {"type": "move", "from": "column:0", "to": "column:1", "count": "1"},
    {"type": "move", "from": "column:0", "to": "column:1", "count": True},
    {"type": "move", "from": "column:0", "to": "column:1", "count": None},
    {"type": "move", "from": "waste", "to": "foundation", "count": 0},
    {"type": "move", "from": "waste", "to": "foundation", "count": 2**53},
    {"type": "move", "from": "waste", "to": "foundation", "cards": ["AS"]},
]


def test_malformed_moves_are_refused(position, play, refusal, subtests):
    for move in MALFORMED:
        with subtests.test(move=move):
            assert refusal(position("5D"), move).code == "malformed-move"


@pytest.mark.parametrize("type", ["pass", "resign", "Draw", "draw ", "", "created", "expired", "é"])
def test_unknown_moves_are_refused(position, refusal, type):
    assert refusal(position("5D"), {"type": type}).code == "unknown-move"
    assert refusal(position("5D"), {"type": type, "more": 1}).code == "unknown-move"


def test_the_checks_are_made_in_order(vegas, position, play, refusal):
    on = position("5D")
    over = play(on, {"type": "collect"})
    undealt = vegas.initial(vegas.parse_config({"draw": 1}), 1)
    assert refusal(over, {"type": "flip", "column": 9}, seat=3).code == "malformed-move"
    assert refusal(over, {"type": "draw"}, seat=3).code == "game-over"
    assert refusal(on, {"type": "undo"}, seat=3).code == "not-your-turn"
    assert refusal(on, {"type": "undo"}, seat=None).code == "not-your-turn"
    assert refusal(undealt, {"type": "draw"}, seat=1).code == "not-your-turn"
    assert refusal(undealt, {"type": "draw"}).code == "rule-forbids"
    assert refusal(undealt, {"type": "collect"}).code == "rule-forbids"


def test_the_moved_cards_are_checked_before_the_target(position, refusal):
    state = position("", "(2D)", "(6H) 5S")
    onto = {"type": "move", "from": "column:0", "to": "column:0"}
    assert refusal(state, onto).code == "pile-empty"
    assert refusal(state, {"type": "move", "from": "waste", "to": "column:1"}).code == "pile-empty"
    too_many = {"type": "move", "from": "column:2", "to": "column:2", "count": 2}
    assert (
        refusal(state, too_many).rule
        == "Any face-up run may move, whole or split; a count beyond the run may not."
    )


def test_the_rank_is_checked_before_the_colour(position, refusal):
    refused = refusal(position("9D", "6D"), {"type": "move", "from": "column:1", "to": "column:0"})
    assert refused.code == "wrong-rank"


def test_a_refusal_changes_nothing(vegas, position, refusal):
    state = position("9D", "6D")
    before = vegas.view(state, 0)
    refusal(state, {"type": "undo"})
    assert vegas.view(state, 0) == before


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({}, "draw"),
        ({"draw": 2}, "draw"),
        ({"draw": "3"}, "draw"),
        ({"draw": 3.0}, "draw"),
        ({"draw": True}, "draw"),
        ({"draw": None}, "draw"),
        ({"draw": 3, "stake": 103}, "stake"),
        ({"draw": 3, "stake": 105}, "stake"),
        ({"draw": 3, "stake": -104}, "stake"),
        ({"draw": 3, "stake": 1_040_104}, "stake"),
        ({"draw": 3, "stake": 520.0}, "stake"),
        ({"draw": 3, "stake": "520"}, "stake"),
        ({"draw": 3, "stake": 10**30}, "stake"),
        ({"draw": 3, "win_rate": "1/0"}, "win_rate"),
        ({"draw": 3, "win_rate": "1/7"}, "win_rate"),
        ({"draw": 3, "win_rate": "-1/13"}, "win_rate"),
        ({"draw": 3, "win_rate": "1 / 13"}, "win_rate"),
        ({"draw": 3, "win_rate": "0.1"}, "win_rate"),
        ({"draw": 3, "win_rate": "1/13\n"}, "win_rate"),
        ({"draw": 3, "win_rate": 1}, "win_rate"),
        ({"draw": 3, "win_rate": "99999/13"}, "win_rate"),
        ({"draw": 3, "passes": 3}, "passes"),
        ([["draw", 3]], ""),
        (None, ""),
    ],
)
def test_an_invalid_config_is_refused(vegas, config, field):
    with pytest.raises(ConfigError) as refused:
        vegas.parse_config(config)
    assert refused.value.field == field


def test_config_defaults(vegas):
    config = vegas.parse_config({"draw": 1})
    assert vegas.config_json(config) == {"draw": 1, "stake": 520, "win_rate": "1/13"}


@pytest.mark.parametrize("stake", [0, 104, 208, 1_040_000])
def test_stakes_are_multiples_of_the_step(vegas, stake):
    assert vegas.parse_config({"draw": 1, "stake": stake}).stake == stake


def test_a_staked_config_must_have_a_stake(vegas):
    with pytest.raises(ConfigError):
        vegas.parse_config({"draw": 1, "stake": 0}, staked=True)


def test_the_win_rate_must_give_whole_pence_of_the_stake(vegas):
    assert vegas.parse_config({"draw": 1, "stake": 104, "win_rate": "1/8"}).pence_per_card == 13
    with pytest.raises(ConfigError):
        vegas.parse_config({"draw": 1, "stake": 104, "win_rate": "1/16"})


def test_a_view_has_its_keys_in_order(vegas, position):
    assert list(vegas.view(position("5D"), 0)) == [
        "stock",
        "passes_left",
        "exhausted",
        "waste",
        "waste_count",
        "foundations",
        "columns",
        "stake",
        "win_rate",
        "winnings",
        "max_win",
        "waste_playable",
        "undoable",
    ]


def test_the_view_of_a_spectator_is_that_of_the_seat(vegas, position):
    state = position("(5D) 6C", waste="3D")
    assert vegas.view(state, None) == vegas.view(state, 0)


def test_no_seat_receives_the_pack(vegas, key):
    fact = vegas.deal(vegas.parse_config({"draw": 3}), 1, key)
    assert all(vegas.redact_private(fact, seat) is None for seat in (None, 0))


def test_before_the_deal_the_table_is_empty(vegas):
    view = vegas.view(vegas.initial(vegas.parse_config({"draw": 3}), 1), 0)
    assert (view["stock"], view["passes_left"], view["waste"], view["exhausted"]) == (0, 3, [], False)
    assert view["columns"] == [{"down": 0, "up": []}] * 7
