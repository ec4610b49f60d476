"""The OpenAPI schema of a document follows from its type."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, NotRequired, TypedDict

import pytest
from django.urls import path
from drf_spectacular.generators import SchemaGenerator
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, Serializer
from rest_framework.views import APIView

from rest.documents import Moment, Object, Uuid, moment, one_of
from rest.schema import describe
from rest.scopes import ANY_CALLER


class CardOutput(TypedDict):
    """A card on the table."""

    code: str
    owner: Uuid | None


class BaseOutput(TypedDict):
    id: Uuid


class PileOutput(BaseOutput):
    cards: list[CardOutput]
    top: Annotated[CardOutput | None, "null for an empty pile"]
    suit: Annotated[str, one_of("CDHS")] | None
    counts: dict[str, int]
    config: Object
    moved_at: Moment
    ends_at: datetime | None
    ratio: float
    anything: Any
    note: NotRequired[Annotated[str, "only if there is one"]]


class Piles(APIView):
    @describe(
        "piles_read", "A pile", scope=ANY_CALLER, response=PileOutput, also={202: (list[CardOutput], "Later")}
    )
    def get(self, request: Request) -> Response:
        raise NotImplementedError


@pytest.fixture(scope="module")
def api() -> dict[str, Any]:
    return SchemaGenerator(patterns=[path("piles/", Piles.as_view())]).get_schema(request=None, public=True)


@pytest.fixture
def pile(api: dict[str, Any]) -> dict[str, Any]:
    return api["components"]["schemas"]["PileOutput"]


def test_a_response_refers_to_its_document(api: dict[str, Any]) -> None:
    responses = api["paths"]["/piles/"]["get"]["responses"]
    assert responses["200"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/PileOutput"
    }
    assert responses["202"]["content"]["application/json"]["schema"] == {
        "type": "array",
        "items": {"$ref": "#/components/schemas/CardOutput"},
    }


def test_a_document_has_its_docstring_and_its_members(api: dict[str, Any]) -> None:
    assert api["components"]["schemas"]["CardOutput"] == {
        "type": "object",
        "description": "A card on the table.",
        "properties": {
            "code": {"type": "string"},
            "owner": {"type": ["string", "null"], "format": "uuid"},
        },
        "required": ["code", "owner"],
    }


def test_only_members_that_may_be_missing_are_optional(pile: dict[str, Any]) -> None:
    assert sorted({*pile["properties"]} - {*pile["required"]}) == ["note"]


@pytest.mark.parametrize(
    ("member", "schema"),
    [
        ("id", {"type": "string", "format": "uuid"}),
        ("cards", {"type": "array", "items": {"$ref": "#/components/schemas/CardOutput"}}),
        (
            "top",
            {
                "oneOf": [{"$ref": "#/components/schemas/CardOutput"}, {"type": "null"}],
                "description": "null for an empty pile",
            },
        ),
        (
            "suit",
            {"oneOf": [{"$ref": "#/components/schemas/SuitEnum"}, {"$ref": "#/components/schemas/NullEnum"}]},
        ),
        ("counts", {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("config", {"type": "object", "additionalProperties": True}),
        ("moved_at", {"type": "string", "format": "date-time"}),
        ("ends_at", {"type": ["string", "null"], "format": "date-time"}),
        ("ratio", {"type": "number", "format": "double"}),
        ("anything", {}),
        ("note", {"type": "string", "description": "only if there is one"}),
    ],
)
def test_a_member_has_the_schema_of_its_type(
    pile: dict[str, Any], member: str, schema: dict[str, Any]
) -> None:
    assert pile["properties"][member] == schema


def rendered_by_serializers(patterns: Any = None) -> list[str]:
    """Return the components of responses that are serializers instead of documents."""
    generator = SchemaGenerator(patterns=patterns)
    generator.get_schema(request=None, public=True)
    found = {one.name: one.object for one in generator.registry._components.values()}
    return [
        name
        for name, one in found.items()
        if issubclass(one if isinstance(one, type) else type(one), Serializer)
        and not name.endswith("Request")
    ]


def test_every_response_is_a_document() -> None:
    assert rendered_by_serializers() == []


def test_a_serializer_as_a_response_is_found() -> None:
    class Rendered(Serializer[Any]):
        code = CharField()

    class Cards(APIView):
        @describe("cards_change", "A card", scope=ANY_CALLER, request=Rendered, response=Rendered)
        def put(self, request: Request) -> Response:
            raise NotImplementedError

    assert rendered_by_serializers([path("cards/", Cards.as_view())]) == ["Rendered"]


@pytest.mark.parametrize("microseconds", [0, 7])
def test_a_datetime_is_sent_as_moment_writes_it(microseconds: int) -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC) + timedelta(microseconds=microseconds)
    assert JSONRenderer().render([at]) == JSONRenderer().render([moment(at)])
