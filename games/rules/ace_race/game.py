"""Ace Race: be the first to get rid of your cards, under a rule that every Ace changes (RULEBOOK 5)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.rules.ace_race import views
from games.rules.ace_race.actions import Play, legal_actions, move_of
from games.rules.ace_race.changes import (
    Shuffle,
    after_action,
    bid,
    draw,
    give,
    name_rule,
    pass_turn,
    play,
)
from games.rules.ace_race.forms import FIELDS, FORMS, check, direction_of, rule_of
from games.rules.ace_race.legality import fault
from games.rules.ace_race.position import (
    BIDDING,
    GIVEAWAY,
    NAMING,
    NOBODY,
    NOTHING,
    OVER,
    SEATS,
    Config,
    State,
    dealt,
    undealt,
)
from games.rules.ace_race.rulings import RULINGS, Law
from games.rules.cards import CARD, PACK_WITH_JOKERS, cards, texts
from games.rules.fairness import GameKey
from games.rules.protocol import Fact, MatchRules, Move, Searchable
from games.rules.refusals import Refused, because


class Standing(NamedTuple):
    seat: int
    place: int
    """From 1; equal seats share a place."""
    wins: int
    cards: int
    """Left in hand over all deals."""


def next_config(config: Mapping[str, Any], outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The next deal's config after a deal that ended: the deal is the next seat's, clockwise.

    `previous_winner` is the one winner, or None after a shared win; the rest stays.

    >>> next_config({"dealer": 1, "continuation": "strict"}, {"winners": [0], "hands": [0, 3]})
    {'dealer': 0, 'continuation': 'strict', 'previous_winner': 0}
    """
    winners = outcome["winners"]
    return {
        **config,
        "dealer": (config.get("dealer", 0) + 1) % len(outcome["hands"]),
        "previous_winner": winners[0] if len(winners) == 1 else None,
    }


def standings(outcomes: Sequence[Mapping[str, Any]], seats: int) -> list[Standing]:
    """The best first, equal seats by number. Deals without an outcome (void) are left out by the caller."""
    wins = [sum(seat in outcome["winners"] for outcome in outcomes) for seat in range(seats)]
    cards = [sum(outcome["hands"][seat] for outcome in outcomes) for seat in range(seats)]
    merits = [(-wins[seat], cards[seat]) for seat in range(seats)]
    return [
        Standing(seat, 1 + sum(merit < merits[seat] for merit in merits), wins[seat], cards[seat])
        for seat in sorted(range(seats), key=merits.__getitem__)
    ]


