"""Bots from outside: games played by a runner, whatever the strategy and the connection do."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from racecard_client import AsyncClient, Client, NotAuthenticated, NotFound, new_key
from racecard_client.bot import (
    Event,
    Move,
    Options,
    Random,
    Record,
    Runner,
    StrategyInvalid,
    Table,
    View,
    load,
)
from racecard_client.bot.checks import Check, check
from racecard_client.bot.cli import main, table
from racecard_client.examples.ace_race import AceRace
from racecard_client.examples.racing_aces import RacingAces
from racecard_client.examples.racing_demons import RacingDemons
from tests.browser.relay import Relay
from tests.clients.conftest import QUICK, player
from tests.installation import PATIENCE, ROOT, Installation, until
from tools import python_client

pytestmark = pytest.mark.processes


@pytest.fixture
def owner(server: Installation) -> Iterator[Client]:
    with player(server.address) as owner:
        yield owner


@pytest.fixture
def bot(owner: Client, server: Installation) -> Iterator[Client]:
    """A client with the token of a new bot, which is retired at the end."""
    key = {"Idempotency-Key": new_key()}
    body = {"name": f"Deep {new_key()[:8]}", "accepts": "anyone"}
    made = owner.session.post("/api/v1/players/me/bots/", json=body, headers=key).json()
    path = f"/api/v1/players/me/bots/{made['id']}/"
    token = owner.session.post(f"{path}tokens/", json={"name": "test"}).json()["token"]
    with Client(server.address, token, retry=QUICK) as bot:
        yield bot
    with suppress(NotFound):  # the test has retired it
        owner.session.delete(path)


VEGAS = {"config": {"draw": 3, "stake": 0}, "private": True}


def token_of(client: Client) -> str:
    return str(client.session.headers["Authorization"]).removeprefix("Bearer ")


def by_type(legal: Sequence[Move]) -> dict[str, Move]:
    return {move["type"]: move for move in legal}


class Short:
    """Draws five times and collects. It notes what it is shown."""

    rules = ("vegas-solitaire",)
    notes: list[tuple[str, Any]] = []

    def __init__(self) -> None:
        self.moves = 0

    def open(self, table: Table) -> None:
        self.notes.append(("open", table))

    def observe(self, event: Event) -> None:
        self.notes.append(("observe", event["version"]))

    async def choose(self, view: View, legal: Sequence[Move]) -> Move:
        self.notes.append(("choose", view["stock"]))
        self.moves += 1
        return by_type(legal)["draw" if self.moves <= 5 else "collect"]

    def close(self, outcome: Mapping[str, Any] | None) -> None:
        self.notes.append(("close", outcome))


class Raises(Short):
    async def choose(self, view: View, legal: Sequence[Move]) -> Move:
        raise RuntimeError("no idea")


class Exhausted(Short):
    def choose(self, view: View, legal: Sequence[Move]) -> Move:  # type: ignore[override]
        return next(move for move in legal if move["type"] == "fly")


class Illegal(Short):
    """Its move is illegal in every state."""

    async def choose(self, view: View, legal: Sequence[Move]) -> Move:
        return {"type": "move", "from": "foundation:H", "to": "foundation"}


class Silent(Short):
    async def choose(self, view: View, legal: Sequence[Move]) -> Move:
        return "draw"  # type: ignore[return-value]


@asynccontextmanager
async def running(address: str, token: str, *makes: Any, **options: Any) -> AsyncIterator[Runner]:
    """A runner that is stopped at the end, unless it has ended before."""
    async with AsyncClient(address, token, retry=QUICK) as client:
        runner = Runner(client, makes, Options(**options))
        task, test = asyncio.create_task(runner.run()), asyncio.current_task()
        assert test is not None
        task.add_done_callback(lambda ended: ended.exception() and test.cancel())
        try:
            yield runner
        finally:
            runner.stop()
            await asyncio.wait_for(task, PATIENCE)


async def when(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)


def played(address: str, bot: Client, make: Any, **options: Any) -> Record:
    """One game of a table that the runner opens."""

    async def play() -> Record:
        async with running(address, token_of(bot), make, games=1, **options) as runner:
            await when(lambda: runner.played)
            [record] = runner.records.values()
            return record

    return asyncio.run(play())


def test_a_strategy_sees_the_game_in_order(bot: Client, server: Installation) -> None:
    Short.notes.clear()
    record = played(server.address, bot, Short, open=["vegas-solitaire"], table=VEGAS)
    assert (record.moves, record.errors, record.refused, record.ended) == (6, 0, 0, True)
    kinds = [kind for kind, _ in Short.notes]
    assert kinds[0] == "open"
    assert kinds[-1] == "close"
    assert Short.notes[0][1].config["draw"] == 3
    assert Short.notes[0][1].seat == 0
    assert Short.notes[-1][1]["result"] == "collected"
    versions = [found for kind, found in Short.notes if kind == "observe"]
    assert versions == list(range(1, len(versions) + 1))
    assert kinds.index("choose") > kinds.index("observe")


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (Raises, "errors"),
        pytest.param(Exhausted, "errors", marks=pytest.mark.nightly),
        (Illegal, "refused"),
        pytest.param(Silent, "errors", marks=pytest.mark.nightly),
    ],
)
def test_a_faulty_strategy_is_replaced_by_random_moves(
    bot: Client, server: Installation, make: Any, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    record = played(server.address, bot, make, open=["vegas-solitaire"], table=VEGAS, fallback="random")
    assert record.ended
    assert getattr(record, fault) == record.moves > 0
    assert len(record.problems) == min(record.moves, 20)
    assert record.problems[0] in caplog.text


@pytest.mark.parametrize("make", [Raises, pytest.param(Illegal, marks=pytest.mark.nightly)])
def test_or_nothing_is_played(bot: Client, server: Installation, make: Any) -> None:
    async def play() -> Record:
        options = {"open": ["vegas-solitaire"], "table": VEGAS}
        async with running(server.address, token_of(bot), make, **options) as runner:
            await when(lambda: any(record.problems for record in runner.records.values()))
            [(game, record)] = runner.records.items()
            playing = runner._players[game]
            for _ in range(2):
                playing.wake()  # as any event does
                await when(lambda: not playing._is_behind)
            assert (await runner.client.game(game)).status == "active"
            return record

    record = asyncio.run(play())
    assert (len(record.problems), record.moves) == (1, 0)


def test_a_game_survives_lost_answers_and_a_cut_connection(
    bot: Client, server: Installation, wire: Relay
) -> None:
    async def play() -> tuple[Record, list[Event]]:
        token = token_of(bot)
        async with AsyncClient(server.address, token) as direct:
            options = {"open": ["ace-race"], "table": {"seats": 2, "bots": [1]}, "games": 1}
            async with running(wire.address, token, AceRace, **options) as runner:
                await when(lambda: runner.records)
                [(game, record)] = runner.records.items()
                for fault in range(4):
                    before = record.moves
                    wire.lose_answer(f"POST /api/v1/games/{game}/moves/".encode())
                    if fault % 2:
                        await asyncio.to_thread(wire.cut)
                        wire.mend()
                    await when(lambda: record.moves >= before + 2 or record.ended)  # noqa: B023
                await when(lambda: record.ended)
                return record, [one.event async for one in direct.events(game)]

    record, events = asyncio.run(play())
    ours = [event for event in events if event["seat"] == 0 and event["type"] not in ("seated", "expired")]
    assert len(ours) == record.moves
    assert (record.refused, record.errors) == (0, 0)


@pytest.mark.nightly
def test_two_bots_play_the_real_time_race_against_each_other(bot: Client, server: Installation) -> None:
    rival = player(server.address)

    async def play() -> list[Record]:
        race = {"config": {"time_limit": 10}, "seats": 2}
        options = {"games": 1, "pace": 0.02}
        async with (
            running(
                server.address, token_of(bot), RacingDemons, open=["racing-demons"], table=race, **options
            ) as ours,
            running(server.address, token_of(rival), RacingDemons, join=True, **options) as theirs,
        ):
            await when(lambda: ours.played and theirs.played)
            return [*ours.records.values(), *theirs.records.values()]

    records = asyncio.run(play())
    assert [record.ended for record in records] == [True, True]
    assert all(record.moves > 20 for record in records)
    assert all((record.errors, record.refused) == (0, 0) for record in records)
    assert records[0].outcome == records[1].outcome
    rival.close()


def test_a_chosen_suit_and_the_operators_draws(bot: Client, server: Installation) -> None:
    race = {"config": {"suits": "chosen"}, "seats": 2, "bots": [1]}
    record = played(server.address, bot, RacingAces, open=["racing-aces"], table=race)
    assert record.outcome is not None
    assert record.outcome["suits"] == ["D", "C"]


def test_a_table_that_is_not_dealt_is_left(bot: Client, server: Installation) -> None:
    async def open_table() -> None:
        async with running(
            server.address, token_of(bot), AceRace, open=["ace-race"], table={"seats": 2}
        ) as runner:
            await when(lambda: runner._tables)
            [game] = runner._tables
            assert (await runner.client.game(game)).seat == 0

    asyncio.run(open_table())
    [game] = bot.session.get("/api/v1/games/", params={"free": "true", "rules": "ace-race"}).json()["results"]
    assert [seat["kind"] for seat in game["seats"]] == [None, None]


def test_the_end_of_the_token_ends_the_run(owner: Client, bot: Client, server: Installation) -> None:
    path = f"/api/v1/players/me/bots/{bot.session.get('/api/v1/tokens/current/').json()['player']}/"

    async def play() -> None:
        async with AsyncClient(server.address, token_of(bot), retry=QUICK) as client:
            runner = Runner(client, [Short], Options(open=["vegas-solitaire"], table=VEGAS))
            task = asyncio.create_task(runner.run())
            await when(lambda: runner.played)
            await asyncio.to_thread(owner.session.delete, path)
            await asyncio.wait_for(task, PATIENCE)

    with pytest.raises(NotAuthenticated):
        asyncio.run(play())


# --- challenges ---


class Choosy(AceRace):
    def accept(self, challenge: Mapping[str, Any]) -> bool:
        return bool(challenge["move_limit"] is not None)


def challenge(challenger: Client, bot: Client, **members: Any) -> dict[str, Any]:
    """Challenge the bot."""
    opponent = bot.session.get("/api/v1/tokens/current/").json()["player"]
    body = {"opponents": [opponent], "config": {}, **members}
    headers = {"Idempotency-Key": new_key()}
    made: dict[str, Any] = challenger.session.post("/api/v1/challenges/", json=body, headers=headers).json()
    return made


def state(challenger: Client, made: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = challenger.session.get(f"/api/v1/challenges/{made['id']}/").json()
    return found


def test_a_challenge_is_accepted_and_played_to_the_end(
    owner: Client, bot: Client, server: Installation
) -> None:
    async def play() -> tuple[Record, Record]:
        async with (
            running(server.address, token_of(bot), Choosy, accept=True, games=1) as ours,
            running(server.address, token_of(owner), AceRace, games=1) as theirs,
        ):
            made = await asyncio.to_thread(challenge, owner, bot, rules="ace-race", move_limit=60)
            await when(lambda: ours.played and theirs.played)
            assert state(owner, made)["status"] == "accepted"
            game = UUID(made["game"])
            return ours.records[game], theirs.records[game]

    ours, theirs = asyncio.run(play())
    assert ours.moves > 0
    assert theirs.moves > 0
    assert ours.outcome == theirs.outcome is not None


@pytest.mark.parametrize(
    ("make", "rules", "options", "reason"),
    [
        pytest.param(AceRace, "ace-race", {}, "generic", marks=pytest.mark.nightly),
        pytest.param(AceRace, "racing-demons", {"accept": True}, "game", marks=pytest.mark.nightly),
        (Choosy, "ace-race", {"accept": True}, "options"),
    ],
)
def test_other_challenges_are_declined_with_a_reason(
    owner: Client,
    bot: Client,
    server: Installation,
    make: Any,
    rules: str,
    options: dict[str, Any],
    reason: str,
) -> None:
    async def decline() -> dict[str, Any]:
        async with running(server.address, token_of(bot), make, **options):
            made = await asyncio.to_thread(challenge, owner, bot, rules=rules)
            while (found := await asyncio.to_thread(state, owner, made))["status"] == "open":
                await asyncio.sleep(0.05)
            return found

    found = asyncio.run(asyncio.wait_for(decline(), PATIENCE))
    assert (found["status"], found["reason"]) == ("declined", reason)


# --- the command line ---


@pytest.fixture
def environment(bot: Client) -> dict[str, str]:
    path = f"{ROOT}:{ROOT / 'platform'}:{python_client.PROJECT}"
    return {**os.environ, "PYTHONPATH": path, "RACECARD_TOKEN": token_of(bot)}


@pytest.mark.parametrize("stop", [pytest.param(signal.SIGINT, marks=pytest.mark.nightly), signal.SIGTERM])
def test_a_signal_ends_the_command(
    server: Installation, environment: dict[str, str], tmp_path: Path, stop: signal.Signals
) -> None:
    (tmp_path / "mine.py").write_text("from racecard_client.bot import Random as Mine\n")
    command = [sys.executable, "-m", "racecard_client.bot", "run", "mine:Mine", "--url", server.address]
    table = '{"config": {"draw": 3, "stake": 0}}'
    command += ["--open", "vegas-solitaire", "--table", table]
    log = tmp_path / "log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=output)
        try:
            until(lambda: log.read_text().count(": collected, ") > 1, "two games have ended")
            process.send_signal(stop)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    lines = log.read_text().splitlines()
    ended = [line for line in lines if " vegas-solitaire, seat 0 of 1: collected, " in line]
    assert len(ended) > 1
    assert "Traceback" not in log.read_text()
    assert "games played" in lines[-1]


@pytest.mark.nightly
def test_a_strategy_that_does_not_return_does_not_hold_up_the_end(
    server: Installation, environment: dict[str, str], tmp_path: Path
) -> None:
    mine = """
        import time

        class Mine:
            def choose(self, view, legal):
                print("choosing", flush=True)
                time.sleep(1000)
    """
    (tmp_path / "mine.py").write_text(textwrap.dedent(mine))
    command = [sys.executable, "-m", "racecard_client.bot", "run", "mine:Mine", "--url", server.address]
    command += ["--open", "idle-aces"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "choosing\n"
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()


def test_the_token_is_read_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RACECARD_TOKEN", raising=False)
    token = tmp_path / "token"
    token.write_text("secret\n")
    run = ["run", "racecard_client.bot:Random", "--url", "http://127.0.0.1:1"]
    wrong = [
        (run, "a token is needed"),
        ([*run, "--token-file", str(tmp_path / "none")], "No such file"),
        ([*run, "--table", "[]"], "a JSON object is needed"),
        ([*run, "--games", "0"], "at least 1"),
        ([*run[:-1], "cards.example.org", "--token-file", str(token)], "an address such as https://"),
        (["check", "cards.example.org", "--token-file", str(token)], "an address such as https://"),
    ]
    for arguments, reason in wrong:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nothing", "write module:Strategy"),
        ("no.such:Bot", "no module 'no'"),
        ("racecard_client.bot:Bot", "has no 'Bot'"),
        ("racecard_client.bot:Options", "choose"),
    ],
)
def test_a_strategy_that_cannot_be_loaded_is_explained(name: str, reason: str) -> None:
    with pytest.raises(StrategyInvalid, match=reason):
        load(name)
    assert load("racecard_client.bot:Random") is Random


def test_a_refused_token_ends_the_command_with_its_reason(
    server: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RACECARD_TOKEN", "no-such-token")
    assert main(["run", "racecard_client.bot:Random", "--url", server.address]) == 1
    assert "401 not-authenticated" in capsys.readouterr().err


# --- the conformance test ---


@pytest.mark.nightly
@pytest.mark.long
def test_the_examples_and_the_installation_pass_every_check(bot: Client, server: Installation) -> None:
    found = asyncio.run(check(server.address, token_of(bot)))
    assert [one for one in found if one.passed is not True] == []
    assert len(found) == 11 + 5 * 6


@pytest.mark.nightly
def test_a_faulty_strategy_fails_its_checks(bot: Client, server: Installation) -> None:
    def failed(make: Any) -> dict[str, Check]:
        found = asyncio.run(check(server.address, token_of(bot), [make], games=["vegas-solitaire", "whist"]))
        return {one.name: one for one in found if one.passed is False}

    assert set(failed(Raises)) == {"vegas-solitaire: no exceptions", "whist"}
    illegal = failed(Illegal)
    assert set(illegal) == {"vegas-solitaire: legal moves", "whist"}
    printed = table(list(illegal.values()))
    assert "FAIL  vegas-solitaire: legal moves" in printed
    assert "right: moves of `legal` only" in printed


def test_a_token_that_does_not_suffice_fails_its_check(
    server: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with player(server.address, ("read",)) as person:
        monkeypatch.setenv("RACECARD_TOKEN", token_of(person))
        assert main(["check", server.address, "--game", "idle-aces", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    found = {one["name"]: one for one in printed["checks"]}
    assert printed["passed"] is False
    assert (found["token"]["found"], found["token"]["right"]) == (
        "scopes read",
        "a token with the scopes read and play",
    )
    assert found["account"]["found"] == "a person's account"
    assert found["request without a token"]["passed"] is True
    assert "scope-required" in found["idle-aces: plays to the end"]["found"]
