"""Racing Aces: four Aces race, each drawn card advances the row of its suit (RULEBOOK 2)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.rules.cards import ACE, CARD, PACK, SUIT, SUITS, VALUE, texts
from games.rules.fairness import GameKey
from games.rules.forms import Among, Field, MoveForms, Whole
from games.rules.protocol import Fact, Move, Searchable
from games.rules.refusals import CHOSEN_SUITS, NOT_DEALT, OVER, ConfigError, Refused, Ruling, because

STOCK = tuple(card for card in PACK if VALUE[card] != ACE)
"""The canonical pack without its Aces."""
ROOM = len(STOCK) + 1
"""The most that `burn` + `finish_line` may be, so that a suit can win."""

DRAW: Move = {"type": "draw"}
ONLY_ACTION = (0,)
"""DRAW, as an action."""

SMALL_TABLE = 4
"""Up to this many seats no two have the same suit; at larger tables at most two."""


class Config(NamedTuple):
    finish_line: int
    cards_per_draw: int
    burn: int
    suits: str = "none"
    """`none`, or `chosen`: each seat races with a suit."""


class State(NamedTuple):
    config: Config
    rows: tuple[tuple[int, ...], ...]
    """By suit, C D H S, each beginning with its Ace."""
    stock: tuple[int, ...] | None
    """None before the deal. The last card is the top."""
    draws: int
    winner: int | None
    """The suit that has won."""
    suits: tuple[int, ...] | None = None
    """The suit of each seat, from seat 0; None where the seats have none."""

    @property
    def over(self) -> bool:
        return self.winner is not None or self.stock == ()

    def by_seat(self) -> dict[str, Any]:
        """The suits of the seats and the seats of the winning suit, as view and outcome have them."""
        if self.suits is None:
            return {}
        winners = [seat for seat, suit in enumerate(self.suits) if suit == self.winner]
        return {"suits": [SUITS[suit] for suit in self.suits], "winners": winners}


FIELDS = {
    "finish_line": Field(
        Whole(2, 13), 10, about="cards in the winning row, the Ace included", title="Cards to the finish"
    ),
    "cards_per_draw": Field(Whole(1, 4), 1, title="Cards per draw"),
    "burn": Field(
        Whole(0, ROOM - 2),
        0,
        about="cards dealt unseen off the stock before the off",
        title="Cards removed unseen",
    ),
    "suits": Field(
        Among(("none", "chosen")),
        "none",
        about="whether each seat chooses a suit to race with",
        ruling=CHOSEN_SUITS.key,
        title="Suits",
        labels={"none": "No suits", "chosen": "Each player chooses a suit"},
    ),
}
FORMS = MoveForms({"draw": {}})

DRAWING = Ruling(
    "draw",
    "RULEBOOK 2",
    "A draw pops `cards_per_draw` cards (fewer if the stock has fewer); each goes to the end of its suit's "
    "row, in order.",
    "On each turn, flip the top card from the stock. Place it face up at the end of the row corresponding "
    "to its suit.",
)
OPERATOR = Ruling(
    "operator-draws",
    "RULEBOOK 2",
    "Whoever opens the race (the operator) draws, or the server does; a seated player's draw is not theirs "
    "to make.",
)
ALL_PLACED = Ruling(
    "all-cards-of-a-draw",
    "RULEBOOK 2 (1)",
    "All cards of one draw are placed; if several rows reach the line in it, the one completed first wins.",
    "If two or more suits reach the finish line on the same draw, the suit that was completed first (the "
    "first card placed in the row during that draw) is considered the winner.",
)
NO_WINNER = Ruling(
    "no-winner",
    "RULEBOOK 2 (2)",
    "Stock empty and no row at the line: the game is a draw, without a winner.",
    "If the deck is exhausted and no suit has reached the finish line, the game ends in a draw.",
)
BETS = Ruling(
    "bets",
    "RULEBOOK 2 (3)",
    "A market on the winning suit is open from creation until the first draw; the deal is made when it "
    "closes, and bets' client seeds follow the seats'.",
    "Players may place bets on which suit will win. Bets are resolved at the end of the game.",
)
PRICE = Ruling(
    "exact-price",
    "RULEBOOK 2 (4)",
    "The fair return per unit is 1/p when a race without a winner loses and (1 − p(no winner))/p when it "
    "refunds, p being the suit's exact chance over the unseen cards.",
)


class RacingAces(Searchable):
    slug = "racing-aces"
    name = "Racing Aces"
    seats = tuple(range(9))
    fields = FIELDS
    forms = FORMS
    config_type = Config
    rulings = (CHOSEN_SUITS, DRAWING, OPERATOR, ALL_PLACED, NO_WINNER, BETS, PRICE, NOT_DEALT, OVER)

    def parse_config(self, raw: object, *, staked: bool = False) -> Config:
        config: Config = super().parse_config(raw, staked=staked)
        if config.burn + config.finish_line > ROOM:
            raise ConfigError(
                "burn", f"`burn` + `finish_line` must be at most {ROOM}, so that somebody can win"
            )
        return config

    def config_json(self, config: Config) -> dict[str, Any]:
        """Without `suits` where the seats have none: such a race is written as it was before there were suits."""
        document = super().config_json(config)
        if config.suits == "none":
            del document["suits"]
        return document

    def deal(self, config: Config, seats: int, key: GameKey) -> Fact:
        data = {} if key.bet_seeds is None else {"bet_seeds": list(key.bet_seeds)}
        return Fact("dealt", None, data, {"packs": {"deck": texts(key.shuffle(STOCK, "deck"))}})

    def initial(self, config: Config, seats: int) -> State:
        aces = tuple((13 * suit,) for suit in range(4))
        return State(
            config, aces, stock=None, draws=0, winner=None, suits=None if config.suits == "none" else ()
        )

    def seats_of_a_suit(self, config: Config, seats: int) -> int:
        if config.suits == "none":
            return 0
        return 1 if seats <= SMALL_TABLE else 2

    def with_suits(self, state: State, suits: Sequence[str]) -> State:
        return state._replace(suits=tuple([list(SUITS).index(suit) for suit in suits]))

    def decide(
        self, state: State, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        FORMS.check(move)
        if state.over:
            raise Refused("game-over", OVER)
        if seat is not None:
            raise Refused("not-your-turn", OPERATOR)
        if state.stock is None:
            raise Refused("rule-forbids", NOT_DEALT)
        drawn = _drawn(state.stock, state.config)
        event = Fact("draw", None, {"move": move, "facts": {"cards": texts(drawn)}})
        return event, *self.finished(_after_draw(state))

    def expire(self, state: State, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """No seat can be late here: what is due is a draw, and the server may make it."""
        return self.decide(state, None, dict(DRAW))

    def stop(self, state: State) -> tuple[Fact, ...]:
        raise Refused("rule-forbids", NO_WINNER, because("long-before-cap"))

    def evolve(
        self,
        state: State,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> State:
        if type == "draw":
            return _after_draw(state)
        if type == "dealt" and private is not None:
            pack = tuple([CARD[text] for text in private["packs"]["deck"]])
            return state._replace(stock=pack[: len(pack) - state.config.burn])
        return state

    def to_act(self, state: State) -> list[int]:
        return []

    def legal_actions(self, state: State, seat: int | None) -> Sequence[int]:
        return ONLY_ACTION if seat is None and state.stock and state.winner is None else ()

    def apply_action(
        self, state: State, seat: int | None, action: int, rng: random.Random | None = None
    ) -> State:
        return _after_draw(state)

    def move_of(self, state: State, action: int) -> Move:
        return dict(DRAW)

    def is_over(self, state: State) -> bool:
        return state.over

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        longest = max(map(len, state.rows))
        return {
            "rows": {suit: texts(row) for suit, row in zip(SUITS, state.rows, strict=True)},
            "stock": len(STOCK) if state.stock is None else len(state.stock),
            "burned": 0 if state.stock is None else state.config.burn,
            "finish_line": state.config.finish_line,
            "leader": [suit for suit, row in zip(SUITS, state.rows, strict=True) if len(row) == longest],
            **state.by_seat(),
        }

    def outcome(self, state: State) -> dict[str, Any] | None:
        if not state.over:
            return None
        return {
            "result": "no-winner" if state.winner is None else "won",
            "winner": None if state.winner is None else SUITS[state.winner],
            "rows": {suit: len(row) for suit, row in zip(SUITS, state.rows, strict=True)},
            "draws": state.draws,
            **state.by_seat(),
        }


def _drawn(stock: tuple[int, ...], config: Config) -> tuple[int, ...]:
    return stock[: -config.cards_per_draw - 1 : -1]


def _after_draw(state: State) -> State:
    config, stock = state.config, state.stock or ()
    rows, winner = list(state.rows), state.winner
    for card in _drawn(stock, config):
        suit = SUIT[card]
        rows[suit] = (*rows[suit], card)
        if winner is None and len(rows[suit]) == config.finish_line:
            winner = suit
    return state._replace(
        rows=tuple(rows), stock=stock[: -config.cards_per_draw], draws=state.draws + 1, winner=winner
    )
