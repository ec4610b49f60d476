"""Logging: one JSON object per line on standard error, without secrets."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog

HIDDEN = "[hidden]"

_TELLING = re.compile(
    r"seed|password|passwd|secret|token|authorization|cookie|session_?key|csrf|otp", re.IGNORECASE
)

_IN_TEXT = re.compile(
    r"(?P<name>\b(?:(?:Bearer|Token)(?=\s)|(?:server_seed|tournament_seed|password|secret|token|invite|sessionid|csrftoken)\b[\"']?\s*[=:]))"
    r"\s*[\"']?[^\s\"',;}&]+",
    re.IGNORECASE,
)


_ROW = re.compile(r"(Failing row contains) \(.*\)", re.DOTALL)
"""For a violated constraint PostgreSQL reports the whole row, which may contain seeds and password digests."""


def hide_secrets(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor that hides values under secret names, at any depth, and in running text."""
    for name, value in event.items():
        event[name] = HIDDEN if _tells(name) else _hidden(value)
    return event


def _tells(name: object) -> bool:
    return isinstance(name, str) and _TELLING.search(name) is not None


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        if "Failing row" in value:
            value = _ROW.sub(rf"\g<1> {HIDDEN}", value)
        return _IN_TEXT.sub(rf"\g<name> {HIDDEN}", value)
    if isinstance(value, Mapping):
        return {name: HIDDEN if _tells(name) else _hidden(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_hidden(inner) for inner in value]
    return value


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.format_exc_info,
    structlog.processors.UnicodeDecoder(),
    hide_secrets,
]


def configure(level: str) -> dict[str, Any]:
    """Configure structlog, and return Django's LOGGING, which formats records of the standard library the same way."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    level = level.upper()
    libraries = logging.DEBUG if level == "DEBUG" else logging.WARNING
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(default=str),
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "celery": {"level": libraries},
            "kombu": {"level": libraries},
        },
    }
