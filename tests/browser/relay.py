"""A relay between browser and server that can be cut and that records the traffic."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

FEED = b"GET /api/v1/feed/"
CHUNK = 65536


class Relay:
    def __init__(self, server: str) -> None:
        parts = urlsplit(server)
        self._server = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._is_cut = False
        self._lock = threading.Lock()
        self._open: dict[socket.socket, socket.socket] = {}
        self._feeds: set[socket.socket] = set()
        self._lost = b""
        self._without_answer: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def feeds(self) -> int:
        """Event streams that are open now."""
        with self._lock:
            return len(self._feeds)

    def cut(self) -> None:
        """Every connection ends at once, and new ones come to nothing."""
        with self._lock:
            self._is_cut = True
            pairs = list(self._open.items())
        for pair in pairs:
            for end in pair:
                _end(end)

    def lose_answer(self, start: bytes) -> None:
        """The next request that starts so is delivered, and its connection ends in place of the answer."""
        with self._lock:
            self._lost = start

    def mend(self) -> None:
        with self._lock:
            self._is_cut = False

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._server)
            except OSError:
                browser.close()
                continue
            with self._lock:
                self._open[browser] = server
                is_cut = self._is_cut
            if is_cut:
                _end(browser)
                _end(server)
            for start, end, is_request in ((browser, server, True), (server, browser, False)):
                threading.Thread(
                    target=self._carry, args=(start, end, browser, is_request), daemon=True
                ).start()

    def _carry(
        self, start: socket.socket, end: socket.socket, browser: socket.socket, is_request: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := start.recv(CHUNK):
                if is_request and data.startswith(FEED):
                    with self._lock:
                        self._feeds.add(browser)
                if self._is_lost(data, browser, is_request):
                    break
                end.sendall(data)
        _end(start)
        _end(end)
        with self._lock:
            self._without_answer.discard(browser)
            self._feeds.discard(browser)
            self._open.pop(browser, None)

    def _is_lost(self, data: bytes, browser: socket.socket, is_request: bool) -> bool:
        with self._lock:
            if not is_request:
                return browser in self._without_answer
            if self._lost and data.startswith(self._lost):
                self._lost = b""
                self._without_answer.add(browser)
            return False


def _end(wire: socket.socket) -> None:
    with contextlib.suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)
    wire.close()


@contextlib.contextmanager
def relay(server: str) -> Iterator[Relay]:
    one = Relay(server)
    try:
        yield one
    finally:
        one.close()
