from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class Negotiation(DefaultContentNegotiation):
    """At once where a caller takes anything, as most do; otherwise as REST framework weighs it."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> Any:
        accepted = request.META.get("HTTP_ACCEPT", "*/*")
        if accepted in ("*/*", "application/json") and not format_suffix and "format" not in request.GET:
            for renderer in renderers:
                if accepted in ("*/*", renderer.media_type):
                    return renderer, renderer.media_type
        return super().select_renderer(request, renderers, format_suffix)
