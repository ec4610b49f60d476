"""HTTP sessions that send a request again, unchanged, if that is safe. Refusals become exceptions."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from racecard_client.errors import ConnectionLost, ProblemError, TooManyRequests, Unavailable, error_from

KEY = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Retry:
    """When to send a request again. All times are in seconds."""

    attempts: int = 9
    """The largest number of times that a request is sent. All of them together outlast a failover of the database."""
    first_wait: float = 0.25
    """The longest wait before the second attempt; it doubles with every further one."""
    longest_wait: float = 15.0
    """The longest wait between two attempts. A `Retry-After` beyond it is raised instead."""
    stream_patience: float = 300.0
    """The time without a connection after which an event stream is given up."""

    def waits(self) -> Iterator[float]:
        """The random waits between the attempts of one request."""
        for attempt in range(self.attempts - 1):
            yield self.wait(attempt)

    def wait(self, attempt: int) -> float:
        """A random wait after that many failures in a row. Random, so that many clients do not return together."""
        longest = min(self.longest_wait, self.first_wait * 2 ** min(attempt, 30))
        return random.uniform(longest / 2, longest)  # noqa: S311


class _Attempts:
    """The attempts of one request: what may be sent again, and after how long."""

    def __init__(self, request: httpx.Request, retry: Retry) -> None:
        self._retry, self._waits = retry, retry.waits()
        self._is_repeatable = request.method in ("GET", "HEAD") or KEY in request.headers

    def wait_after(self, error: Exception) -> float:
        """Return the seconds to wait. Raises what the caller sees if the request is not sent again."""
        wait = next(self._waits, None) if self._may_repeat(error) else None
        named: float = getattr(error, "retry_after", None) or 0.0
        if wait is not None and named <= self._retry.longest_wait:
            return max(wait, named)
        if isinstance(error, httpx.TransportError):
            raise ConnectionLost(f"{type(error).__name__}: {error}") from error
        raise error

    def _may_repeat(self, error: Exception) -> bool:
        if isinstance(error, TooManyRequests | httpx.ConnectError | httpx.ConnectTimeout):
            return True  # nothing took effect
        return self._is_repeatable and isinstance(error, Unavailable | httpx.TransportError)


class Session(httpx.Client):
    """Sends requests, again if needed, and raises ProblemError or ConnectionLost.

    A streamed response is requested once, since its reader resumes it.
    """

    def __init__(self, retry: Retry, **options: Any) -> None:
        super().__init__(**options)
        self._retry = retry

    def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        if stream:
            return self._send_once(request, stream=True, **options)
        attempts = _Attempts(request, self._retry)
        while True:
            try:
                return self._send_once(request, stream=False, **options)
            except (httpx.TransportError, ProblemError) as error:
                wait = attempts.wait_after(error)
            time.sleep(wait)

    def _send_once(self, request: httpx.Request, *, stream: bool, **options: Any) -> httpx.Response:
        response = super().send(request, stream=stream, **options)
        if response.is_error:
            response.read()
            raise error_from(response)
        return response


class AsyncSession(httpx.AsyncClient):
    """As Session, for asyncio."""

    def __init__(self, retry: Retry, **options: Any) -> None:
        super().__init__(**options)
        self._retry = retry

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        if stream:
            return await self._send_once(request, stream=True, **options)
        attempts = _Attempts(request, self._retry)
        while True:
            try:
                return await self._send_once(request, stream=False, **options)
            except (httpx.TransportError, ProblemError) as error:
                wait = attempts.wait_after(error)
            await asyncio.sleep(wait)

    async def _send_once(self, request: httpx.Request, *, stream: bool, **options: Any) -> httpx.Response:
        response = await super().send(request, stream=stream, **options)
        if response.is_error:
            await response.aread()
            raise error_from(response)
        return response
