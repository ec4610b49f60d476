"""Continuing a suspended game as a new game from an earlier version: same deal, same events, then further play."""

from __future__ import annotations

import random
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Player
from core.errors import NoSuchVersion, NotFound
from eventstore import store
from eventstore.chain import parse_at
from games import access, selectors, services, state
from games.errors import DealInPlay, GameSuspended, NotContinuable, NotSuspended
from games.models import GameRecord, Status
from games.rules.bundles.verification import verify
from games.rules.table import CONTINUED, Table
from games.suspensions import continuation
from games.suspensions import services as suspension
from tests.games.conftest import NOON, SEED
from tests.games.tables import CONFIGS, dealt, some_move

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
FOR_TWO = ("ace-race", "racing-demons")
DULL = ("collect", "resign", "stuck", "pass", "play")
"""Moves that may end a game, or bring its end nearer."""
WHY = "the wrong card was shown"


def people_of(rules: str, player: Player, rival: Player) -> list[Player]:
    return [player, rival] if rules in FOR_TWO else [player]


def played(rules: str, people: list[Player], *, moves: int = 12, seed: int = 1, **more: Any) -> GameRecord:
    """Return a game with some moves, one each second, suspended a minute after the last."""
    game, rng = dealt(rules, people, now=NOON, server_seed=SEED, **more), random.Random(seed)
    now = NOON
    for _ in range(moves):
        now += timedelta(seconds=1)
        who, move = a_move(game, people, rng)
        services.play(game_id=game.pk, player=who, move=move, now=now)
    suspension.suspend(game.pk, by=None, reason=WHY, now=now + MINUTE)
    return game


def a_move(game: GameRecord, people: list[Player], rng: random.Random) -> tuple[Player, dict[str, Any]]:
    """Return a legal move, if possible one that does not end the game."""
    table = state.load(game.pk)[1]
    seat = table.to_act()[0] if table.to_act() else None
    moves = table.legal_moves(seat)
    return people[seat or 0], rng.choice([move for move in moves if move["type"] not in DULL] or moves)


def continue_game(game: GameRecord, version: int, *, now: datetime = NOON + HOUR) -> GameRecord:
    return continuation.continue_from(game.pk, version=version, reason=WHY, now=now)


def table_at(game: GameRecord, version: int) -> Table:
    return state.fold(store.read(game.pk, until=version))


def to_the_end(game: GameRecord, *, now: datetime = NOON + 2 * HOUR) -> GameRecord:
    while not state.load(game.pk)[1].ended:
        services.expire_game(game_id=game.pk, now=now)
    return GameRecord.objects.get(pk=game.pk)


@pytest.mark.parametrize("rules", CONFIGS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=3)
@given(data=st.data())
def test_parent_and_child_have_the_same_state_at_the_version(
    rules: str, data: st.DataObject, player: Player, rival: Player
) -> None:
    seed, moves = data.draw(st.integers(0, 2**16)), data.draw(st.integers(0, 12))
    game = played(rules, people_of(rules, player, rival), moves=moves, seed=seed)
    events = store.read(game.pk)
    first = next(event.version for event in events if event.type == "dealt")
    version = data.draw(st.integers(first, len(events)))
    child = continue_game(game, version)
    found, was = state.load(child.pk)[1], table_at(game, version)
    assert found == was
    assert [found.view(seat) for seat in (None, *found.seats)] == [
        was.view(seat) for seat in (None, *was.seats)
    ]
    assert GameRecord.objects.get(pk=game.pk).status == Status.VOID
    assert store.read(game.pk)[-1].data == {"reason": CONTINUED}


@pytest.mark.parametrize("rules", CONFIGS)
def test_the_bundles_of_both_games_verify(rules: str, player: Player, rival: Player, auditor: Player) -> None:
    people = people_of(rules, player, rival)
    game = played(rules, people)
    child = to_the_end(continue_game(game, store.head(game.pk).version - 3))
    for one in (GameRecord.objects.get(pk=game.pk), child):
        report = verify(selectors.bundle(one, auditor))
        assert report.ok, report.why
        assert "not-run" not in report.checks.values()
        assert selectors.verification(one)["ok"]


