"""No secret reaches the log, whatever fails."""

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
from tests.conftest import PASSWORD


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
    link = api(administrator).post(f"/api/v1/players/{player.pk}/recovery/", {}, key="").json()["token"]
    api(None).post("/api/v1/recovery/", {"token": link, "password": "x"}, key="")
    text = log.getvalue()
    for secret in (PASSWORD, token, link):
        assert secret not in text
    lines = [json.loads(line) for line in text.splitlines()]
    asked = [line for line in lines if line["event"] == "request_finished"]
    assert len(asked) == 6
    assert all(line["request_id"] for line in asked)


def test_neither_seeds_nor_what_is_deep_inside_or_in_running_text(log: io.StringIO) -> None:
    structlog.get_logger("test").warning(
        "odd",
        server_seed="5eed",
        tournament_seed="5eed",
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


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "status"), [("/api/v1/players/me/?token=hush", 200), ("/api/v1/no/", 404)])
def test_the_line_of_a_request_is_what_structlog_would_write(
    api, player, log: io.StringIO, monkeypatch, path: str, status: int
) -> None:
    assert api(player).get(path).status_code == status
    monkeypatch.setattr(RequestLog, "handle_response", RequestMiddleware.handle_response)
    assert api(player).get(path).status_code == status
    asked = [json.loads(line) for line in log.getvalue().splitlines()]
    ours, theirs = [line for line in asked if line["event"] == "request_finished"]
    for line in (ours, theirs):
        assert datetime.fromisoformat(line.pop("timestamp")).tzinfo == UTC
        assert line.pop("request_id")
    assert ours == theirs
    assert "hush" not in log.getvalue()
