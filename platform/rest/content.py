"""Strict JSON: refuses input that two readers could interpret differently."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import IO, Any, NoReturn

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from rest.problems import BodyTooLarge, MalformedJSON

DEEPEST = 32
LARGEST = 2**53 - 1  # above this a JSON number is not exact everywhere (RFC 7493)


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
    """Parse `raw`. Raises MalformedJSON with the fault."""
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
    """Bounded depth, and only text that a database and a hash can store. Without recursion, because the caller
    controls the depth.
    """
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


class Negotiation(DefaultContentNegotiation):
    """Returns at once where a caller accepts anything, as most do; otherwise negotiates as REST framework does."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> Any:
        accepted = request.META.get("HTTP_ACCEPT", "*/*")
        if accepted in ("*/*", "application/json") and not format_suffix and "format" not in request.GET:
            for renderer in renderers:
                if accepted in ("*/*", renderer.media_type):
                    return renderer, renderer.media_type
        return super().select_renderer(request, renderers, format_suffix)


class JSONRenderer(BaseRenderer):
    """JSON by orjson: compact, UTF-8, keys in insertion order."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        return b"" if data is None else orjson.dumps(data, default=str)


class NoFiles(FileUploadHandler):
    """Refuses a form with a file before reading the file."""

    def new_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RequestDataTooBig("No file is taken here.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Never called, because no file is accepted."""

    def file_complete(self, file_size: int) -> None:
        """Never called."""
