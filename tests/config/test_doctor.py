"""`racecard doctor`: each fault is named with what to do, and no output contains a secret."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import redis
from aiosmtpd.controller import Controller
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from config.doctor import database, machine, outside, settings
from config.doctor.secrets import without_secrets
from config.environment import Environment
from eventstore.checkpoints import service
from games.services import create_game
from tests.config.test_full_disk import small_disk
from tests.conftest import NOW
from tests.installation import Installation, installation
from tools.services import free_port

OIDC = {"id": "x", "name": "X", "url": "https://x.example", "client": "c", "secret": "oidc-secret"}
SECRETS = ("hemmelig-%", "geheim", "segreto", "taenan-taenan", "oidc-secret")


def ids(messages: Iterator[Any]) -> set[str]:
    """The ids of our messages, each of which says what to do; Django's name their setting."""
    found = [message for message in messages if not message.id.startswith("security.")]
    assert all(message.msg and message.hint for message in found)
    return {message.id for message in found}


# --- the command ---


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as made:
        yield made


def doctor(site: Installation, *options: str, code: int, **environment: str) -> Any:
    site.environment |= environment
    return json.loads(site.run("-m", "config.cli.main", "doctor", "--json", *options, code=code).stdout)


def found_by(output: Any) -> dict[str, set[str]]:
    return {one["name"]: {message["id"] for message in one["messages"]} for one in output["checks"]}


@pytest.mark.both_databases
@pytest.mark.processes
def test_a_sound_installation_has_no_errors(site: Installation) -> None:
    site.migrate()
    data = Path(site.environment["RACECARD_DATA"])
    data.mkdir(exist_ok=True)
    data.chmod(0o700)
    on_postgresql = site.database is not None
    output = doctor(site, code=1 if on_postgresql else 0)
    errors = {
        message["id"]
        for one in output["checks"]
        for message in one["messages"]
        if message["level"] == "error"
    }
    # The servers of the tests do not flush, and their role is a superuser.
    assert errors == ({"database.fsync", "database.full-page-writes"} & errors if on_postgresql else set())
    assert output["ok"] is not on_postgresql
    assert "not-run" not in {one["verdict"] for one in output["checks"]}
    assert found_by(output)["jobs"] == {"jobs.ticker"}
    if output["ok"]:
        doctor(site, "--strict", code=1)


@pytest.mark.processes
def test_no_secret_is_printed(site: Installation) -> None:
    """Each server is unreachable, and each secret is in a variable that a message could quote."""
    port = free_port()
    output = site.environment | {
        "DATABASE_URL": f"postgresql://racecard:hemmelig-%25@127.0.0.1:{port}/x",
        "REDIS_URL": f"redis://:geheim@127.0.0.1:{port}/0",
        "EMAIL_URL": f"smtp://user:segreto@127.0.0.1:{port}",
        "RACECARD_SITE_URL": f"http://127.0.0.1:{port}",
        "RACECARD_SECRET_KEY": "taenan-taenan",
        "RACECARD_OIDC": json.dumps([OIDC]),
    }
    site.environment = output
    done = site.run("-m", "config.cli.main", "doctor", code=1)
    for id in ("database.unreachable", "broker.unreachable", "mail.unreachable", "mail.encryption"):
        assert id in done.stdout
    assert "the database cannot be used" in done.stdout
    assert not [secret for secret in SECRETS if secret in done.stdout + done.stderr]


def test_secrets_that_an_error_quotes_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://racecard:hemmelig-%25@db/x")
    assert without_secrets("invalid: postgresql://racecard:hemmelig-%25@db/x") == "invalid: [hidden]"
    assert without_secrets("password hemmelig-% is wrong") == "password [hidden] is wrong"


