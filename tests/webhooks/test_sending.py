"""One POST over real TLS: to the address that was judged, by the name that was asked for, and no further."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.installation import until
from tests.webhooks.servers import NAME, Server, serving
from webhooks import sending
from webhooks.sending import Outcome, Transport

pytestmark = pytest.mark.slow

HEADERS = {"webhook-id": "one"}


def answering(status: int, body: bytes = b"", **headers: str):
    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(status)
        for name, value in headers.items():
            to.send_header(name, value)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        to.wfile.write(body)

    return answer


def send(server: Server, transport: Transport | None = None, url: str | None = None) -> Outcome:
    return (transport or server.transport()).send(url or server.url, headers=HEADERS, body=b"{}")


def test_what_is_sent_arrives_under_the_name_of_the_host(tmp_path: Path) -> None:
    with serving(tmp_path, answering(204)) as server:
        outcome = send(server)
    assert (outcome.ok, outcome.status, outcome.error) == (True, 204, "")
    [request] = server.requests
    assert (request.path, request.body) == ("/in?x=1", b"{}")
    assert request.headers["host"] == f"{NAME}:{server.port}"
    assert request.headers["webhook-id"] == "one"


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    with serving(tmp_path, answering(302, Location="/elsewhere")) as server:
        outcome = send(server)
    assert (outcome.ok, outcome.status) == (False, 302)
    assert len(server.requests) == 1


def test_only_the_storable_start_of_a_response_is_stored(tmp_path: Path) -> None:
    with serving(tmp_path, answering(500, b"\x00\xffno\n" + b"x" * 100_000)) as server:
        outcome = send(server)
    assert (outcome.status, len(outcome.answer)) == (500, sending.KEPT)
    assert outcome.answer.startswith(" \ufffdno x")


def test_an_address_that_is_refused_is_never_connected_to(tmp_path: Path) -> None:
    with serving(tmp_path, answering(204)) as server:
        outcome = send(server, server.transport(refused="no"))
    assert (outcome.status, server.requests) == (None, [])
    assert outcome.error == "refused: the name has an address that is not public"
    assert "127" not in outcome.error


def test_the_default_policy_refuses_this_machine(tmp_path: Path) -> None:
    with serving(tmp_path, answering(204)) as server:
        outcome = send(server, Transport(resolve=lambda host, port: ["127.0.0.1"]))
    assert outcome.error.startswith("refused: ")
    assert server.requests == []


def test_one_address_that_is_not_public_is_enough_to_refuse_a_name(tmp_path: Path) -> None:
    requested: list[str] = []

    def never(host: str, port: int) -> list[str]:
        requested.append(host)
        return ["93.184.216.34", "10.0.0.1"]

    outcome = Transport(resolve=never).send(f"https://{NAME}/", headers={}, body=b"")
    assert outcome.error.startswith("refused: ")
    assert requested == [NAME]


def test_a_name_is_resolved_once_and_the_connection_goes_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def watched(host: str, *args: object, **kwargs: object):
        looked_up.append(host)
        return real(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    with serving(tmp_path, answering(204)) as server:
        assert send(server).ok
    # An address alone: the name is not looked up again, where it might lead elsewhere by now.
    assert set(looked_up) <= {"127.0.0.1"}


def test_a_certificate_of_another_name_is_not_believed(tmp_path: Path) -> None:
    with serving(tmp_path, answering(204), name="other.example.org") as server:
        outcome = send(server)
    assert outcome.status is None
    assert "SSLCertVerificationError" in outcome.error
    assert server.requests == []


def test_nor_is_one_of_an_unknown_authority(tmp_path: Path) -> None:
    with serving(tmp_path, answering(204)) as server:
        local = server.transport()
        outcome = send(server, Transport(resolve=local.resolve, refusal=local.refusal))
    assert "SSLCertVerificationError" in outcome.error


@pytest.mark.parametrize("url", ["http://hooks.example.org/", "https://hooks.example.org:22/"])
def test_an_invalid_target_is_not_resolved(url: str) -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError(host)

    assert Transport(resolve=never).send(url, headers={}, body=b"").error.startswith("refused: ")


def test_a_name_that_is_unknown_is_an_error_and_no_crash() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    outcome = Transport(resolve=unknown).send(f"https://{NAME}/", headers={}, body=b"")
    assert (outcome.status, outcome.error) == (None, "gaierror: [Errno -2] Name or service not known")


def test_a_receiver_that_responds_too_slowly_is_disconnected(tmp_path: Path) -> None:
    cut = threading.Event()

    def drip(to: BaseHTTPRequestHandler) -> None:
        try:
            while not cut.wait(0.02):
                to.wfile.write(b"H")
                to.wfile.flush()
        except OSError:
            cut.set()

    with serving(tmp_path, drip) as server:
        outcome = send(server, server.transport(within=0.5))
        cut.set()
    assert outcome.status is None
    assert outcome.error
    assert outcome.took < 5000


def test_nor_may_the_body_come_drop_by_drop(tmp_path: Path) -> None:
    cut = threading.Event()

    def drip(to: BaseHTTPRequestHandler) -> None:
        # Of an answer that ends with its connection the client's own connection lets go before it is read.
        to.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while not cut.wait(0.1):
            try:
                to.wfile.write(b"x")
                to.wfile.flush()
            except OSError:
                return

    with serving(tmp_path, drip) as server:
        outcome = send(server, server.transport(within=0.5))
        cut.set()
    assert len(outcome.answer) < 50
    assert outcome.took < 5000


def test_a_receiver_without_a_tls_handshake_is_disconnected() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.listen()
        port = silent.getsockname()[1]
        server = Transport(resolve=lambda host, _: ["127.0.0.1"], refusal=lambda address: None, within=0.3)
        outcome = server.send(f"https://{NAME}:{port}/", headers={}, body=b"")
    assert outcome.status is None
    assert outcome.took < 5000


def test_a_name_lookup_without_answer_times_out() -> None:
    answered = threading.Event()

    def slow(host: str, port: int) -> list[str]:
        answered.wait(30)
        return ["93.184.216.34"]

    outcome = Transport(resolve=slow, within=0.1).send(f"https://{NAME}/", headers={}, body=b"")
    answered.set()
    assert (outcome.status, outcome.error) == (None, "TimeoutError: the name was not resolved in time")
    assert outcome.took < 5000


def test_the_lookup_counts_towards_the_total_time(tmp_path: Path) -> None:
    with serving(tmp_path, answering(204)) as server:
        local = server.transport(within=0.2)

        def late(host: str, port: int) -> list[str]:
            time.sleep(0.15)
            return ["127.0.0.1"]

        def slow_context() -> ssl.SSLContext:
            time.sleep(0.1)  # now the time is up, and nothing is connected yet
            return local.context()

        transport = Transport(resolve=late, refusal=local.refusal, context=slow_context, within=0.2)
        outcome = send(server, transport)
    assert (outcome.status, server.requests) == (None, [])


def test_hanging_lookups_are_bounded() -> None:
    answered, hanging = threading.Event(), []

    def slow(host: str, port: int) -> list[str]:
        hanging.append(host)
        answered.wait(30)
        return []

    stuck = Transport(resolve=slow, within=0.02)
    errors = [stuck.send(f"https://{NAME}/", headers={}, body=b"").error for _ in range(sending.LOOK_UPS + 2)]
    answered.set()
    assert len(hanging) == sending.LOOK_UPS
    assert errors[-2:] == ["TimeoutError: too many concurrent name resolutions"] * 2
    until(
        lambda: (
            Transport(resolve=lambda *_: []).send(f"https://{NAME}/", headers={}, body=b"").error[:7]
            == "refused"
        ),
        "the look-ups have ended",
    )
