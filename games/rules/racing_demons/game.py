"""Racing Demons: two to twelve packs, a demon for each seat, and shared foundations (RULEBOOK 6)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from games.rules.cards import KING, PACK, SUITS
from games.rules.fairness import GameKey
from games.rules.forms import LARGEST, Among, Field, MoveForms, Pattern, Whole
from games.rules.protocol import Fact, Move, Searchable
from games.rules.racing_demons import legality
from games.rules.racing_demons.changes import after, facts_of
from games.rules.racing_demons.position import (
    CARD,
    PACK_OF,
    SEATS,
    SOURCES,
    SUIT,
    TEXT,
    VALUE,
    Config,
    State,
    action_of,
    dealt,
    move_of,
    texts,
    undealt,
)
from games.rules.racing_demons.rulings import RULINGS, Law
from games.rules.refusals import Refused, because

FIELDS = {
    "turn": Field(Among((3, 1)), 3, about="cards turned at a time", title="Cards per turn of the stock"),
    "pace": Field(
        Among(("race", "turns")),
        "race",
        about="any seat at any time, or clockwise, one move each",
        ruling="pace",
        title="Pace",
        labels={"race": "All players at once", "turns": "One move each"},
    ),
    "stuck": Field(
        Among(("burn", "end")),
        "burn",
        about="what follows when every seat is stuck: new stocks, or the end",
        ruling="stuck",
        title="When all players are stuck",
        labels={"burn": "The first card of each stock goes to its end", "end": "The game ends"},
    ),
    "time_limit": Field(
        Whole(10, 86_400), 1800, about="seconds from the deal", title="Time limit in seconds"
    ),
}
FORMS = MoveForms(
    {
        "turn": {},
        "move": {
            "from": Field(Among(tuple(SOURCES))),
            "to": Field(Pattern("(?:work:[0-3]|foundation:(?:new|0|[1-9][0-9]{0,8}))")),
            "count": Field(Whole(1, LARGEST), optional=True, about="cards, between work piles; default 1"),
        },
        "stuck": {},
        "pass": {},
    }
)
BY_TIME = "time"


class RacingDemons(Searchable):
    slug = "racing-demons"
    name = "Racing Demons"
    seats = SEATS
    fields = FIELDS
    forms = FORMS
    config_type = Config
    move_cap = None
    rulings = RULINGS

    def time_limit(self, config: Config) -> int:
        return config.time_limit

    def deal(self, config: Config, seats: int, key: GameKey) -> Fact:
        packs = {
            _label(seat): texts(key.shuffle([52 * seat + card for card in PACK], _label(seat)))
            for seat in range(seats)
        }
        return Fact("dealt", None, {}, {"packs": packs})

    def initial(self, config: Config, seats: int) -> State:
        return undealt(config)

    def decide(
        self, state: State, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        FORMS.check(move)
        assert isinstance(move, dict)
        if state.result is not None:
            raise Refused("game-over", Law.OVER)
        if found := legality.fault(state, seat, move):
            raise Refused(*found)
        assert seat is not None
        action = action_of(move)
        following, settled = after(state, seat, action)
        data = {"move": move, "facts": facts_of(state, seat, action, settled)}
        return Fact(move["type"], seat, data), *self.finished(following)

    def expire(self, state: State, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """Under `turns` the absent seat's pass; for None, when the time limit is reached, the end."""
        if seat is None:
            return Fact("expired", None, {"seat": None}), *self.finished(state._replace(result=BY_TIME))
        if not state.config.by_turns:
            raise Refused("rule-forbids", Law.PACE, because("nobody-waited-for"))
        event, *finished = self.decide(state, seat, {"type": "pass"})
        return Fact("expired", None, {"seat": seat, **event.data}), *finished

    def stop(self, state: State) -> tuple[Fact, ...]:
        raise Refused("rule-forbids", Law.SPENT, because("caps-apart"))

    def evolve(
        self,
        state: State,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> State:
        if type == "dealt":
            packs = (private or {"packs": {}})["packs"]
            return dealt(
                state.config, [[CARD[text] for text in packs[_label(seat)]] for seat in range(len(packs))]
            )
        if type == "expired":
            seat = data["seat"]
            if seat is None:
                return state._replace(result=BY_TIME)
        if seat is None or "move" not in data:
            return state
        return after(state, seat, action_of(data["move"]))[0]

    def to_act(self, state: State) -> list[int]:
        if state.result is not None or not state.sides:
            return []
        if state.config.by_turns:
            return [state.turn]
        return [seat for seat in range(len(state.sides)) if not state.spent >> seat & 1]

    def legal_actions(self, state: State, seat: int | None) -> Sequence[int]:
        return legality.legal_actions(state, seat)

    def apply_action(
        self, state: State, seat: int | None, action: int, rng: random.Random | None = None
    ) -> State:
        assert seat is not None
        return after(state, seat, action)[0]

    def move_of(self, state: State, action: int) -> Move:
        return move_of(action)

    def is_over(self, state: State) -> bool:
        return state.result is not None

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """Before the deal an empty table."""
        sides = range(len(state.sides))
        return {
            "you": self._side(state, seat) if seat is not None and seat in sides else None,
            "others": [{"seat": other, **self._side(state, other)} for other in sides if other != seat],
            "foundations": [
                {"suit": SUITS[SUIT[foundation[0]]], "cards": texts(foundation)}
                for foundation in state.foundations
            ],
            "scores": scores(state),
            "to_act": self.to_act(state),
        }

    def _side(self, state: State, seat: int) -> dict[str, Any]:
        """Return a seat's face-up cards, as every viewer sees them."""
        side = state.sides[seat]
        return {
            "demon": len(side.demon),
            "demon_top": TEXT[side.demon[-1]] if side.demon else None,
            "work": [texts(pile) for pile in side.work],
            "stock": len(side.stock),
            "waste": texts(side.waste[len(side.waste) - side.fan :]),
            "waste_count": len(side.waste),
            "stuck": legality.is_marked(state, seat),
        }

    def outcome(self, state: State) -> dict[str, Any] | None:
        return outcome(state)


def _label(seat: int) -> str:
    return f"deck|{seat}"


OF_A_KING, OF_THE_ENDER = 5, 10


def detail(state: State) -> list[dict[str, Any]]:
    """By seat: cards put on foundations, Kings among them, cards left in the demon, whether it is the ender."""
    placed, kings = [0] * len(state.sides), [0] * len(state.sides)
    for foundation in state.foundations:
        for card in foundation:
            placed[PACK_OF[card]] += 1
        if VALUE[foundation[-1]] == KING:
            kings[PACK_OF[foundation[-1]]] += 1
    return [
        {
            "placed": placed[seat],
            "kings": kings[seat],
            "demon_left": len(side.demon),
            "out": seat == state.ender,
        }
        for seat, side in enumerate(state.sides)
    ]


def scores(state: State) -> list[int]:
    """Return the scores as if the game ended now."""
    return [
        seat["placed"] - seat["demon_left"] + OF_A_KING * seat["kings"] + (OF_THE_ENDER if seat["out"] else 0)
        for seat in detail(state)
    ]


def outcome(state: State) -> dict[str, Any] | None:
    if state.result is None:
        return None
    scored = scores(state)
    return {
        "result": state.result,
        "ender": state.ender,
        "scores": scored,
        "detail": detail(state),
        "places": [
            [seat for seat, score in enumerate(scored) if score == shared]
            for shared in sorted(set(scored), reverse=True)
        ],
    }
