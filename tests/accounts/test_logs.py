"""No secret reaches the log, in no failure."""

from __future__ import annotations

import io
import json
import logging
from datetime import UTC, datetime

import pytest
import structlog
from django.conf import settings
from django_structlog.middlewares import RequestMiddleware

from config.request_log import RequestLog
from eventstore.models import Event
from jobs import kinds
from jobs import services as jobs
from jobs.kinds import job
from tests.conftest import PASSWORD
from tests.signing_in import Browser


@pytest.fixture
def log() -> io.StringIO:
    """Everything that is logged, as the handler on stderr would write it."""
    written = io.StringIO()
    config = settings.LOGGING["formatters"]["json"]
    handler = logging.StreamHandler(written)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=config["foreign_pre_chain"], processors=config["processors"]
        )
    )
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


@pytest.mark.django_db
def test_neither_passwords_nor_tokens(api, administrator, player, log: io.StringIO) -> None:
    client = api(None)
    client.post("/api/v1/players/", {"username": "zoe", "password": PASSWORD}, key="")
    client.post("/api/v1/tokens/", {"username": "zoe", "password": "not " + PASSWORD}, key="")
    token = client.post("/api/v1/tokens/", {"username": "zoe", "password": PASSWORD}, key="").json()["token"]
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    client.get(f"/api/v1/players/me/?token={token}")
    made = api(administrator).post(f"/api/v1/players/{player.pk}/recovery/", {}, key="")
    link = made.json()["url"].partition("key=")[2]
    Browser().ask("post", "auth/password/reset", {"key": link, "password": "another horse battery"})
    text = log.getvalue()
    for secret in (PASSWORD, token, link, "another horse battery"):
        assert secret not in text
    lines = [json.loads(line) for line in text.splitlines()]
    requested = [line for line in lines if line["event"] == "request_finished"]
    assert len(requested) == 7
    assert all(line["request_id"] for line in requested)


def test_neither_seeds_nor_what_is_deep_inside_or_in_running_text(log: io.StringIO) -> None:
    structlog.get_logger("test").warning(
        "odd",
        server_seed="5eed",
        tournament_seed="5eed",
        client_seed="5eed",
        body={"a": [{"password": "hush", "otp": "123456"}]},
        header="Authorization: Bearer hush",
    )
    logging.getLogger("test").warning("failed with password=hush at %s", {"secret": "hush"})
    try:
        raise ValueError("token=hush")
    except ValueError:
        logging.getLogger("test").exception("broken")
    text = log.getvalue()
    assert len(text.splitlines()) == 3
    for secret in ("hush", "5eed", "123456"):
        assert secret not in text


def test_names_of_events_are_not_hidden(log: io.StringIO) -> None:
    structlog.get_logger("a").info("token_revoked", header="Token hush", reason="token: hush")
    line = json.loads(log.getvalue().splitlines()[-1])
    assert line["event"] == "token_revoked"
    assert "hush" not in log.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "status"), [("/api/v1/players/me/?token=hush", 200), ("/api/v1/no/", 404)])
def test_the_line_of_a_request_is_what_structlog_would_write(
    api, player, log: io.StringIO, monkeypatch, path: str, status: int
) -> None:
    assert api(player).get(path).status_code == status
    monkeypatch.setattr(RequestLog, "handle_response", RequestMiddleware.handle_response)
    assert api(player).get(path).status_code == status
    requested = [json.loads(line) for line in log.getvalue().splitlines()]
    ours, theirs = [line for line in requested if line["event"] == "request_finished"]
    for line in (ours, theirs):
        assert datetime.fromisoformat(line.pop("timestamp")).tzinfo == UTC
        assert line.pop("request_id")
    assert ours == theirs
    assert "hush" not in log.getvalue()


@pytest.mark.django_db
def test_a_move_is_found_by_its_game_and_by_the_command_that_its_event_bears(
    api, player, log: io.StringIO
) -> None:
    client = api(player)
    game = client.post("/api/v1/games/", {"rules": "racing-aces", "seats": 0}).json()["id"]
    client.post(f"/api/v1/games/{game}/start/")
    assert client.post(f"/api/v1/games/{game}/moves/", {"move": {"type": "draw"}}).status_code == 201
    line = [json.loads(line) for line in log.getvalue().splitlines()][-1]
    assert line["request"] == f"POST /api/v1/games/{game}/moves/"
    last = Event.objects.filter(stream_id=game).latest("version")
    assert (line["game"], line["command"], line["user_id"]) == (game, last.command_id, str(player.pk))


@pytest.mark.django_db
def test_the_lines_of_a_job_name_the_job_and_its_game(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds, "_kinds", dict(kinds._kinds))
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def work(payload: dict, *, now: datetime) -> None:
        structlog.get_logger("test").warning("working")
        raise ValueError("no such card")

    job("test.logged")(work)
    jobs.schedule(kind="test.logged", key="test:1", payload={"game": "g-1", "seed": "5eed"}, due=now)
    [claim] = jobs.claim(now=now)
    jobs.carry_out(job_ids=claim.job_ids, now=now)
    structlog.get_logger("test").warning("afterwards")
    *lines, after = [json.loads(line) for line in log.getvalue().splitlines()]
    assert {line["event"].split(":")[0] for line in lines} == {"working", "job test"}
    for line in lines:
        assert (line["job"], line["kind"], line["game"]) == ("test:1", "test.logged", "g-1")
    assert "job" not in after
    assert "5eed" not in log.getvalue()


@pytest.mark.django_db
def test_an_invitation_is_not_logged(api, player, log: io.StringIO) -> None:
    api(player).get("/api/v1/games/?invite=hush")
    assert "request_finished" in log.getvalue()
    assert "hush" not in log.getvalue()


def test_the_row_in_a_constraint_error_is_not_logged(log: io.StringIO) -> None:
    message = (
        'new row for relation "games_gamerecord" violates check constraint "c"\n'
        "DETAIL:  Failing row contains (7, 5eed, (x), \\x5eed5eed)."
    )
    try:
        raise ValueError(message)
    except ValueError:
        structlog.get_logger("test").exception("odd")
        logging.getLogger("test").exception("odder")
    text = log.getvalue()
    assert "5eed" not in text
    assert text.count("Failing row contains [hidden]") == 2
    assert 'constraint \\"c\\"' in text