@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "value", "quoted"),
    [
        pytest.param("RACECARD_GUESTS", "many", "RACECARD_GUESTS", marks=pytest.mark.nightly),
        ("EMAIL_URL", "smtp://user:segreto@mail.example", "RACECARD_SITE_URL"),
        pytest.param("RACECARD_DATA", "/proc/racecard", "/proc/racecard", marks=pytest.mark.nightly),
    ],
)
def test_settings_that_cannot_be_loaded_are_named(tmp_path: Path, name: str, value: str, quoted: str) -> None:
    environment = {**os.environ, "RACECARD_DATA": str(tmp_path), name: value}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    command = [".venv/bin/racecard", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    [one] = json.loads(done.stdout)["checks"]
    [message] = one["messages"]
    assert message["id"] == "settings.unusable"
    assert quoted in message["text"]
    assert "segreto" not in done.stdout


def test_a_switch_is_on_or_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCH", "Yes")
    assert Environment().bool("SWITCH") is True
    monkeypatch.setenv("SWITCH", "off")
    assert Environment().bool("SWITCH") is False
    monkeypatch.setenv("SWITCH", "ture")
    with pytest.raises(ImproperlyConfigured, match="SWITCH"):
        Environment().bool("SWITCH")
    environment = Environment()
    assert environment.bool("ABSENT", default=True) is True
    assert environment.names == {"ABSENT"}


@pytest.mark.django_db
def test_the_checks_are_part_of_django_s(settings: Any, tmp_path: Path) -> None:
    settings.DATA = tmp_path
    tmp_path.chmod(0o755)
    with pytest.raises(SystemCheckError, match=r"keys\.mode"):
        call_command("check", deploy=True, tags=["installation"])


# --- settings ---


def test_a_variable_with_a_typo_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACECARD_HTPS", "1")
    monkeypatch.setenv("RACECARD_THREADS", "0")
    found = {
        message.id: message
        for message in settings.check()
        if "HTPS" in message.msg or "THREADS" in message.msg
    }
    assert found["settings.unknown"].hint == "Did you mean RACECARD_HTTPS?"
    assert "settings.threads" in found


def test_a_public_site_without_https_is_an_error(settings: Any) -> None:
    from config.doctor.settings import check

    settings.HTTPS, settings.RACECARD_SITE_URL = False, "https://cards.example"
    assert "settings.https" in ids(check())
    settings.HTTPS, settings.RACECARD_SITE_URL, settings.ALLOWED_HOSTS = True, "", ["*"]
    assert {"settings.site-url", "settings.hosts"} <= ids(check())


# --- database ---


@pytest.mark.postgres
@pytest.mark.processes
def test_missing_rights_are_named(site: Installation) -> None:
    site.migrate()
    assert site.database
    role = f"reader_{site.port}"
    name = urlsplit(site.database).path[1:]
    with psycopg.connect(site.database, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {role} LOGIN")
        try:
            admin.execute(
                f"REVOKE CREATE ON SCHEMA public FROM public; GRANT CONNECT ON DATABASE {name} TO {role}"
            )
            admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
            admin.execute(f"ALTER ROLE {role} SET default_transaction_isolation = 'serializable'")
            admin.execute(f"ALTER ROLE {role} SET idle_in_transaction_session_timeout = '60s'")
            parts = urlsplit(site.database)
            as_reader = parts._replace(netloc=f"{role}@{parts.hostname}:{parts.port}").geturl()
            found = found_by(doctor(site, code=1, DATABASE_URL=as_reader))["database"]
            assert {"database.rights", "database.create", "database.default-transaction-isolation"} <= found
            assert not {"database.superuser", "database.idle-in-transaction"} & found
            admin.execute(f"REVOKE USAGE ON SCHEMA public FROM public, {role}")
            assert "database.schema" in found_by(doctor(site, code=1))["database"]
        finally:
            admin.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


@pytest.mark.postgres
@pytest.mark.django_db
def test_server_settings_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACECARD_THREADS", "5000")
    found = ids(database.check())
    assert {"database.connections", "database.superuser", "database.idle-in-transaction"} <= found


def test_a_pooler_that_refuses_the_parameters_of_a_server_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_fault", lambda: "FATAL:  unsupported startup parameter: options")
    assert ids(database.check()) == {"database.unknown-pooler"}


@pytest.mark.parametrize(
    ("host", "is_local"), [("", True), ("/run/pg", True), ("::1", True), ("10.0.0.5", False), ("db", False)]
)
def test_a_remote_database_is_recognised(host: str, is_local: bool) -> None:
    assert database._is_local(host) is is_local


@pytest.mark.django_db
@pytest.mark.sqlite
def test_sqlite_on_a_network_file_system_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "filesystem", lambda folder: "nfs4")
    assert "database.network" in ids(database.check())


def test_the_file_system_of_a_folder_is_found() -> None:
    assert database.filesystem(Path("/proc/self")) == "proc"


# --- machine ---


@pytest.mark.django_db
def test_a_clock_that_is_ahead_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "skew", lambda: 61.0)
    monkeypatch.setattr(machine, "_is_synchronized", lambda: False)
    assert ids(machine.clock()) == {"clock.skew", "clock.unsynchronized"}


