"""Vegas Solitaire: one pack, seven columns, a stake, pence for every card on the foundations (RULEBOOK 3)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from games.rules.cards import CARD, PACK, SUITS, texts
from games.rules.fairness import GameKey
from games.rules.forms import LARGEST, Among, Field, MoveForms, Pattern, Whole, read_config
from games.rules.protocol import Fact, Move, Searchable
from games.rules.refusals import ConfigError, Refused
from games.rules.vegas_solitaire.actions import MOVES, legal_actions, waste_playable
from games.rules.vegas_solitaire.changes import CHANGES, after_action, event_of
from games.rules.vegas_solitaire.legality import fault
from games.rules.vegas_solitaire.position import (
    EMPTY_TABLE,
    SOURCES,
    TARGETS,
    Config,
    State,
    laid_out,
    on_its_last_pass,
)
from games.rules.vegas_solitaire.rulings import RULINGS, Law

STAKE_STEP = 104
LARGEST_STAKE = 1_040_000

FIELDS = {
    "draw": Field(
        Among((1, 3)),
        suggested=3,
        about="cards per draw; also the number of passes through the stock",
        title="Version",
        labels={"1": "1 Draw: one pass", "3": "3 Draw: three passes"},
    ),
    "stake": Field(
        Whole(0, LARGEST_STAKE, STAKE_STEP), 520, about="pence; 0 plays for points, one a card", title="Stake"
    ),
    "win_rate": Field(
        Pattern("[1-9][0-9]{0,3}/[1-9][0-9]{0,3}"),
        "1/13",
        about="the fraction of the stake won per card",
        ruling="winnings",
        title="Win rate per card",
    ),
}
FORMS = MoveForms(
    {
        "draw": {},
        "recycle": {},
        "flip": {"column": Field(Whole(0, 6))},
        "move": {
            "from": Field(Among(tuple(SOURCES))),
            "to": Field(Among(tuple(TARGETS))),
            "count": Field(Whole(1, LARGEST), optional=True, about="cards, between columns; default 1"),
        },
        "undo": {},
        "collect": {},
    }
)


class VegasSolitaire(Searchable):
    slug = "vegas-solitaire"
    name = "Vegas Solitaire"
    seats = (1,)
    fields = FIELDS
    forms = FORMS
    config_type = Config
    rulings = RULINGS

    def parse_config(self, raw: object, *, staked: bool = False) -> Config:
        config = Config(**read_config(raw, FIELDS))
        if staked and not config.stake:
            raise ConfigError("stake", f"must be {STAKE_STEP}…{LARGEST_STAKE} where money is at stake")
        won, of = map(int, config.win_rate.split("/"))
        if config.stake * won % of:
            raise ConfigError(
                "win_rate", f"must give whole pence: {config.win_rate} of {config.stake} does not"
            )
        return config

    def deal(self, config: Config, seats: int, key: GameKey) -> Fact:
        return Fact("dealt", None, {}, {"packs": {"deck": texts(key.shuffle(PACK, "deck"))}})

    def initial(self, config: Config, seats: int) -> State:
        return State(config, layout=None, before=None, collected=False)

    def decide(
        self, state: State, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        FORMS.check(move)
        assert isinstance(move, dict)
        if state.collected:
            raise Refused("game-over", Law.OVER)
        if seat != 0:
            raise Refused("not-your-turn", Law.ONE_SEAT)
        layout = state.layout
        if layout is None:
            raise Refused("rule-forbids", Law.NOT_DEALT)
        if found := fault(state, layout, move):
            raise Refused(*found)
        event = event_of(state, layout, move)
        return (event, self._finished(state)) if event.type == "collect" else (event,)

    def expire(self, state: State, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """The player's game is collected, never lost."""
        event, finished = self.decide(state, 0 if seat is None else seat, {"type": "collect"})
        return Fact("expired", None, {"seat": 0, **event.data}), finished

    def stop(self, state: State) -> tuple[Fact, ...]:
        return Fact("expired", None, {"seat": None}), self._finished(state)

    def _finished(self, state: State) -> Fact:
        return Fact("finished", None, {"outcome": self.outcome(state._replace(collected=True))})

    def evolve(
        self,
        state: State,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> State:
        if change := CHANGES.get(type):
            return change(state, data["move"])
        if type == "expired":
            return State(state.config, state.layout, None, True)
        if type == "dealt" and private is not None:
            pack = tuple([CARD[text] for text in private["packs"]["deck"]])
            return State(state.config, laid_out(pack, passes=state.config.draw), None, False)
        return state

    def to_act(self, state: State) -> list[int]:
        return [] if state.collected or state.layout is None else [0]

    def legal_actions(self, state: State, seat: int | None) -> list[int]:
        layout = state.layout
        if seat != 0 or state.collected or layout is None:
            return []
        return legal_actions(state, layout)

    def apply_action(
        self, state: State, seat: int | None, action: int, rng: random.Random | None = None
    ) -> State:
        return after_action(state, action)

    def move_of(self, state: State, action: int) -> Move:
        return MOVES[action].copy()

    def is_over(self, state: State) -> bool:
        return state.collected

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        """Before the deal an empty table."""
        layout = state.layout or EMPTY_TABLE._replace(passes_left=state.config.draw)
        config, on = state.config, state.layout is not None and not state.collected
        waste = layout.waste
        return {
            "stock": len(layout.stock),
            "passes_left": layout.passes_left,
            "exhausted": on_its_last_pass(layout) and not layout.stock and state.layout is not None,
            "waste": texts(waste[len(waste) - layout.fan :]),
            "waste_count": len(waste),
            "foundations": dict(zip(SUITS, layout.foundations, strict=True)),
            "columns": [
                {"down": down, "up": texts(column[down:])}
                for column, down in zip(layout.columns, layout.down, strict=True)
            ],
            "stake": config.stake,
            "win_rate": config.pence_per_card,
            "winnings": config.pence_per_card * sum(layout.foundations),
            "max_win": config.pence_per_card * len(PACK),
            "waste_playable": on and bool(waste) and waste_playable(layout),
            "undoable": on and state.before is not None,
        }

    def outcome(self, state: State) -> dict[str, Any] | None:
        if not state.collected or state.layout is None:
            return None
        placed = sum(state.layout.foundations)
        return {
            "result": "collected",
            "cards": placed,
            "winnings": state.config.pence_per_card * placed,
            "complete": placed == len(PACK),
        }

    def gains(self, state: State) -> Sequence[int] | None:
        outcome, stake = self.outcome(state), state.config.stake
        if outcome is None:
            return None
        return (outcome["winnings"] - stake if stake else 0,)
