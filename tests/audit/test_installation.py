"""A whole installation at once: games of all rules, what came since a checkpoint, and the command line."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner

from accounts.models import Player
from audit import ranges, work
from audit.mixed import played
from audit.report import Report, document
from audit.services import UnknownCheckpoint, audit_game, audit_installation
from audit.testing import lay_in
from config import checkpoints
from config.cli.audit import audit as command
from config.cli.main import application
from eventstore import checkpoint
from eventstore.models import Checkpoint
from eventstore.testing import wait_until_final
from games import services, suspension
from games.models import GameRecord
from tests.audit.conftest import found, verdicts
from tests.conftest import NOW

pytestmark = pytest.mark.both_databases

Tamper = Callable[..., None]


@pytest.fixture
def own_key(settings: Any, tmp_path: Path) -> None:
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"
    settings.DATA = tmp_path


def signed(now: datetime = NOW) -> Checkpoint:
    wait_until_final()
    checkpoints.make_and_publish(now)
    made = checkpoint.latest()
    assert made is not None
    return made


@pytest.mark.django_db
@pytest.mark.parametrize(
    "games", [10, pytest.param(2_000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_honest_games_of_all_rules_raise_no_alarm(games: int) -> None:
    events = sum(lay_in(played(range(at, min(at + 200, games)))) for at in range(0, games, 200))
    report = audit_installation()
    assert (report.ok, report.faults) == (True, [])
    assert (report.counted["games"], report.counted["events"]) == (games, events)
    told = verdicts(report, "games")
    assert set(told.values()) == {"passed"}


@pytest.mark.django_db
def test_the_ranges_leave_no_stream_out_and_name_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    lay_in(played(range(4)))
    monkeypatch.setattr(ranges, "EVENTS", 40)
    laid_out = list(ranges.of_all())
    assert (laid_out[0].first.int, laid_out[-1].last.int) == (0, 2**128 - 1)
    assert all(one.last.int + 1 == other.first.int for one, other in pairwise(laid_out))
    pieces: list[work.Piece] = []

    def counted(carry_out: Any, given: Any) -> Any:
        pieces.extend(given)
        # As another process would get them, in another order.
        return map(carry_out, pickle.loads(pickle.dumps(list(reversed(given)))))

    apart = audit_installation(spread=counted)
    assert len([piece for piece in pieces if piece.part == "streams"]) == len(laid_out) >= 3
    monkeypatch.setattr(ranges, "EVENTS", 10**6)
    assert document(apart, scope="installation") == document(audit_installation(), scope="installation")


@pytest.mark.django_db(transaction=True)
def test_what_came_since_a_checkpoint(own_key: None, player: Player, vegas: Callable[..., Any]) -> None:
    first, second = vegas(player), vegas(player)
    since = signed()
    nothing = audit_installation(since=since.number)
    assert (nothing.counted["streams"], nothing.counted["checkpoints"]) == (0, 0)
    services.play(game_id=second.pk, player=player, move={"type": "draw"}, now=NOW)
    signed()
    report = audit_installation(since=since.number)
    assert (report.counted["games"], report.counted["checkpoints"]) == (1, 1)
    assert verdicts(report, "ledger")["transfers from what happened"] == "not-run"
    assert audit_installation().counted["games"] == 2
    assert first.pk != second.pk
    with pytest.raises(UnknownCheckpoint):
        audit_installation(since=99)


@pytest.mark.django_db(transaction=True)
def test_a_rewritten_stream_is_found_by_the_checkpoint(
    own_key: None, player: Player, vegas: Callable[..., Any], tamper: Tamper
) -> None:
    """A stream that is whole in itself, and shorter than the one that was signed."""
    game = vegas(player)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOW)
    made = signed()
    assert verdicts(audit_game(game.pk), "games")["checkpoint"] == "passed"
    tamper("DELETE FROM eventstore_event WHERE stream_id = %s AND version = 4", game.pk)
    before = "(SELECT {} FROM eventstore_event e WHERE e.stream_id = eventstore_stream.id AND e.version = 3)"
    tamper(
        f"UPDATE eventstore_stream SET version = 3, head_hash = {before.format('hash')}, "
        f"head_at = {before.format('at')} WHERE id = %s",
        game.pk,
    )
    subject = f"game:{game.pk}"
    assert {(part, check) for part, check, *_ in found(audit_installation())} == {("checkpoints", "kept")}
    [fault] = audit_game(game.pk).faults
    assert (fault.check, fault.subject, fault.checkpoint) == ("checkpoint", subject, made.number)


@pytest.mark.django_db(transaction=True)
def test_a_checkpoint_that_was_published_and_is_gone(
    own_key: None, player: Player, vegas: Callable[..., Any], tamper: Tamper
) -> None:
    vegas(player)
    signed()
    tamper("DELETE FROM eventstore_checkpoint")
    report = audit_installation(known=list(checkpoints.read_published()))
    assert [(fault.part, fault.check, fault.checkpoint) for fault in report.faults] == [
        ("checkpoints", "published", 1)
    ]


@pytest.mark.django_db
def test_a_suspension_that_is_told_otherwise(
    player: Player, vegas: Callable[..., Any], tamper: Tamper
) -> None:
    game = vegas(player)
    suspension.suspend(game.pk, by=None, reason="a dispute", now=NOW)
    report = audit_installation()
    assert (report.faults, verdicts(report, "suspensions")) == ([], {"record": "passed"})
    tamper("UPDATE games_suspension SET reason = 'nothing'")
    assert found(audit_installation()) == {("suspensions", "record", f"game:{game.pk}", None)}


@pytest.mark.django_db
def test_a_record_that_makes_no_sense_hides_no_other(tamper: Tamper) -> None:
    lay_in(played(range(3)))
    broken = GameRecord.objects.order_by("pk")[1].pk
    tamper("UPDATE games_gamerecord SET config = '[1, 2]' WHERE id = %s", broken)
    report = audit_installation()
    assert {UUID(fault.subject.partition(":")[2]) for fault in report.faults} == {broken}
    assert report.tallies["games", "record"].passed == 2


# --- racecard audit ----------------------------------------------------------------------------------


def racecard(*arguments: object) -> Any:
    return CliRunner().invoke(application("audit"), ["audit", "--jobs", "1", *map(str, arguments)])


@pytest.mark.django_db(transaction=True)
def test_the_command_tells_what_it_found(own_key: None, collected: GameRecord, tamper: Tamper) -> None:
    assert command.__doc__
    whole = racecard()
    assert (whole.exit_code, "Nothing is wrong." in whole.stdout) == (0, True)
    told = json.loads(racecard("--game", collected.pk, "--json").stdout)
    assert (told["format"], told["scope"], told["ok"]) == ("racecard-audit/1", "game", True)
    tamper("UPDATE games_gamerecord SET commitment = %s", "f" * 64)
    wrong = racecard()
    assert (wrong.exit_code, f"game:{collected.pk}" in wrong.stdout) == (1, True)
    assert racecard("--game", collected.pk, "--json").exit_code == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "arguments",
    [
        ("--game", "6560a23e-433c-4b3e-9aaa-483631a68ae8"),
        ("--tournament", "6560a23e-433c-4b3e-9aaa-483631a68ae8"),
        ("--since", "99"),
        ("--since", "no-such-file.jsonl"),
        ("--known", "no-such-file.jsonl"),
        ("--since", "1", "--game", "6560a23e-433c-4b3e-9aaa-483631a68ae8"),
    ],
)
def test_what_cannot_be_said_is_neither_well_nor_wrong(own_key: None, arguments: tuple[str, ...]) -> None:
    assert racecard(*arguments).exit_code == 2


def test_what_was_not_run_never_looks_like_passed() -> None:
    report = Report()
    report.not_run("games", "moves", why="the game is still on")
    assert not report.ok
    report.passed("games", "chain")
    told = {each["check"]: each["verdict"] for each in document(report, scope="game")["checks"]}
    assert told == {"moves": "not-run", "chain": "passed"}
    report.passed("games", "moves", number=9)
    [moves] = [one for one in document(report, scope="game")["checks"] if one["check"] == "moves"]
    assert (moves["verdict"], moves["passed"], moves["not_run"]) == ("in-part", 9, 1)
