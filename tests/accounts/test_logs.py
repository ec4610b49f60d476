"""No secret reaches the log, whatever fails."""

from __future__ import annotations

import io
import json
import logging

import pytest
import structlog
from django.conf import settings

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
