"""The deal of Racing Demons, and its config (RULEBOOK 6 and 7)."""

import pytest

from games.rules import ConfigError, GameKey
from games.rules.cards import PACK, texts
from tests.games.rules.racing_demons import GAME, SEED, dealt


def test_the_deal_of_the_check_values():
    you = GAME.view(dealt(), 0)["you"]
    side = dealt().sides[0]
    demon = [
        "QD.0",
        "TD.0",
        "AH.0",
        "KH.0",
        "2C.0",
        "9C.0",
        "7C.0",
        "AC.0",
        "5H.0",
        "6H.0",
        "5D.0",
        "8H.0",
        "4D.0",
    ]
    assert [f"{texts([card % 52])[0]}.{card // 52}" for card in side.demon] == demon
    assert you["demon_top"] == "4D.0"
    assert you["work"] == [["JD.0"], ["6C.0"], ["TS.0"], ["JH.0"]]


@pytest.mark.parametrize("seats", GAME.seats)
def test_each_seat_is_dealt_from_a_separate_pack(seats):
    """Thirteen cards one by one for the demon, the last on top; four for the work piles; the rest is the stock."""
    key = GameKey(SEED, ["ann", *[""] * (seats - 1)])
    fact = GAME.deal(GAME.parse_config({}), seats, key)
    assert (fact.seat, fact.data, set(fact.private)) == (None, {}, {"packs"})
    state = dealt(seats)
    assert len(state.sides) == seats
    for seat in range(seats):
        pack = [f"{card}.{seat}" for card in texts(key.shuffle(PACK, f"deck|{seat}"))]
        assert fact.private["packs"][f"deck|{seat}"] == pack
        shown = GAME.view(state, seat)["you"]
        assert (shown["demon"], shown["stock"], shown["waste"], shown["waste_count"]) == (13, 35, [], 0)
        assert shown["demon_top"] == pack[-13]
        assert shown["work"] == [[pack[-14]], [pack[-15]], [pack[-16]], [pack[-17]]]
        assert not shown["stuck"]
    assert state.foundations == ()


def test_no_seat_is_marked_at_the_deal():
    """Seats are marked only after an accepted move."""
    assert dealt().marks == 0


def test_a_config_has_its_defaults():
    assert GAME.config_json(GAME.parse_config({})) == {
        "turn": 3,
        "pace": "race",
        "stuck": "burn",
        "time_limit": 1800,
    }
    assert GAME.time_limit(GAME.parse_config({"time_limit": 86_400})) == 86_400


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("turn", value) for value in (0, 2, 4, "3", True, 3.0)],
        *[("pace", value) for value in ("fast", "", None)],
        *[("stuck", value) for value in ("reshuffle", 1)],
        *[("time_limit", value) for value in (9, 86_401, "60", None, 60.5)],
        ("stake", 0),
    ],
)
def test_an_invalid_config_is_refused(key, value):
    with pytest.raises(ConfigError) as caught:
        GAME.parse_config({key: value})
    assert caught.value.field == key


def test_the_config_has_no_stake():
    with pytest.raises(ConfigError):
        GAME.parse_config({}, staked=True)


def test_the_catalogue_contains_seats_and_a_maximum_of_moves_for_each_seat():
    assert GAME.seats == tuple(range(2, 13))
    assert GAME.move_cap is None
