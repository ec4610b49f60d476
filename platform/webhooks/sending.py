"""One POST to a webhook: the name is resolved once, and the connection goes to the address that was checked.

A name with several addresses is refused if one of them is not public. TLS uses and verifies the name. Redirects and
proxies are not used. Slow receivers and slow name servers are cut off.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException, HTTPSConnection

from webhooks import targets
from webhooks.targets import Refused, Target

CONNECT_WITHIN = 5.0
ANSWER_WITHIN = 10.0
"""Timeouts in seconds: of every single wait for the receiver, and of everything from name resolution on."""

LOOK_UPS = 8
"""Concurrent name resolutions. One that takes too long is abandoned and ends when the system gives up."""

KEPT = 200
"""Characters of the response."""

GONE = 410


@dataclass(frozen=True, slots=True)
class Outcome:
    """`status` None: there was no response, and `error` has the reason. `took` in milliseconds."""

    status: int | None
    error: str
    answer: str
    took: int

    @property
    def ok(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def said(self) -> str:
        return f"answered {self.status}" if self.status is not None else self.error


def resolved(host: str, port: int) -> Sequence[str]:
    """The addresses of a host. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@cache
def trusted() -> ssl.SSLContext:
    # Imported on first use: the import is slow, and most processes send nothing.
    from httpx import create_ssl_context

    return create_ssl_context()


@dataclass(frozen=True, slots=True)
class Transport:
    """How names are resolved, which addresses are refused (and why), and which certificates are trusted."""

    resolve: Callable[[str, int], Sequence[str]] = resolved
    refusal: Callable[[str], str | None] = targets.refusal
    context: Callable[[], ssl.SSLContext] = trusted
    within: float = ANSWER_WITHIN

    def send(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Never raises for an error of the receiver."""
        began = time.monotonic()
        over = began + self.within
        try:
            to = targets.target(url)
            status, answer = self._post(to, self._address(to, over), headers, body, over)
        except Refused as error:
            return Outcome(None, f"refused: {error}"[:KEPT], "", _since(began))
        except (OSError, HTTPException, ValueError) as error:
            return Outcome(None, _readable(f"{type(error).__name__}: {error}"), "", _since(began))
        return Outcome(status, "", answer, _since(began))

    def _address(self, to: Target, over: float) -> str:
        addresses = _looked_up(lambda: self.resolve(to.host, to.port), over)
        # The address is not reported: a webhook must not be a way to probe our own network.
        if not addresses or any(self.refusal(address) is not None for address in addresses):
            raise Refused("the name has an address that is not public")
        return addresses[0]

    def _post(
        self, to: Target, address: str, headers: Mapping[str, str], body: bytes, over: float
    ) -> tuple[int, str]:
        connection = _Pinned(to, address, self.context())
        cut = threading.Timer(over - time.monotonic(), connection.cut)
        cut.daemon = True
        cut.start()
        try:
            connection.request("POST", to.path, body=body, headers=dict(headers))
            response = connection.getresponse()
            return response.status, _readable(response.read(KEPT).decode("utf-8", "replace"))
        finally:
            cut.cancel()
            connection.close()


_looking_up = threading.BoundedSemaphore(LOOK_UPS)


def _looked_up(look: Callable[[], Sequence[str]], over: float) -> Sequence[str]:
    """Resolve a name within the timeout, which the system's resolver does not have. Raises TimeoutError and its
    errors.
    """
    if not _looking_up.acquire(timeout=max(0.0, over - time.monotonic())):
        raise TimeoutError("too many concurrent name resolutions")
    found: Future[Sequence[str]] = Future()

    def run() -> None:
        try:
            found.set_result(look())
        except Exception as error:
            found.set_exception(error)
        finally:
            _looking_up.release()

    threading.Thread(target=run, name="webhook-name", daemon=True).start()
    try:
        return found.result(max(0.0, over - time.monotonic()))
    except FutureTimeout:
        raise TimeoutError("the name was not resolved in time") from None


class _Pinned(HTTPSConnection):
    """Connects to a known address; the name is for TLS and for the header `Host`."""

    def __init__(self, to: Target, address: str, context: ssl.SSLContext) -> None:
        super().__init__(to.host, to.port, timeout=CONNECT_WITHIN, context=context)
        self._address = address
        self._trusting = context
        self._to_cut: socket.socket | None = None
        self._is_over = False

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), self.timeout)
        try:
            # The handshake follows later, so that the timeout can interrupt it too.
            sock = self._trusting.wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
        except BaseException:
            plain.close()
            raise
        # `sock` is released before the response is read if the connection ends with it.
        self.sock = self._to_cut = sock
        if self._is_over:  # the timeout came before the connection
            raise TimeoutError("not connected in time")
        sock.do_handshake()

    def cut(self) -> None:
        """Abort on timeout: every wait for the receiver gets an error."""
        self._is_over = True
        if self._to_cut is not None:
            with suppress(OSError):
                self._to_cut.shutdown(socket.SHUT_RDWR)


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _readable(text: str) -> str:
    """Text that a database and a page can show."""
    return "".join(one if one.isprintable() else " " for one in text)[:KEPT]
