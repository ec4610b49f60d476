"""The time limit in a recorded game: no move after it, and no end by time before it (RULEBOOK 6 (8))."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from eventstore.chain import format_at, parse_at
from games.rules import Fact, GameKey, get, table
from games.rules.bundles.record import Recording, bundle
from games.rules.bundles.verification import verify
from games.rules.fairness import commitment
from games.rules.racing_demons.game import BY_TIME
from tests.games.rules.racing_demons import PASS, SEED, STUCK, TURN

GAME = get("racing-demons")
LIMIT = 60
PLAYERS = ("2f0c5a30-0000-4000-8000-00000000000a", "2f0c5a30-0000-4000-8000-00000000000b")
DEALT = datetime.fromisoformat("2026-02-03T12:00:00.250000+00:00")
MOMENT = timedelta(microseconds=1)
END = DEALT + timedelta(seconds=LIMIT)


class Recorded:
    """A recorded game of two seats. Appended events are not checked."""

    def __init__(self, dealt_at: datetime = DEALT, **config: object) -> None:
        self.recording = Recording("7d4d1a52-0000-4000-8000-000000000002")
        self.key = GameKey(SEED, ["ann", ""])
        parsed = GAME.parse_config({"time_limit": LIMIT, **config})
        self.append(table.create(GAME, parsed, commitment=commitment(SEED)), at=dealt_at)
        for seat, seed in enumerate(("ann", "")):
            self.append(table.seat(self.table, seat, player=PLAYERS[seat], seed=seed), at=dealt_at)
        self.append(table.deal(self.table, self.key), at=dealt_at)

    @property
    def table(self) -> table.Table:
        assert self.recording.table is not None
        return self.recording.table

    def append(self, *facts: Fact, at: datetime) -> Recorded:
        self.recording.append(*facts, at=format_at(at), key=getattr(self, "key", None))
        return self

    def play(self, seat: int, move: dict[str, object], at: datetime) -> Recorded:
        return self.append(*table.decide(self.table, seat, move), at=at)

    def expire(self, seat: int | None, at: datetime) -> Recorded:
        return self.append(*table.expire(self.table, seat), at=at)

    def report(self):
        seed = SEED if self.table.ended else None
        return verify(
            bundle(
                game_id=self.recording.stream,
                table=self.table,
                events=self.recording.events,
                server_seed=seed,
            )
        )


@pytest.mark.parametrize("late", [timedelta(0), MOMENT, timedelta(days=3)])
def test_an_end_by_time_at_the_limit_or_later_is_accepted(late):
    game = Recorded().play(0, TURN, END - MOMENT).expire(None, END + late)
    assert game.table.outcome["result"] == BY_TIME
    report = game.report()
    assert report.ok, report.faults


def test_an_end_by_time_before_the_limit_is_found():
    report = Recorded().play(0, TURN, DEALT).expire(None, END - MOMENT).report()
    assert (report.ok, report.version, report.checks["events"]) == (False, 6, "failed")
    assert "too early" in report.why


@pytest.mark.parametrize("late", [timedelta(0), timedelta(hours=1)])
def test_a_move_at_the_limit_or_later_is_found(late):
    report = Recorded().play(0, TURN, DEALT).play(1, TURN, END + late).expire(None, END + late).report()
    assert (report.ok, report.version, report.checks["moves"]) == (False, 6, "failed")
    assert "too late" in report.why


def test_a_move_that_ends_the_game_too_late_is_found():
    game = Recorded(stuck="end").play(0, STUCK, DEALT).play(1, STUCK, END)
    assert game.table.outcome["result"] == "stuck"
    assert game.report().version == 6


def test_a_pass_of_the_server_after_the_limit_is_found():
    game = Recorded(pace="turns").play(0, PASS, DEALT).expire(1, END)
    report = game.expire(None, END).report()
    assert (report.version, report.checks["moves"]) == (6, "failed")


def test_a_pass_of_the_server_before_the_limit_is_accepted():
    game = Recorded(pace="turns").expire(0, END - MOMENT).expire(None, END)
    report = game.report()
    assert report.ok, report.faults


def test_a_game_may_be_voided_at_any_time():
    game = Recorded().play(0, TURN, DEALT)
    game.append(table.void(game.table, reason="test"), at=END + timedelta(days=9))
    report = game.report()
    assert report.ok, report.faults


def test_a_game_may_run_beyond_its_limit_without_events():
    assert Recorded().play(0, TURN, END - MOMENT).report().ok


def test_a_limit_beyond_the_last_date_is_no_limit():
    last = parse_at("9999-12-31T23:59:59.999999Z")
    assert Recorded(last).play(0, TURN, last).report().ok


def test_other_games_have_no_time_limit():
    for slug, config in (
        ("vegas-solitaire", {"draw": 3}),
        ("racing-aces", {}),
        ("ace-race", {}),
        ("idle-aces", {}),
    ):
        game = get(slug)
        assert game.time_limit(game.parse_config(config)) is None
