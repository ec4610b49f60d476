"""The committed description is the software's own, complete, and can be read without the internet."""

from __future__ import annotations

import json
from pathlib import Path

import drf_spectacular.validation
import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from jsonschema_rs import validate

from tests.conftest import headers_of

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
OPENAPI_3_1 = Path(drf_spectacular.validation.__file__).parent / "openapi_3_1_schema.json"
UNDESCRIBED = {"/api/v1/schema/", "/api/v1/docs/"}
BEFORE_DJANGO = {"/api/v1/feed/"}
"""Addresses that are answered in front of Django."""


@pytest.fixture(scope="module")
def schema() -> dict:
    return SchemaGenerator().get_schema(request=None, public=True)


def operations(schema: dict):
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def test_the_committed_file_is_fresh(schema: dict) -> None:
    assert json.loads(COMMITTED.read_text()) == json.loads(json.dumps(schema, default=str)), (
        "run `make openapi`"
    )


def test_it_is_openapi_3_1(schema: dict) -> None:
    assert schema["openapi"] == "3.1.0"
    # In Rust: in Python it takes three seconds.
    validate(json.loads(OPENAPI_3_1.read_text()), json.loads(json.dumps(schema, default=str)))


def test_operation_ids_are_explicit_and_unique(schema: dict) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(schema)]
    assert len(ids) == len(set(ids)) > 40
    assert not [one for one in ids if one.startswith(("api_v1", "v1_"))]
    assert all(operation.get("summary") for _, _, operation in operations(schema))


def test_every_operation_describes_its_problems(schema: dict) -> None:
    for path, method, operation in operations(schema):
        refused = operation["responses"]["default"]["content"]["application/problem+json"]["schema"]
        assert refused == {"$ref": "#/components/schemas/Problem"}, (method, path)


def test_every_post_needs_a_key_but_those_that_answer_or_take_secrets(schema: dict) -> None:
    without = {
        path.removeprefix("/api/v1/")
        for path, method, operation in operations(schema)
        if method == "post"
        and "Idempotency-Key" not in {one["name"] for one in operation.get("parameters", [])}
    }
    assert without == {
        "players/",
        "guests/",
        "guests/session/",
        "guests/sign-up/",
        "tokens/",
        "players/me/tokens/",
        "players/me/bots/{bot_id}/tokens/",
        "players/{player_id}/recovery/",
        "webhooks/",
        # A repetition changes nothing.
        "notifications/read/",
        # They change nothing.
        "disputes/{dispute_id}/ruling/preview/",
        "tournaments/preview/",
        "tournaments/{tournament_id}/corrections/preview/",
        "tournaments/{tournament_id}/rounds/{number}/pairing/preview/",
    }


def addresses(patterns, prefix: str = "/"):
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and route.startswith("/api/"):
            yield route


def test_every_address_is_described(schema: dict) -> None:
    described = {path.partition("{")[0] for path in schema["paths"]}
    routes = [*addresses(get_resolver().url_patterns), *BEFORE_DJANGO]
    assert {route.partition("<")[0] for route in routes} - UNDESCRIBED == described
    assert len(schema["paths"]) == len(routes) - len(UNDESCRIBED)


@pytest.mark.slow
@pytest.mark.django_db
def test_it_is_served_and_browsable_under_the_strict_policy() -> None:
    assert Client().get("/api/v1/schema/").status_code == 200
    page = Client().get("/api/v1/docs/")
    assert page.status_code == 200
    assert "script-src 'self';" in page["Content-Security-Policy"] + ";"
    text = page.content.decode()
    assert "<style" not in text
    assert "://" not in text.replace("http://testserver", "")
    script = Client().get("/api/v1/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert "SwaggerUIBundle" in script.content.decode()


@pytest.mark.django_db
def test_the_page_does_not_echo_its_address() -> None:
    requested = "/api/v1/schema/?version=%0d%0aSet-Cookie:%20a=b&lang=de"
    plain, odd = Client().get("/api/v1/schema/"), Client(raise_request_exception=False).get(requested)
    assert (odd.status_code, odd.content, headers_of(odd)) == (200, plain.content, headers_of(plain))


def test_it_is_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Client().get("/api/v1/schema/").content
    monkeypatch.setattr("rest.views.SchemaGenerator", None)
    assert Client().get("/api/v1/schema/").content == first


@pytest.mark.parametrize("address", ["/api/v1/schema/", "/api/v1/docs/"])
def test_what_it_refuses_is_a_problem_document_in_json(address: str) -> None:
    answer = Client().post(address)
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")
    assert answer.json()["code"] == "method-not-allowed"
