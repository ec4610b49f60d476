"""A page for each type of problem: what happened, and what to do. The `type` of a problem document is its address.

The texts are those of docs/errors.md, which `make openapi` derives from the error classes.
"""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from typing import NamedTuple

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

ADVICE = {
    400: "Correct the request. If it is sent again unchanged, it is refused again.",
    401: "Sign in, or send a token that is valid.",
    403: "Use an account that may do this, or a token with the scope for it.",
    404: "Check the address. A resource that the caller may not see is answered in the same way.",
    405: "Use a method that the header `Allow` lists.",
    406: "Accept `application/json`.",
    408: "Send the whole request again without delay.",
    409: "The request does not fit the current state. Read the resource again, and decide on what it is now.",
    412: "Read the resource again, and send the request for its current version.",
    413: "Send a smaller body.",
    415: "Send JSON with `Content-Type: application/json`.",
    429: "Wait as many seconds as the header `Retry-After` says, and send the request again.",
    500: "The server has a defect. Report the `request_id` of the response to the operator. A request with an"
    " `Idempotency-Key` can be sent again with the same key.",
    503: "Send the request again with the same `Idempotency-Key`, after the seconds in the header `Retry-After`.",
}
"""What to do about a problem of each status."""

_ROW = re.compile(
    r'^\| <a id="(?P<code>[a-z0-9-]+)"></a>[^|]* \| (?P<status>\d{3}) \| (?P<title>.*?) \| (?P<details>.*?)\|$',
    re.MULTILINE,
)


class ProblemType(NamedTuple):
    code: str
    status: int
    title: str
    details: str


@cache
def problem_types() -> dict[str, ProblemType]:
    """Every type of problem by its code."""
    page = (settings.ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = (
        ProblemType(row["code"], int(row["status"]), row["title"], row["details"])
        for row in _ROW.finditer(page)
    )
    return {row.code: row for row in rows}


@require_safe
def problem_page(request: HttpRequest, code: str) -> HttpResponse:
    known = problem_types().get(code)
    if known is None:
        raise Http404
    advice = [_html(text) for text in (known.details.strip(), ADVICE[known.status]) if text]
    context = {
        "code": code,
        "status": f"{known.status} {HTTPStatus(known.status).phrase}",
        "title": _html(known.title),
        "advice": advice,
    }
    return render(request, "rest/problem.html", context)


def _html(text: str) -> SafeString:
    """A sentence of the catalogue, with code marked. A link keeps its text, and a reference in brackets is left out."""
    unlinked = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", re.sub(r" \(\[[^]]*\]\([^)]*\)\)", "", text))
    plain = escape(unlinked)
    sentence = re.sub(r"`([^`]*)`", r"<code>\1</code>", plain)
    return mark_safe(sentence if re.search(r"[.!?]$", plain) else f"{sentence}.")  # noqa: S308  # escaped above


@require_safe
def error_catalogue(request: HttpRequest) -> FileResponse:
    """All types of problems as one page of Markdown."""
    path = settings.ROOT / "docs" / "errors.md"
    return FileResponse(path.open("rb"), content_type="text/markdown; charset=utf-8")
