"""Ace Race played twice: by the rules, and by a simple model written from the source text with lists of text."""

import random
from collections import Counter

import pytest

from games.rules import GameKey
from tests.games.rules.ace_race import GAME, SEATS, decided, evolved, universe

RANKS = "A23456789TJQK"
NAMES = {
    "H": ["multiples", "series"],
    "D": ["high", "medium", "low"],
    "C": ["suits", "prime"],
    "S": ["above-below"],
}


def value(card):
    return RANKS.index(card[0]) + 1


def number_card(card):
    return card[0] in RANKS[1:]


class Plain:
    """A simple model that derives the legal moves from the past plays, as the source text does."""

    def __init__(self, pack, seats, dealer, previous_winner, continuation):
        pack = list(pack)
        self.hands = [[] for _ in range(seats)]
        for number in range((8 if seats == 6 else 12) * seats):
            self.hands[(dealer + 1 + number) % seats].append(pack.pop())
        self.pile, self.discards = pack, []
        self.seats, self.dealer, self.previous_winner = seats, dealer, previous_winner
        self.chained = continuation == "chained"
        self.bids = []
        self.phase, self.turn = "bidding", (dealer + 1) % seats
        self.rule = self.maker = self.drawn = self.way = None
        self.plays = []  # since the rule was set: cards, and whether on a joker
        self.idle = 0
        self.over = False

    # --- legal moves ---

    def legal(self, move):
        kind, hand = move["type"], self.hands[self.turn]
        if self.over:
            return False
        if self.phase == "bidding":
            last = max([bid for _, bid in self.bids if bid is not None], default=-1)
            return kind == "pass" or (kind == "bid" and last < move["cards"] <= 6)
        if self.phase == "rule":
            return kind == "rule"
        if self.phase == "giveaway":
            if kind == "decline":
                return True
            if kind != "give":
                return False
            given = [gift["card"] for gift in move["gifts"]]
            return (
                len(given) <= 2
                and len(set(given)) == len(given)
                and all(card in hand for card in given)
                and all(gift["to"] != self.turn and gift["to"] < self.seats for gift in move["gifts"])
            )
        if kind == "draw":
            return self.drawn is None and bool(self.pile)
        if kind == "pass":
            return self.drawn is not None or not self.pile
        return kind == "play" and self.may_play(move, hand)

    def may_play(self, move, hand):
        cards, joker = move["cards"], move.get("joker")
        everything = [*cards, joker] if joker else cards
        if Counter(everything) - Counter(hand):
            return False
        if self.drawn is not None and self.drawn not in everything:
            return False
        if "rule" in move:
            fits = move["rule"]["name"] in NAMES[cards[0][1]]
            return len(cards) == 1 and cards[0][0] == "A" and fits and not joker and "direction" not in move
        opening = self.rule["name"] == "above-below" and not self.plays
        if ("direction" in move) != opening:
            return False
        if not all(number_card(card) for card in cards):
            return False
        if joker:
            return len(cards) == 1
        return getattr(self, "under_" + self.rule["name"].replace("-", "_"))(cards)

    def under_high(self, cards):
        return len(cards) == 1 and value(cards[0]) in (10, 11, 12, 13)

    def under_medium(self, cards):
        return len(cards) == 1 and value(cards[0]) in (6, 7, 8, 9)

    def under_low(self, cards):
        return len(cards) == 1 and value(cards[0]) in (2, 3, 4, 5)

    def under_prime(self, cards):
        return len(cards) == 1 and all(value(cards[0]) % divisor for divisor in range(2, value(cards[0])))

    def under_suits(self, cards):
        return len(cards) == 1 and cards[0][1] == self.rule["suit"]

    def under_multiples(self, cards):
        if len(cards) > 1:
            return len({value(card) for card in cards}) == 1
        return self.continued() and value(cards[0]) == value(self.plays[-1][0][0])

    def under_series(self, cards):
        values = [value(card) for card in cards]
        if len(cards) == 3:
            low = min(values)
            return values in ([low, low + 1, low + 2], [low + 2, low + 1, low])
        return len(cards) == 1 and self.continued() and abs(values[0] - value(self.plays[-1][0][-1])) == 1

    def continued(self):
        """Whether one card may follow the previous play."""
        if not self.plays or self.plays[-1][1]:
            return False
        return self.chained or len(self.plays[-1][0]) > 1

    def under_above_below(self, cards):
        if len(cards) != 1 or not self.plays:
            return len(cards) == 1
        last, now = value(self.plays[-1][0][0]), value(cards[0])
        return now > last if self.next_way() == "higher" else now < last

    def next_way(self):
        """The announced direction, turned by every play after the first."""
        if self.way is None:
            return None
        return ["higher", "lower"][(["higher", "lower"].index(self.way) + len(self.plays) - 1) % 2]

    # --- effects of moves ---

    def do(self, move, private):
        kind, seat = move["type"], self.turn
        hand = self.hands[seat]
        if self.phase == "bidding":
            self.bid(move)
        elif kind == "rule":
            self.rule, self.maker = move["rule"], seat
            self.phase = "playing" if self.previous_winner is None else "giveaway"
            self.turn = seat if self.previous_winner is None else self.previous_winner
        elif kind in ("give", "decline"):
            for gift in move.get("gifts", []):
                hand.remove(gift["card"])
                self.hands[gift["to"]].append(gift["card"])
            self.phase = "playing"
            self.turn = (seat + 1) % self.seats if self.discards else self.maker
            self.finish(not hand)
        elif kind == "draw":
            self.drawn = self.pile.pop()
            hand.append(self.drawn)
        elif kind == "pass":
            self.idle += self.drawn is None
            self.drawn = None
            self.turn = (seat + 1) % self.seats
            self.finish(self.idle == self.seats)
        else:
            self.play(move, private, hand, seat)

    def bid(self, move):
        self.bids.append((self.turn, move.get("cards")))
        made = {seat: cards for seat, cards in self.bids if cards is not None}
        passed = {seat for seat, cards in self.bids if cards is None}
        still_in = [seat for seat in range(self.seats) if seat not in passed]
        highest = max(made.values(), default=None)
        if highest == 6 or not still_in or (made and len(still_in) == 1):
            self.phase, self.turn = "rule", (self.dealer + 1) % self.seats
            if made:
                self.turn = max(made, key=made.get)
            for _ in range(highest or 0):
                self.hands[self.turn].append(self.pile.pop())
        else:
            self.turn = next(
                seat % self.seats for seat in range(self.turn + 1, 99) if seat % self.seats in still_in
            )

    def play(self, move, private, hand, seat):
        cards, joker = move["cards"], move.get("joker")
        self.idle, self.drawn = 0, None
        for card in [*cards, joker] if joker else cards:
            hand.remove(card)
        if "rule" in move and hand:
            under = self.pile + self.discards
            self.pile = list(private["facts"]["order"])
            assert sorted(self.pile) == sorted(under)
            self.discards, self.plays, self.way = cards[:], [], None
            self.rule, self.maker = move["rule"], seat
            return
        self.discards += [joker, *cards] if joker else cards
        earned = not joker and self.earns(cards)
        if "rule" not in move:
            self.plays.append((cards, bool(joker)))
            self.way = move.get("direction", self.way)
        self.turn = seat if earned else (seat + 1) % self.seats
        self.phase = "giveaway" if earned else self.phase
        self.finish(not hand)

    def earns(self, cards):
        top = self.discards[-4:]
        if len(top) == 4 and all(number_card(card) for card in top) and len({card[0] for card in top}) == 1:
            return True
        last = self.plays[-1][0] if self.plays else []
        both_series = self.rule["name"] == "series" and len(last) == len(cards) == 3
        return both_series and set(map(value, last)) == set(map(value, cards))

    def finish(self, over):
        if over:
            self.over, self.phase = True, "over"

    def view(self, seat):
        drawn = None if self.drawn is None else self.drawn if seat == self.turn else "??"
        return {
            "phase": self.phase,
            "dealer": self.dealer,
            "hand": None if seat is None else self.hands[seat],
            "hands": [len(hand) for hand in self.hands],
            "draw_pile": len(self.pile),
            "discards": self.discards,
            "rule": self.rule,
            "rule_maker": self.maker,
            "direction": self.next_way(),
            "bids": [
                {"seat": bidder, "pass": True} if cards is None else {"seat": bidder, "cards": cards}
                for bidder, cards in self.bids
            ],
            "to_act": None if self.over else self.turn,
            "drawn": drawn,
        }


