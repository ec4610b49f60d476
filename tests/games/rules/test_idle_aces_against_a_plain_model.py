"""Idle Aces played twice: by the rules, and by a simple model written from the source text with lists of text."""

import copy
import random

import pytest

from games.rules.idle_aces.position import TEXT
from tests.games.rules.idle_aces import GAME, UNIVERSE, dealt, evolved, refused

RANKS = "A23456789TJQK"


def follows(card, top, step):
    return RANKS.index(card[0]) == RANKS.index(top[0]) + step


class Plain:
    """A simple model of the game. Piles are lists, last card on top."""

    def __init__(self, pack, redeals):
        self.stock, self.waste, self.redeals = list(pack), [], redeals
        self.twos = [[f"2{suit}.a"] for suit in "CDHS"]
        self.kings = [[f"K{suit}.a"] for suit in "CDHS"]
        self.aces, self.plays, self.result = [], 0, None

    def pile(self, name):
        kind, _, which = name.partition(":")
        return getattr(self, kind)[int(which)] if which else getattr(self, kind)

    def legal(self, move):
        kind = move["type"]
        if self.result:
            return False
        if kind == "draw":
            return bool(self.stock)
        if kind == "redeal":
            return not self.stock and self.redeals > 0
        if kind == "resign":
            return True
        source, target = self.pile(move["from"]), self.pile(move["to"])
        if len(source) < (1 if move["from"] == "waste" else 2) or source is target:
            return False
        card = source[-1]
        if move["to"] == "aces":
            return card[0] == "A" and len(target) < 4
        return follows(card, target[-1], 1 if move["to"].startswith("twos") else -1)

    def play(self, move):
        kind = move["type"]
        if kind == "draw":
            self.waste.append(self.stock.pop())
        elif kind == "redeal":
            self.stock, self.waste = self.waste[::-1], []
            self.redeals -= 1
        elif kind == "play":
            self.pile(move["to"]).append(self.pile(move["from"]).pop())
            self.plays += 1
        if self.cards() == 104:
            self.result = "won"
        elif kind == "resign" or (not self.stock and not self.redeals and self.stuck()):
            self.result = "lost"

    def cards(self):
        return sum(map(len, (*self.twos, *self.kings, self.aces)))

    def stuck(self):
        """Return whether no sequence of plays between the piles makes the top card of the waste playable."""
        between = [move for move in UNIVERSE if move["type"] == "play" and move["from"] != "waste"]
        onto = [move for move in UNIVERSE if move["type"] == "play" and move["from"] == "waste"]
        seen, frontier = set(), [self]
        while frontier:
            table = frontier.pop()
            if any(table.legal(move) for move in onto):
                return False
            for move in between:
                if table.legal(move):
                    other = copy.copy(table)
                    other.twos, other.kings, other.aces = copy.deepcopy((table.twos, table.kings, table.aces))
                    other.pile(move["to"]).append(other.pile(move["from"]).pop())
                    # piles of one kind are interchangeable, so their heights suffice
                    shape = (*sorted(map(len, other.twos)), *sorted(map(len, other.kings)), len(other.aces))
                    if shape not in seen:
                        seen.add(shape)
                        frontier.append(other)
        return True

    def view(self):
        return {
            "stock": len(self.stock),
            "redeals_left": self.redeals,
            "waste": self.waste[-1] if self.waste else None,
            "waste_count": len(self.waste),
            "twos": self.twos,
            "kings": self.kings,
            "aces": self.aces,
        }

    def outcome(self):
        return self.result and {"result": self.result, "cards": self.cards(), "plays": self.plays}


def both(number, redeals):
    state = dealt(number, redeals=redeals)
    return state, Plain([TEXT[card] for card in state.stock], redeals)


@pytest.mark.parametrize("redeals", [0, 1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_both_play_the_same_game(redeals, seed):
    state, plain = both(seed, redeals)
    rng = random.Random(seed)
    while not GAME.is_over(state):
        moves = GAME.legal_moves(state, 0)
        if rng.random() < 0.1:
            for move in UNIVERSE:
                assert (refused(state, move) is None) == plain.legal(move), move
        # the card of the waste is mostly played where it fits, so that piles grow
        eager = [move for move in moves if move.get("from") == "waste"] if rng.random() < 0.8 else []
        move = rng.choice(eager or moves[:-1])
        assert plain.legal(move)
        state = evolved(state, GAME.decide(state, 0, move)[0])
        plain.play(move)
        assert GAME.view(state, 0) == plain.view()
        assert GAME.outcome(state) == plain.outcome()
    assert state.result == "lost"
    assert not any(plain.legal(move) for move in UNIVERSE)


KNOWN_TOTALS = {
    (9, 0): [1, 1, 2, 2, 3, 8],
    (10, 45): [1, 4, 16, 73, 396, 2502],
    (10, 96): [1, 6, 40, 272, 1891, 13535],
}
"""By deal and draws made: how many sequences of 0, 1, 2 … moves there are from there, `resign` left out."""


def opened(number, draws):
    """Return both after a number of draws, with every card that fits played at once."""
    state, plain = both(number, 0 if draws == 96 else 1)
    while draws:
        fitting = [move for move in GAME.legal_moves(state, 0) if move.get("from") == "waste"]
        move = fitting[0] if fitting else {"type": "draw"}
        draws -= not fitting
        state = evolved(state, GAME.decide(state, 0, move)[0])
        plain.play(move)
    return state, plain


@pytest.mark.parametrize(("deal", "draws"), KNOWN_TOTALS)
def test_known_totals_from_fixed_positions(deal, draws):
    state, plain = opened(deal, draws)
    known = KNOWN_TOTALS[deal, draws]
    assert [sequences(state, length) for length in range(6)] == known
    assert [plain_sequences(plain, length) for length in range(4)] == known[:4]


def sequences(state, depth):
    if depth == 0:
        return 1
    return sum(
        sequences(GAME.apply_action(state, 0, action), depth - 1)
        for action in GAME.legal_actions(state, 0)[:-1]
    )


def plain_sequences(plain, depth):
    if depth == 0:
        return 1
    total = 0
    for move in UNIVERSE:
        if move["type"] != "resign" and plain.legal(move):
            other = copy.deepcopy(plain)
            other.play(move)
            total += plain_sequences(other, depth - 1)
    return total
