"""The load generator counts what people waited for, and finds the last step at which they were served in time."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tools import python_client
from tools.scaling.figures import assumptions

python_client.generate()  # before bench._people imports the client

from bench import load  # noqa: E402
from bench._people import Identity, Person, Tally, World, arrivals  # noqa: E402

STEP = load.Step(
    people=0,
    streams=0,
    due=100.0,
    moves=100.0,
    requests=200.0,
    p50_ms=5.0,
    p99_ms=50.0,
    others_p99_ms=60.0,
    event_p50_ms=5.0,
    event_p99_ms=50.0,
    failed=0.0,
    processor={},
    deliveries=100.0,
    events=100.0,
    transactions=100.0,
    statements=100.0,
    fsyncs=10.0,
    wal_bytes=1e5,
)


def knee_of(*steps: load.Step) -> int:
    numbered: Sequence[load.Step] = [
        replace(step, people=10 * number) for number, step in enumerate(steps, start=1)
    ]
    return load.knee([STEP, *numbered]).people


def test_the_knee_is_the_last_step_before_moves_are_late_missed_or_failed() -> None:
    for bad in (replace(STEP, p99_ms=501.0), replace(STEP, moves=94.0), replace(STEP, failed=0.02)):
        assert knee_of(STEP, STEP, bad) == 20
        assert knee_of(STEP, bad, STEP) == 10
        assert knee_of(bad) == 10
    assert knee_of(STEP, STEP) == 20


def person(port: int) -> Person:
    world = World(port, port, assumptions(), Tally(), random.Random(1))
    return Person(world, Identity("account", {"Cookie": "sessionid=1"}))


async def answered(player: Person, due: float, seconds: float) -> list[bytes]:
    """Send a move to a server that takes some seconds, and return what it received."""
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.readuntil(b"\r\n\r\n"))
        await asyncio.sleep(seconds)
        writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}")

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        player._line._port = server.sockets[0].getsockname()[1]
        task = asyncio.create_task(player._move("games/1/moves/", {"type": "draw"}, due))
        while not received:
            await asyncio.sleep(0)
        assert player.world.tally.under_way == {player: due}
        assert (await task).ok
        player._line.close()
    return received


def test_a_move_counts_from_the_time_at_which_it_was_due() -> None:
    player, due = person(0), time.monotonic() - 2.0
    [head] = asyncio.run(answered(player, due, 0.01))
    [done] = player.world.tally.requests["move"]
    assert 2.01 < done.done - done.due < 3.0
    assert player.world.tally.under_way == {}
    assert head.startswith(b"POST /api/v1/games/1/moves/ HTTP/1.1\r\n")
    assert b"Idempotency-Key: " in head
    assert b"X-Forwarded-For: 10." in head
    assert b"Cookie: sessionid=1" in head


def test_a_request_without_an_answer_is_a_failure() -> None:
    player = person(1)  # nothing listens there
    answer = asyncio.run(player.send("read", "GET", "rules/"))
    assert (answer.status, answer.ok) == (599, False)
    assert [done.status for done in player.world.tally.requests["read"]] == [0]
    assert player.world.tally.faults == {"ConnectionRefusedError": 1}


def test_arrivals_are_in_order_within_the_time() -> None:
    found = arrivals(random.Random(1), 100, 4.0)
    assert found == sorted(found)
    assert 0 <= found[0] < found[-1] <= 4.0
    assert len(found) == 100


def test_people_think_as_long_as_assumed() -> None:
    world = person(0).world
    seconds = sorted(world.thought("ace-race") for _ in range(2001))
    assert seconds[1000] == pytest.approx(assumptions().games["ace-race"].think, rel=0.1)
