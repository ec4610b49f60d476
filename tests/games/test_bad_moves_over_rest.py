"""Illegal moves over REST, at the deals of the rulebook's check values: each has its code and changes nothing.

The forms of malformed moves are those of tests/games/rules/test_*_refusals.py; here one of each game stands for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.utils import timezone

from accounts.models import Player
from eventstore import store
from games import services
from games.models import GameRecord
from jobs.models import Job
from tests.games.conftest import SEED

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
Move = dict[str, Any]

GAMES = "/api/v1/games/"


def dealt(player: Player, rival: Player, rules: str, **config: Any) -> GameRecord:
    """Deal a game of two seats, or one of a solitaire, with the client seeds `ann` and empty."""
    now = timezone.now()
    people = [player] if rules in ("idle-aces", "vegas-solitaire") else [player, rival]
    game = services.create_game(
        rules=rules, config=config, seats=len(people), creator=player, server_seed=SEED, now=now
    )
    for who, seed in zip(people, ("ann", ""), strict=False):
        services.take_seat(game=game, player=who, client_seed=seed, now=now)
    return services.start_game(game=game, actor=player, now=now)


def made(client: Any, game: GameRecord, move: Move) -> Any:
    answer = client.post(f"{GAMES}{game.pk}/moves/", {"move": move})
    assert answer.status_code == 201, answer.json()
    return answer.json()


def play(*cards: str, **more: Any) -> Move:
    return {"type": "play", "cards": list(cards), **more}


def give(*gifts: tuple[str, int]) -> Move:
    return {"type": "give", "gifts": [{"card": card, "to": to} for card, to in gifts]}


def bid(cards: Any, **more: Any) -> Move:
    return {"type": "bid", "cards": cards, **more}


def move(source: str, target: str, **more: Any) -> Move:
    return {"type": "move", "from": source, "to": target, **more}


def put(source: str, target: str) -> Move:
    return {"type": "play", "from": source, "to": target}


PASS, TURN, DRAW, STUCK = ({"type": name} for name in ("pass", "turn", "draw", "stuck"))
ABOVE = {"name": "above-below"}
HIGH = {"type": "rule", "rule": {"name": "high"}}
BIDDEN: list[tuple[int, Move]] = [(1, bid(0)), (0, PASS)]
NAMED = [*BIDDEN, (1, HIGH)]


class Position(NamedTuple):
    """The moves that lead to a position, and for each code the moves of a seat that have it."""

    rules: str
    config: dict[str, Any]
    before: list[tuple[int, Move]]
    seat: int
    refused: dict[str, list[Move]]


POSITIONS = {
    "the bidding": Position("ace-race", {}, [], 1, {
        "bid-too-low": [bid(-1)],
        "bid-too-high": [bid(7)],
        "malformed-move": [bid(1.0), bid(1, seat=0)],
        "unknown-move": [{"type": "raise", "cards": 1}],
        "rule-forbids": [play("KC"), HIGH, DRAW, {"type": "decline"}],
    }),
    "the bidding, out of turn": Position("ace-race", {}, [], 0, {
        "not-your-turn": [bid(-1), bid(7), play("KC"), HIGH, DRAW, {"type": "decline"}],
    }),
    "a bid of two": Position("ace-race", {}, [(1, bid(2))], 0, {"bid-too-low": [bid(2)]}),
    "a bid of two, out of turn": Position("ace-race", {}, [(1, bid(2))], 1, {"not-your-turn": [bid(3)]}),
    "naming the first rule": Position("ace-race", {}, BIDDEN, 1, {
        "malformed-move": [{"type": "rule", "rule": {"name": "suits", "suit": "X"}}],
        "rule-forbids": [bid(3), PASS, play("KC"), give(("KC", 0))],
    }),
    # Seat 1 holds AS 6H 4H JD KC 9S 8S 9C 6S X1 5S TH.
    "the play": Position("ace-race", {}, NAMED, 1, {
        "no-such-card": [play("KH"), play("2C"), play("KC", "KC"), play("4H", joker="X2")],
        "wrong-rank": [play("4H")],
        "rule-forbids": [
            play("X1"), play("AS", joker="X1", rule=ABOVE), play("AS", rule={"name": "high"}), play("KC", "JD"),
            bid(3), HIGH, give(("KC", 0)), {"type": "decline"},
        ],
        "malformed-move": [
            play("AS"), play("AS", rule=ABOVE, direction="higher"), play("KC", rule={"name": "low"}),
            play("KC", direction="higher"), play("KC", joker="KD"),
        ],
        "must-draw-first": [PASS],
    }),
    "a giveaway": Position("ace-race", {"previous_winner": 1}, NAMED, 1, {
        "no-such-card": [give(("KH", 0)), give(("KC", 0), ("KC", 0))],
        "malformed-move": [give(("KC", 5)), give(("KC", 0), ("JD", 0), ("TH", 0)), {"type": "decline", "gifts": []}],
        "rule-forbids": [give(("KC", 1)), play("KC"), DRAW],
    }),
    # Seat 0: the demon shows 4D.0, the work piles JD.0 6C.0 TS.0 JH.0.
    "demons": Position("racing-demons", {}, [], 0, {
        "wrong-rank": [move("demon", "work:0"), move("work:0", "work:3"), move("demon", "foundation:new")],
        "rule-forbids": [move("work:2", "work:2"), move("work:2", "work:0", count=2), PASS],
        "pile-empty": [move("waste", "work:0")],
        "no-such-pile": [move("demon", "foundation:0")],
        "malformed-move": [move("demon", "foundation:H"), move("demon", "work:0", seat=1)],
        "unknown-move": [{"type": "resign"}],
    }),
    "stuck demons": Position("racing-demons", {}, [(0, STUCK)], 0, {"rule-forbids": [STUCK]}),
    "demons in turns": Position("racing-demons", {"pace": "turns"}, [], 1, {"not-your-turn": [TURN]}),
    # The first card drawn is 7H.a; each pile shows its base.
    "idle aces": Position("idle-aces", {}, [], 0, {
        "pile-empty": [put("waste", "aces")],
        "rule-forbids": [put("twos:0", "twos:1"), put("twos:0", "twos:0"), {"type": "redeal"}],
        "malformed-move": [put("kings:4", "twos:0"), {"type": "draw", "cards": 1}],
        "unknown-move": [{"type": "flip"}],
    }),
    "idle aces with 7H.a": Position("idle-aces", {}, [(0, DRAW)], 0, {
        "wrong-rank": [put("waste", target) for target in ("twos:0", "kings:0", "aces")],
    }),
    "vegas": Position("vegas-solitaire", {"draw": 1, "stake": 0}, [], 0, {
        "rule-forbids": [{"type": "flip", "column": 0}, {"type": "recycle"}],
        "pile-empty": [move("waste", "foundation")],
        "cannot-undo": [{"type": "undo"}],
        "malformed-move": [None, "draw", [], {}, {"type": "draw", "ключ": 3}, {"type": "flip", "column": True}],
        "unknown-move": [{"type": "fly"}],
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", POSITIONS)
def test_an_illegal_move_has_its_code_and_changes_nothing(
    api: Api, player: Player, rival: Player, name: str, subtests: pytest.Subtests
) -> None:
    position = POSITIONS[name]
    game, clients = dealt(player, rival, position.rules, **position.config), (api(player), api(rival))
    for seat, step in position.before:
        made(clients[seat], game, step)

    def everything() -> Any:
        return store.head(game.pk), GameRecord.objects.values_list().get(), Job.objects.count()

    before = everything()
    for code, moves in position.refused.items():
        for step in moves:
            with subtests.test(code=code, move=step):
                answer = clients[position.seat].post(f"{GAMES}{game.pk}/moves/", {"move": step})
                problem = answer.json()
                malformed = code in ("malformed-move", "unknown-move")
                assert (answer.status_code, problem["code"]) == (400 if malformed else 409, code)
                assert answer["Content-Type"] == "application/problem+json"
                assert problem["rule"].endswith((".", "!"))
                assert "fact" in problem
                assert everything() == before


def test_a_refusal_does_not_reveal_the_holder_of_a_card(api: Api, player: Player, rival: Player) -> None:
    """KH is in the other seat's hand, 2C in the draw pile: the refusals are equal."""
    game, clients = dealt(player, rival, "ace-race"), (api(player), api(rival))
    for seat, step in NAMED:
        made(clients[seat], game, step)
    result = [
        clients[1]
        .post(f"{GAMES}{game.pk}/moves/", {"move": play(card)})
        .content.replace(card.encode(), b"card")
        for card in ("KH", "2C")
    ]
    assert result[0] == result[1]
