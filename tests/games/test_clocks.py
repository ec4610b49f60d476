"""The clocks of a table: at the limit the server plays once for the absent seat, with any number of processes."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from eventstore import store
from games import selectors, services, state
from games.errors import InvalidTable
from games.models import GameRecord, Status
from games.rules import Refused
from games.rules.bundles.verification import verify
from jobs import services as job_services
from jobs.models import Job
from ledger.models import PlaySession
from tests.concurrency import at_once
from tests.due_jobs import run_due
from tests.games.conftest import NOON, at_stake_table
from tests.games.tables import CONFIGS, dealt, some_move

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

LIMIT = timedelta(seconds=30)
DAY = timedelta(hours=24)


def kinds(game: GameRecord) -> list[str]:
    return [event.type for event in store.read(game.pk)]


def expired(game: GameRecord) -> list[Any]:
    return [event for event in store.read(game.pk) if event.type == "expired"]


def bid(game: GameRecord, player: Player, move: dict[str, Any], now: datetime) -> services.Played:
    return services.play(game_id=game.pk, player=player, move=move, now=now)


def shown_clock(game: GameRecord, viewer: Player, now: datetime) -> dict[str, Any]:
    clock: dict[str, Any] = selectors.envelope(game, viewer, now=now)["clock"]
    return clock


# --- time limit of a move -------------------------------------------------------------------------


def test_the_server_plays_for_a_late_seat_and_the_next_has_the_full_limit(
    player: Player, rival: Player
) -> None:
    game = dealt("ace-race", [player, rival], move_limit=30, now=NOON)
    run_due(NOON + LIMIT - timedelta(microseconds=1))
    assert expired(game) == []
    run_due(NOON + LIMIT)
    [event] = expired(game)
    assert (event.seat, event.data["seat"], event.data["move"]) == (None, 1, {"type": "pass"})
    run_due(NOON + 2 * LIMIT - timedelta(seconds=1))
    assert len(expired(game)) == 1
    table = state.load(game.pk)[1]
    run_due(NOON + 2 * LIMIT)
    assert [event.data["seat"] for event in expired(game)] == [1, *table.to_act()]


def test_after_a_move_in_time_the_next_seat_has_the_full_limit(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], move_limit=30, now=NOON)
    later = NOON + LIMIT - timedelta(seconds=1)
    bid(game, rival, {"type": "bid", "cards": 1}, later)
    run_due(NOON + LIMIT)
    assert expired(game) == []
    run_due(later + LIMIT)
    assert [event.data["seat"] for event in expired(game)] == [0]


def test_a_late_move_is_decided_after_the_servers_move(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], move_limit=30, now=NOON)
    with pytest.raises(Refused) as refused:
        bid(game, rival, {"type": "bid", "cards": 1}, NOON + LIMIT)
    assert refused.value.code == "not-your-turn"
    assert [event.data["seat"] for event in expired(game)] == [1], "no worker had looked yet"
    run_due(NOON + LIMIT)
    assert len(expired(game)) == 1


def test_a_table_shows_when_its_time_is_up(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], move_limit=30, game_limit=600, now=NOON)
    assert shown_clock(game, player, NOON + timedelta(seconds=7)) == {
        "move_limit": 30,
        "game_limit": 600,
        "act_by": "2026-03-01T12:00:30.000000Z",
        "ends_at": "2026-03-01T12:10:00.000000Z",
        "starts_at": None,
        "deal_by": None,
        "now": "2026-03-01T12:00:07.000000Z",
    }
    services.void_game(game_id=game.pk, reason="test", now=NOON)
    ended = shown_clock(GameRecord.objects.get(), player, NOON)
    assert (ended["act_by"], ended["ends_at"]) == (None, None)


def test_a_table_without_limits_shows_no_clock(player: Player, vegas: Callable[..., GameRecord]) -> None:
    clock = shown_clock(vegas(player), player, NOON)
    assert {name for name, value in clock.items() if value is not None} == {"now"}


def test_a_staked_game_waits_no_longer_than_the_limit_of_the_installation(
    player: Player, classic: Any, cashed_in: Callable[..., PlaySession]
) -> None:
    game = at_stake_table(player, classic, cashed_in(player), move_limit=14 * 24 * 3600)
    game = services.start_game(game=game, actor=player, now=NOON)
    run_due(NOON + DAY)
    record = GameRecord.objects.get()
    assert record.status == Status.FINISHED
    assert verify(selectors.bundle(record, player)).ok


def test_without_a_stake_a_long_limit_applies(player: Player) -> None:
    game = dealt("vegas-solitaire", [player], move_limit=3 * 24 * 3600, now=NOON)
    run_due(NOON + 2 * DAY)
    assert state.load(game.pk)[1].status == "active"
    run_due(NOON + 3 * DAY)
    assert kinds(game)[-2:] == ["expired", "finished"]


def test_an_ordinary_move_does_not_write_for_the_clock(player: Player, rival: Player) -> None:
    plain = dealt("ace-race", [player, rival], now=NOON)
    timed = dealt("ace-race", [player, rival], move_limit=30, game_limit=600, now=NOON)
    statements = []
    for game in (plain, timed):
        bid(game, rival, {"type": "bid", "cards": 1}, NOON)
        jobs = list(Job.objects.order_by("pk").values())
        with CaptureQueriesContext(connection) as queries:
            bid(game, player, {"type": "bid", "cards": 2}, NOON)
        statements.append([query["sql"].split(" ")[0] for query in queries.captured_queries])
        assert list(Job.objects.order_by("pk").values()) == jobs
    assert statements[0] == statements[1]
    assert Job.objects.filter(kind="games.clock").count() == 1


# --- time limit of a game -------------------------------------------------------------------------

ENDS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "racing-aces": lambda outcome: outcome["result"] == "won",
    "vegas-solitaire": lambda outcome: outcome["result"] == "collected",
    "idle-aces": lambda outcome: outcome["result"] == "lost",
    "ace-race": lambda outcome: outcome["result"] in ("won", "blocked"),
    "racing-demons": lambda outcome: outcome["result"] == "stuck",
}


@pytest.mark.parametrize("rules", CONFIGS)
@pytest.mark.parametrize("by", ["job", "late move"])
def test_at_the_limit_of_the_game_the_server_plays_it_to_its_end(
    player: Player, rival: Player, rules: str, by: str
) -> None:
    alone = rules in ("vegas-solitaire", "idle-aces", "racing-aces")
    people = [player] if alone else [player, rival]
    game = dealt(rules, people, game_limit=600, now=NOON)
    rng = random.Random(7)
    for _ in range(6):
        who, move = some_move(game, people, rng)
        bid(game, who, move, NOON + timedelta(seconds=500))
    over = NOON + timedelta(seconds=600)
    run_due(over - timedelta(seconds=1))
    assert GameRecord.objects.get().status == Status.ACTIVE
    if by == "late move":
        who, move = some_move(game, people, rng)
        with pytest.raises(Refused) as refused:
            bid(game, who, move, over)
        assert refused.value.code == "game-over"
    run_due(over)
    record = GameRecord.objects.get()
    assert record.status == Status.FINISHED
    assert record.outcome is not None
    assert ENDS[rules](record.outcome), record.outcome
    report = verify(selectors.bundle(record, player))
    assert report.ok, report.faults
    run_due(over + 2 * DAY)
    assert not Job.objects.open().exists()


def test_a_simultaneous_race_ends_only_by_its_own_limit(player: Player, rival: Player) -> None:
    config = {"pace": "race", "time_limit": 60}
    for limits in ({"move_limit": 30}, {"game_limit": 30}):
        with pytest.raises(InvalidTable) as refused:
            dealt("racing-demons", [player, rival], config=config, now=NOON, **limits)
        assert refused.value.extra["field"] == next(iter(limits))
    game = dealt("racing-demons", [player, rival], config=config, now=NOON)
    assert shown_clock(game, player, NOON)["ends_at"] == "2026-03-01T12:01:00.000000Z"
    services.expire_game(game_id=game.pk, now=NOON)
    run_due(NOON + timedelta(seconds=59))
    assert expired(game) == [], "no seat is late before that"
    with pytest.raises(Refused) as too_late:
        bid(game, player, {"type": "turn"}, NOON + timedelta(seconds=60))
    assert too_late.value.code == "game-over"
    assert kinds(game)[-2:] == ["expired", "finished"]
    record = GameRecord.objects.get()
    assert record.outcome is not None
    assert record.outcome["result"] == "time"
    assert verify(selectors.bundle(record, player)).ok
    run_due(NOON + timedelta(seconds=60))
    assert len(expired(game)) == 1


def test_the_time_limit_of_a_race_needs_no_late_move(player: Player, rival: Player) -> None:
    game = dealt("racing-demons", [player, rival], config={"pace": "race", "time_limit": 60}, now=NOON)
    run_due(NOON + timedelta(seconds=60))
    assert kinds(game)[-2:] == ["expired", "finished"]


# --- repeated and concurrent jobs -----------------------------------------------------------------


def clock_job(game: GameRecord) -> Job:
    return Job.objects.get(kind="games.clock", key=f"games.clock:{game.pk}")


def test_a_late_or_repeated_job_plays_once_for_the_seat(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], move_limit=30, now=NOON)
    late = NOON + 10 * LIMIT
    [claim] = job_services.claim(now=late, limit=1)
    for _ in range(3):
        assert job_services.carry_out(job_ids=claim.job_ids, now=late) is None
    assert len(expired(game)) == 1, "the next seat's time begins when the server has played"
    assert clock_job(game).due == late + LIMIT


def test_after_a_killed_worker_the_job_is_run_again(player: Player, rival: Player) -> None:
    game = dealt("ace-race", [player, rival], move_limit=30, now=NOON)
    job_services.claim(now=NOON + LIMIT)
    before = store.head(game.pk)

    with transaction.atomic():
        services.expire_if_late(game_id=game.pk, now=NOON + LIMIT)
        assert len(expired(game)) == 1
        transaction.set_rollback(True)
    state.cache.clear()
    assert store.head(game.pk) == before
    # The lease of the job lapses, and the job is handed out again.
    run_due(NOON + LIMIT + timedelta(minutes=2))
    assert len(expired(game)) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(3))
def test_concurrent_workers_and_a_move_take_effect_in_some_order(
    player: Player, rival: Player, attempt: int
) -> None:
    game = dealt("ace-race", [player, rival], move_limit=30, now=NOON)
    moment = NOON + LIMIT
    moved, *looked = at_once(
        partial(bid, game, rival, {"type": "bid", "cards": 1}, moment - timedelta(microseconds=1)),
        *[partial(services.expire_if_late, game_id=game.pk, now=moment)] * 4,
    )
    types = kinds(game)[4:]
    if isinstance(moved, services.Played):
        assert types == ["bid"]
    else:
        assert isinstance(moved, Refused), moved
        assert moved.code == "not-your-turn"
        assert types == ["expired"]
    assert not [result for result in looked if isinstance(result, Exception)]
    assert selectors.verification(game)["ok"]


# --- refusals -------------------------------------------------------------------------------------


def test_impossible_limits_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    client = api(player)
    for limits, code in [
        *(({"move_limit": limit}, "invalid-input") for limit in (4, 14 * 24 * 3600 + 1, "30", 30.0, True)),
        *(({"game_limit": limit}, "invalid-input") for limit in (9, 30 * 24 * 3600 + 1)),
        ({"rules": "racing-demons", "seats": 2, "config": {}, "move_limit": 30}, "invalid-table"),
    ]:
        with subtests.test(limits=limits, code=code):
            body = {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}, **limits}
            refused = client.post("/api/v1/games/", body)
            assert (refused.status_code, refused.json()["code"]) == (400, code)
            assert not GameRecord.objects.exists()


def test_a_table_shows_its_limits(api: Api, player: Player) -> None:
    body = {"rules": "idle-aces", "move_limit": 60, "game_limit": 3600}
    clock = api(player).post("/api/v1/games/", body).json()["clock"]
    assert (clock["move_limit"], clock["game_limit"], clock["act_by"]) == (60, 3600, None)
