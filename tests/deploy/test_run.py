"""`racecard run`: the program by which each role replaces the command."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest
import typer

from config.cli.run import Role, run
from tests.installation import ROOT


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would replace the process."""
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: commands.append([program, *words]))
    monkeypatch.setattr(os, "environ", {**os.environ, "FORWARDED_ALLOW_IPS": "10.0.0.1"})
    return commands


def command_of(executed: list[list[str]], role: Role, *queues: str) -> list[str]:
    run(role, processes=3, host="127.0.0.1", port=8005, queue=list(queues) or None)
    program, *words = executed.pop()
    assert (program, words[0]) == (sys.executable, sys.executable)
    return words[1:]


def option(words: list[str], name: str) -> str:
    return words[words.index(name) + 1]


def test_web_listens_on_its_port_or_on_the_passed_socket(executed: list[list[str]]) -> None:
    words = command_of(executed, Role.WEB)
    assert words[:3] == ["-m", "uvicorn", "config.asgi:application"]
    assert (option(words, "--port"), option(words, "--workers")) == ("8005", "3")
    assert option(words, "--forwarded-allow-ips") == "10.0.0.1"
    assert "--fd" not in words
    os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid() + 1)}
    assert "--fd" not in command_of(executed, Role.WEB)  # the socket is another process's
    os.environ["LISTEN_PID"] = str(os.getpid())
    assert option(command_of(executed, Role.WEB), "--fd") == "3"


@pytest.mark.parametrize(("redis", "pool"), [("", "solo"), ("redis://127.0.0.1/0", "prefork")])
def test_a_worker_has_a_pool_on_redis(
    executed: list[list[str]], settings: Any, redis: str, pool: str
) -> None:
    settings.REDIS_URL = redis
    words = command_of(executed, Role.WORKER)
    assert words[:2] == ["-m", "celery"]
    assert option(words, "--pool") == pool
    assert words[-2:] == ["--hostname", f"{os.getpid()}@%h"]
    assert ("--concurrency" in words) is bool(redis)


def test_the_ticker_is_the_management_command(executed: list[list[str]]) -> None:
    assert command_of(executed, Role.TICKER) == [str(ROOT / "manage.py"), "tick"]


@pytest.mark.parametrize("queues", [(), ("all",), ("1",), ("messages", "money", "maintenance", "play")])
def test_a_worker_does_the_jobs_of_all_queues(executed: list[list[str]], queues: tuple[str, ...]) -> None:
    """A number is the name of a unit of version 0.2.0."""
    found = option(command_of(executed, Role.WORKER, *queues), "--queues").split(",")
    assert found == ["racecard-play", "racecard-money", "racecard-messages", "racecard-maintenance", "celery"]


def test_a_worker_does_the_jobs_of_its_queues(executed: list[list[str]]) -> None:
    found = option(command_of(executed, Role.WORKER, "maintenance", "money"), "--queues")
    assert found == "racecard-money,racecard-maintenance"


def test_an_unknown_queue_is_refused(executed: list[list[str]]) -> None:
    with pytest.raises(typer.BadParameter, match="'mony' is no queue; the queues are play, money,"):
        run(Role.WORKER, queue=["mony"])
    assert not executed
