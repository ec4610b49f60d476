"""RULEBOOK 5: the deal, the bidding, and the first rule."""

import pytest

from games.rules import GameKey
from tests.games.rules.ace_race import (
    GAME,
    PACK,
    PASS,
    RULE_DOCUMENTS,
    SEATS,
    after,
    all_cards,
    bid,
    code,
    dealt,
    decided,
    hand,
    rule,
    view,
)


def test_the_deal_of_the_check_values():
    """RULEBOOK 7."""
    fact = GAME.deal(GAME.parse_config({}), 2, GameKey(bytes(range(32)), ["ann", ""]))
    state = GAME.evolve(GAME.initial(GAME.parse_config({}), 2), *fact)
    assert hand(state, 0) == "JH KH 4S 7C KD AH 3D 5C 9D 5D 3H 9H"
    assert hand(state, 1) == "AS 6H 4H JD KC 9S 8S 9C 6S X1 5S TH"


@pytest.mark.parametrize(("seats", "each"), [(2, 12), (3, 12), (4, 12), (6, 8)])
@pytest.mark.parametrize("dealer", [0, 1])
def test_cards_are_dealt_singly_from_the_dealers_left(seats, each, dealer):
    state = dealt(seats, 5, dealer=dealer)
    pack = list(
        GAME.deal(GAME.parse_config({}), seats, GameKey((5).to_bytes(32, "big"), [""] * seats)).private[
            "packs"
        ]["deck"]
    )
    hands = {seat: [] for seat in range(seats)}
    for number in range(each * seats):
        hands[(dealer + 1 + number) % seats].append(pack.pop())
    assert [view(state, seat)["hand"] for seat in range(seats)] == list(hands.values())
    assert view(state)["draw_pile"] == len(pack) == 54 - each * seats
    assert all_cards(state) == PACK


@pytest.mark.parametrize("keys", [{"dealer": 2}, {"previous_winner": 5}])
def test_a_config_that_names_a_seat_beyond_the_table_cannot_be_dealt(keys):
    with pytest.raises(Exception, match="no-such-seat"):
        dealt(2, **keys)


@pytest.mark.parametrize("seats", SEATS)
def test_bidding_begins_at_the_dealers_left_and_goes_clockwise(seats):
    state = dealt(seats, dealer=seats - 1)
    for seat in range(seats - 1):
        assert view(state)["to_act"] == seat
        state = after(state, bid(seat))
    assert view(state)["bids"] == [{"seat": seat, "cards": seat} for seat in range(seats - 1)]


def test_a_pass_is_final():
    state = after(dealt(3), PASS, bid(0), bid(1))
    assert view(state)["to_act"] == 2
    assert view(state)["bids"] == [
        {"seat": 1, "pass": True},
        {"seat": 2, "cards": 0},
        {"seat": 0, "cards": 1},
    ]


def test_a_bid_must_beat_the_last():
    state = after(dealt(3), bid(2))
    assert [code(state, bid(number)) for number in (-1, 0, 2, 3, 6, 7)] == [
        *("bid-too-low", "bid-too-low", "bid-too-low"),
        *(None, None, "bid-too-high"),
    ]


def test_the_lowest_bid_is_0():
    assert [code(dealt(2), bid(number)) for number in (-1, -(2**53 - 1), 0)] == [
        "bid-too-low",
        "bid-too-low",
        None,
    ]


def test_a_bid_of_6_ends_the_bidding():
    state = after(dealt(4), bid(1), bid(6))
    assert (view(state)["phase"], view(state)["to_act"]) == ("rule", 2)
    assert view(state)["hands"] == [12, 12, 18, 12]


@pytest.mark.parametrize("seats", SEATS)
def test_the_bidding_ends_when_all_but_the_highest_bidder_have_passed(seats):
    start = dealt(seats)
    state = after(start, bid(0), *[PASS] * (seats - 2), bid(3), PASS)
    assert (view(state)["phase"], view(state)["to_act"]) == ("rule", 0)
    assert state.hands[0] == start.hands[0] + start.draw_pile[:-4:-1]
    assert state.draw_pile == start.draw_pile[:-3]


def test_the_last_player_without_a_bid_may_still_bid():
    state = after(dealt(3), PASS, PASS)
    assert (view(state)["phase"], view(state)["to_act"]) == ("bidding", 0)
    assert len(GAME.legal_moves(state, 0)) == 8
    won = after(state, bid(4))
    assert (view(won)["phase"], view(won)["to_act"], view(won)["hands"]) == ("rule", 0, [16, 12, 12])


@pytest.mark.parametrize("seats", SEATS)
def test_when_all_pass_the_seat_left_of_the_dealer_wins_with_0(seats):
    state = after(dealt(seats, dealer=1), *[PASS] * seats)
    assert (view(state)["phase"], view(state)["to_act"]) == ("rule", 2 % seats)
    assert len(set(view(state)["hands"])) == 1


def test_the_bid_that_ends_the_bidding_names_the_winner():
    start = dealt(2)
    assert decided(start, bid(1))[0].data["facts"] == {}
    (event,) = decided(after(start, bid(1)), PASS)
    assert event.data == {"move": PASS, "facts": {"winner": 1, "cards": ["??"]}}


def test_the_winner_names_any_rule_without_an_ace():
    state = after(dealt(2), bid(6))
    assert GAME.legal_moves(state, 1) == [{"type": "rule", "rule": document} for document in RULE_DOCUMENTS]
    for document in RULE_DOCUMENTS:
        named = after(state, {"type": "rule", "rule": document})
        assert view(named)["rule"] == document
        assert (view(named)["phase"], view(named)["to_act"], view(named)["rule_maker"]) == ("playing", 1, 1)


def test_there_are_eight_rules_and_suits_has_four_forms():
    assert len({document["name"] for document in RULE_DOCUMENTS}) == 8
    assert [document.get("suit") for document in RULE_DOCUMENTS if document["name"] == "suits"] == list(
        "CDHS"
    )


def test_naming_a_rule_is_the_only_move_of_its_phase():
    state = after(dealt(2), bid(6))
    for move in (PASS, bid(6), {"type": "draw"}, {"type": "decline"}):
        assert code(state, move) == "rule-forbids"
    assert code(dealt(2), rule("high")) == "rule-forbids"
