"""Bots at tables with people: chosen by name, playing from their seat's observation, at a limited pace."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from accounts.models import Player
from eventstore import store
from games import bots, context, selectors, services, state
from games.bots import Observation
from games.models import BotPace, GameRecord, Status
from games.observation import ViewScope, redacted
from games.play import bots as play_bots
from games.rules.bundles.verification import verify
from games.services import BotSeat
from jobs.models import Job
from tests.due_jobs import run_due
from tests.games.conftest import NOON

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

GAMES = "/api/v1/games/"
PACE = play_bots.PACES[BotPace.NORMAL]


def table(player: Player, rules: str, seats: int, taken: list[BotSeat], **more: Any) -> GameRecord:
    config = more.pop("config", {})
    game = services.create_game(
        rules=rules,
        config=config,
        seats=seats,
        creator=player,
        bots=taken,
        server_seed=bytes(32),
        game_id=uuid.UUID(int=1),
        now=NOON,
        **more,
    )
    if len(taken) < seats:
        services.take_seat(game=game, player=player, client_seed="", now=NOON)
    return services.start_game(game=game, actor=player, now=NOON)


def by_seat(game: GameRecord) -> dict[int | None, int]:
    """Return the number of moves of each seat."""
    made: dict[int | None, int] = {}
    for event in store.read(game.pk):
        if "move" in event.data:
            made[event.seat] = made.get(event.seat, 0) + 1
    return made


class Witness:
    """A bot that plays like the bot of that name and records its observations."""

    def __init__(self, name: str, requested: list[tuple[str, Observation]]) -> None:
        self.name, self.requested = name, requested
        self.bot = bots.get("ace-race", name)

    def choose(self, observation: Observation, rng: random.Random) -> dict[str, Any]:
        history = observation.history()
        self.requested.append((self.name, observation._replace(history=lambda: history)))
        return self.bot.choose(observation, rng)


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Observation]]:
    """Record the bots that choose a move, and their observations."""
    known = {name: Witness(name, []) for name in ("steady", "random")}
    notes: list[tuple[str, Observation]] = []
    for witness in known.values():
        witness.requested = notes
    monkeypatch.setattr(play_bots.bots, "get", lambda slug, name: known[name])
    return notes


def test_each_seat_is_played_by_its_chosen_bot(
    api: Api, player: Player, requested: list[tuple[str, Observation]]
) -> None:
    client = api(player)
    body = {"rules": "ace-race", "seats": 3, "bots": [1, {"seat": 2, "bot": "random"}]}
    opened = client.post(GAMES, body)
    expected = [(None, None), ("bot", "steady"), ("bot", "random")]
    assert [(seat["kind"], seat["bot"]) for seat in opened.json()["seats"]] == expected
    client.post(f"{opened['Location']}seats/", {})
    client.post(f"{opened['Location']}start/", {})
    run_due(Job.objects.get(kind="games.play_bot").due)
    assert {(observation.seat, name) for name, observation in requested} == {(1, "steady"), (2, "random")}


def test_several_bots_in_a_row_play_until_a_person_is_to_act(player: Player) -> None:
    game = table(player, "ace-race", 4, [BotSeat(seat) for seat in (1, 2, 3)])
    run_due(NOON)
    assert state.load(game.pk)[1].to_act() == [0]
    assert set(by_seat(game)) <= {1, 2, 3}


def test_bots_playing_with_people_in_a_race_move_at_intervals(player: Player) -> None:
    game = table(player, "racing-demons", 3, [BotSeat(1, "random"), BotSeat(2, "random")])
    run_due(NOON)
    assert by_seat(game) == {1: 1, 2: 1}
    run_due(NOON + PACE / 2)
    assert by_seat(game) == {1: 1, 2: 1}, "not yet"
    jobs = Job.objects.filter(kind="games.play_bot")
    for step in range(1, 4):
        moment = NOON + step * 10 * PACE
        services.play(game_id=game.pk, player=player, move={"type": "turn"}, now=moment)
        assert jobs.count() == 1, "a person's move schedules no job: the bots' one job continues"
        run_due(moment)
    made = by_seat(game)
    assert made[0] == 3
    assert (made[1], made[2]) == (4, 4), "one each time that their job was due"


def test_a_game_of_bots_alone_is_played_at_once_by_all_of_them(player: Player) -> None:
    game = table(player, "racing-demons", 3, [BotSeat(seat) for seat in range(3)])
    run_due(NOON)
    record = GameRecord.objects.get()
    assert record.status == Status.FINISHED
    made = by_seat(game)
    assert min(made[seat] for seat in range(3)) * 3 > max(made[seat] for seat in range(3)), (
        "none is left behind"
    )
    assert verify(selectors.bundle(record, player)).ok


def test_a_slow_bot_stops_in_time_and_continues_later(player: Player) -> None:
    game = table(player, "vegas-solitaire", 1, [BotSeat(0)], config={"draw": 1, "stake": 0})
    ticks = iter(range(10_000))

    def clock() -> datetime:
        return NOON + timedelta(seconds=next(ticks))

    until = NOON + timedelta(seconds=5)
    made = services.play_bots(game_id=game.pk, now=NOON, most=400, clock=clock, until=until)
    assert made == 3, "it looks at the clock before and after each move"
    assert services.bots_due(game_id=game.pk, now=NOON) == NOON
    run_due(NOON)
    assert state.load(game.pk)[1].ended


def test_the_player_after_a_slow_bot_has_the_full_time_limit(player: Player) -> None:
    game = table(player, "ace-race", 2, [BotSeat(1)], move_limit=30)
    thought = NOON + timedelta(seconds=12)
    services.play_bots(game_id=game.pk, now=NOON, most=400, clock=lambda: thought)
    clock = selectors.envelope(game, player, now=thought)["clock"]
    assert clock["act_by"] == "2026-03-01T12:00:42.000000Z"


def test_the_time_limit_applies_to_a_slow_bot_too(player: Player) -> None:
    game = table(player, "ace-race", 2, [BotSeat(1)], move_limit=30)
    services.play_bots(game_id=game.pk, now=NOON, most=1, clock=lambda: NOON + timedelta(seconds=31))
    assert [event.type for event in store.read(game.pk)][-1] == "expired"


def test_a_bot_observes_what_its_seat_is_shown(
    player: Player, requested: list[tuple[str, Observation]]
) -> None:
    """Its view and its history equal those that a person in the seat receives."""
    game = table(player, "ace-race", 2, [BotSeat(1)])
    services.play_bots(game_id=game.pk, now=NOON, most=1)
    [(_, observation)] = requested
    version = len(observation.history())
    assert observation.view == state.fold(store.read(game.pk, until=version)).view(1)
    assert observation.seat == 1
    bot = game.seatings.get(seat=1).player
    assert list(observation.history()) == selectors.events_for(bot, game.pk, limit=version)
    assert all(event["private"] is None for event in observation.history())


def test_impossible_choices_of_bots_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    client = api(player)
    impossible = [[{"seat": 1, "bot": "genius"}], [{"seat": 2}], [1, {"seat": 1}]]
    malformed = [
        *({"seat": 1, "bot": ""}, {"seat": 1, "bot": 7}, {"bot": "steady"}, {"seat": 1, "level": 3}),
        *({"seat": 12}, "1", True, None, [1]),
    ]
    for taken, code in [
        *((taken, "invalid-table") for taken in impossible),
        *(([taken], "invalid-input") for taken in malformed),
    ]:
        with subtests.test(taken=taken, code=code):
            refused = client.post(GAMES, {"rules": "ace-race", "seats": 2, "bots": taken})
            assert (refused.status_code, refused.json()["code"]) == (400, code), refused.json()
            assert not GameRecord.objects.exists()


def test_the_account_of_a_bot_is_named_after_its_strategy_and_seat(player: Player) -> None:
    game = table(player, "ace-race", 3, [BotSeat(1), BotSeat(2, "random")])
    expected = ["steady 1", "random 2"]
    assert [seating.player.display_name for seating in game.seatings.order_by("seat")[1:]] == expected
    about = context.of(game.pk, state.load(game.pk)[1])
    assert about.strategies == {1: "steady", 2: "random"}


def test_bots_see_pending_moves_as_they_are_appended(
    player: Player, requested: list[tuple[str, Observation]]
) -> None:
    game = table(player, "ace-race", 3, [BotSeat(seat) for seat in range(3)])
    services.play_bots(game_id=game.pk, now=NOON, most=40)
    assert len(requested) == 40
    for _, observation in requested:
        result = store.read(game.pk, until=len(observation.history()))
        assert observation.view == state.fold(result).view(observation.seat)
        scope = ViewScope(state.fold(result).game, observation.seat, everything=False)
        assert list(observation.history()) == [redacted(event, scope) for event in result]


def test_bots_make_the_same_moves_in_one_job_as_one_by_one(player: Player) -> None:
    made = []
    for most in (1, 7, 500):
        with transaction.atomic():
            game = table(player, "ace-race", 3, [BotSeat(seat) for seat in range(3)])
            while services.play_bots(game_id=game.pk, now=NOON, most=most):
                pass
            made.append([(event.type, event.seat, event.data) for event in store.read(game.pk)][4:])
            transaction.set_rollback(True)
        state.cache.clear()
        context.clear_cache()
    assert made[0] == made[1] == made[2]
    assert made[0][-1][0] == "finished"
