"""Conditional requests: `If-None-Match` saves reading a document again, `If-Match` refuses a change of another one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from django.http import HttpResponse, HttpResponseNotModified
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core.errors import InvalidInput
from rest.fast_path import ApiRequest

IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    str,
    OpenApiParameter.HEADER,
    description="The `ETag` of the document that the caller has.",
)
NOT_MODIFIED = {304: (None, "The document is the one that `If-None-Match` names")}
"""For `describe(also=…)`."""


def digest(*parts: bytes) -> str:
    """A tag for a document that is determined by these parts."""
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        found.update(hashlib.blake2b(part, digest_size=16).digest())
    return found.hexdigest()


def document(request: Request, content: Any) -> HttpResponse:
    """A document with the ETag of its content; 304 if the caller has it."""
    body = orjson.dumps(content, default=str)
    return conditional(request, digest(body), lambda: body)


def conditional(
    request: Request,
    tag: str,
    write: Callable[[], bytes],
    headers: Mapping[str, str] | None = None,
    *,
    weak: bool = False,
    content_type: str = "application/json",
) -> HttpResponse:
    """The document that `write` returns, with its ETag; 304 without a body if the caller has it.

    `weak`: documents with this tag may differ in members without a meaning of their own, such as the server's time.
    """
    etag = f'{"W/" if weak else ""}"{tag}"'
    named = request.META.get("HTTP_IF_NONE_MATCH", "")
    if named.strip() == "*" or f'"{tag}"' in {one.strip().removeprefix("W/") for one in named.split(",")}:
        return HttpResponseNotModified(headers={"ETag": etag})
    return HttpResponse(write(), content_type=content_type, headers={**(headers or {}), "ETag": etag})


# --- the version that a change is based on --------------------------------------------------------------

_VERSION = re.compile(r'(?:W/)?"(\d{1,16})"|(\d{1,16})', re.ASCII)


class MalformedIfMatch(InvalidInput):
    code = "malformed-if-match"
    title = 'If-Match must be a version, as in ETag: "12"'


def if_match(request: ApiRequest) -> int | None:
    """The version that `If-Match` names; None if it names none. Raises MalformedIfMatch."""
    text = request.META.get("HTTP_IF_MATCH")
    if text is None or text == "*":
        return None
    found = _VERSION.fullmatch(text)
    if found is None:
        raise MalformedIfMatch
    return int(found[1] or found[2])
