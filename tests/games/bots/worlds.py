"""Games played move by move, and other games that a seat cannot distinguish from them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from games.bots import Observation
from games.rules import GameKey
from games.rules.protocol import Fact

KEY_SEED = bytes(range(32))


class Game(NamedTuple):
    """The events of a game and its state."""

    rules: Any
    config: Any
    seats: int
    facts: list[Fact]
    state: Any

    @property
    def key(self):
        return GameKey(KEY_SEED, [""] * self.seats)

    def received(self, seat):
        """Return the events as a seat receives them."""
        return [{**fact._asdict(), "private": self.rules.redact_private(fact, seat)} for fact in self.facts]

    def observation(self, seat):
        return Observation(
            view=self.rules.view(self.state, seat),
            legal_moves=self.rules.legal_moves(self.state, seat),
            config=self.rules.config_json(self.config),
            seat=seat,
            history=lambda: self.received(seat),
        )

    def after(self, *facts):
        state = self.state
        for fact in facts:
            state = self.rules.evolve(state, *fact)
        return self._replace(facts=[*self.facts, *facts], state=state)

    def moved(self, seat, move):
        return self.after(*self.rules.decide(self.state, seat, move, self.key))


def dealt(rules, raw, seats, number):
    """Return a deal that is determined by its number."""
    config = rules.parse_config(raw)
    game = Game(rules, config, seats, [], rules.initial(config, seats))
    return game.after(rules.deal(config, seats, GameKey(number.to_bytes(32, "big"), [""] * seats)))


def courses(game, bot, moves, rng):
    """The game after each of so many moves, as it is before the bot of the seat to act moves; not the end."""
    for _ in range(moves):
        waiting = game.rules.to_act(game.state)
        if game.rules.outcome(game.state) is not None:
            return
        seat = rng.choice(waiting) if waiting else None
        yield seat, game
        if legal := game.rules.legal_moves(game.state, seat):
            quick = [move for move in legal if move["type"] not in ("resign", "collect")] or legal
            observation = game.observation(seat)._replace(legal_moves=quick)
            game = game.moved(seat, bot.choose(observation, rng))


def another(game, seat, rng):
    """A game of other hidden cards in which the seat has received the very same; None where chance found none."""
    shown = _texts([game.received(seat), *_views(game, seat)])
    (deal,) = [fact for fact in game.facts if fact.type == "dealt"]
    other: dict[str, str] = {}
    for pack in deal.private["packs"].values():
        hidden = [card for card in pack if card not in shown]
        other |= dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    found = Game(game.rules, game.config, game.seats, [], game.rules.initial(game.config, game.seats)).after(
        deal._replace(private=_renamed(deal.private, other))
    )
    for fact in game.facts[1:]:
        if len(found.facts) > len(game.facts) or fact.type == "finished":
            break
        move = (fact.private or fact.data)["move"]
        found = found.moved(fact.seat, _renamed(move, other))
    same = found.received(seat) == game.received(seat)
    return (
        found if same and found.rules.view(found.state, seat) == game.rules.view(game.state, seat) else None
    )


def _views(game, seat):
    state = game.rules.initial(game.config, game.seats)
    for fact in game.facts:
        state = game.rules.evolve(state, *fact)
        yield game.rules.view(state, seat)


def _texts(value):
    if isinstance(value, str):
        return {value}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(_texts, inner))


def _renamed(value, names):
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {key: _renamed(inner, names) for key, inner in value.items()}
    return [_renamed(inner, names) for inner in value] if isinstance(value, list) else value


def chance(*labels):
    return random.Random("|".join(map(str, labels)))
