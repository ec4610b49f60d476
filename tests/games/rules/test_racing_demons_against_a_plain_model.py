"""Racing Demons played twice: by the rules, and by a slow model written from the rulebook with lists of text."""

import random

import pytest

from games import bots
from games.bots import Observation
from games.rules import GameKey, Refused
from games.rules.racing_demons import changes, legality
from tests.games.rules.racing_demons import GAME, after, hand, position

pytestmark = pytest.mark.slow

RANKS = "A23456789TJQK"
STEADY = bots.get("racing-demons")
WORK = ("work:0", "work:1", "work:2", "work:3")


def rank(card):
    return RANKS.index(card[0])


def red(card):
    return card[1] in "DH"


def goes_below(card, top):
    return rank(card) == rank(top) - 1 and red(card) != red(top)


class Plain:
    """A simple model of the game. Piles are lists, last card on top."""

    def __init__(self, sides, foundations, *, turn, pace, stuck, cap):
        self.sides, self.foundations = sides, foundations
        self.turn, self.pace, self.when_stuck, self.cap = turn, pace, stuck, cap
        self.marked, self.moves = [False] * len(sides), [0] * len(sides)
        self.burns, self.to_move = 0, 0
        self.result = self.ender = None

    # --- legal moves

    def legal(self, seat, move):
        side = self.sides[seat]
        if self.result or self.moves[seat] == self.cap or (self.pace == "turns" and seat != self.to_move):
            return False
        if move["type"] == "turn":
            return bool(side["stock"] or side["waste"])
        if move["type"] == "stuck":
            return not self.marked[seat]
        if move["type"] == "pass":
            return self.pace == "turns"
        cards = self.taken(seat, move)
        if not cards or move["from"] == move["to"]:
            return False
        if move["to"] in WORK:
            return goes_below(cards[0], self.pile(seat, move["to"])[-1])
        return self.goes_up(cards[0], move["to"])

    def pile(self, seat, name):
        kind, _, number = name.partition(":")
        return self.sides[seat]["work"][int(number)] if kind == "work" else self.sides[seat][kind]

    def taken(self, seat, move):
        """Return the cards that a move would take, or nothing if there are too few."""
        between = move["from"] in WORK and move["to"] in WORK
        count = move.get("count", 1) if between else 1
        pile = self.pile(seat, move["from"])
        return pile[-count:] if len(pile) >= count else []

    def goes_up(self, card, to):
        if to == "foundation:new":
            return rank(card) == 0
        number = int(to.partition(":")[2])
        if number >= len(self.foundations):
            return False
        foundation = self.foundations[number]
        return foundation[0][1] == card[1] and len(foundation) == rank(card)

    def goes_up_anywhere(self, card):
        names = ["foundation:new", *(f"foundation:{number}" for number in range(len(self.foundations)))]
        return any(self.goes_up(card, name) for name in names)

    # --- effects of moves

    def play(self, seat, move):
        """Make a legal move, and return its facts."""
        side, facts, clears = self.sides[seat], {}, False
        self.moves[seat] += 1
        if move["type"] == "turn":
            if not side["stock"]:
                side["stock"], side["waste"] = side["waste"][::-1], []
                facts["flipped"] = True
            drawn = [side["stock"].pop() for _ in range(min(self.turn, len(side["stock"])))]
            side["waste"] += drawn
            side["fan"], facts["cards"] = len(drawn), list(drawn)
        elif move["type"] == "move":
            clears = self.moved(seat, side, move, facts)
        else:
            self.marked[seat] = True
        if clears:
            self.burns = 0
            self.marked = [count == self.cap and other != seat for other, count in enumerate(self.moves)]
        if not side["demon"]:
            self.result, self.ender = "out", seat
            return facts
        if settled := self.settle():
            facts["settled"] = settled
        if self.pace == "turns" and not self.result:
            seats = len(self.sides)
            waiting = [(seat + step) % seats for step in range(1, seats + 1)]
            self.to_move = next(other for other in waiting if self.moves[other] < self.cap)
        return facts

    def moved(self, seat, side, move, facts):
        """Return whether a card left a demon or a waste, or was put up on a foundation."""
        cards = list(self.taken(seat, move))
        facts["cards"] = cards
        clears = move["from"] in ("demon", "waste") or move["to"] not in WORK
        del self.pile(seat, move["from"])[-len(cards) :]
        if move["from"] == "waste":
            side["fan"] = max(side["fan"] - 1, 1 if side["waste"] else 0)
        if move["to"] in WORK:
            self.pile(seat, move["to"]).extend(cards)
        elif move["to"] == "foundation:new":
            facts["foundation"] = len(self.foundations)
            self.foundations.append(cards)
        else:
            self.foundations[int(move["to"].partition(":")[2])].extend(cards)
        for pile in side["work"]:
            if not pile:
                pile.append(side["demon"].pop())
                facts["filled"] = pile[0]
                clears = True
        return clears

    def could_move(self, seat):
        """Return whether a move other than of part of a run is possible with all cards of stock and waste open."""
        side = self.sides[seat]
        tops = [pile[-1] for pile in side["work"]]
        for card in [side["demon"][-1], *side["stock"], *side["waste"]]:
            if self.goes_up_anywhere(card) or any(goes_below(card, top) for top in tops):
                return True
        if any(self.goes_up_anywhere(top) for top in tops):
            return True
        return any(
            goes_below(whole[0], other[-1])
            for whole in side["work"]
            for other in side["work"]
            if whole is not other
        )

    def settle(self):
        steps = []
        while True:
            for seat in range(len(self.sides)):
                for_good = self.moves[seat] == self.cap
                if not self.marked[seat] and (for_good or not self.could_move(seat)):
                    self.marked[seat] = True
                    steps.append({"marked": seat})
            if not all(self.marked):
                return steps
            if self.when_stuck == "end" or self.burns == self.turn - 1:
                self.result = "stuck"
                return [*steps, {"ended": "stuck"}]
            for side in self.sides:
                order = side["waste"] + side["stock"][::-1]
                order = order[1:] + order[:1]
                side["stock"], side["waste"], side["fan"] = order[::-1], [], 0
            self.burns += 1
            self.marked = [count == self.cap for count in self.moves]
            steps.append({"burned": True})

    # --- views

    def public(self, seat):
        side = self.sides[seat]
        return {
            "demon": len(side["demon"]),
            "demon_top": side["demon"][-1] if side["demon"] else None,
            "work": side["work"],
            "stock": len(side["stock"]),
            "waste": side["waste"][len(side["waste"]) - side["fan"] :],
            "waste_count": len(side["waste"]),
            "stuck": self.marked[seat],
        }

    def scores(self):
        def score(seat):
            own = [card for foundation in self.foundations for card in foundation if card[3:] == str(seat)]
            kings = sum(card[0] == "K" for card in own)
            out = 10 if self.ender == seat else 0
            return len(own) + 5 * kings + out - len(self.sides[seat]["demon"])

        return [score(seat) for seat in range(len(self.sides))]

    def view(self, seat):
        seats = range(len(self.sides))
        if self.result:
            to_act = []
        elif self.pace == "turns":
            to_act = [self.to_move]
        else:
            to_act = [other for other in seats if self.moves[other] < self.cap]
        return {
            "you": None if seat is None else self.public(seat),
            "others": [{"seat": other, **self.public(other)} for other in seats if other != seat],
            "foundations": [{"suit": pile[0][1], "cards": pile} for pile in self.foundations],
            "scores": self.scores(),
            "to_act": to_act,
        }

    def universe(self):
        targets = [*WORK, "foundation:new", *(f"foundation:{n}" for n in range(len(self.foundations) + 1))]
        for kind in ("turn", "stuck", "pass"):
            yield {"type": kind}
        for source in ("demon", "waste", *WORK):
            for to in targets:
                if source not in WORK or to not in WORK:
                    yield {"type": "move", "from": source, "to": to}
        for source in WORK:
            for to in WORK:
                for count in range(1, 14):
                    yield {"type": "move", "from": source, "to": to, "count": count}


