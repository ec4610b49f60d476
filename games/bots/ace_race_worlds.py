"""Ace Race as one seat knows it, and worlds that could lie behind what it knows.

The seat's events are folded by the game itself, with *blanks* in the place of cards that it has not seen. A blank in
a hand knows how many Aces had reshuffled when it was drawn: it can be no card that went back into the pile later.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.bots.protocol import Event, Sight
from games.rules.ace_race.actions import Play
from games.rules.ace_race.changes import give, play
from games.rules.ace_race.forms import rule_of
from games.rules.ace_race.position import NOTHING, Config, State, dealt
from games.rules.cards import CARD, PACK_WITH_JOKERS, cards
from games.rules.registry import get

GAME = "ace-race"
HIDDEN = "??"
BLANK = 64
"""Blanks are numbers from here on: BLANK × (1 + reshuffles when it was last shuffled) + a number of its own."""


class Knowledge(NamedTuple):
    """What a seat can know."""

    state: State
    """With blanks for the cards that lie hidden."""
    unseen: tuple[int, ...]
    """The cards that lie hidden, as many as there are blanks."""
    returned: Mapping[int, int]
    """By card, the number of the reshuffle that last took it from the discards into the draw pile."""

    def world(self, rng: random.Random) -> State:
        """One of the states that agree with what is known, each card equally likely wherever it can lie.

        The cards that went back latest have fewest places, and choose first.
        """
        state = self.state
        pile, unseen = list(state.draw_pile), list(self.unseen)
        rng.shuffle(pile)
        places = [card for hand in state.hands for card in hand if card >= BLANK] + pile
        rng.shuffle(places)
        filled: dict[int, int] = {}
        rng.shuffle(unseen)
        unseen.sort(key=lambda card: -self.returned.get(card, 0))
        for card in unseen:
            at = self._place_for(card, places, pile)
            filled[places[at]] = card
            places[at] = places[-1]
            places.pop()
        return state._replace(
            hands=tuple(tuple([filled.get(card, card) for card in hand]) for hand in state.hands),
            draw_pile=tuple([filled[card] for card in pile]),
        )

    def _place_for(self, card: int, places: Sequence[int], pile: Sequence[int]) -> int:
        """The last where it can lie; where a guess of before left none, the last."""
        since, last = self.returned.get(card, 0), len(places) - 1
        if not since:
            return last
        fitting = (at for at in range(last, -1, -1) if _reshuffles(places[at]) >= since or places[at] in pile)
        return next(fitting, last)


def _reshuffles(blank: int) -> int:
    return blank // BLANK - 1


def knowledge(sight: Sight, rng: random.Random) -> Knowledge:
    """What the seat of a dealt game can know from the config, its events and its view.

    Where another seat gave away or played a card that nobody knows the place of, chance says which it was.
    """
    return _Memory(sight, rng).knowledge()


class _Memory:
    """Reads the events in their order."""

    def __init__(self, sight: Sight, rng: random.Random) -> None:
        self.game = get(GAME)
        self.sight, self.rng = sight, rng
        seats = len(sight.view["hands"])
        self.state: State = self.game.initial(Config(**sight.config), seats)
        self.returned: dict[int, int] = {}

    def knowledge(self) -> Knowledge:
        for event in self.sight.history():
            self._read(event)
        state = self._with_own_hand()
        seen = {card for pile in (*state.hands, state.discards) for card in pile}
        return Knowledge(state, tuple(card for card in PACK_WITH_JOKERS if card not in seen), self.returned)

    def _with_own_hand(self) -> State:
        state, seat, view = self.state, self.sight.seat, self.sight.view
        assert seat is not None
        drawn = CARD[view["drawn"]] if view["drawn"] not in (None, HIDDEN) else state.drawn
        hands = (*state.hands[:seat], cards(view["hand"]), *state.hands[seat + 1 :])
        return state._replace(hands=hands, drawn=drawn)

    def _read(self, event: Event) -> None:
        data = event["data"]
        if event["type"] == "dealt":
            self.state = dealt(self.state, tuple(range(BLANK, BLANK + len(PACK_WITH_JOKERS))))
        elif "move" in data:
            seat = data["seat"] if event["type"] == "expired" else event["seat"]
            private = event["private"]
            self._move(seat, data["move"] if private is None else private["move"])

    def _move(self, seat: int, move: Mapping[str, Any]) -> None:
        if move["type"] == "give":
            gifts = self._gifts(seat, move["gifts"])
            self.state = give(self.state, gifts)
        elif move["type"] == "play":
            self._play(seat, move)
        else:
            self.state = self.game.evolve(self.state, move["type"], seat, {"move": move}, None)

    def _gifts(self, seat: int, gifts: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
        known = [CARD[gift["card"]] for gift in gifts if gift["card"] != HIDDEN]
        for card in known:
            self._place(seat, card)
        others = [card for card in self.state.hands[seat] if card not in known]
        self.rng.shuffle(others)
        return [
            (CARD[gift["card"]] if gift["card"] != HIDDEN else others.pop(), gift["to"]) for gift in gifts
        ]

    def _play(self, seat: int, move: Mapping[str, Any]) -> None:
        played = cards(move["cards"])
        joker = CARD[move["joker"]] if "joker" in move else NOTHING
        for card in (*played, joker) if joker != NOTHING else played:
            self._place(seat, card)
        if "rule" in move:
            under = (*self.state.discards, *played)
            self.state = play(self.state, Play(played, rule=rule_of(move["rule"])), self._reshuffled)
            for card in under[:-1]:
                self.returned[card] = self.state.reshuffles
        else:
            self.state = self.game.evolve(self.state, "play", seat, {"move": move}, None)

    def _reshuffled(self, pile: tuple[int, ...], number: int) -> Sequence[int]:
        first = BLANK * (1 + number)
        return range(first, first + len(pile))

    def _place(self, seat: int, card: int) -> None:
        """Put a card, now known to be in a hand, in the place of one of its blanks."""
        hands = [list(hand) for hand in self.state.hands]
        hand = hands[seat]
        if card in hand:
            return
        since = self.returned.get(card, 0)
        blanks = [at for at, held in enumerate(hand) if held >= BLANK]
        drawn = self.state.drawn
        if drawn >= BLANK:
            at = hand.index(drawn)
        else:
            at = self.rng.choice(
                [i for i in blanks if _reshuffles(hand[i]) >= since] or blanks or range(len(hand))
            )
        for other in hands:
            if card in other:
                other[other.index(card)] = hand[at]
        hand[at] = card
        self.state = self.state._replace(
            hands=tuple(map(tuple, hands)), drawn=card if drawn >= BLANK else drawn
        )
