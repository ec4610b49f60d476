"""Test audits of a whole installation, since a checkpoint, and by the command line."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner

from accounts.models import Player
from audit import runner
from audit.report import document
from audit.services import UnknownCheckpoint, audit_game, audit_installation
from config import checkpoints
from config.cli.audit import audit as command
from config.cli.main import application
from core.checks import Report
from eventstore import ranges
from eventstore.checkpoints import service as checkpoint
from eventstore.models import Checkpoint
from games import services
from games.models import GameRecord
from games.suspensions import services as suspension
from tests.audit.conftest import found, verdicts
from tests.audit.installation import load
from tests.audit.mixed_games import simulated_games
from tests.conftest import NOW
from tests.waiting import wait_until_final

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


@pytest.mark.both_databases
@pytest.mark.django_db
@pytest.mark.parametrize(
    "games", [10, pytest.param(2_000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])]
)
def test_intact_games_pass(games: int) -> None:
    events = sum(load(simulated_games(range(at, min(at + 200, games)))) for at in range(0, games, 200))
    report = audit_installation()
    assert (report.ok, report.faults) == (True, [])
    assert (report.counted["games"], report.counted["events"]) == (games, events)
    checked = verdicts(report, "games")
    assert set(checked.values()) == {"passed"}


@pytest.mark.django_db
def test_ranges_cover_each_stream_once(monkeypatch: pytest.MonkeyPatch) -> None:
    load(simulated_games(range(4)))
    monkeypatch.setattr(ranges, "EVENTS", 40)
    chunks = list(ranges.of_all_streams())
    assert (chunks[0].first.int, chunks[-1].last.int) == (0, 2**128 - 1)
    assert all(one.last.int + 1 == other.first.int for one, other in pairwise(chunks))
    pieces: list[runner.Piece] = []

    def counted(carry_out: Any, given: Any) -> Any:
        pieces.extend(given)
        # In another order, as another process would receive them.
        return map(carry_out, pickle.loads(pickle.dumps(list(reversed(given)))))

    apart = audit_installation(spread=counted)
    assert len([piece for piece in pieces if piece.part == "streams"]) == len(chunks) >= 3
    monkeypatch.setattr(ranges, "EVENTS", 10**6)
    assert document(apart, scope="installation") == document(audit_installation(), scope="installation")


@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_worker_reads_pieces_before_django_is_set_up(
    own_key: None, player: Player, vegas: Callable[..., Any]
) -> None:
    vegas(player)
    signed()
    pieces: list[runner.Piece] = []

    def collected(carry_out: Any, given: Any) -> Any:
        pieces.extend(given)
        return map(carry_out, given)

    audit_installation(known=list(checkpoints.read_published()), spread=collected)
    assert {piece.part for piece in pieces} >= {"streams", "checkpoints", "published", "disputes", "ledger"}
    read = "import pickle, sys; print(len(pickle.load(sys.stdin.buffer)))"
    done = subprocess.run(
        [sys.executable, "-c", read], input=pickle.dumps(pieces), capture_output=True, timeout=60, check=True
    )
    assert int(done.stdout) == len(pieces)


@pytest.mark.django_db(transaction=True)
def test_audit_since_checkpoint(own_key: None, player: Player, vegas: Callable[..., Any]) -> None:
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
def test_rewritten_stream_is_found_by_checkpoint(
    own_key: None, player: Player, vegas: Callable[..., Any], tamper: Tamper
) -> None:
    """Find a consistent stream that is shorter than the signed one."""
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
def test_missing_published_checkpoint_is_found(
    own_key: None, player: Player, vegas: Callable[..., Any], tamper: Tamper
) -> None:
    vegas(player)
    signed()
    tamper("DELETE FROM eventstore_checkpoint")
    report = audit_installation(known=list(checkpoints.read_published()))
    assert [(fault.part, fault.check, fault.checkpoint) for fault in report.faults] == [
        ("checkpoints", "published", 1)
    ]


@pytest.mark.sqlite
@pytest.mark.django_db
def test_suspension_that_differs_from_stream_is_found(
    player: Player, vegas: Callable[..., Any], tamper: Tamper
) -> None:
    game = vegas(player)
    suspension.suspend(game.pk, by=None, reason="a dispute", now=NOW)
    report = audit_installation()
    assert (report.faults, verdicts(report, "suspensions")) == ([], {"record": "passed"})
    tamper("UPDATE games_suspension SET reason = 'nothing'")
    assert found(audit_installation()) == {("suspensions", "record", f"game:{game.pk}", None)}


@pytest.mark.sqlite
@pytest.mark.django_db
def test_invalid_record_hides_no_other(tamper: Tamper) -> None:
    load(simulated_games(range(3)))
    broken = GameRecord.objects.order_by("pk")[1].pk
    tamper("UPDATE games_gamerecord SET config = '[1, 2]' WHERE id = %s", broken)
    report = audit_installation()
    assert {UUID(fault.subject.partition(":")[2]) for fault in report.faults} == {broken}
    assert report.tallies["games", "record"].passed == 2


# --- racecard audit ----------------------------------------------------------------------------------


def racecard(*arguments: object) -> Any:
    return CliRunner().invoke(application("audit"), ["audit", "--jobs", "1", *map(str, arguments)])


@pytest.mark.django_db(transaction=True)
def test_command_prints_faults(own_key: None, collected: GameRecord, tamper: Tamper) -> None:
    assert command.__doc__
    whole = racecard()
    assert (whole.exit_code, "No faults were found." in whole.stdout) == (0, True)
    output = json.loads(racecard("--game", collected.pk, "--json").stdout)
    assert (output["format"], output["scope"], output["ok"]) == ("racecard-audit/1", "game", True)
    tamper("UPDATE games_gamerecord SET commitment = %s", "f" * 64)
    wrong = racecard()
    assert (wrong.exit_code, f"game:{collected.pk}" in wrong.stdout) == (1, True)
    assert racecard("--game", collected.pk, "--json").exit_code == 1


@pytest.mark.django_db
def test_unknown_subject_exits_with_2(own_key: None) -> None:
    unknown = "6560a23e-433c-4b3e-9aaa-483631a68ae8"
    for arguments in (
        ("--game", unknown),
        ("--tournament", unknown),
        ("--since", "99"),
        ("--since", "no-such-file.jsonl"),
        ("--known", "no-such-file.jsonl"),
        ("--since", "1", "--game", unknown),
    ):
        assert racecard(*arguments).exit_code == 2, arguments


def test_check_not_run_does_not_count_as_passed() -> None:
    report = Report()
    report.not_run("games", "moves", why="the game is still on")
    assert not report.ok
    report.passed("games", "chain")
    body = {each["check"]: each["verdict"] for each in document(report, scope="game")["checks"]}
    assert body == {"moves": "not-run", "chain": "passed"}
    report.passed("games", "moves", number=9)
    [moves] = [one for one in document(report, scope="game")["checks"] if one["check"] == "moves"]
    assert (moves["verdict"], moves["passed"], moves["not_run"]) == ("in-part", 9, 1)
