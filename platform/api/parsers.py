"""JSON as strictly as the contract needs it: nothing that two readers could understand differently gets in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from rest_framework.parsers import BaseParser

from api.errors import BodyTooLarge, MalformedJSON

DEEPEST = 32
LARGEST = 2**53 - 1  # beyond it a JSON number is not exact everywhere (RFC 7493)


def _integer(text: str) -> int:
    if len(text) > 17 or not -LARGEST <= (number := int(text)) <= LARGEST:
        raise MalformedJSON("A whole number lies beyond 2^53 - 1.")
    return number


def _fraction(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise MalformedJSON("A number is too large.")
    return number


def _constant(name: str) -> NoReturn:
    raise MalformedJSON(f"{name} is not JSON.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedJSON("A key stands twice in one object.")
    return found


_decoder = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_fraction, parse_constant=_constant
)


def parse(raw: bytes) -> Any:
    """The value in `raw`, or MalformedJSON saying what is wrong with it."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedJSON(f"The body is not UTF-8 (byte {error.start}).") from None
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as error:
        raise MalformedJSON(f"{error.msg} (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise MalformedJSON(f"Nested more than {DEEPEST} deep.") from None
    _check(value)
    return value


def _check(value: Any) -> None:
    """Bounded depth, and no text that a database or a hash cannot hold. No recursion: the caller sets the depth."""
    waiting = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, Mapping | list):
            if depth > DEEPEST:
                raise MalformedJSON(f"Nested more than {DEEPEST} deep.")
            if isinstance(item, Mapping):
                for key in item:
                    _check_text(key)
                item = list(item.values())
            waiting.extend((inner, depth + 1) for inner in item)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise MalformedJSON("Text holds a NUL character.")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise MalformedJSON("Text holds half of a surrogate pair.")


class StrictJSONParser(BaseParser):
    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limit: int = settings.API_BODY_LIMIT
        raw = stream.read(limit + 1)
        if len(raw) > limit:
            raise BodyTooLarge(f"At most {limit} bytes.")
        return parse(raw)
