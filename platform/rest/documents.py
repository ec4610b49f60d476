"""Output documents: typed dictionaries, from which the OpenAPI description follows.

A document is a `TypedDict`. mypy compares it with the function that builds it, and `describe(response=…)` publishes it
under its class name:

    class Seat(TypedDict):
        seat: int
        player: Uuid | None
        suit: Annotated[Suit | None, "null where seats have no suit"]

A string in `Annotated` is the member's description, an OpenAPI type is its format, `one_of` names its values, and a
dictionary is its whole schema. A member that may be missing is `NotRequired`. A `datetime` is sent as `moment` writes
it. A document's class stands above the function that builds it.
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import (
    Annotated,
    Any,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
    overload,
)
from uuid import UUID

from django.db.models import TextChoices
from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import append_meta, build_basic_type, list_hash, resolve_type_hint
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers


class OneOf(NamedTuple):
    """The values that a member may have, each with its label."""

    choices: tuple[tuple[str, str], ...]


def one_of(values: Iterable[str] | Iterable[tuple[str, str]] | type[TextChoices]) -> OneOf:
    """Name the values of a member, or its choices."""
    choices = values.choices if isinstance(values, type) else values
    pairs = ((one, one) if isinstance(one, str) else one for one in choices)
    return OneOf(tuple((value, str(label)) for value, label in pairs))


Uuid = Annotated[str, OpenApiTypes.UUID]
Moment = Annotated[str, OpenApiTypes.DATETIME]
"""A time in UTC, RFC 3339."""
Date = Annotated[str, OpenApiTypes.DATE]
Url = Annotated[str, OpenApiTypes.URI]
Object = dict[str, Any]
"""A JSON object whose members are described elsewhere (a game's view, a move)."""


@overload
def moment(at: datetime) -> Moment: ...
@overload
def moment(at: None) -> None: ...
def moment(at: datetime | None) -> Moment | None:
    """Return a time in UTC as RFC 3339, with microseconds unless they are zero; None for None.

    >>> moment(datetime(2026, 3, 1, 12, tzinfo=UTC))
    '2026-03-01T12:00:00Z'
    """
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


@overload
def uuid_text(id: UUID) -> Uuid: ...
@overload
def uuid_text(id: None) -> None: ...
def uuid_text(id: UUID | None) -> Uuid | None:
    return None if id is None else str(id)


def descriptions(document: type) -> dict[str, str]:
    """Return the descriptions of a document's members, by name."""
    hints = get_type_hints(document, include_extras=True)
    notes = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {name: note for name, found in notes.items() for note in found if isinstance(note, str)}


class Described(serializers.Serializer[Any]):
    """A document as drf-spectacular knows it. It renders nothing."""

    document: type


def described(response: Any) -> Any:
    """Return `response` in a form that drf-spectacular understands; other than documents are returned unchanged."""
    if get_origin(response) is list and is_typeddict(get_args(response)[0]):
        return _class_of(get_args(response)[0])(many=True)
    return _class_of(response) if is_typeddict(response) else response


@cache
def _class_of(document: type) -> type[Described]:
    return type(document.__name__, (Described,), {"document": document, "__doc__": document.__doc__})


class DocumentExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Describes documents to drf-spectacular."""

    target_class = Described
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Any) -> str:
        return str(self.target.document.__name__)

    def get_identity(self, auto_schema: AutoSchema, direction: Any) -> Any:
        return self.target.document

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        document = self.target.document
        members = get_type_hints(document, include_extras=True)
        text = {} if document.__doc__ is None else {"description": document.__doc__}
        return {
            "type": "object",
            **text,
            "properties": {name: _schema(hint, auto_schema) for name, hint in members.items()},
            "required": sorted(name for name, hint in members.items() if get_origin(hint) is not NotRequired),
        }


def _schema(hint: Any, auto_schema: AutoSchema) -> dict[str, Any]:
    """Return the JSON schema of a member's type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _schema(inner[0], auto_schema)
    if origin is Annotated:
        return _annotated(inner[0], inner[1:], auto_schema)
    if origin in (Union, types.UnionType):
        return _union(inner, auto_schema)
    if origin is list:
        return {"type": "array", "items": _schema(inner[0], auto_schema)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inner[1], auto_schema) or True}
    if is_typeddict(hint):
        return auto_schema.resolve_serializer(_class_of(hint), "response").ref
    return {} if hint is Any else dict(resolve_type_hint(hint))  # type: ignore[no-untyped-call]


def _annotated(hint: Any, notes: tuple[Any, ...], auto_schema: AutoSchema) -> dict[str, Any]:
    schema = _schema(hint, auto_schema)
    for note in notes:
        if isinstance(note, OneOf):
            schema["enum"] = [value for value, _ in note.choices]
            schema["x-spec-enum-id"] = list_hash([*note.choices])  # by which drf-spectacular names it
        elif isinstance(note, OpenApiTypes):
            schema = dict(build_basic_type(note) or {})
        elif isinstance(note, dict):
            schema = note
        else:
            schema = append_meta(schema, {"description": note})
    return schema


def _union(hints: tuple[Any, ...], auto_schema: AutoSchema) -> dict[str, Any]:
    shapes = [_schema(hint, auto_schema) for hint in hints if hint is not type(None)]
    schema = shapes[0] if len(shapes) == 1 else {"oneOf": shapes}
    if type(None) not in hints:
        return schema
    if "enum" in schema:
        schema = {**schema, "enum": [*schema["enum"], None]}
    return append_meta(schema, {"nullable": True})
