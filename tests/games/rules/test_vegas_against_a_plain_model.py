"""Vegas Solitaire played twice: by the rules, and by a simple model written from the source text."""

import copy
import random

import pytest

from games import bots
from games.bots import Observation
from games.rules import GameKey, Refused, get

VEGAS = get("vegas-solitaire")
STEADY = bots.get("vegas-solitaire")
RANKS = "A23456789TJQK"


def red(card):
    return card[1] in "DH"


class Plain:
    """A simple model of the game. Piles are lists, last card on top; face-down cards have a lower-case suit."""

    def __init__(self, pack, draw):
        self.stock = list(pack)
        self.columns = [[] for _ in range(7)]
        for row in range(7):
            for column in range(row, 7):
                card = self.stock.pop()
                self.columns[column].append(card if column == row else card[0] + card[1].lower())
        self.waste, self.fan, self.draw, self.passes = [], 0, draw, draw
        self.up = {suit: [] for suit in "CDHS"}
        self.undo = None

    def pile(self, name):
        kind, _, which = name.partition(":")
        return (
            self.waste
            if kind == "waste"
            else self.up[which]
            if kind == "foundation"
            else self.columns[int(which)]
        )

    def run(self, move):
        """Return the cards that a move would take, or None."""
        pile = self.pile(move["from"])
        between = move["from"].startswith("column") and move["to"].startswith("column")
        count = move.get("count", 1) if between else 1
        cards = pile[-count:]
        return cards if len(cards) == count and all(card[1].isupper() for card in cards) else None

    def complete(self):
        return all(len(pile) == 13 for pile in self.up.values())

    def legal(self, move):
        kind = move["type"]
        if kind == "collect":
            return True
        if kind == "undo":
            return self.undo is not None
        if self.complete():
            return False
        if kind == "draw":
            return bool(self.stock)
        if kind == "recycle":
            return not self.stock and self.passes > 1 and bool(self.waste)
        if kind == "flip":
            column = self.columns[move["column"]]
            return bool(column) and column[-1][1].islower()
        cards = self.run(move)
        if not cards or move["from"].partition(":")[0] == move["to"] or move["from"] == move["to"]:
            return False
        if move["to"] == "foundation":
            return RANKS.index(cards[0][0]) == len(self.up[cards[0][1]])
        column = self.columns[int(move["to"][-1])]
        if not column:
            return cards[0][0] == "K"
        top = column[-1]
        return (
            top[1].isupper()
            and RANKS.index(top[0]) == RANKS.index(cards[0][0]) + 1
            and red(top) != red(cards[0])
        )

    def play(self, move):
        before = copy.deepcopy((self.stock, self.columns, self.waste, self.fan, self.up))
        kind, undoable = move["type"], False
        if kind == "draw":
            drawn = [self.stock.pop() for _ in range(min(self.draw, len(self.stock)))]
            self.waste += drawn
            self.fan, undoable = len(drawn), True
        elif kind == "recycle":
            self.stock, self.waste, self.fan = self.waste[::-1], [], 0
            self.passes -= 1
        elif kind == "flip":
            self.columns[move["column"]].append(self.columns[move["column"]].pop().upper())
        elif kind == "undo":
            self.stock, self.columns, self.waste, self.fan, self.up = self.undo
        elif kind == "move":
            cards = self.run(move)
            del self.pile(move["from"])[-len(cards) :]
            target = self.up[cards[0][1]] if move["to"] == "foundation" else self.pile(move["to"])
            target += cards
            if move["from"] == "waste":
                self.fan = max(self.fan - 1, min(1, len(self.waste)))
            undoable = not (move["from"].startswith("column") and move["to"].startswith("column"))
        hidden = any(card[1].islower() for column in self.columns for card in column)
        if not hidden and not self.stock and not self.waste:
            for suit in "CDHS":
                self.up[suit] = [rank + suit for rank in RANKS]
            self.columns, undoable = [[] for _ in range(7)], False
        self.undo = before if undoable else None

    def view(self):
        return {
            "stock": len(self.stock),
            "passes_left": self.passes,
            "exhausted": not self.stock and self.passes == 1,
            "waste": self.waste[len(self.waste) - self.fan :],
            "waste_count": len(self.waste),
            "foundations": {suit: len(pile) for suit, pile in self.up.items()},
            "columns": [
                {
                    "down": sum(card[1].islower() for card in column),
                    "up": [card for card in column if card[1].isupper()],
                }
                for column in self.columns
            ],
            "winnings": sum(map(len, self.up.values())),
            "waste_playable": any(
                self.legal({"type": "move", "from": "waste", "to": to})
                for to in ("foundation", *(f"column:{column}" for column in range(7)))
            ),
            "undoable": self.undo is not None,
        }


