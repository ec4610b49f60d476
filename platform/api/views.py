"""The API's own addresses: what there is, how it is described, whether it is well."""

from __future__ import annotations

from functools import cache as cache_result
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import NoReverseMatch, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from redis.exceptions import RedisError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import told
from api.handlers import problem_document
from api.schema import describe

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

    @describe("root", "Where things are", response=dict[str, str])
    def get(self, request: Request) -> Response:
        return Response(dict(_links(request)))


def _links(request: Request) -> Any:
    for name in COLLECTIONS:
        try:
            yield name, request.build_absolute_uri(reverse(name))
        except NoReverseMatch:
            continue


class _ForReaders(APIView):
    """Shown to everybody, in a form of its own; refused as everything is."""

    authentication_classes: list[Any] = []

    def handle_exception(self, exc: Exception) -> HttpResponse:  # type: ignore[override]
        return problem_document(told(exc))


class Description(_ForReaders, SpectacularAPIView):
    """The OpenAPI document: the same for everybody, and put together once, as that takes most of a second."""

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        renderer = request.accepted_renderer
        return HttpResponse(
            _described(renderer.media_type),
            content_type=renderer.media_type,
            headers={"Content-Disposition": f'inline; filename="Racecard.{renderer.format}"'},
        )


@cache_result
def _described(media_type: str) -> bytes:
    """The document in one of the forms that `Description` has."""
    renderer = next(one for one in Description.renderer_classes if one.media_type == media_type)
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    written: Any = renderer().render(generator.get_schema(request=None, public=True))
    return bytes(written)


class Browser(_ForReaders, SpectacularSwaggerSplitView):
    """The OpenAPI document to read and to try, without anything from elsewhere."""

    template_name = "api/docs.html"


@require_safe
def error_catalogue(request: HttpRequest) -> FileResponse:
    """Where the `type` of every problem leads."""
    path = settings.ROOT / "docs" / "errors.md"
    return FileResponse(path.open("rb"), content_type="text/markdown; charset=utf-8")


@require_safe
@never_cache
def alive(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "alive"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Whether this process reaches what it needs; 503 while it does not."""
    parts = {"database": _database_answers()}
    if settings.REDIS_URL:
        parts["redis"] = _redis_answers()
    well = all(parts.values())
    return JsonResponse({"ready": well, **parts}, status=200 if well else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone() == (1,))
    except Error:
        return False


def _redis_answers() -> bool:
    try:
        cache.get("ready")
    except (RedisError, OSError):
        return False
    return True


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """This process's counters, for a scraper on the same machine or for staff with a session."""
    if not (_is_local(request) or (request.user.is_active and request.user.is_staff)):
        raise Http404
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)


def _is_local(request: HttpRequest) -> bool:
    """Behind a proxy every request comes from nearby; one that was passed on is not local."""
    passed_on = {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"} & request.META.keys()
    try:
        return not passed_on and ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
