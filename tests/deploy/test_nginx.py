"""The configuration of deploy/nginx: served by nginx in front of two groups of web processes.

`make soak` needs nginx for it (`apt-get install nginx`). `make test` reads the configuration, and has nginx check it
where nginx is installed.
"""

from __future__ import annotations

import re
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
import pytest

from tests.deploy.nginx import CONFIGURATION, PROGRAM, configured, proxy
from tests.installation import Installation, Process, installation, until
from tests.rest_players import TABLE, play_during, signed_up
from tools.services import free_port

TEXT = (CONFIGURATION / "racecard.conf").read_text()


def test_the_configuration_is_whole_and_nginx_accepts_it_where_it_is_installed(tmp_path: Path) -> None:
    bare = re.sub(r"'[^']*'|#.*", "", TEXT)
    assert bare.count("{") == bare.count("}")
    assert set(re.findall(r"proxy_pass http://\$?(\w+)", bare)) == {
        "racecard_web",
        "racecard_streams",
        "racecard_upstream",
    }
    for header in ("X-Forwarded-For   $remote_addr", "X-Forwarded-Proto $scheme", "Host              $host"):
        assert f"proxy_set_header {header};" in TEXT
    if PROGRAM:
        ports = {name: free_port() for name in ("http", "https", "web", "streams")}
        done = subprocess.run(
            [*configured(tmp_path, **ports), "-t"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


class Site(NamedTuple):
    installation: Installation
    web: Process
    streams_port: int
    http: str
    https: str
    trust: dict[str, Any]
    """Options of httpx that trust the certificate."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("nginx")
    with installation(Installation(folder / "site")) as made:
        made.folder.mkdir()
        made.migrate()
        Path(made.environment["RACECARD_DATA"]).chmod(0o700)
        made.environment |= {"RACECARD_HTTPS": "1", "FORWARDED_ALLOW_IPS": "127.0.0.1"}
        other = free_port()
        run = ("-m", "config.cli.main", "run", "web", "--port")
        web = made.start("web", *run, str(made.port), kind=Process)
        made.start("streams", *run, str(other), "--processes", "1", kind=Process)
        with proxy(folder, web=made.port, streams=other) as (http, https):
            trust = {"verify": ssl.create_default_context(cafile=str(folder / "cert.pem"))}
            made.environment |= {"RACECARD_SITE_URL": https, "SSL_CERT_FILE": str(folder / "cert.pem")}
            until(lambda: serves(made.port) and serves(other), "both web processes serve")
            yield Site(made, web, other, http, https, trust)


def serves(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").is_success
    except httpx.TransportError:
        return False


pytestmark = [pytest.mark.processes]
soak = pytest.mark.soak


@soak
def test_http_leads_to_https_and_cookies_are_secure(site: Site) -> None:
    moved = httpx.get(f"{site.http}/games/?mine=1", headers={"Host": "localhost"})
    assert (moved.status_code, moved.headers["location"]) == (301, "https://localhost/games/?mine=1")
    page = httpx.get(f"{site.https}/", **site.trust)
    assert page.status_code == 200
    assert page.headers["strict-transport-security"].startswith("max-age=31536000")
    assert "Secure" in page.headers["set-cookie"]


@soak
def test_the_doctor_finds_nothing_wrong_with_the_proxy(site: Site) -> None:
    """It sends requests that reveal a header which is not passed on."""
    output = site.installation.run("-m", "config.cli.main", "doctor", "--json").stdout
    assert (
        '"name": "proxy", "about": "trusted addresses, and what a proxy passes on", "verdict": "passed"'
        in output
    )


@soak
def test_a_caller_does_not_choose_its_address(site: Site) -> None:
    """`/metrics` answers the machine itself: neither a forged header nor the proxy's own address opens it."""
    forged = {"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1", "X-Real-IP": "127.0.0.1"}
    assert httpx.get(f"{site.https}/metrics", headers=forged, **site.trust).status_code == 404
    assert httpx.get(f"{site.https}/readyz", headers=forged, **site.trust).status_code == 404
    # Guesses are counted by the address that the proxy sees, and not by those that the caller invents. Without Redis
    # each of the two web processes counts ten.
    wrong = {"username": "nobody", "password": "wrong", "scopes": ["read"]}
    statuses = [
        httpx.post(
            f"{site.https}/api/v1/tokens/",
            json=wrong,
            headers={"X-Forwarded-For": f"10.0.0.{number}"},
            **site.trust,
        ).status_code
        for number in range(25)
    ]
    assert 429 in statuses


@soak
def test_events_arrive_at_once_and_from_the_processes_for_streams(site: Site) -> None:
    token = signed_up(site.https, **site.trust)
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=f"{site.https}/api/v1/games/", headers=headers, **site.trust) as client:

        def send(path: str, body: Any = None) -> Any:
            sent = client.post(path, json=body, headers={"Idempotency-Key": uuid4().hex})
            assert sent.is_success, sent.text
            return sent.json()

        game = send("", TABLE)["id"]
        events = {"Accept": "text/event-stream"}
        with client.stream("GET", f"{game}/events/", headers=events, timeout=20) as stream:
            lines = stream.iter_lines()
            assert next(line for line in lines if line.startswith("id:"))
            send(f"{game}/seats/", {})
            started = time.monotonic()
            assert next(line for line in lines if line.startswith("id:"))
            assert time.monotonic() - started < 2
    log = site.installation.folder.parent / "access.log"
    logged = f'"GET /api/v1/games/{game}/events/" 200 '
    line = until(
        lambda: next((one for one in log.read_text().splitlines() if logged in one), ""), "it is logged"
    )
    assert f" 127.0.0.1:{site.streams_port} " in line


@soak
def test_bodies_are_limited(site: Site) -> None:
    json_body = {"Content-Type": "application/json"}
    for size, seller in ((300 * 1024, "Racecard"), (2 * 1024 * 1024, "nginx")):
        refused = httpx.post(
            f"{site.https}/api/v1/tokens/", content=b"x" * size, headers=json_body, **site.trust
        )
        assert refused.status_code == 413, seller
        assert refused.headers["content-type"].startswith("application/problem+json")
        assert refused.json()["code"] == "body-too-large"


@soak
def test_a_header_that_does_not_end_is_given_up(site: Site) -> None:
    port = httpx.URL(site.https).port
    assert port
    with (
        socket.create_connection(("127.0.0.1", port), timeout=30) as plain,
        site.trust["verify"].wrap_socket(plain, server_hostname="localhost") as half,
    ):
        half.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        started = time.monotonic()
        half.recv(1024)
        assert 5 < time.monotonic() - started < 20


@soak
def test_a_reload_behind_the_proxy_loses_no_request(site: Site) -> None:
    before = set(site.web.descendants())

    def reload() -> None:
        site.web.popen.send_signal(signal.SIGHUP)
        until(lambda: len(before & set(site.web.descendants())) <= 1, "the web processes are replaced")

    play_during(site.installation, site.https, reload, **site.trust)


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of nginx behind which no web process runs."""
    with proxy(tmp_path, web=free_port(), streams=free_port()) as (_, https):
        trust = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        with httpx.Client(base_url=https, verify=trust) as client:
            yield client


@soak
def test_without_a_web_process_clients_are_told_to_try_again(alone: httpx.Client) -> None:
    for path in ("/api/v1/rules/", "/api/v1/feed/", "/"):
        answer = alone.get(path)
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert answer.headers["retry-after"] == "5"


@soak
def test_a_flood_of_sign_ins_is_refused_with_the_time_to_wait(alone: httpx.Client) -> None:
    answers = [alone.get("/api/v1/tokens/") for _ in range(150)]
    refused = [one for one in answers if one.status_code == 429]
    assert 0 < len(refused) < len(answers)
    assert {one.json()["code"] for one in refused} == {"too-many-requests"}
    assert {one.headers["retry-after"] for one in refused} == {"1"}
