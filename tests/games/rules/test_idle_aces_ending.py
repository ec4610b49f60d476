"""RULEBOOK 4 (5) and (6), 1 (Absent seats): the end of Idle Aces, its event, and its score."""

from games.rules import MOVE_CAP
from games.rules.bundles.verification import verify
from games.rules.idle_aces.position import BASES, CELLS, COMPLETE, DECK
from tests.games.rules.idle_aces import (
    DRAW,
    GAME,
    REDEAL,
    RESIGN,
    after,
    dealt,
    evolved,
    play,
    plays,
    position,
    refusal,
    refused,
    run,
)

FOUR_ACES = "AC.a AD.a AH.a AS.a"
ALL_BUT_ONE_KING = {
    "twos": [*[run("3", "K", suit) for suit in "CDH"], run("3", "Q", "S")],
    "kings": [run("Q", "A", suit, "a") for suit in "CDHS"],
    "aces": FOUR_ACES,
}


def outcome(*facts):
    assert facts[-1].type == "finished"
    assert facts[-1].seat is None
    return facts[-1].data["outcome"]


def test_ruling_6_won_when_all_104_cards_are_built():
    state = position(**ALL_BUT_ONE_KING, stock="", waste="KS.b", redeals_left=0)
    event, finished = GAME.decide(state, 0, play("waste", "twos:3"))
    assert event.data["facts"] == {"card": "KS.b"}
    assert outcome(finished) == {"result": "won", "cards": 104, "plays": 1}
    won = evolved(state, event)
    assert GAME.is_over(won)
    assert GAME.outcome(won) == finished.data["outcome"]


def test_ruling_6_a_game_is_won_with_any_number_of_redeals_left():
    state = position(**ALL_BUT_ONE_KING, stock="", waste="KS.b", redeals_left=2)
    assert outcome(*GAME.decide(state, 0, play("waste", "twos:3")))["result"] == "won"


def test_ruling_6_not_won_while_a_card_is_in_the_stock():
    state = after(position(**ALL_BUT_ONE_KING, stock="KS.b"), DRAW)
    assert not GAME.is_over(state)
    assert GAME.is_over(after(state, play("waste", "twos:3")))


def test_ruling_6_resign_is_a_loss_at_once():
    event, finished = GAME.decide(dealt(), 0, RESIGN)
    assert event == ("resign", 0, {"move": RESIGN, "facts": {}}, None)
    assert outcome(finished) == {"result": "lost", "cards": 8, "plays": 0}


def test_no_move_is_legal_after_the_end():
    over = after(dealt(), RESIGN)
    assert (GAME.legal_moves(over, 0), GAME.to_act(over)) == ([], [])
    for move in (DRAW, REDEAL, RESIGN, play("waste", "aces")):
        assert refusal(over, move).code == "game-over"


def test_ruling_5_lost_by_the_draw_that_empties_the_stock():
    state = position(stock="9H.b", waste="3C.b", redeals_left=0)
    event, finished = GAME.decide(state, 0, DRAW)
    assert event.type == "draw"
    assert outcome(finished) == {"result": "lost", "cards": 8, "plays": 0}


def test_ruling_5_not_lost_while_a_card_is_in_the_stock():
    assert not GAME.is_over(after(position(stock="3C.b 9H.b", waste="8C.b", redeals_left=0), DRAW))


def test_ruling_5_not_lost_while_a_redeal_is_left():
    state = after(position(stock="9H.b", waste="3C.b", redeals_left=1), DRAW)
    assert not GAME.is_over(state)
    assert GAME.legal_moves(state, 0) == [REDEAL, RESIGN]


def test_ruling_5_a_redeal_never_loses_because_it_leaves_a_stock():
    state = after(position(stock="", waste="9H.b", redeals_left=1), REDEAL)
    assert not GAME.is_over(state)
    assert GAME.is_over(after(state, DRAW))


