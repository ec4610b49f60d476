"""Test that the OpenAPI description matches authentication and responses."""

from __future__ import annotations

import re
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.security.test_access_table import ROWS, requested
from tests.security.world import ANONYMOUS, World, operations

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture(scope="module")
def described() -> dict[tuple[str, str], Any]:
    """Operations by method and address, the parameters of which have no names."""
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    return {
        (method, re.sub(r"{.*?}", "{}", path)): operation
        for path, item in paths.items()
        for method, operation in item.items()
    }


def found(described: dict[tuple[str, str], Any], method: str, route: str) -> Any:
    return described.get((method, "/" + re.sub(r"<.*?>", "{}", route)))


def test_public_operations_are_described_without_authentication(
    described: dict[tuple[str, str], Any],
) -> None:
    wrong = [
        f"{method} {route}"
        for method, name, route, _ in operations()
        if (operation := found(described, method, route))
        and (ROWS[f"{method} {name}"].status_for(ANONYMOUS) == 401) == ({} in operation.get("security", [{}]))
    ]
    assert wrong == []


def test_described_response_shapes_match(world: World, described: dict[tuple[str, str], Any]) -> None:
    wrong = []
    for method, name, route, _ in operations():
        operation = found(described, method, route)
        if method != "get" or operation is None:
            continue
        row = ROWS[f"{method} {name}"]
        role = next(role for role in world.roles if row.status_for(role) is None)
        answer = requested(world, world.client(role), method, name, route)
        schema = (
            operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema")
        )
        if answer.status_code == 200 and schema and answer["Content-Type"].startswith("application/json"):
            is_page = "results" in answer.json()
            as_page = "Paginated" in schema.get("$ref", "")
            if isinstance(answer.json(), list) != (schema.get("type") == "array") or (
                as_page and not is_page
            ):
                wrong.append(f"{method} {route}")
    assert wrong == []
