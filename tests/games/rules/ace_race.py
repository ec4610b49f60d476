"""Helpers for Ace Race: positions written as text, and short forms of moves."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product
from typing import Any

from games.rules import Fact, GameKey, Refused, get
from games.rules.ace_race import AceRace, State
from games.rules.ace_race.position import (
    BIDDING,
    DIRECTIONS,
    GIVEAWAY,
    NOTHING,
    PHASES,
    PLAYING,
    undealt,
)
from games.rules.ace_race.rules import RULES
from games.rules.cards import CARD, PACK_WITH_JOKERS, TEXT, cards, texts

GAME = get("ace-race")
assert isinstance(GAME, AceRace)
KEY = GameKey(bytes(range(32)), ["ann", ""])
SEATS = (2, 3, 4, 6)

DRAW, PASS, DECLINE = ({"type": kind} for kind in ("draw", "pass", "decline"))
RULE_DOCUMENTS = [rule.document() for rule in RULES]


def named(rule: str) -> dict[str, str]:
    """Return the rule of a name such as `suits:H`."""
    name, _, suit = rule.partition(":")
    return {"name": name, "suit": suit} if suit else {"name": name}


def play(
    played: str, joker: str | None = None, *, rule: str | None = None, way: str | None = None
) -> dict[str, Any]:
    move: dict[str, Any] = {"type": "play", "cards": played.split()}
    if joker:
        move["joker"] = joker
    if rule:
        move["rule"] = named(rule)
    if way:
        move["direction"] = way
    return move


def bid(number: int) -> dict[str, Any]:
    return {"type": "bid", "cards": number}


def rule(text: str) -> dict[str, Any]:
    return {"type": "rule", "rule": named(text)}


def give(**gifts: int) -> dict[str, Any]:
    """`give(c7H=2, cX1=3)`; keywords keep their order."""
    return {"type": "give", "gifts": [{"card": card[1:], "to": seat} for card, seat in gifts.items()]}


def config(**keys: Any) -> Any:
    return GAME.parse_config(keys)


def dealt(seats: int, number: int = 0, **keys: Any) -> State:
    key = GameKey(number.to_bytes(32, "big"), [""] * seats)
    fact = GAME.deal(config(**keys), seats, key)
    return GAME.evolve(GAME.initial(config(**keys), seats), *fact)


def position(
    *hands: str,
    pile: str = "",
    discards: str = "",
    rule: str | None = "high",
    maker: int = 0,
    to_act: int = 0,
    phase: str = "playing",
    follow: int = 0,
    series: int = 0,
    way: str | None = None,
    idle: int = 0,
    bids: Sequence[tuple[int, int]] = (),
    **keys: Any,
) -> State:
    """Return a position. Hands and piles are text, last card on top; other arguments are fields of the state."""
    name, _, suit = (rule or "").partition(":")
    return undealt(config(**keys), len(hands))._replace(
        seats=len(hands),
        phase=PHASES.index(phase),
        to_act=to_act,
        hands=tuple(cards(hand.split()) for hand in hands),
        draw_pile=cards(pile.split()),
        discards=cards(discards.split()),
        rule=NOTHING if rule is None else [(one.name, one.suit) for one in RULES].index((name, suit or None)),
        rule_maker=NOTHING if rule is None else maker,
        follow=follow,
        series=series,
        direction=DIRECTIONS.index(way),
        idle=idle,
        bids=tuple(bids),
    )


def decided(state: State, move: Any) -> tuple[Fact, ...]:
    """Decide a move of the seat to act."""
    return GAME.decide(state, state.to_act, move, KEY)


def evolved(state: State, facts: Iterable[Fact]) -> State:
    for fact in facts:
        state = GAME.evolve(state, *fact)
    return state


def after(state: State, *moves: Any) -> State:
    """Return the state after moves of the seats to act, each of which must be legal."""
    for move in moves:
        state = evolved(state, decided(state, move))
    return state


def refused(state: State, move: Any, seat: int | None = NOTHING) -> tuple[str, str, str | None] | None:
    """Return code, rule, and fact of the refusal, or None. `seat` is by default the one to act."""
    try:
        GAME.decide(state, state.to_act if seat == NOTHING else seat, move, KEY)
    except Refused as refusal:
        return refusal.code, refusal.rule, refusal.fact
    return None


def code(state: State, move: Any, seat: int | None = NOTHING) -> str | None:
    found = refused(state, move, seat)
    return found[0] if found else None


def view(state: State, seat: int | None = None) -> dict[str, Any]:
    return GAME.view(state, seat)


def hand(state: State, seat: int) -> str:
    return " ".join(texts(state.hands[seat]))


def wandered(seats: int, number: int, moves: int, **keys: Any) -> State:
    """Return the state after a number of random moves, or at the end of the game."""
    state, rng = dealt(seats, number, **keys), random.Random(number)
    for _ in range(moves):
        if GAME.is_over(state):
            break
        state = GAME.apply_action(
            state, state.to_act, rng.choice(GAME.legal_actions(state, state.to_act)), rng
        )
    return state


def universe(state: State, strangers: int = 2) -> Iterator[dict[str, Any]]:
    """Return well-formed moves with the cards of the hand and a few others."""
    yield from (DRAW, PASS, DECLINE)
    yield from (bid(number) for number in range(-1, 8))
    yield from ({"type": "rule", "rule": document} for document in RULE_DOCUMENTS)
    held = texts(state.hands[state.to_act])
    others = [text for text in TEXT if text not in held]
    near = [*held, *others[:: max(1, len(others) // strangers)]]
    if state.phase == GIVEAWAY:
        yield from _gifts(near, state.seats)
    if state.phase in (GIVEAWAY, BIDDING):
        near = near[:4]
    yield from _singles(near)
    yield from _groups(near, exhaustive=state.phase == PLAYING)


def _singles(near: Sequence[str]) -> Iterator[dict[str, Any]]:
    for card, joker, way in product(near, (None, "X1", "X2"), DIRECTIONS):
        if card[0] != "A":
            yield play(card, joker, way=way)
        elif way is None:
            for document in RULE_DOCUMENTS:
                yield {**play(card, joker), "rule": document}


def _groups(near: Sequence[str], *, exhaustive: bool) -> Iterator[dict[str, Any]]:
    """Return groups of cards. Groups of three are in every order, because the order of a series matters."""
    plain = [card for card in near if card[0] != "A"]
    yield from (play(" ".join(group)) for group in combinations(plain, 2))
    if exhaustive:
        yield from (play(" ".join(group)) for group in permutations(plain, 3))
        yield from (
            play(" ".join(group)) for group in combinations(plain, 4) if len({card[0] for card in group}) < 3
        )
    for pair in list(combinations(plain, 2))[:3]:
        yield play(" ".join(pair), "X1")
        yield play(" ".join(pair), way="lower")
    for ace in [card for card in near if card[0] == "A"][:1]:
        yield play(f"{ace} {near[0]}", rule="high") if near[0] != ace else play(f"{ace} KS", rule="high")


def _gifts(near: Sequence[str], seats: int) -> Iterator[dict[str, Any]]:
    for card, to in product(near, range(seats)):
        yield {"type": "give", "gifts": [{"card": card, "to": to}]}
    for (one, other), to_one, to_other in product(permutations(near, 2), range(seats), range(seats)):
        yield {"type": "give", "gifts": [{"card": one, "to": to_one}, {"card": other, "to": to_other}]}


def canonical(state: State, move: dict[str, Any]) -> dict[str, Any]:
    """Return the form in which the move is listed."""
    if move["type"] == "give":
        place = {TEXT[card]: at for at, card in enumerate(state.hands[state.to_act])}
        return {**move, "gifts": sorted(move["gifts"], key=lambda gift: place[gift["card"]])}
    if move["type"] == "play" and len({text[0] for text in move["cards"]}) == 1:
        return {**move, "cards": sorted(move["cards"], key=CARD.__getitem__)}
    return move


def all_cards(state: State) -> list[int]:
    return sorted([*state.draw_pile, *state.discards, *(card for held in state.hands for card in held)])


PACK = list(PACK_WITH_JOKERS)
