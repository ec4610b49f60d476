"""Illegal moves over REST, at the deals of the rulebook's check values: each has its code and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from eventstore import store
from games import services
from games.models import GameRecord
from jobs.models import Job

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
Move = dict[str, Any]

GAMES = "/api/v1/games/"
SEED = bytes(range(32))
HIGH = {"type": "rule", "rule": {"name": "high"}}


def dealt(player: Player, rival: Player, rules: str, **config: Any) -> GameRecord:
    """Deal a game of two seats, or one of a solitaire, with the client seeds `ann` and empty."""
    now = timezone.now()
    people = [player] if rules == "idle-aces" else [player, rival]
    game = services.create_game(
        rules=rules, config=config, seats=len(people), creator=player, server_seed=SEED, now=now
    )
    for who, seed in zip(people, ("ann", ""), strict=False):
        services.take_seat(game=game, player=who, client_seed=seed, now=now)
    return services.start_game(game=game, actor=player, now=now)


def code(client: Any, game: GameRecord, move: object) -> tuple[int, str]:
    """Return the code of the refusal, after checking that nothing has changed."""
    before = store.head(game.pk), GameRecord.objects.values_list().get(), Job.objects.count()
    answer = client.post(f"{GAMES}{game.pk}/moves/", {"move": move})
    assert answer.status_code in (400, 409), answer.json()
    problem = answer.json()
    assert problem["rule"].endswith(".")
    assert (store.head(game.pk), GameRecord.objects.values_list().get(), Job.objects.count()) == before
    return answer.status_code, problem["code"]


def made(client: Any, game: GameRecord, *moves: Move) -> Any:
    for move in moves:
        answer = client.post(f"{GAMES}{game.pk}/moves/", {"move": move})
        assert answer.status_code == 201, answer.json()
    return answer.json()


def play(*cards: str, **more: Any) -> Move:
    return {"type": "play", "cards": list(cards), **more}


def give(*gifts: tuple[str, int]) -> Move:
    return {"type": "give", "gifts": [{"card": card, "to": to} for card, to in gifts]}


ABOVE = {"name": "above-below"}

BIDDING: list[tuple[Any, int, str]] = [
    ({"type": "bid", "cards": -1}, 409, "bid-too-low"),
    ({"type": "bid", "cards": 7}, 409, "bid-too-high"),
    ({"type": "bid", "cards": 1.0}, 400, "malformed-move"),
    ({"type": "bid", "cards": "1"}, 400, "malformed-move"),
    ({"type": "bid", "cards": True}, 400, "malformed-move"),
    ({"type": "bid"}, 400, "malformed-move"),
    ({"type": "bid", "cards": 1, "seat": 0}, 400, "malformed-move"),
    ({"type": "pass", "cards": 1}, 400, "malformed-move"),
    ({"type": "raise", "cards": 1}, 400, "unknown-move"),
    (play("KC"), 409, "rule-forbids"),
    (HIGH, 409, "rule-forbids"),
    ({"type": "draw"}, 409, "rule-forbids"),
    ({"type": "decline"}, 409, "rule-forbids"),
]


def test_illegal_moves_in_the_bidding_of_ace_race(
    api: Api, player: Player, rival: Player, subtests: pytest.Subtests
) -> None:
    game = dealt(player, rival, "ace-race")
    first, second = api(rival), api(player)
    for move, status, expected in BIDDING:
        with subtests.test(move=move, status=status, expected=expected):
            assert code(first, game, move) == (status, expected)
            if status == 409:
                assert code(second, game, move) == (409, "not-your-turn")


def test_a_bid_that_does_not_beat_the_last_is_refused(api: Api, player: Player, rival: Player) -> None:
    game = dealt(player, rival, "ace-race")
    made(api(rival), game, {"type": "bid", "cards": 2})
    assert code(api(player), game, {"type": "bid", "cards": 2}) == (409, "bid-too-low")
    assert code(api(rival), game, {"type": "bid", "cards": 3}) == (409, "not-your-turn")


NAMING: list[tuple[Any, int, str]] = [
    ({"type": "rule", "rule": {"name": "suits"}}, 400, "malformed-move"),
    ({"type": "rule", "rule": {"name": "high", "suit": "H"}}, 400, "malformed-move"),
    ({"type": "rule", "rule": {"name": "suits", "suit": "X"}}, 400, "malformed-move"),
    ({"type": "rule", "rule": "high"}, 400, "malformed-move"),
    ({"type": "rule"}, 400, "malformed-move"),
    ({"type": "bid", "cards": 3}, 409, "rule-forbids"),
    ({"type": "pass"}, 409, "rule-forbids"),
    (play("KC"), 409, "rule-forbids"),
    (give(("KC", 0)), 409, "rule-forbids"),
]


def test_illegal_moves_when_the_first_rule_is_named(
    api: Api, player: Player, rival: Player, subtests: pytest.Subtests
) -> None:
    game = dealt(player, rival, "ace-race")
    made(api(rival), game, {"type": "bid", "cards": 0})
    made(api(player), game, {"type": "pass"})
    client = api(rival)
    for move, status, expected in NAMING:
        with subtests.test(move=move, status=status, expected=expected):
            assert code(client, game, move) == (status, expected)


# Seat 1 holds AS 6H 4H JD KC 9S 8S 9C 6S X1 5S TH.
PLAYING: list[tuple[Any, int, str]] = [
    (play("KH"), 409, "no-such-card"),
    (play("2C"), 409, "no-such-card"),
    (play("KC", "KC"), 409, "no-such-card"),
    (play("4H"), 409, "wrong-rank"),
    (play("X1"), 409, "rule-forbids"),
    (play("4H", joker="X2"), 409, "no-such-card"),
    (play("AS", joker="X1", rule=ABOVE), 409, "rule-forbids"),
    (play("AS"), 400, "malformed-move"),
    (play("AS", rule=ABOVE, direction="higher"), 400, "malformed-move"),
    (play("AS", rule={"name": "high"}), 409, "rule-forbids"),
    (play("KC", rule={"name": "low"}), 400, "malformed-move"),
    (play("KC", direction="higher"), 400, "malformed-move"),
    (play("KC", joker="KD"), 400, "malformed-move"),
    (play(), 400, "malformed-move"),
    ({"type": "play", "cards": "KC"}, 400, "malformed-move"),
    (play("??"), 400, "malformed-move"),
    (play("kc"), 400, "malformed-move"),
    (play("KC", "JD"), 409, "rule-forbids"),
    ({"type": "pass"}, 409, "must-draw-first"),
    ({"type": "bid", "cards": 3}, 409, "rule-forbids"),
    (HIGH, 409, "rule-forbids"),
    (give(("KC", 0)), 409, "rule-forbids"),
    ({"type": "decline"}, 409, "rule-forbids"),
]


def test_illegal_moves_in_the_play_of_ace_race(
    api: Api, player: Player, rival: Player, subtests: pytest.Subtests
) -> None:
    game = dealt(player, rival, "ace-race")
    made(api(rival), game, {"type": "bid", "cards": 0})
    made(api(player), game, {"type": "pass"})
    made(api(rival), game, HIGH)
    client = api(rival)
    for move, status, expected in PLAYING:
        with subtests.test(move=move, status=status, expected=expected):
            assert code(client, game, move) == (status, expected)


GIVING: list[tuple[Any, int, str]] = [
    (give(("KC", 1)), 409, "rule-forbids"),
    (give(("KH", 0)), 409, "no-such-card"),
    (give(("KC", 0), ("KC", 0)), 409, "no-such-card"),
    (give(("KC", 9)), 400, "malformed-move"),
    (give(("KC", -1)), 400, "malformed-move"),
    (give(("KC", 5)), 400, "malformed-move"),
    (give(("KC", 0), ("JD", 0), ("TH", 0)), 400, "malformed-move"),
    (give(), 400, "malformed-move"),
    ({"type": "give", "gifts": [{"card": "KC", "to": 0, "from": 1}]}, 400, "malformed-move"),
    ({"type": "decline", "gifts": []}, 400, "malformed-move"),
    (play("KC"), 409, "rule-forbids"),
    ({"type": "draw"}, 409, "rule-forbids"),
]


def test_illegal_moves_in_a_giveaway(
    api: Api, player: Player, rival: Player, subtests: pytest.Subtests
) -> None:
    game = dealt(player, rival, "ace-race", previous_winner=1)
    made(api(rival), game, {"type": "bid", "cards": 0})
    made(api(player), game, {"type": "pass"})
    made(api(rival), game, HIGH)
    client = api(rival)
    for move, status, expected in GIVING:
        with subtests.test(move=move, status=status, expected=expected):
            assert code(client, game, move) == (status, expected)


def test_a_refusal_does_not_reveal_the_holder_of_a_card(api: Api, player: Player, rival: Player) -> None:
    """KH is in the other seat's hand, 2C in the draw pile: the refusals are equal."""
    game = dealt(player, rival, "ace-race")
    made(api(rival), game, {"type": "bid", "cards": 0})
    made(api(player), game, {"type": "pass"})
    made(api(rival), game, HIGH)
    client = api(rival)
    result = [
        client.post(f"{GAMES}{game.pk}/moves/", {"move": play(card)}).content.replace(card.encode(), b"card")
        for card in ("KH", "2C")
    ]
    assert result[0] == result[1]


