"""RULEBOOK 4 (1) to (3): building on the piles and in the cells of the Aces."""

import pytest

from tests.games.rules.idle_aces import GAME, after, play, plays, position, refusal, run


def test_ruling_1_twos_build_up_one_rank_at_a_time_in_any_suit():
    state = position(waste="3H.b")
    (event,) = GAME.decide(state, 0, play("waste", "twos:3"))
    assert event.data == {"move": play("waste", "twos:3"), "facts": {"card": "3H.b"}}
    assert GAME.view(after(state, play("waste", "twos:3")), 0)["twos"][3] == ["2S.a", "3H.b"]
    refused = refusal(position(waste="4H.b"), play("waste", "twos:0"))
    assert (refused.code, refused.fact) == (
        "wrong-rank",
        "4H.b is not one rank higher than 2C.a on twos:0",
    )
    assert refused.rule.startswith(
        "A twos pile is built up from the 2 to the King, each card one rank higher"
    )


def test_ruling_1_kings_build_down_one_rank_at_a_time_in_any_suit():
    state = position(waste="QH.b")
    assert GAME.view(after(state, play("waste", "kings:0")), 0)["kings"][0] == ["KC.a", "QH.b"]
    refused = refusal(position(waste="JH.b"), play("waste", "kings:2"))
    assert (refused.code, refused.fact) == (
        "wrong-rank",
        "JH.b is not one rank lower than KH.a on kings:2",
    )


@pytest.mark.parametrize("suit", "CDHS")
def test_ruling_1_suits_never_matter(suit):
    assert [to for source, to in plays(position(waste=f"3{suit}.b")) if source == "waste"] == [
        f"twos:{pile}" for pile in range(4)
    ]


def test_equal_ranks_do_not_follow_one_another():
    assert refusal(position(waste="2C.b"), play("waste", "twos:0")).code == "wrong-rank"
    assert refusal(position(waste="KC.b"), play("waste", "kings:0")).code == "wrong-rank"


def test_a_twos_pile_is_complete_with_the_king():
    state = position(twos=[run("3", "K")], waste="KH.b AC.b")
    refused = refusal(state, play("waste", "twos:0"))
    assert (refused.code, refused.fact) == ("pile-complete", "twos:0 is complete with KS.b")


def test_a_kings_pile_is_complete_with_the_ace():
    state = position(kings=["", run("Q", "A")], waste="KH.b")
    refused = refusal(state, play("waste", "kings:1"))
    assert (refused.code, refused.fact) == ("pile-complete", "kings:1 is complete with AS.b")


def test_a_top_card_moves_between_piles_of_either_kind():
    state = position(twos=["3H.b 4H.b", "3C.b"], kings=["Q" + "D.b", "QS.b JS.b"])
    assert play("twos:0", "twos:1")["to"] in [to for source, to in plays(state) if source == "twos:0"]
    moved = GAME.view(after(state, play("twos:0", "twos:1")), 0)
    assert moved["twos"][:2] == [["2C.a", "3H.b"], ["2D.a", "3C.b", "4H.b"]]
    moved = GAME.view(after(state, play("kings:1", "kings:0")), 0)
    assert moved["kings"][:2] == [["KC.a", "QD.b", "JS.b"], ["KD.a", "QS.b"]]


def test_a_top_card_moves_from_a_twos_pile_to_a_kings_pile_and_back():
    state = position(twos=[run("3", "8", "H")], kings=[run("Q", "9", "D")])
    there = after(state, play("twos:0", "kings:0"))
    assert GAME.view(there, 0)["kings"][0][-1] == "8H.b"
    assert after(there, play("kings:0", "twos:0"))[:-2] == state[:-2]
    back = after(state, play("kings:0", "twos:0"))
    assert GAME.view(back, 0)["twos"][0][-1] == "9D.b"


def test_only_the_top_card_of_a_pile_moves():
    state = position(twos=["3H.b 4H.b"])
    assert refusal(state, play("twos:0", "twos:1")).fact == "4H.b is not one rank higher than 2D.a on twos:1"


def test_a_card_may_be_taken_from_a_complete_pile():
    twos = position(twos=[run("3", "K", "H"), run("3", "Q", "D")])
    assert ("twos:0", "twos:1") in plays(twos)
    kings = position(kings=[run("Q", "A", "H"), run("Q", "2", "D")])
    assert ("kings:0", "kings:1") in plays(kings)


@pytest.mark.parametrize(("pile", "base"), [("twos:1", "2D.a"), ("kings:3", "KS.a")])
def test_ruling_2_the_base_card_never_leaves(pile, base):
    state = position(kings=[run("Q", "3")], twos=[run("3", "Q")])
    refused = refusal(state, play(pile, "kings:0" if pile.startswith("twos") else "twos:0"))
    assert (refused.code, refused.fact) == ("rule-forbids", f"{pile} holds nothing but its base, {base}")
    assert refused.rule == "The base card of a pile never leaves it."


def test_ruling_2_the_base_stays_when_all_cards_above_it_are_gone():
    state = after(position(twos=["3H.b"]), play("twos:0", "twos:1"))
    assert refusal(state, play("twos:0", "twos:1")).code == "rule-forbids"
    assert GAME.view(state, 0)["twos"][0] == ["2C.a"]


def test_ruling_3_aces_are_played_to_their_cells_from_the_waste_and_from_a_kings_pile():
    state = after(
        position(waste="AH.b", kings=["", "", run("Q", "A", "D")]),
        play("waste", "aces"),
        play("kings:2", "aces"),
    )
    assert GAME.view(state, 0)["aces"] == ["AH.b", "AD.b"]
    assert GAME.view(state, 0)["kings"][2][-1] == "2D.b"


def test_ruling_3_the_cells_take_no_more_than_four_aces():
    state = position(waste="AH.b", aces="AC.a AD.a AH.a AS.a", kings=[run("Q", "A", "D"), run("Q", "2")])
    assert refusal(state, play("waste", "aces")).code == "pile-complete"
    assert refusal(state, play("kings:0", "aces")).fact == "aces holds four already"
    assert refusal(state, play("kings:1", "aces")).code == "pile-complete"
    assert ("waste", "kings:1") in plays(state)


def test_ruling_3_the_cells_take_only_aces():
    refused = refusal(position(twos=["3H.b"], waste="2H.b"), play("waste", "aces"))
    assert (refused.code, refused.fact) == ("wrong-rank", "2H.b is no Ace")
    assert refusal(position(twos=["3H.b"]), play("twos:0", "aces")).code == "wrong-rank"


def test_ruling_3_an_ace_in_a_cell_stays():
    assert refusal(position(aces="AC.a", kings=[run("Q", "2")]), play("aces", "kings:0")).code == (
        "malformed-move"
    )


def test_every_play_is_counted():
    state = after(position(waste="3H.b"), play("waste", "twos:0"), play("twos:0", "twos:1"), {"type": "draw"})
    assert GAME.outcome(after(state, {"type": "resign"}))["plays"] == 2