def universe():
    piles = [
        "waste",
        *(f"foundation:{suit}" for suit in "CDHS"),
        *(f"column:{column}" for column in range(7)),
    ]
    yield from ({"type": kind} for kind in ("draw", "recycle", "undo", "collect"))
    yield from ({"type": "flip", "column": column} for column in range(7))
    for source in piles:
        for target in ["foundation", *piles[5:]]:
            yield {"type": "move", "from": source, "to": target}
            for count in (1, 2, 3, 5, 13):
                yield {"type": "move", "from": source, "to": target, "count": count}


UNIVERSE = list(universe())


def accepted(state, move):
    try:
        VEGAS.decide(state, 0, move)
    except Refused:
        return False
    return True


@pytest.mark.parametrize("draw", [1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_both_play_the_same_game(draw, seed):
    config = VEGAS.parse_config({"draw": draw, "stake": 0})
    fact = VEGAS.deal(config, 1, GameKey(seed.to_bytes(32, "big"), ["model"]))
    state = VEGAS.evolve(VEGAS.initial(config, 1), *fact)
    plain = Plain(fact.private["packs"]["deck"], draw)
    rng = random.Random(seed)
    for number in range(140):
        view = VEGAS.view(state, 0)
        assert {key: view[key] for key in plain.view()} == plain.view()
        if number % 10 == 0:
            for move in UNIVERSE:
                assert accepted(state, move) == plain.legal(move), move
        moves = [move for move in VEGAS.legal_moves(state, 0) if move["type"] != "collect"]
        if not moves:
            break
        # mostly the steady bot, which advances far, and sometimes any other legal move
        move = STEADY.choose(Observation(view, moves), rng) if rng.random() < 0.7 else rng.choice(moves)
        if move not in moves:
            move = rng.choice(moves)
        state = VEGAS.evolve(state, *VEGAS.decide(state, 0, move)[0])
        plain.play(move)


@pytest.mark.parametrize(("draw", "seed"), [(1, 92), (1, 94), (1, 114), (3, 52), (3, 67), (3, 80)])
def test_both_put_up_the_remaining_cards_automatically(draw, seed):
    """Deals that the steady bot completes with these random numbers."""
    config = VEGAS.parse_config({"draw": draw, "stake": 0})
    fact = VEGAS.deal(config, 1, GameKey(seed.to_bytes(32, "big"), ["model"]))
    state = VEGAS.evolve(VEGAS.initial(config, 1), *fact)
    plain = Plain(fact.private["packs"]["deck"], draw)
    rng = random.Random(seed)
    while not plain.complete():
        move = STEADY.choose(Observation(VEGAS.view(state, 0), VEGAS.legal_moves(state, 0)), rng)
        assert plain.legal(move)
        state = VEGAS.evolve(state, *VEGAS.decide(state, 0, move)[0])
        plain.play(move)
        view = VEGAS.view(state, 0)
        assert {key: view[key] for key in plain.view()} == plain.view()
    assert [move for move in UNIVERSE if accepted(state, move)] == [{"type": "collect"}]
