"""The rules of Three Tricks.

1. Each of two to six seats is dealt a hand of `cards` cards, which no other seat sees.
2. Seat 0 leads the first trick. Clockwise each seat plays one card of its hand, of any suit.
3. The highest card wins the trick, the Ace lowest; of equal cards the one played first. The winner leads the next.
4. When the hands are empty, the seats are placed by tricks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.rules.cards import CARD, HIDDEN, PACK, TEXT, VALUE, texts
from games.rules.fairness import GameKey
from games.rules.forms import Among, Field, MoveForms, Whole
from games.rules.protocol import Fact, Game, Move
from games.rules.refusals import Refused, Ruling

FIELDS = {"cards": Field(Whole(1, 5), 3, about="cards of a hand", title="Cards in a hand")}
FORMS = MoveForms({"play": {"card": Field(Among(tuple(TEXT[card] for card in PACK)))}})

DEAL = Ruling("deal", "Three Tricks 1", "Each seat is dealt a hand, which no other seat sees.")
TURN = Ruling("turn", "Three Tricks 2", "Clockwise each seat plays one card of its hand.")
END = Ruling("end", "Three Tricks 4", "The game ends when the hands are empty.")


class Config(NamedTuple):
    cards: int


class State(NamedTuple):
    config: Config
    hands: tuple[tuple[int, ...], ...] = ()
    """By seat; empty before the deal."""
    trick: tuple[tuple[int, int], ...] = ()
    """Seats and cards, in the order of play."""
    scores: tuple[int, ...] = ()
    """Tricks won, by seat."""
    turn: int = 0

    @property
    def over(self) -> bool:
        return bool(self.hands) and not any(self.hands)


class ThreeTricks(Game):
    slug = "three-tricks"
    name = "Three Tricks"
    seats = tuple(range(2, 7))
    fields = FIELDS
    forms = FORMS
    config_type = Config
    rulings = (DEAL, TURN, END)

    def deal(self, config: Config, seats: int, key: GameKey) -> Fact:
        return Fact("dealt", None, {}, {"packs": {"deck": texts(key.shuffle(PACK, "deck"))}})

    def initial(self, config: Config, seats: int) -> State:
        return State(config, scores=(0,) * seats)

    def decide(
        self, state: State, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        FORMS.check(move)
        assert isinstance(move, dict)
        if state.over:
            raise Refused("game-over", END)
        if not state.hands:
            raise Refused("rule-forbids", DEAL)
        if seat != state.turn:
            raise Refused("not-your-turn", TURN)
        if CARD[move["card"]] not in state.hands[seat]:
            raise Refused("no-such-card", TURN)
        after = _played(state, seat, CARD[move["card"]])
        facts = {} if after.trick else {"winner": after.turn}
        event = Fact("play", seat, {"move": move, "facts": facts})
        return event, *self.finished(after)

    def expire(self, state: State, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """The absent seat's lowest card."""
        if seat != state.turn:
            raise Refused("not-your-turn", TURN)
        lowest = min(state.hands[seat], key=lambda card: (VALUE[card], card))
        event, *finished = self.decide(state, seat, {"type": "play", "card": TEXT[lowest]})
        return Fact("expired", None, {"seat": seat, **event.data}), *finished

    def stop(self, state: State) -> tuple[Fact, ...]:
        raise Refused("rule-forbids", END)

    def evolve(
        self,
        state: State,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> State:
        if type == "dealt" and private is not None:
            deck = [CARD[text] for text in private["packs"]["deck"]]
            size = state.config.cards
            hands = [tuple(deck[size * seat : size * (seat + 1)]) for seat in range(len(state.scores))]
            return state._replace(hands=tuple(hands))
        if "move" in data:
            return _played(state, state.turn, CARD[data["move"]["card"]])
        return state

    def to_act(self, state: State) -> list[int]:
        return [state.turn] if any(state.hands) else []

    def legal_moves(self, state: State, seat: int | None) -> list[Move]:
        if seat is None or seat not in self.to_act(state):
            return []
        return [{"type": "play", "card": TEXT[card]} for card in state.hands[seat]]

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        return table(state, shown=() if seat is None else (seat,))

    def outcome(self, state: State) -> dict[str, Any] | None:
        return outcome(state.scores) if state.over else None


def table(state: State, shown: Sequence[int]) -> dict[str, Any]:
    """The cards, with the hands of the seats in `shown` face up."""
    return {
        "hands": [
            texts(hand) if seat in shown else [HIDDEN] * len(hand) for seat, hand in enumerate(state.hands)
        ],
        "trick": texts(card for _, card in state.trick),
        "scores": list(state.scores),
    }


def outcome(scores: Sequence[int]) -> dict[str, Any]:
    places = [
        [seat for seat, score in enumerate(scores) if score == shared]
        for shared in sorted(set(scores), reverse=True)
    ]
    return {"result": "played", "scores": list(scores), "winners": places[0], "places": places}


def _played(state: State, seat: int, card: int) -> State:
    hands = tuple(tuple(one for one in hand if one != card) for hand in state.hands)
    trick = (*state.trick, (seat, card))
    if len(trick) < len(hands):
        return state._replace(hands=hands, trick=trick, turn=(seat + 1) % len(hands))
    winner = max(trick, key=lambda played: VALUE[played[1]])[0]
    scores = tuple(score + (seat == winner) for seat, score in enumerate(state.scores))
    return state._replace(hands=hands, trick=(), scores=scores, turn=winner)
