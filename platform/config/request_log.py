"""One log line per request, and a request id in all other lines of the request."""

from __future__ import annotations

import logging
import uuid
from datetime import UTC, datetime
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django_structlog.middlewares import RequestMiddleware

from config.logs import hide_secrets
from rest.problems import REQUEST_ID, request_id

_log = logging.getLogger("django_structlog.middlewares.request")
_structlog = structlog.get_logger(_log.name)


class RequestLog(RequestMiddleware):
    """Writes the line of an ordinary response directly: it needs none of the general processing.

    Every response has the id of its request as `X-Request-ID`.
    """

    def prepare(self, request: HttpRequest) -> None:
        if _log.isEnabledFor(logging.DEBUG):
            super().prepare(request)
        else:
            structlog.contextvars.bind_contextvars(request_id=str(uuid.uuid4()))

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> None:
        """Add the objects of the address to all lines of the request: game, tournament, market …"""
        about = {name[:-3]: str(value) for name, value in kwargs.items() if name.endswith("_id")}
        if about:
            structlog.contextvars.bind_contextvars(**about)

    def handle_response(self, request: HttpRequest, response: HttpResponse) -> None:
        if id := request_id():
            response.headers[REQUEST_ID] = id
        if isinstance(response, StreamingHttpResponse) or hasattr(request, "_raised_exception"):
            super().handle_response(request, response)
            return
        level = self._log_level_for_status_code(response.status_code)
        if _log.isEnabledFor(level):
            self.bind_user_id(request)
            _write(level, code=response.status_code, request=self.format_request(request))
        structlog.contextvars.clear_contextvars()


def _write(level: int, **fields: Any) -> None:
    """The processors of structlog, applied at once."""
    name = logging.getLevelName(level).lower()
    event = {
        **fields,
        "event": "request_finished",
        **structlog.contextvars.get_contextvars(),
        "logger": _log.name,
        "level": name,
        "timestamp": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
    }
    hide_secrets(None, name, event)
    record = _log.makeRecord(
        _log.name,
        level,
        __file__,
        0,
        event,
        (),
        None,
        extra={
            "_logger": _structlog,
            "_name": name,
        },  # the form in which structlog passes an event to its formatter
    )
    _log.handle(record)