def test_the_first_event_names_the_parent_and_its_hash(player: Player) -> None:
    game = played("vegas-solitaire", [player])
    child = continue_game(game, 5)
    created = store.read(child.pk, until=1)[0]
    expected = {"game": str(game.pk), "version": 5, "hash": store.read(game.pk, until=5)[-1].hash}
    assert created.data["parent"] == expected
    assert created.data["commitment"] == game.commitment


@pytest.mark.parametrize("rules", CONFIGS)
def test_play_continues_from_the_version(rules: str, player: Player, rival: Player) -> None:
    people = people_of(rules, player, rival)
    game = played(rules, people)
    child = continue_game(game, store.head(game.pk).version - 2)
    who, move = some_move(child, people, random.Random(5))
    later = services.play(game_id=child.pk, player=who, move=move, now=NOON + HOUR)
    assert later.version == child.parent_version + 1 if child.parent_version else False


def test_the_rules_clock_continues_from_its_value(player: Player, rival: Player) -> None:
    """RULEBOOK 6 (8): the limit runs from `dealt`, which the child postpones by the length of the suspension."""
    game = played("racing-demons", [player, rival], config={"time_limit": 60}, moves=10)
    stood = parse_at(store.read(game.pk)[-1].at)
    child = suspension.resume(game.pk, by=None, reason="they are on", now=NOON + HOUR)
    assert child != game
    events = store.read(child.pk)
    deal = next(parse_at(event.at) for event in events if event.type == "dealt")
    assert parse_at(events[-1].at) == NOON + HOUR
    assert parse_at(events[-1].at) - deal == stood - NOON
    left = timedelta(seconds=60) - (stood - NOON)
    assert services.expire_if_late(game_id=child.pk, now=NOON + HOUR + left / 2) == NOON + HOUR + left
    assert services.expire_if_late(game_id=child.pk, now=NOON + HOUR + left) is None
    assert state.load(child.pk)[1].outcome["result"] == "time"


def test_only_a_suspended_game_can_be_continued(player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=NOON)
    with pytest.raises(NotSuspended):
        continue_game(game, 3)
    services.void_game(game_id=game.pk, reason="a test", now=NOON)
    with pytest.raises(NotSuspended):
        continue_game(game, 3)


def test_a_game_is_continued_once(player: Player) -> None:
    game = played("vegas-solitaire", [player])
    continue_game(game, 5)
    with pytest.raises(NotSuspended):
        continue_game(game, 5)


def test_a_continued_game_may_be_suspended_and_continued(player: Player) -> None:
    game = played("vegas-solitaire", [player])
    child = continue_game(game, 6)
    suspension.suspend(child.pk, by=None, reason=WHY, now=NOON + HOUR)
    grandchild = continue_game(child, 5, now=NOON + 2 * HOUR)
    assert state.load(grandchild.pk)[1] == table_at(game, 5)
    ended = to_the_end(grandchild, now=NOON + 3 * HOUR)
    for one in (game, child, ended):
        assert verify(selectors.bundle(GameRecord.objects.get(pk=one.pk), player)).ok


@pytest.mark.parametrize("version", [0, 99])
def test_the_version_must_exist(version: int, player: Player) -> None:
    game = played("vegas-solitaire", [player])
    with pytest.raises(NoSuchVersion):
        continue_game(game, version)
    assert GameRecord.objects.get(pk=game.pk).suspended_at is not None


def test_the_version_must_be_after_the_deal(player: Player) -> None:
    game = played("vegas-solitaire", [player])
    with pytest.raises(NotContinuable, match="not been dealt"):
        continue_game(game, 2)


def test_events_of_one_step_of_the_server_stay_together(player: Player, rival: Player) -> None:
    """For an absent seat of Ace Race the server draws and passes: two events, one step."""
    game = dealt("ace-race", [player, rival], now=NOON)
    while True:
        before = store.head(game.pk).version
        services.expire_game(game_id=game.pk, now=NOON)
        if store.head(game.pk).version == before + 2:
            break
    suspension.suspend(game.pk, by=None, reason=WHY, now=NOON)
    with pytest.raises(NotContinuable, match="one step"):
        continue_game(game, before + 1)
    assert continue_game(game, before + 2).parent_version == before + 2


