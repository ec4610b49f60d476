"""Requests made up from the API's own description, sound and unsound: none may be answered with a 5xx,
every refusal is a problem document, and every answer is of the form that the description promises."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import schemathesis
from django.core.cache import cache
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

from accounts.roles import Role
from accounts.services import issue_token
from tests.conftest import person

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(240)]

DESCRIPTION = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
schema = schemathesis.openapi.from_dict(json.loads(DESCRIPTION.read_text()))
OPERATIONS = {
    f"{found.ok().method.upper()} {found.ok().path}": found.ok() for found in schema.get_all_operations()
}


def tell(client: Any, case: schemathesis.Case) -> Any:
    """Send the case as it is, whatever it holds."""
    given_headers = {
        name: value
        for name, value in (case.headers or {}).items()
        if isinstance(value, str) and value.isascii() and value.isprintable()
    }
    path = case.formatted_path + ("?" + urlencode(case.query, doseq=True) if case.query else "")
    if isinstance(case.body, schemathesis.core.NotSet):
        body = b""
    else:
        body = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
    return client.generic(
        case.method,
        path,
        body,
        content_type="application/json",
        headers={"Idempotency-Key": str(uuid.uuid4()), **given_headers},
    )


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("who", ["nobody", "player", "administrator"])
def test_no_request_breaks_the_server(api, request, who: str, name: str) -> None:
    operation = OPERATIONS[name]
    client = api(None)
    roles = [Role.ADMINISTRATOR] if who == "administrator" else []
    player = None if who == "nobody" else person("fuzz", *roles)

    @settings(
        max_examples=1 if who == "administrator" else 3,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
        | operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    )
    def holds(case: schemathesis.Case) -> None:
        cache.clear()
        if player is not None:
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=player)[1]}")
        answer = tell(client, case)
        assert answer.status_code < 500, (case.formatted_path, case.query, case.body, answer.content)
        if answer.status_code >= 400:
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code

    holds()
