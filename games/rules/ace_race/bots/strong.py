"""The strong bot of Ace Race: searches worlds that are consistent with the seat's knowledge.

It does what the steady player would, unless something else is clearly better in these worlds.

Its games end for the same reason as the steady player's: between two Aces that do not win there are fewer than 546
moves by any players, and after ACES_TO_PLAY Aces it plays an Ace only to win.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from games.bots.protocol import Event, Move, Observation, Searching
from games.bots.search import best_action
from games.rules.ace_race.actions import ACE, ONE_GIFT, PLAYS, SINGLE, Play, gifts_of, legal_actions, move_of
from games.rules.ace_race.bots.playout import least_useful, played_out
from games.rules.ace_race.bots.steady import ACES_TO_PLAY, Steady
from games.rules.ace_race.changes import after_action, give, play
from games.rules.ace_race.forms import rule_of
from games.rules.ace_race.position import GIVEAWAY, NOTHING, WORTH, Config, State, dealt
from games.rules.cards import CARD, HIDDEN, PACK_WITH_JOKERS, cards
from games.rules.registry import get

DOUBT = 1.5
TO_GIVE_AWAY = 3
"""The number of cards from which a gift is chosen."""


@dataclass(frozen=True)
class Strong(Searching):
    name = "strong"
    playouts: int = 300
    """For a move; 0.4 to 0.6 ms each."""

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        if len(observation.legal_moves) == 1:
            return observation.legal_moves[0]
        known = knowledge(observation, rng)
        seat = known.state.to_act

        def value(world: State, action: int) -> float:
            return share(played_out(after_action(world, action, rng), rng), seat)

        action = best_action(
            worth_trying(known.state, steadily(known.state, observation, rng)),
            world=lambda: known.world(rng),
            value=value,
            playouts=self.playouts,
            doubt=DOUBT,
        )
        return move_of(known.state, action)


def share(end: State, seat: int) -> float:
    """Return the share of the win: 1, or a part of it if several hands are equally short."""
    counts = [len(hand) for hand in end.hands]
    fewest = min(counts)
    return 1 / counts.count(fewest) if counts[seat] == fewest else 0.0


def steadily(state: State, observation: Observation, rng: random.Random) -> int:
    """Return the steady bot's move, the baseline of the search."""
    move = Steady().choose(observation, rng)
    return legal_actions(state)[observation.legal_moves.index(move)]


def worth_trying(state: State, first: int) -> list[int]:
    """The first, and others of its phase."""
    actions = _gifts(state) if state.phase == GIVEAWAY else _plays(state)
    return [first, *(action for action in actions if action != first)]


def _plays(state: State) -> list[int]:
    """One of each kind: which suits go matters little."""
    no_ace = state.reshuffles >= ACES_TO_PLAY and len(state.hands[max(state.to_act, 0)]) > 1
    kinds: dict[object, int] = {}
    for action in legal_actions(state):
        if not ACE <= action < ONE_GIFT:
            kinds[action] = action
        elif not (no_ace and action < SINGLE):
            play = PLAYS[action]
            values = tuple([WORTH[card] for card in play.cards])
            kinds.setdefault((values, play.joker != NOTHING, play.rule, play.direction), action)
    return list(kinds.values())


def _gifts(state: State) -> list[int]:
    """Nothing, or cards of little use, as many as can be."""
    hand = state.hands[state.to_act]
    useless = {hand[place] for place in least_useful(state, hand)[:TO_GIVE_AWAY]}
    most = min(2, len(hand))
    return [
        action
        for action in legal_actions(state)
        if action < ONE_GIFT
        or (len(gifts := gifts_of(state, action)) == most and all(card in useless for card, _ in gifts))
    ]


GAME = "ace-race"
BLANK = 64
"""Blanks are numbers from here on: BLANK × (1 + reshuffles when it was last shuffled) + a distinct number."""


class Knowledge(NamedTuple):
    """The knowledge of a seat."""

    state: State
    """With blanks in place of hidden cards."""
    unseen: tuple[int, ...]
    """The hidden cards, as many as there are blanks."""
    returned: Mapping[int, int]
    """By card, the number of the reshuffle that last took it from the discards into the draw pile."""

    def world(self, rng: random.Random) -> State:
        """Return a state that is consistent with the knowledge, with each card equally likely at each possible place.

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
        """Return the last possible place; if earlier guesses left none, the last place."""
        since, last = self.returned.get(card, 0), len(places) - 1
        if not since:
            return last
        fitting = (at for at in range(last, -1, -1) if _reshuffles(places[at]) >= since or places[at] in pile)
        return next(fitting, last)


def _reshuffles(blank: int) -> int:
    return blank // BLANK - 1


def knowledge(observation: Observation, rng: random.Random) -> Knowledge:
    """Return the knowledge of a seat from the config, its events, and its view.

    If another seat gave away or played a card whose place is unknown, one is chosen at random.
    """
    return _Memory(observation, rng).knowledge()


class _Memory:
    """Reads the events in their order."""

    def __init__(self, observation: Observation, rng: random.Random) -> None:
        self.game = get(GAME)
        self.observation, self.rng = observation, rng
        seats = len(observation.view["hands"])
        self.state: State = self.game.initial(Config(**observation.config), seats)
        self.returned: dict[int, int] = {}

    def knowledge(self) -> Knowledge:
        for event in self.observation.history():
            self._read(event)
        state = self._with_own_hand()
        seen = {card for pile in (*state.hands, state.discards) for card in pile}
        return Knowledge(state, tuple(card for card in PACK_WITH_JOKERS if card not in seen), self.returned)

    def _with_own_hand(self) -> State:
        state, seat, view = self.state, self.observation.seat, self.observation.view
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
