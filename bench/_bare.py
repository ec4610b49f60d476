"""The least that a Django server can do for a move: one SELECT for the caller, and one statement for head and event.

It is served like the platform: by uvicorn with Django's WSGI application behind a2wsgi.
"""

from __future__ import annotations

import os

import django
import orjson
from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path

from config import settings as ours

if not settings.configured:
    settings.configure(
        DATABASES=ours.DATABASES,
        ROOT_URLCONF=__name__,
        ALLOWED_HOSTS=["*"],
        SECRET_KEY="bench",
        MIDDLEWARE=[],
        INSTALLED_APPS=[],
        USE_TZ=True,
    )
    django.setup()

from django.db import connection

_WHO = "SELECT player FROM bench_token WHERE digest = %s"
_MOVE = (
    "WITH moved AS (UPDATE bench_head SET version = version + 1 WHERE id = %s RETURNING id, version) "
    "INSERT INTO bench_event SELECT id, version, 'move', %s::bytea, NULL, NULL, %s, %s FROM moved RETURNING version"
)


def move(request: HttpRequest, game: str) -> HttpResponse:
    content = orjson.loads(request.body)
    with connection.cursor() as cursor:
        cursor.execute(_WHO, [request.headers["Authorization"]])
        if cursor.fetchone() is None:
            return HttpResponse(status=401)
        cursor.execute(_MOVE, [game, orjson.dumps(content), "2026-03-01T12:00:00.000000Z", "f" * 64])
        [version] = cursor.fetchone()
    body = orjson.dumps({"version": version})
    headers = {"Content-Length": str(len(body))}
    return HttpResponse(body, status=201, content_type="application/json", headers=headers)


urlpatterns = [path("api/v1/games/<uuid:game>/moves/", move)]
application = WSGIMiddleware(WSGIHandler(), workers=int(os.environ.get("RACECARD_THREADS", "16")))