def refuse_to_flush(file: int) -> None:
    raise OSError(28, "No space left on device")


def test_a_full_disk_is_an_error(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA = tmp_path
    with small_disk(tmp_path, "256k") as mounted:
        if mounted:
            assert ids(machine.disk()) >= {"disk.space", "disk.temporary"}
            (tmp_path / "fill").write_bytes(b"x" * 256 * 1024)
        else:
            monkeypatch.setattr(os, "fsync", refuse_to_flush)
        assert ids(machine.disk()) == {"disk.write"}


def test_a_slow_disk_is_a_warning(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATA = tmp_path
    monkeypatch.setattr(machine, "_flush", lambda folder: 0.2)
    assert "disk.flush" in ids(machine.disk())


def test_too_few_open_files_are_a_warning(settings: Any) -> None:
    settings.RACECARD_CONNECTIONS = 10**9
    assert ids(machine.limits()) == {"limits.files"}


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    """A data folder with keys that others cannot reach."""
    settings.DATA = tmp_path
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"
    tmp_path.chmod(0o700)
    for name in ("secret.key", "push.key"):
        (tmp_path / name).touch(0o600)
    return tmp_path


@pytest.mark.django_db
def test_files_that_others_can_read_are_errors(data: Path, settings: Any) -> None:
    assert ids(machine.keys()) == set()
    (data / "secret.key").chmod(0o644)
    [message] = machine.keys()
    assert (message.id, str(data / "secret.key") in message.msg) == ("keys.mode", True)
    assert message.hint.startswith(f"chmod 600 {data / 'secret.key'}")
    (data / "secret.key").chmod(0o600)
    data.chmod(0o750)
    assert ids(machine.keys()) == {"keys.mode"}
    data.chmod(0o700)
    settings.HTTPS = True
    (data / "demo-passwords.txt").touch(0o600)
    assert ids(machine.keys()) == {"keys.demo"}


@pytest.mark.django_db
def test_another_user_is_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert ids(machine.keys()) == {"keys.user"}


@pytest.mark.django_db
@pytest.mark.sqlite
def test_the_key_of_the_next_checkpoint_must_be_here(data: Path, player: Any) -> None:
    assert not (data / "checkpoint.key").exists()
    create_game(creator=player, rules="racing-aces", config={}, seats=0, now=NOW)
    service.make(NOW)
    assert ids(machine.keys()) == set()
    key = (data / "checkpoint.key").read_text()
    (data / "checkpoint.key").unlink()
    assert ids(machine.keys()) == {"keys.signer"}
    assert not (data / "checkpoint.key").exists()
    service.signing_key()
    assert ids(machine.keys()) == {"keys.signer"}
    (data / "checkpoint.key").write_text(key)
    assert ids(machine.keys()) == set()


def test_an_unknown_or_old_time_zone_is_named(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.RACECARD_TIME_ZONE = "Europe/Atlantis"
    monkeypatch.setattr(machine, "_system_version", lambda: "2019a")
    assert ids(machine.zones()) == {"zones.unknown", "zones.old"}
    settings.RACECARD_TIME_ZONE = "Europe/London"
    monkeypatch.setattr(machine, "_system_version", lambda: "")
    assert ids(machine.zones()) == set()


def test_a_client_without_its_files_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.RACECARD_CLIENT = tmp_path
    assert ids(machine.client()) == {"client.missing"}
    (tmp_path / "index.html").write_text('<script src="/static/client/main-12345678.js"></script>')
    assert ids(machine.client()) == {"client.incomplete"}
    (tmp_path / "client").mkdir()
    (tmp_path / "client" / "main-12345678.js").touch()
    assert ids(machine.client()) == set()


# --- outside ---


def test_an_unwritable_folder_of_messages_is_an_error(settings: Any, tmp_path: Path) -> None:
    settings.REDIS_URL = ""
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_out": str(tmp_path / "absent")}
    assert ids(outside.broker()) == {"broker.folder"}


def test_a_redis_that_never_answers_is_given_up(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "PATIENCE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.REDIS_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        assert ids(outside.broker()) == {"broker.unreachable"}


@pytest.mark.postgres
def test_a_redis_that_drops_keys_is_a_warning(settings: Any) -> None:
    assert ids(outside.broker()) == set()
    server = redis.Redis.from_url(settings.REDIS_URL)
    server.config_set("maxmemory-policy", "allkeys-lru")
    try:
        assert ids(outside.broker()) == {"broker.eviction"}
    finally:
        server.config_set("maxmemory-policy", "noeviction")


def test_a_mail_server_is_spoken_to(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_URL, settings.EMAIL_HOST, settings.EMAIL_PORT = "smtp://", "127.0.0.1", free_port()
    settings.DEFAULT_FROM_EMAIL = "Racecard <racecard@localhost>"
    assert ids(outside.mail()) == {"mail.unreachable", "mail.sender"}
    controller = Controller(None, hostname="127.0.0.1", port=settings.EMAIL_PORT)
    controller.start()
    try:
        assert ids(outside.mail()) == {"mail.sender"}
    finally:
        controller.stop()
    settings.EMAIL_URL, settings.HTTPS = "", True
    assert ids(outside.mail()) == {"mail.none"}


@pytest.mark.parametrize(
    ("trusted", "id"), [("*", "proxy.any"), ("10.0.0.0/8,nginx", "proxy.address"), ("", "proxy.untrusted")]
)
def test_trusted_proxies_are_addresses(
    settings: Any, monkeypatch: pytest.MonkeyPatch, trusted: str, id: str
) -> None:
    settings.HTTPS, settings.RACECARD_SITE_URL = True, ""
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", trusted)
    assert ids(outside.proxy()) == {id}


def test_the_networks_of_scrapers_are_networks(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "")
    settings.RACECARD_METRICS_ALLOW = ["10.0.0.0/8", "10.0.0.1/8"]
    [message] = outside.proxy()
    assert (message.id, "10.0.0.1/8" in message.msg) == ("proxy.metrics", True)


@contextmanager
def proxy(answer: Callable[[BaseHTTPRequestHandler], tuple[int, str]]) -> Iterator[str]:
    """A server that answers with a status and a Location."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, location = answer(self)
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def is_metrics(request: BaseHTTPRequestHandler) -> bool:
    return request.path == "/metrics"


@pytest.mark.parametrize(
    ("answer", "id"),
    [
        (lambda one: (200, ""), "proxy.forwarded-for"),
        (lambda one: (301, f"http://{one.headers['Host']}{one.path}"), "proxy.forwarded-proto"),
        (lambda one: (400, ""), "proxy.host"),
        (lambda one: (502, ""), "proxy.answer"),
        (lambda one: (404 if is_metrics(one) else 200, ""), None),
    ],
)
def test_what_a_proxy_passes_on_is_examined(
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[BaseHTTPRequestHandler], tuple[int, str]],
    id: str | None,
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.1")
    with proxy(answer) as settings.RACECARD_SITE_URL:
        assert ids(outside.proxy()) == ({id} if id else set())
    assert ids(outside.proxy()) == {"proxy.unreachable"}
