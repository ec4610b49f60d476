"""A POST that is sent twice does its work once.

The caller names each command with an `Idempotency-Key`. The command's id, the SHA-256 of actor, endpoint and key, is
stored with the answer in the transaction of the effect: either both are there or neither is, and of two equal requests
that arrive together the second waits for the first one's commit and gets its answer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import orjson
import structlog
from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from api.errors import Conflict, Problem
from api.lean import Asked
from api.models import Answer
from api.transient import retried

HEADER = "Idempotency-Key"
_KEY = "HTTP_IDEMPOTENCY_KEY"
_FORM = re.compile(r"[\x21-\x7e]{1,128}")
_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_KEPT_HEADERS = ("Location", "ETag")


class KeyRequired(Problem):
    status = 400
    code = "idempotency-key-required"
    title = "This request needs an Idempotency-Key header, so that sending it again is safe"


class KeyMalformed(Problem):
    status = 400
    code = "idempotency-key-malformed"
    title = "An Idempotency-Key is 1 to 128 printable ASCII characters without spaces"


class KeyReused(Conflict):
    code = "idempotency-key-reused"
    title = "This Idempotency-Key was sent before with another body"


@dataclass(frozen=True, slots=True)
class Command:
    """What a request asks for, named so that it can be recognised when it comes again. Both are SHA-256 in hex."""

    id: str
    fingerprint: str


def command(request: Asked) -> Command:
    """The command that a request carries.

    Raises KeyRequired, KeyMalformed, and what reading the body raises.
    """
    key = request.META.get(_KEY, "")
    if not key:
        raise KeyRequired()
    endpoint = f"{request.method} {request.path}"
    body = _encoder.encode(request.data)
    named_so = named(request, endpoint, key_in_form(key))
    structlog.contextvars.bind_contextvars(command=named_so)  # events and answers are kept under it
    return Command(id=named_so, fingerprint=hashlib.sha256(body.encode()).hexdigest())


def key_in_form(key: str) -> str:
    """The key itself. Raises KeyMalformed."""
    if not _FORM.fullmatch(key):
        raise KeyMalformed()
    return key


def named(request: Asked, endpoint: str, key: str) -> str:
    """The id of the command that the caller sends, has sent or will send to an endpoint under a key."""
    # None of the three can hold a line feed, so the text is unambiguous.
    return hashlib.sha256("\n".join((actor_of(request), endpoint, key)).encode()).hexdigest()


def actor_of(request: Asked) -> str:
    return str(request.user.pk) if request.user.is_authenticated else "anonymous"


Handler = Callable[..., Response]


def idempotent(handler: Handler) -> Handler:
    """For a view's `post`: runs it in one transaction with the record of its answer.

    A transaction that the database gave up, say because it waited for another in a circle, is made again.

    Refusals (4xx) change nothing and are not recorded: the same key may be tried again.
    """

    @wraps(handler)
    def once(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        return perform(command(request), view, request, *args, **kwargs)

    @retried
    def perform(asked: Command, view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        with transaction.atomic():
            answer, fresh = Answer.objects.get_or_create(
                command=asked.id,
                defaults={
                    "fingerprint": asked.fingerprint,
                    "actor": actor_of(request),
                    "at": timezone.now(),
                },
            )
            if not fresh:
                return _again(answer, asked)
            response = handler(view, request, *args, **kwargs)
            if response.status_code >= 400:
                transaction.set_rollback(True)
                return response
            answer.status = response.status_code
            answer.body = orjson.dumps(response.data, default=str).decode()
            answer.headers = {name: response[name] for name in _KEPT_HEADERS if name in response}
            answer.save(update_fields=["status", "body", "headers"])
            return response

    once.idempotent = True  # type: ignore[attr-defined]
    return once


def _again(answer: Answer, asked: Command) -> Response:
    if answer.fingerprint != asked.fingerprint:
        raise KeyReused()
    return Response(
        orjson.loads(answer.body),
        status=answer.status,
        headers={**answer.headers, "Idempotent-Replay": "true"},
    )


def forget(actor: str) -> None:
    """Drop what was answered to an actor who has been erased, and so can never ask again."""
    Answer.objects.filter(actor=actor).delete()