def both(seats, number, **keys):
    config = GAME.parse_config(keys)
    fact = GAME.deal(config, seats, GameKey(number.to_bytes(32, "big"), ["plain"] * seats))
    state = GAME.evolve(GAME.initial(config, seats), *fact)
    return state, Plain(fact.private["packs"]["deck"], seats, **GAME.config_json(config))


def seen(plain, state):
    for seat in (None, *range(plain.seats)):
        assert GAME.view(state, seat) == plain.view(seat)
    assert GAME.is_over(state) == plain.over


def played_twice(seats, number, judged_every):
    """Return the number of moves that were played, and of those that both accepted or refused."""
    rng = random.Random(number)
    previous = rng.choice([None, *range(seats)])
    keys = {"continuation": rng.choice(["strict", "chained"]), "previous_winner": previous}
    state, plain = both(seats, number, dealer=rng.randrange(seats), **keys)
    judged = 0
    for moves in range(260):
        seen(plain, state)
        listed = GAME.legal_moves(state, state.to_act)
        assert all(plain.legal(move) for move in listed)
        if moves % judged_every == number % judged_every or state.phase == 2:
            fitting = [move for move in universe(state) if plain.legal(move)]
            judged += len(fitting)
            assert {str(sorted_parts(move)) for move in fitting} == {
                str(sorted_parts(move)) for move in listed
            }
        if plain.over:
            return moves, judged
        move = rng.choice(mostly_plays(listed, rng))
        facts = decided(state, move)
        state = evolved(state, facts)
        plain.do(move, facts[0].private)
    return 260, judged


def mostly_plays(listed, rng):
    """Choose a play by the rule in force more often than other moves, so that plays follow plays."""
    plain = [move for move in listed if move["type"] == "play" and "rule" not in move and "joker" not in move]
    return plain if plain and rng.random() < 0.6 else listed


def sorted_parts(move):
    """Return the move with the cards of one value, and the gifts, in sorted order."""
    move = dict(move)
    if "gifts" in move:
        move["gifts"] = sorted(move["gifts"], key=str)
    elif "cards" in move and move["type"] == "play" and len({card[0] for card in move["cards"]}) == 1:
        move["cards"] = sorted(move["cards"])
    return sorted(move.items(), key=str)


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("number", range(5))
def test_both_play_the_same_game(seats, number):
    moves, judged = played_twice(seats, number, 12)
    assert judged > moves / 12


@pytest.mark.soak
@pytest.mark.parametrize("seats", SEATS)
def test_both_play_the_same_games(seats):
    """60 more games of each table, every fourth position compared in full."""
    for number in range(100, 160):
        played_twice(seats, number, 4)
