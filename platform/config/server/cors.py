"""CORS: web pages of other origins may call the API with a token (`RACECARD_CORS_ORIGINS`).

Django's handler serves neither event streams nor early refusals, so the headers are added in front of it. Cookies are
never accepted: no response allows credentials.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from io import BytesIO
from typing import Any

from corsheaders.middleware import CorsMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpResponse

from config.server.bridge import Receive, Scope, Send
from rest.problems import PREFIX

Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class Cors:
    """The ASGI application `otherwise`, with CORS headers on every response of the API."""

    def __init__(self, otherwise: Application) -> None:
        self._otherwise = otherwise
        self._middleware = CorsMiddleware(lambda request: HttpResponse())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self._otherwise(scope, receive, send)
            return
        request = ASGIRequest(dict(scope), BytesIO())
        preflight = self._middleware.check_preflight(request)
        response = self._middleware.add_response_headers(request, HttpResponse())
        headers = [
            (name.lower().encode(), value.encode())
            for name, value in response.items()
            if name.lower() != "content-type"
        ]
        if preflight is not None:
            await send({"type": "http.response.start", "status": 204, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        await self._otherwise(scope, receive, send_with_headers)