# --- visibility ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", CONFIGS)
def test_both_games_are_hidden_from_others_until_both_have_ended(
    rules: str, player: Player, rival: Player, stranger: Player
) -> None:
    game = played(rules, people_of(rules, player, rival))
    child = continue_game(game, store.head(game.pk).version - 1)
    for one in (game, child):
        for viewer in (stranger, None):
            with pytest.raises(NotFound):
                access.visible_game(viewer, one.pk)
        mine = access.visible_game(player, one.pk)
        assert selectors.envelope(mine, player, now=NOON)["fairness"]["server_seed"] is None
        assert all(event["private"] is None or "packs" not in event["private"]
                   for event in selectors.events_for(player, one.pk))  # fmt: skip
    with pytest.raises(DealInPlay):
        selectors.bundle(GameRecord.objects.get(pk=game.pk), player)
    to_the_end(child)
    for one in (game, child):
        assert access.visible_game(stranger, one.pk).ended
        shown = selectors.envelope(GameRecord.objects.get(pk=one.pk), stranger, now=NOON)
        assert shown["fairness"]["server_seed"] is not None


def test_parent_and_continuation_link_to_each_other(player: Player) -> None:
    game = played("vegas-solitaire", [player])
    child = continue_game(game, 5)
    old, new = (
        selectors.envelope(GameRecord.objects.get(pk=one.pk), player, now=NOON) for one in (game, child)
    )
    assert old["replaced_by"] == str(child.pk)
    assert new["parent"] == {"game": str(game.pk), "version": 5}


def test_an_early_bundle_of_the_parent_verifies(player: Player, auditor: Player) -> None:
    game = played("vegas-solitaire", [player])
    continue_game(game, 5)
    bundle = selectors.bundle(GameRecord.objects.get(pk=game.pk), auditor, early=True)
    report = verify(bundle)
    assert report.ok, report.why
    assert report.checks["commitment"] == "not-run"


# --- bots, voids, and refusals ---------------------------------------------------------------------------


def test_bots_play_the_continued_game(player: Player) -> None:
    from tests.due_jobs import run_due

    game = services.create_game(
        rules="ace-race", config={}, seats=2, creator=player, bots=[services.BotSeat(1, "steady")], now=NOON
    )
    services.take_seat(game=game, player=player, client_seed="", now=NOON)
    services.start_game(game=game, actor=player, now=NOON)
    run_due(NOON)
    suspension.suspend(game.pk, by=None, reason=WHY, now=NOON)
    [dealt_at] = [event.version for event in store.read(game.pk) if event.type == "dealt"]
    child = continue_game(game, dealt_at, now=NOON)
    run_due(NOON)
    table = state.load(child.pk)[1]
    assert table.ended or table.to_act() == [0]


def test_a_suspended_game_can_be_voided(player: Player) -> None:
    game = played("vegas-solitaire", [player])
    services.void_game(game_id=game.pk, reason="no one came back", now=NOON + HOUR)
    found = GameRecord.objects.get(pk=game.pk)
    assert (found.status, found.suspended_at) == (Status.VOID, None)
    with pytest.raises(NotSuspended):
        suspension.resume(game.pk, by=None, reason=WHY, now=NOON + HOUR)
    assert found.suspensions.get().lifted == "void"
    assert verify(selectors.bundle(found, player)).ok


def test_a_refusal_changes_nothing(player: Player) -> None:
    game = played("vegas-solitaire", [player])
    before = store.head(game.pk)
    with pytest.raises(NotContinuable):
        continue_game(game, 1)
    assert store.head(game.pk) == before
    with pytest.raises(GameSuspended):
        services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert not GameRecord.objects.filter(parent=game).exists()
    with pytest.raises(NotFound):
        suspension.suspend(uuid.uuid4(), by=None, reason=WHY, now=NOON)
