"""Idle and slow connections, held open by a separate process.

`python crowd.py` reads what to hold from its first line of input, as JSON:

    {"port": 8000, "headers": 10, "bodies": 10, "readers": 10, "file": "/static/…", "streams": [["/api/v1/…", "token"]]}

It opens a connection again when the server closes it, writes a line of JSON once a second (how many are open, how many
of them were answered, how many the server has closed so far), and leaves at the end of its input. It needs nothing but
the standard library.
"""

from __future__ import annotations

import json
import os
import random
import resource
import select
import socket
import sys
import time
from contextlib import suppress
from typing import Any

AGAIN = (20.0, 30.0)
"""Seconds after which a reader that reads nothing begins again: it may not learn that the server has closed."""


def messages(wanted: dict[str, Any]) -> list[tuple[bytes, bool]]:
    """What each connection sends, and whether it reads."""
    header = b"GET /api/v1/rules/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
    body = (
        b"POST /api/v1/tokens/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\n\r\n{"
    )
    file = f"GET {wanted['file']} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 4
    streams = [
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nAuthorization: Bearer {token}\r\n\r\n"
        for path, token in wanted["streams"]
    ]
    return [
        *[(each.encode(), True) for each in streams],
        *[(header, True)] * wanted["headers"],
        *[(body, True)] * wanted["bodies"],
        *[(file, False)] * wanted["readers"],
    ]


class Crowd:
    def __init__(self, port: int) -> None:
        self.port = port
        self.poll = select.epoll()
        self.open: dict[int, tuple[socket.socket, bytes, bool, float]] = {}
        self.answered: set[int] = set()
        self.closed = 0

    def join(self, message: bytes, reads: bool) -> None:
        one = socket.socket()
        if not reads:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            one.settimeout(10)
            one.connect(("127.0.0.1", self.port))
            one.sendall(message)
            one.setblocking(False)
        except OSError:
            one.close()
            self.closed += 1
            return
        self.open[one.fileno()] = one, message, reads, time.monotonic() + random.uniform(*AGAIN)
        self.poll.register(one, select.EPOLLIN if reads else 0)

    def mind(self, seconds: float) -> None:
        """Read what comes, and open again what is closed."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            for number, event in self.poll.poll(left):
                one, _, reads, _ = self.open[number]
                received = b""
                if reads and event & select.EPOLLIN:
                    with suppress(OSError):
                        received = one.recv(65536)
                if received:
                    self.answered.add(number)
                else:
                    self._again(number)
        for number, (_, _, reads, ends) in list(self.open.items()):
            if not reads and time.monotonic() > ends:
                self._again(number)

    def _again(self, number: int) -> None:
        one, message, reads, _ = self.open.pop(number)
        self.poll.unregister(number)
        self.answered.discard(number)
        one.close()
        self.closed += 1
        self.join(message, reads)


def main() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if soft < hard else soft, hard))
    os.nice(10)  # the crowd stands for other machines, which take no processor time from the server
    wanted = json.loads(sys.stdin.readline())
    crowd = Crowd(wanted["port"])
    for number, (message, reads) in enumerate(messages(wanted)):
        crowd.join(message, reads)
        if number % 20 == 19:
            crowd.mind(0.005)
    while True:
        print(
            json.dumps({"open": len(crowd.open), "answered": len(crowd.answered), "closed": crowd.closed}),
            flush=True,
        )
        crowd.mind(1.0)
        if select.select([sys.stdin], [], [], 0)[0] and not sys.stdin.readline():
            return


if __name__ == "__main__":
    main()
