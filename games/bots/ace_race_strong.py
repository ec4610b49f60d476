"""Ace Race, by search: what wins most of the games played out in worlds that the seat cannot tell from its own.

It does what the steady player would, unless something else is clearly better in these worlds.

Its games end as the steady player's do, and for the same reason: between two Aces that do not win there are fewer than
546 moves whoever plays, and when ACES_TO_PLAY Aces have been played it plays no more of them, but to win.
"""

from __future__ import annotations

import random

from games.bots.ace_race import ACES_TO_PLAY, Steady
from games.bots.ace_race_playout import least_useful, played_out
from games.bots.ace_race_worlds import knowledge
from games.bots.protocol import Move, Sight
from games.bots.search import best_action
from games.rules.ace_race.actions import ACE, ONE_GIFT, PLAYS, SINGLE, gifts_of, legal_actions, move_of
from games.rules.ace_race.changes import after_action
from games.rules.ace_race.position import GIVEAWAY, NOTHING, WORTH, State

PLAYOUTS = 300
"""For a move; 0.4 to 0.6 ms each."""
DOUBT = 1.5
TO_GIVE_AWAY = 3
"""From how many of its cards a gift is chosen."""


class Strong:
    name = "strong"

    def __init__(self, playouts: int = PLAYOUTS, doubt: float = DOUBT) -> None:
        self.playouts, self.doubt = playouts, doubt

    def choose(self, sight: Sight, rng: random.Random) -> Move:
        if len(sight.legal_moves) == 1:
            return sight.legal_moves[0]
        known = knowledge(sight, rng)
        seat = known.state.to_act

        def value(world: State, action: int) -> float:
            return share(played_out(after_action(world, action, rng), rng), seat)

        action = best_action(
            worth_trying(known.state, steadily(known.state, sight, rng)),
            world=lambda: known.world(rng),
            value=value,
            playouts=self.playouts,
            doubt=self.doubt,
        )
        return move_of(known.state, action)


def share(end: State, seat: int) -> float:
    """Of a win: all of it, or its part where several hands are equally short."""
    counts = [len(hand) for hand in end.hands]
    fewest = min(counts)
    return 1 / counts.count(fewest) if counts[seat] == fewest else 0.0


def steadily(state: State, sight: Sight, rng: random.Random) -> int:
    """What the steady player would do: the move to be bettered."""
    move = Steady().choose(sight, rng)
    return legal_actions(state)[sight.legal_moves.index(move)]


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
