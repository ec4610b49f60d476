"""What the Python client sends again, and that it is the same request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import pytest

from racecard_client import (
    BadRequest,
    ConnectionLost,
    ProblemError,
    Retry,
    ServerError,
    TooManyRequests,
    Unavailable,
)
from racecard_client.retries import AsyncSession, Session

RETRY = Retry(attempts=4, first_wait=0.001, longest_wait=2.0)
PROBLEM = {"type": "/docs/errors/x/", "title": "X", "status": 0, "code": "x", "detail": "because"}
Answer = Callable[[], httpx.Response]


def refuse(status: int, **headers: str) -> Answer:
    return lambda: httpx.Response(status, json={**PROBLEM, "status": status}, headers=headers)


def lose(kind: type[httpx.TransportError]) -> Answer:
    def lost() -> httpx.Response:
        raise kind("lost")

    return lost


def fine() -> httpx.Response:
    return httpx.Response(201, json={"moved": True})


class Script:
    """A server that answers as configured, and records what it received."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = iter(answers)
        self.keys: list[str | None] = []
        self.bodies: list[bytes] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        self.bodies.append(request.content)
        return next(self._answers)()


def post(script: Script, key: str | None = "k1") -> httpx.Response:
    headers = {"Idempotency-Key": key} if key else {}
    with Session(RETRY, base_url="http://test", transport=httpx.MockTransport(script)) as session:
        return session.post("/x/", json={"move": 1}, headers=headers)


@pytest.mark.parametrize(
    "first",
    [
        lose(httpx.ConnectError),
        lose(httpx.ReadError),
        lose(httpx.ReadTimeout),
        lose(httpx.RemoteProtocolError),
        refuse(429),
        refuse(503),
        refuse(502),
    ],
)
def test_a_command_is_sent_again_with_the_same_key_and_body(first: Answer) -> None:
    script = Script(first, first, fine)
    assert post(script).json() == {"moved": True}
    assert script.keys == ["k1"] * 3
    assert set(script.bodies) == {b'{"move":1}'}


def test_an_async_command_is_sent_again_with_the_same_key_and_body() -> None:
    script = Script(lose(httpx.ReadError), refuse(503), fine)

    async def send() -> httpx.Response:
        transport = httpx.MockTransport(script)
        async with AsyncSession(RETRY, base_url="http://test", transport=transport) as session:
            return await session.post("/x/", json={"move": 1}, headers={"Idempotency-Key": "k1"})

    assert asyncio.run(send()).json() == {"moved": True}
    assert script.keys == ["k1"] * 3


def test_a_request_without_a_key_is_sent_again_only_if_nothing_was_carried_out() -> None:
    for again in (refuse(429), lose(httpx.ConnectError)):
        assert post(Script(again, fine), key=None).status_code == 201
    for once, error in ((lose(httpx.ReadError), ConnectionLost), (refuse(503), Unavailable)):
        script = Script(once)
        with pytest.raises(error):
            post(script, key=None)
        assert len(script.keys) == 1


def test_refusals_and_defects_are_not_sent_again() -> None:
    for status, error in ((400, BadRequest), (500, ServerError)):
        script = Script(refuse(status))
        with pytest.raises(error) as caught:
            post(script)
        assert (caught.value.code, caught.value.detail, len(script.keys)) == ("x", "because", 1)


def test_attempts_end() -> None:
    script = Script(*[lose(httpx.ConnectError)] * RETRY.attempts)
    with pytest.raises(ConnectionLost):
        post(script)
    assert len(script.keys) == RETRY.attempts
    with pytest.raises(Unavailable):
        post(Script(*[refuse(503)] * RETRY.attempts))


def test_retry_after_is_waited_for_or_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("racecard_client.retries.time.sleep", waits.append)
    assert post(Script(refuse(429, **{"Retry-After": "2"}), fine)).status_code == 201
    assert waits == [2.0]
    with pytest.raises(TooManyRequests) as caught:
        post(Script(refuse(429, **{"Retry-After": "60"})))
    assert caught.value.retry_after == 60


def test_a_refusal_of_a_proxy_has_no_code() -> None:
    with pytest.raises(ProblemError) as caught:
        post(Script(lambda: httpx.Response(413, text="<h1>too large</h1>")))
    assert (caught.value.status, caught.value.code) == (413, "")
    assert "too large" in caught.value.detail


def test_waits_double_up_to_the_longest() -> None:
    retry = Retry(first_wait=1, longest_wait=8)
    assert all(0.5 <= retry.wait(0) <= 1 for _ in range(50))
    assert all(4 <= retry.wait(attempt) <= 8 for attempt in range(3, 2000))
