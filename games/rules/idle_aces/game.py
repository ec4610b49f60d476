"""Idle Aces: two packs, four piles up from the twos, four down from the Kings, four Aces aside (RULEBOOK 4)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from games.rules.fairness import GameKey
from games.rules.forms import Among, Field, MoveForms, Whole
from games.rules.idle_aces import legality
from games.rules.idle_aces.changes import action_of, changed, facts_of, move_of, resigned
from games.rules.idle_aces.position import (
    CARD,
    DECK,
    KINGS,
    SOURCES,
    TARGETS,
    TEXT,
    TWOS,
    Config,
    State,
    before_the_deal,
    built,
    laid_out,
    texts,
)
from games.rules.idle_aces.rulings import RULINGS, Law
from games.rules.protocol import Fact, Move, Searchable
from games.rules.refusals import Refused

FIELDS = {
    "redeals": Field(
        Whole(0, 2),
        1,
        about="how often the waste may be flipped over to be the stock",
        ruling="redeals",
        title="Redeals",
    )
}
FORMS = MoveForms(
    {
        "draw": {},
        "redeal": {},
        "play": {"from": Field(Among(tuple(SOURCES))), "to": Field(Among(tuple(TARGETS)))},
        "resign": {},
    }
)
MOVES = frozenset(FORMS.forms)


class IdleAces(Searchable):
    slug = "idle-aces"
    name = "Idle Aces"
    seats = (1,)
    fields = FIELDS
    forms = FORMS
    config_type = Config
    rulings = RULINGS

    def deal(self, config: Config, seats: int, key: GameKey) -> Fact:
        return Fact("dealt", None, {}, {"packs": {"deck": texts(key.shuffle(DECK, "deck"))}})

    def initial(self, config: Config, seats: int) -> State:
        return before_the_deal(config)

    def decide(
        self, state: State, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        FORMS.check(move)
        assert isinstance(move, dict)
        if state.result:
            raise Refused("game-over", Law.OVER)
        if seat != 0:
            raise Refused("not-your-turn", Law.ONE_SEAT)
        if not state.piles:
            raise Refused("rule-forbids", Law.NOT_DEALT)
        if found := legality.fault(state, move):
            raise Refused(*found)
        action = action_of(move)
        event = Fact(move["type"], 0, {"move": move, "facts": facts_of(state, action)})
        return event, *self.finished(changed(state, action))

    def expire(self, state: State, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """The server resigns for the player."""
        event, finished = self.decide(state, 0 if seat is None else seat, {"type": "resign"})
        return Fact("expired", None, {"seat": 0, **event.data}), finished

    def stop(self, state: State) -> tuple[Fact, ...]:
        """End the game in its present position: it is lost unless all cards are built."""
        return Fact("expired", None, {"seat": None}), *self.finished(resigned(state))

    def evolve(
        self,
        state: State,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> State:
        if type in MOVES:
            return changed(state, action_of(data["move"]))
        if type == "expired":
            return resigned(state)
        if type == "dealt" and private is not None:
            return laid_out(state.config, tuple([CARD[text] for text in private["packs"]["deck"]]))
        return state

    def to_act(self, state: State) -> list[int]:
        return [0] if state.piles and not state.result else []

    def legal_actions(self, state: State, seat: int | None) -> Sequence[int]:
        if seat != 0 or state.result or not state.piles:
            return ()
        return legality.legal_actions(state)

    def apply_action(
        self, state: State, seat: int | None, action: int, rng: random.Random | None = None
    ) -> State:
        return changed(state, action)

    def move_of(self, state: State, action: int) -> Move:
        return move_of(action)

    def is_over(self, state: State) -> bool:
        return state.result is not None

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """Before the deal, an empty table. Every viewer sees all face-up cards."""
        waste, piles = state.waste, state.piles or ((),) * 8
        return {
            "stock": len(state.stock),
            "redeals_left": state.redeals_left,
            "waste": TEXT[waste[-1]] if waste else None,
            "waste_count": len(waste),
            "twos": [texts(piles[pile]) for pile in TWOS],
            "kings": [texts(piles[pile]) for pile in KINGS],
            "aces": texts(state.aces),
        }

    def outcome(self, state: State) -> dict[str, Any] | None:
        if not state.result:
            return None
        return {"result": state.result, "cards": built(state), "plays": state.plays}

    def gains(self, state: State) -> Sequence[int] | None:
        """Nothing is staked on it."""
        return (0,)
