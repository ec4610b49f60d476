"""Valid and invalid requests generated from the API's description, by every role and about existing resources:
none causes a 5xx, and every refusal is a problem document."""

from __future__ import annotations

import json
import uuid
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.core.cache import cache as django_cache
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.security.world import ANONYMOUS, CLOSED, LAPSED, PAUSED, World

if TYPE_CHECKING:
    import schemathesis

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.timeout(240),
    pytest.mark.usefixtures("quiet"),
    pytest.mark.slow,
]

DESCRIPTION = json.loads((Path(__file__).resolve().parents[2] / "docs" / "openapi.json").read_text())
OPERATIONS = [
    f"{method.upper()} {path}" for path, methods in DESCRIPTION["paths"].items() for method in methods
]
WHO = [
    ANONYMOUS, CLOSED, LAPSED, PAUSED, "player", "rival", "stranger", "organizer", "another organizer", "judge",
    "helper", "auditor", "administrator",
]  # fmt: skip


def tell(client: Any, case: schemathesis.Case, ids: dict[str, Any]) -> Any:
    """Send the case unchanged, with existing ids where `ids` has them, and roll back."""
    given_headers = {
        name: value
        for name, value in (case.headers or {}).items()
        if isinstance(value, str) and value.isascii() and value.isprintable()
    }
    case.path_parameters = {
        name: ids.get(name, value) for name, value in (case.path_parameters or {}).items()
    }
    path = case.formatted_path + ("?" + urlencode(case.query, doseq=True) if case.query else "")
    from schemathesis.core import NotSet

    if isinstance(case.body, NotSet):
        body = b""
    else:
        body = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()
    with transaction.atomic():
        answer = client.generic(
            case.method,
            path,
            body,
            content_type="application/json",
            headers={"Idempotency-Key": str(uuid.uuid4()), **given_headers},
        )
        answer.getvalue()
        transaction.set_rollback(True)
    return answer


def test_every_role_is_used(world: World) -> None:
    assert set(WHO) == set(world.roles)


@cache
def description() -> Any:
    # Imported here: it takes a second, which every run would pay that only collects this file.
    from schemathesis import openapi

    return openapi.from_dict(DESCRIPTION)


def cases(name: str) -> st.SearchStrategy[schemathesis.Case]:
    """Sound and unsound requests of an operation."""
    from schemathesis import GenerationMode

    method, path = name.split()
    operation = description()[path][method]
    sound, unsound = (
        operation.as_strategy(generation_mode=mode)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    )
    return sound | unsound  # type: ignore[no-any-return]


def holds_for(world: World, names: list[str], *, examples: int) -> None:
    things = {each: str(thing) for each, thing in world.ids.items()}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(names).flatmap(cases), st.sampled_from(WHO), st.sampled_from([things, things, {}]))
    def holds(case: schemathesis.Case, who: str, ids: dict[str, Any]) -> None:
        django_cache.clear()
        answer = tell(world.client(who), case, ids)
        assert answer.status_code < 500, (who, case.formatted_path, case.query, case.body, answer.content)
        if answer.status_code >= 400:
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["status"] == answer.status_code

    holds()


@pytest.mark.parametrize("examples", [40, pytest.param(120, marks=[pytest.mark.nightly, pytest.mark.long])])
def test_requests_cause_no_server_error(world: World, examples: int) -> None:
    """Of some operations, other ones with each seed."""
    holds_for(world, OPERATIONS, examples=examples)


# PostgreSQL refuses some values that SQLite takes: NUL in a text, an integer of more than 64 bits.
@pytest.mark.soak
@pytest.mark.both_databases
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", OPERATIONS)
def test_requests_of_operation_cause_no_server_error(world: World, name: str) -> None:
    holds_for(world, [name], examples=40)
