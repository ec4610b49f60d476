"""The root of the API and its documentation."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpResponse
from django.urls import NoReverseMatch, reverse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rest.problems import json_problem, report
from rest.schema import describe
from rest.scopes import ANY_CALLER

COLLECTIONS = (
    "players",
    "tokens",
    "rules",
    "games",
    "tournaments",
    "wallet",
    "play-sessions",
    "stakes",
    "checkpoints",
    "schema",
    "docs",
)


class Root(APIView):
    permission_classes = [AllowAny]

    @describe("root", "List the main addresses", scope=ANY_CALLER, response=dict[str, str])
    def get(self, request: Request) -> Response:
        return Response(dict(_links(request)))


def _links(request: Request) -> Any:
    for name in COLLECTIONS:
        try:
            yield name, request.build_absolute_uri(reverse(name))
        except NoReverseMatch:
            continue


class _ForReaders(APIView):
    """Shown to everyone in its own format; refusals follow the general rules."""

    authentication_classes: list[Any] = []

    def handle_exception(self, exc: Exception) -> HttpResponse:  # type: ignore[override]
        return json_problem(report(exc))


class Description(_ForReaders, SpectacularAPIView):
    """The OpenAPI document. It is the same for everyone and is built once, since that takes most of a second."""

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        renderer = request.accepted_renderer
        return HttpResponse(
            _described(renderer.media_type),
            content_type=renderer.media_type,
            headers={"Content-Disposition": f'inline; filename="Racecard.{renderer.format}"'},
        )


@cache
def _described(media_type: str) -> bytes:
    """The document in one of the formats of `Description`."""
    renderer = next(one for one in Description.renderer_classes if one.media_type == media_type)
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    written: Any = renderer().render(generator.get_schema(request=None, public=True))
    return bytes(written)


class Browser(_ForReaders, SpectacularSwaggerSplitView):
    """The OpenAPI document as a page to read and try, without external resources."""

    template_name = "rest/docs.html"