# Seat 0: the demon shows 4D.0, the work piles JD.0 6C.0 TS.0 JH.0.
DEMONS: list[tuple[Any, int, str]] = [
    ({"type": "move", "from": "demon", "to": "work:0"}, 409, "wrong-rank"),
    ({"type": "move", "from": "work:2", "to": "work:2"}, 409, "rule-forbids"),
    ({"type": "move", "from": "work:2", "to": "work:0", "count": 2}, 409, "rule-forbids"),
    ({"type": "move", "from": "work:0", "to": "work:3"}, 409, "wrong-rank"),
    ({"type": "move", "from": "waste", "to": "work:0"}, 409, "pile-empty"),
    ({"type": "move", "from": "demon", "to": "foundation:0"}, 409, "no-such-pile"),
    ({"type": "move", "from": "demon", "to": "foundation:new"}, 409, "wrong-rank"),
    ({"type": "move", "from": "demon", "to": "foundation:H"}, 400, "malformed-move"),
    ({"type": "move", "from": "foundation:0", "to": "work:0"}, 400, "malformed-move"),
    ({"type": "move", "from": "work:4", "to": "work:0"}, 400, "malformed-move"),
    ({"type": "move", "from": "work:2", "to": "work:0", "count": 0}, 400, "malformed-move"),
    ({"type": "move", "from": "demon", "to": "work:0", "seat": 1}, 400, "malformed-move"),
    ({"type": "turn", "count": 3}, 400, "malformed-move"),
    ({"type": "pass"}, 409, "rule-forbids"),
    ({"type": "resign"}, 400, "unknown-move"),
]