class AceRace(Searchable):
    slug = "ace-race"
    name = "Ace Race"
    seats = SEATS
    fields = FIELDS
    forms = FORMS
    config_type = Config
    match_rules = MatchRules(next_config, standings)
    rulings = RULINGS

    def check_form(self, move: object) -> None:
        check(move, seats=0)

    def deal(self, config: Config, seats: int, key: GameKey) -> Fact:
        """Raises Refused where the config names a seat that the table does not have."""
        for seat in (config.dealer, config.previous_winner):
            if seat is not None and seat >= seats:
                raise Refused("no-such-seat", Law.DEAL, because("seat-of-config", seat=seat, seats=seats))
        return Fact("dealt", None, {}, {"packs": {"deck": texts(key.shuffle(PACK_WITH_JOKERS, "deck"))}})

    def initial(self, config: Config, seats: int) -> State:
        return undealt(config, seats)

    def decide(
        self, state: State, seat: int | None, move: object, key: GameKey | None = None
    ) -> tuple[Fact, ...]:
        """Raises ValueError for an Ace without `key`."""
        check(move, state.seats)
        assert isinstance(move, dict)
        if state.phase == OVER:
            raise Refused("game-over", Law.OVER)
        if not state.seats:
            raise Refused("rule-forbids", Law.NOT_DEALT)
        if seat != state.to_act:
            raise Refused("not-your-turn", Law.TURN_ORDER, because("turn-of", seat=state.to_act))
        if found := fault(state, move):
            raise Refused(*found)
        after = _after(state, move, _by(key))
        data, private = views.written(state, move, after)
        return Fact(move["type"], seat, data, private), *self.finished(after)

    def expire(self, state: State, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
        """Pass a bid, name `high`, decline, or draw and pass: two events, one where the pile is empty."""
        facts: list[Fact] = []
        for move in _absent(state):
            made, *finished = self.decide(state, seat, move, key)
            facts += [Fact("expired", None, {"seat": seat, **made.data}, made.private), *finished]
            state = _after(state, move, _by(key))
        return tuple(facts)

    def stop(self, state: State) -> tuple[Fact, ...]:
        """Judged as blocked."""
        return Fact("expired", None, {"seat": None}), *self.finished(_stopped(state))

    def evolve(
        self,
        state: State,
        type: str,
        seat: int | None,
        data: Mapping[str, Any],
        private: Mapping[str, Any] | None,
    ) -> State:
        if "move" in data:
            move = data["move"] if private is None else private["move"]
            return _after(state, move, _as_recorded(private))
        if type == "expired":
            return _stopped(state)
        if type == "dealt" and private is not None:
            return dealt(state, cards(private["packs"]["deck"]))
        return state

    def to_act(self, state: State) -> list[int]:
        return [] if state.to_act == NOBODY else [state.to_act]

    def legal_actions(self, state: State, seat: int | None) -> Sequence[int]:
        return legal_actions(state) if seat == state.to_act else ()

    def apply_action(
        self, state: State, seat: int | None, action: int, rng: random.Random | None = None
    ) -> State:
        """Raises ValueError for an Ace without `rng`."""
        return after_action(state, action, rng)

    def move_of(self, state: State, action: int) -> Move:
        return move_of(state, action)

    def is_over(self, state: State) -> bool:
        return state.phase == OVER

    def view(self, state: State, seat: int | None) -> dict[str, Any]:
        return views.view(state, seat)

    def redact_private(self, fact: Fact, seat: int | None) -> dict[str, Any] | None:
        return views.part_of(fact, seat)

    def outcome(self, state: State) -> dict[str, Any] | None:
        return views.outcome(state) if state.phase == OVER else None

    def gains(self, state: State) -> Sequence[int] | None:
        """The game itself moves no money."""
        return (0,) * state.seats


def _after(state: State, move: Move, shuffle: Shuffle) -> State:
    """The state after a legal move."""
    kind = move["type"]
    if kind == "play":
        return play(state, _play_of(move), shuffle)
    if kind == "draw":
        return draw(state)
    if kind == "pass":
        return bid(state, NOTHING) if state.phase == BIDDING else pass_turn(state)
    if kind == "bid":
        return bid(state, move["cards"])
    if kind == "rule":
        return name_rule(state, rule_of(move["rule"]))
    return give(state, [(CARD[gift["card"]], gift["to"]) for gift in move.get("gifts", ())])


def _play_of(move: Move) -> Play:
    return Play(
        cards(move["cards"]),
        CARD[move["joker"]] if "joker" in move else NOTHING,
        rule_of(move["rule"]) if "rule" in move else NOTHING,
        direction_of(move.get("direction")),
    )


def _stopped(state: State) -> State:
    return state._replace(phase=OVER, to_act=NOBODY, drawn=NOTHING)


def _absent(state: State) -> tuple[Move, ...]:
    """Return the server's move for the absent seat to act."""
    if state.phase == NAMING:
        return ({"type": "rule", "rule": {"name": "high"}},)
    if state.phase == GIVEAWAY:
        return ({"type": "decline"},)
    if state.phase == BIDDING or state.drawn != NOTHING or not state.draw_pile:
        return ({"type": "pass"},)
    return {"type": "draw"}, {"type": "pass"}


def _by(key: GameKey | None) -> Shuffle:
    def shuffled(pile: tuple[int, ...], number: int) -> list[int]:
        if key is None:
            raise ValueError("an Ace shuffles: the game's key is needed")
        return key.shuffle(pile, f"reshuffle|{number}")

    return shuffled


def _as_recorded(private: Mapping[str, Any] | None) -> Shuffle:
    def ordered(pile: tuple[int, ...], number: int) -> Sequence[int]:
        assert private is not None, "an Ace is sealed, and folded from what was sealed"
        return cards(private["facts"]["order"])

    return ordered