def from_deal(seed, seats, config):
    parsed = GAME.parse_config(config)
    fact = GAME.deal(parsed, seats, GameKey(seed.to_bytes(32, "big"), [""] * seats))
    sides = []
    for seat in range(seats):
        stock = list(fact.private["packs"][f"deck|{seat}"])
        demon = [stock.pop() for _ in range(13)]
        work = [[stock.pop()] for _ in range(4)]
        sides.append({"demon": demon, "work": work, "stock": stock, "waste": [], "fan": 0})
    return after(GAME.initial(parsed, seats), fact), Plain(sides, [], cap=10_000, **config)


def from_few_cards(rng, seats, config, cap):
    """Return a position with half-built foundations and short piles, in which seats are often stuck."""
    heights = {(suit, copy): rng.randint(0, 13) for suit in "CDHS" for copy in range(seats)}
    foundations = [
        [f"{RANKS[height]}{suit}.{copy}" for height in range(top)]
        for (suit, copy), top in heights.items()
        if top
    ]
    rng.shuffle(foundations)
    hands, sides = [], []
    for seat in range(seats):
        cards = [
            RANKS[height] + suit
            for suit in "CDHS"
            for height in range(heights[suit, seat], 13)
            if rng.random() < 0.6
        ]
        missing = [RANKS[height] + suit for suit in "CDHS" for height in range(13)]
        rng.shuffle(cards)
        rng.shuffle(missing)
        cards = list(dict.fromkeys([*cards, *missing]))[: max(5, len(cards))]
        demon = [cards.pop() for _ in range(rng.randint(1, min(9, len(cards) - 4)))]
        work = [[cards.pop()] for _ in range(4)]
        stock, waste = cards[: len(cards) // 2], cards[len(cards) // 2 :]
        fan = min(len(waste), config["turn"])
        hands.append(
            hand(" ".join(demon), tuple(pile[0] for pile in work), " ".join(stock), " ".join(waste), fan)
        )
        plain = {"demon": demon, "work": work, "stock": stock, "waste": waste}
        sides.append({name: _packed(pile, seat) for name, pile in plain.items()} | {"fan": fan})
    state = position(*hands, foundations=tuple(" ".join(pile) for pile in foundations), **config)
    return state, Plain(sides, foundations, cap=cap, **config)


def _packed(pile, seat):
    return [_packed(card, seat) if isinstance(card, list) else f"{card}.{seat}" for card in pile]


def chosen(state, seat, rng, steadily):
    legal = GAME.legal_moves(state, seat)
    if rng.random() < steadily:
        return STEADY.choose(Observation(GAME.view(state, seat), legal, seat=seat), rng)
    bold = [move for move in legal if move["type"] not in ("stuck", "pass")]
    return rng.choice(bold if bold and rng.random() < 0.7 else legal)


def play_both(state, plain, rng, *, steps):
    """Play both models, compare every step, and return how the game ended, or None."""
    steadily = rng.choice([0.0, 0.5, 0.9])
    settled = []
    for step in range(steps):
        for seat in (None, *range(len(plain.sides))):
            assert GAME.view(state, seat) == plain.view(seat)
        if plain.result:
            break
        if step % 20 == 0:
            compare_legal_moves(state, plain)
        seat = rng.choice([seat for seat in GAME.to_act(state) if GAME.legal_moves(state, seat)])
        move = chosen(state, seat, rng, steadily)
        event, *finished = GAME.decide(state, seat, move)
        assert event.data["facts"] == plain.play(seat, move), (seat, move)
        state = after(state, event, *finished)
        settled += event.data["facts"].get("settled", [])
        assert bool(finished) == bool(plain.result)
    if plain.result:
        outcome = GAME.outcome(state)
        assert (outcome["result"], outcome["ender"]) == (plain.result, plain.ender)
        assert outcome["scores"] == plain.scores()
        assert outcome["places"] == places(plain.scores())
    return plain.result, settled


def places(scores):
    return [[seat for seat, one in enumerate(scores) if one == score] for score in sorted({*scores})[::-1]]


def compare_legal_moves(state, plain):
    for seat in range(len(plain.sides)):
        expected = [move for move in plain.universe() if plain.legal(seat, move)]
        listed = GAME.legal_moves(state, seat)
        assert len(listed) == len(expected)
        assert all(move in expected for move in listed)
        for move in plain.universe():
            try:
                GAME.decide(state, seat, move)
            except Refused:
                assert move not in expected
            else:
                assert move in expected


CONFIGS = [
    {"turn": turn, "pace": pace, "stuck": stuck}
    for turn in (1, 3)
    for pace in ("race", "turns")
    for stuck in ("burn", "end")
]


WHOLE = [
    pytest.param(seats, config, marks=[] if (seats + number) % 4 == 0 else pytest.mark.soak)
    for seats in GAME.seats
    for number, config in enumerate(CONFIGS)
]
"""Every size of table and every config in the suite, every pair of them in the soak."""


@pytest.mark.parametrize(("seats", "config"), WHOLE)
def test_both_play_the_same_games_from_the_deal(seats, config):
    rng = random.Random(f"{seats}{config}")
    play_both(*from_deal(rng.getrandbits(64), seats, config), rng, steps=60)


def few_cards(games, cap=10_000):
    """Return how games with few cards ended, and their marks and burns. 56 games cover all configs and sizes."""
    results, kinds = set(), set()
    for number in games:
        rng = random.Random(number)
        config = CONFIGS[number % len(CONFIGS)]
        seats = 2 + number // len(CONFIGS) % 7
        state, plain = from_few_cards(rng, seats, config, cap)
        result, settled = play_both(state, plain, rng, steps=400)
        results.add(result)
        kinds |= {next(iter(step)) for step in settled}
    return results, kinds


def test_ruling_7_both_agree_on_marks_burns_and_ends():
    assert few_cards(range(0, 112, 3)) == ({"out", "stuck"}, {"marked", "burned", "ended"})


@pytest.mark.soak
def test_ruling_7_both_agree_on_marks_burns_and_ends_in_many_games():
    """Games with few cards, in which seats are often stuck."""
    assert few_cards(range(1_500)) == ({"out", "stuck"}, {"marked", "burned", "ended"})


@pytest.mark.parametrize("cap", [1, 3, 12])
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_a_seat_that_has_made_its_last_move_stays_stuck(cap, step, monkeypatch):
    for module in (changes, legality):
        monkeypatch.setattr(module, "MOVES_OF_A_SEAT", cap)
    results, kinds = few_cards(range(0, 112, step), cap)
    assert "stuck" in results
    assert kinds == {"marked", "burned", "ended"}