def test_illegal_moves_in_racing_demons(
    api: Api, player: Player, rival: Player, subtests: pytest.Subtests
) -> None:
    game = dealt(player, rival, "racing-demons")
    client = api(player)
    for move, status, expected in DEMONS:
        with subtests.test(move=move, status=status, expected=expected):
            assert code(client, game, move) == (status, expected)


def test_stuck_is_reported_once_and_only_in_turn(api: Api, player: Player, rival: Player) -> None:
    race = dealt(player, rival, "racing-demons")
    made(api(player), race, {"type": "stuck"})
    assert code(api(player), race, {"type": "stuck"}) == (409, "rule-forbids")


def test_at_the_pace_of_turns_the_other_seat_waits(api: Api, player: Player, rival: Player) -> None:
    turns = dealt(player, rival, "racing-demons", pace="turns")
    assert code(api(rival), turns, {"type": "turn"}) == (409, "not-your-turn")


# The first card drawn is 7H.a; each pile shows its base.
IDLE: list[tuple[Any, int, str]] = [
    ({"type": "play", "from": "waste", "to": "aces"}, 409, "pile-empty"),
    ({"type": "play", "from": "twos:0", "to": "twos:1"}, 409, "rule-forbids"),
    ({"type": "play", "from": "twos:0", "to": "twos:0"}, 409, "rule-forbids"),
    ({"type": "play", "from": "aces", "to": "kings:0"}, 400, "malformed-move"),
    ({"type": "play", "from": "kings:4", "to": "twos:0"}, 400, "malformed-move"),
    ({"type": "play", "from": "waste", "to": "waste"}, 400, "malformed-move"),
    ({"type": "play", "from": "waste"}, 400, "malformed-move"),
    ({"type": "redeal"}, 409, "rule-forbids"),
    ({"type": "draw", "cards": 1}, 400, "malformed-move"),
    ({"type": "flip"}, 400, "unknown-move"),
]


def test_illegal_moves_in_idle_aces(
    api: Api, player: Player, rival: Player, subtests: pytest.Subtests
) -> None:
    game = dealt(player, rival, "idle-aces")
    client = api(player)
    for move, status, expected in IDLE:
        with subtests.test(move=move, status=status, expected=expected):
            assert code(client, game, move) == (status, expected)


def test_a_drawn_card_goes_only_where_it_fits(
    api: Api, player: Player, rival: Player, subtests: pytest.Subtests
) -> None:
    game = dealt(player, rival, "idle-aces")
    client = api(player)
    assert made(client, game, {"type": "draw"})["view"]["waste"] == "7H.a"
    for target in ["twos:0", "kings:0", "aces"]:
        with subtests.test(target=target):
            assert code(client, game, {"type": "play", "from": "waste", "to": target}) == (409, "wrong-rank")
