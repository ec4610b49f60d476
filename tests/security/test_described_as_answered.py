"""The OpenAPI description says of every operation who may call it without an account, and what it answers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.security.test_access_table import ROWS, asked
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


def test_no_account_is_asked_for_where_none_is_needed(described: dict[tuple[str, str], Any]) -> None:
    wrong = [
        f"{method} {route}"
        for method, name, route, _ in operations()
        if (operation := found(described, method, route))
        and (ROWS[f"{method} {name}"].status_for(ANONYMOUS) == 401) == ({} in operation.get("security", [{}]))
    ]
    assert wrong == []


def test_a_page_is_described_as_a_page_and_an_array_as_an_array(
    world: World, described: dict[tuple[str, str], Any]
) -> None:
    wrong = []
    for method, name, route, _ in operations():
        operation = found(described, method, route)
        if method != "get" or operation is None:
            continue
        row = ROWS[f"{method} {name}"]
        role = next(role for role in world.roles if row.status_for(role) is None)
        answer = asked(world, world.client(role), method, name, route)
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
