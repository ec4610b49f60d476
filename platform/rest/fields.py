"""Serializer fields that accept a JSON value of their own type and convert nothing."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from rest.fast_path import ApiRequest

MOST_PENCE = 10**11


class StrictIntegerField(serializers.IntegerField):
    """A JSON integer. `true`, `5.0`, and `"5"` are refused."""

    default_error_messages = {"invalid": "A whole number is needed."}

    def __init__(self, min: int | None = None, max: int | None = None, **options: Any) -> None:
        if min is not None:
            options["min_value"] = min
        if max is not None:
            options["max_value"] = max
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return data


class PenceField(StrictIntegerField):
    """An amount of money in pence, 1 to 10^11 unless narrowed."""

    def __init__(self, min: int = 1, max: int = MOST_PENCE, **options: Any) -> None:
        super().__init__(min=min, max=max, **options)


class StrictTextField(serializers.CharField):
    """A JSON string, stored as sent (trimmed only on request)."""

    default_error_messages = {"invalid": "Text is needed."}

    def __init__(self, **options: Any) -> None:
        options.setdefault("trim_whitespace", False)
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    default_error_messages = {"invalid": "true or false is needed."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class StrictUUIDField(serializers.UUIDField):
    """A UUID in its usual text form, with hyphens."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if not isinstance(data, str) or len(data) != 36:
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


class StrictChoiceField(serializers.ChoiceField):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=data)
        return super().to_internal_value(data)


class StrictListField(serializers.ListField):
    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("not_a_list", input_type=type(data).__name__)
        return super().to_internal_value(data)


@extend_schema_field({"type": "object", "additionalProperties": True})
class ObjectField(serializers.Field[Any, Any, Any, Any]):
    """A JSON object whose keys are checked elsewhere (a game's config, a move)."""

    default_error_messages = {"invalid": "An object is needed."}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("invalid")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses unknown keys by name and lists the known ones."""

    default_error_messages = {"invalid": "The body must be a JSON object."}

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise serializers.ValidationError({"non_field_errors": [self.error_messages["invalid"]]})
        known = [name for name, field in self.fields.items() if not field.read_only]
        if unknown := [key for key in data if key not in known]:
            raise serializers.ValidationError(_unknown(unknown, known))
        return super().to_internal_value(data)


class NothingInput(StrictSerializer):
    """An empty body."""


def checked(serializer: type[StrictSerializer], request: ApiRequest) -> dict[str, Any]:
    """The validated body of a request, by name. Raises the serializer's ValidationError."""
    filled = serializer(data=request.data)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)


def _unknown(unknown: Iterable[Any], known: list[str]) -> dict[str, list[str]]:
    known_fields = f"Known fields: {', '.join(known)}." if known else "There are no known fields."
    return {str(key): [f"Unknown field. {known_fields}"] for key in unknown}