def test_ruling_5_lost_by_the_play_that_uncovers_an_unplayable_card():
    state = position(stock="", waste="9H.b 3C.b", redeals_left=0)
    assert outcome(*GAME.decide(state, 0, play("waste", "twos:2"))) == {
        "result": "lost",
        "cards": 9,
        "plays": 1,
    }


def test_ruling_5_no_play_between_piles_loses_even_if_it_fills_the_last_cell():
    """The Ace of the waste no longer fits the cell, but fits the 2 that is uncovered."""
    piles = {"kings": [run("Q", "A", "H", "a")], "aces": "AC.a AD.a AS.a"}
    state = position(**piles, stock="", waste="AC.b", redeals_left=0)
    bared = after(state, play("kings:0", "aces"))
    assert not GAME.is_over(bared)
    assert plays(bared) == [("waste", "kings:0")]


def test_ruling_5_not_lost_while_plays_between_piles_can_still_make_the_card_playable():
    """The 9 fits nowhere yet, but the 5 and the 6 on top of two piles can be built up to it."""
    state = after(
        position(twos=[run("3", "5", "H")], kings=[run("Q", "6", "D")], stock="9C.b", redeals_left=0), DRAW
    )
    assert not GAME.is_over(state)
    assert ("waste", "kings:0") not in plays(state)
    walk = [play("kings:0", "twos:0")] * 3
    assert ("waste", "twos:0") in plays(after(state, *walk))


def test_ruling_5_lost_although_a_card_can_move_back_and_forth_for_ever():
    """The 6 can be moved from twos:0 to twos:1 and back for ever, and the 9 never fits."""
    piles = {"twos": [run("3", "6", "H"), run("3", "5", "D")]}
    alive = position(**piles, stock="", waste="9C.b", redeals_left=1)
    assert ("twos:0", "twos:1") in plays(alive)
    assert GAME.is_over(after(position(**piles, stock="9C.b", redeals_left=0), DRAW))


def test_ruling_5_neighbours_do_not_help_an_ace():
    state = position(
        twos=[run("3", "5", "H")],
        kings=[run("Q", "6", "D")],
        aces=FOUR_ACES,
        stock="AH.b",
        redeals_left=0,
    )
    assert outcome(*GAME.decide(state, 0, DRAW))["result"] == "lost"


def test_with_stock_and_waste_empty_every_card_is_built():
    """With an empty stock and waste the game is won, so the test for a loss always has a top card."""
    assert sum(COMPLETE) + CELLS == len(BASES) + len(DECK) == 104


def test_an_absent_player_resigns():
    event, finished = GAME.expire(dealt(), 0)
    assert event == ("expired", None, {"seat": 0, "move": RESIGN, "facts": {}}, None)
    assert outcome(finished)["result"] == "lost"
    over = evolved(dealt(), event)
    assert GAME.outcome(over) == finished.data["outcome"]
    assert refused(over, DRAW).code == "game-over"
    assert GAME.expire(dealt(), None)[0].data["seat"] == 0


def test_after_10_000_moves_the_game_is_scored_in_its_present_state(stream):
    played = stream("idle-aces", {}, seats=1).deal()
    while ("waste", "twos:0") not in plays(played.table.state):
        played.play(DRAW)
    played.play(play("waste", "twos:0"))
    between = len(played.recording.events)
    while not played.table.ended:
        played.play(play("twos:0", "twos:1"), play("twos:1", "twos:0"))
        if played.table.moves + 1 == MOVE_CAP:
            played.play(play("twos:0", "twos:1"))
    *_, last, expired, finished = played.recording.events
    assert (played.table.moves, last["type"]) == (MOVE_CAP, "play")
    assert (expired["type"], expired["data"]) == ("expired", {"seat": None})
    assert finished["data"]["outcome"] == {
        "result": "lost",
        "cards": 9,
        "plays": 1 + len(played.recording.events) - 2 - between,
    }
    assert verify(played.bundle()).ok
