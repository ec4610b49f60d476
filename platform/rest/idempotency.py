"""Idempotent POST requests: one that is sent twice takes effect once.

The caller names each command with an `Idempotency-Key`. The command's id is the SHA-256 of actor, endpoint, and key.
It is stored with the response in the transaction of the effect, so either both exist or neither. Of two equal
requests that arrive together, the second waits for the first one's commit and gets its response. The statement that
stores the id also proves the claim of a caller whose token the process remembers (`core.commands`).
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import wraps
from typing import Any
from uuid import UUID

import orjson
import structlog
from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone
from rest_framework.response import Response

from core.commands import Claim, Command, Condition, Origin
from core.errors import InvalidInput, KeyReused, Unavailable
from core.transient import retried
from rest.fast_path import ApiRequest
from rest.models import StoredResponse

HEADER = "Idempotency-Key"
_KEY = "HTTP_IDEMPOTENCY_KEY"
_FORM = re.compile(r"[\x21-\x7e]{1,128}")
CLIENT_TIME = "Client-Time"
_CLIENT_TIME = "HTTP_CLIENT_TIME"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_KEPT_HEADERS = ("Location", "ETag")


class KeyRequired(InvalidInput):
    code = "idempotency-key-required"
    title = "This request needs an Idempotency-Key header, so that sending it again is safe"


class KeyMalformed(InvalidInput):
    code = "idempotency-key-malformed"
    title = "An Idempotency-Key is 1 to 128 printable ASCII characters without spaces"


class MalformedClientTime(InvalidInput):
    code = "malformed-client-time"
    title = "Client-Time is a moment as in RFC 3339: 2026-03-01T12:00:00.250Z"


def command(request: ApiRequest) -> Command:
    """The command of a request.

    Raises KeyRequired, KeyMalformed, and errors of reading the body.
    """
    key = request.META.get(_KEY, "")
    if not key:
        raise KeyRequired()
    endpoint = f"{request.method} {request.path}"
    body = _encoder.encode(request.data)
    named_so = named(request, endpoint, key_in_form(key))
    structlog.contextvars.bind_contextvars(command=named_so)  # events and responses are stored under it
    return Command(id=named_so, fingerprint=hashlib.sha256(body.encode()).hexdigest())


def recorded_command(request: ApiRequest) -> Command:
    """The command of a request, with its origin, which the event stores.

    Raises what `command` raises, and MalformedClientTime.
    """
    return replace(command(request), origin=_origin(request))


def unnamed_command(request: ApiRequest) -> Command:
    """The command of a request that is safe to repeat and needs no Idempotency-Key, with its origin.

    Raises MalformedClientTime.
    """
    id = named(request, f"{request.method} {request.path}", secrets.token_hex(16))
    return Command(id, hashlib.sha256(b"").hexdigest(), _origin(request))


def _origin(request: ApiRequest) -> Origin:
    # A token and a claim of one both have its key, which its owner sees in the list of tokens.
    token: Any = getattr(request.auth, "token_key", None)
    return Origin(request.user.pk, token, client_time(request))


def client_time(request: ApiRequest) -> str | None:
    """The time of a request by the client's clock, from the header Client-Time (RFC 3339); None without the header.

    In UTC, to the microsecond: `2026-03-01T12:00:00.250000Z`. It decides nothing and is stored as evidence of the order
    of events. Raises MalformedClientTime.
    """
    text = request.META.get(_CLIENT_TIME)
    if text is None:
        return None
    if not _MOMENT.fullmatch(text):
        raise MalformedClientTime
    try:
        moment = datetime.fromisoformat(_shortened(text.upper())).astimezone(UTC)
    except (ValueError, OverflowError):  # an impossible date or time, or one outside the range of UTC
        raise MalformedClientTime from None
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _shortened(text: str) -> str:
    """The text without digits beyond the microsecond."""
    found = re.search(r"\.\d{7,9}", text)
    return text if found is None else text.replace(found[0], found[0][:7])


def key_in_form(key: str) -> str:
    """The key itself. Raises KeyMalformed."""
    if not _FORM.fullmatch(key):
        raise KeyMalformed()
    return key


def named(request: ApiRequest, endpoint: str, key: str) -> str:
    """The id of a command with this key, past or future, from the caller to an endpoint."""
    # None of the three can contain a line feed, so the text is unambiguous.
    return hashlib.sha256("\n".join((actor_of(request), endpoint, key)).encode()).hexdigest()


def actor_of(request: ApiRequest) -> str:
    return str(request.user.pk) if request.user.is_authenticated else "anonymous"


Handler = Callable[..., Response]


def idempotent(handler: Handler) -> Handler:
    """Decorate a view's `post`: run it in one transaction with the record of its response.

    A transaction that the database rolled back, for example because of a deadlock, is retried.

    Refusals (4xx) change nothing and are not recorded: the same key may be tried again.
    """
    return _idempotent(handler, lambda _: None)


def idempotent_locking(model: type[Model], named: str) -> Callable[[Handler], Handler]:
    """Like `idempotent`, and lock the row of `model` whose id is the part `named` of the address.

    The statement that stores the command's id also locks the row. The statements of the view see everything that
    earlier holders of the lock have written.
    """
    return lambda handler: _idempotent(handler, lambda address: (model, address[named]))


Row = tuple[type[Model], UUID]


def _idempotent(handler: Handler, row: Callable[[Mapping[str, Any]], Row | None]) -> Handler:
    @wraps(handler)
    def once(view: Any, request: ApiRequest, *args: Any, **kwargs: Any) -> Response:
        return perform(command(request), view, request, *args, **kwargs)

    @retried
    def perform(command: Command, view: Any, request: ApiRequest, *args: Any, **kwargs: Any) -> Response:
        with transaction.atomic():
            if not _begin(command, request, row(kwargs)):
                return _again(command, request)
            response = handler(view, request, *args, **kwargs)
            if response.status_code >= 400:
                transaction.set_rollback(True)
                return response
            headers = {name: response[name] for name in _KEPT_HEADERS if name in response}
            body = orjson.dumps(response.data, default=str).decode()
            with connection.cursor() as cursor:
                cursor.execute(_END, [response.status_code, body, orjson.dumps(headers).decode(), command.id])
            return response

    once.idempotent = True  # type: ignore[attr-defined]
    return once


# Raw SQL, because every command runs it. On PostgreSQL the INSERT waits for the commit of an equal request.
_BEGIN = (
    "INSERT INTO rest_storedresponse (command, fingerprint, actor, at, status, body, headers) "
    "SELECT %s, %s, %s, %s, 0, 'null', '{{}}' WHERE {condition} ON CONFLICT (command) DO NOTHING"
)
_END = "UPDATE rest_storedresponse SET status = %s, body = %s, headers = %s WHERE command = %s"


def _begin(command: Command, request: ApiRequest, row: Row | None) -> bool:
    """Store the command's id, prove the caller's claim, and lock a row, if any. False if the id is known or the claim
    is not valid.
    """
    now = timezone.now()
    claim = request.auth if isinstance(request.auth, Claim) else None
    condition = claim.condition(now) if claim else Condition("1 = 1", ())
    if row and connection.vendor == "postgresql":
        condition &= _locking(*row)
    at = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(
            _BEGIN.format(condition=condition.sql),
            [command.id, command.fingerprint, actor_of(request), at, *condition.parameters],
        )
        begun = bool(cursor.rowcount == 1)
    if claim and begun:
        claim.proven = True
    return begun


def _locking(model: type[Model], id: UUID) -> Condition:
    """A condition that is always true and locks a row when it is evaluated, before the INSERT."""
    row = f"SELECT 1 FROM {model._meta.db_table} WHERE {model._meta.pk.column} = %s FOR NO KEY UPDATE"  # noqa: S608
    return Condition(f"(WITH locked AS MATERIALIZED ({row}) SELECT count(*) >= 0 FROM locked)", (id,))  # noqa: S608


def _again(command: Command, request: ApiRequest) -> Response:
    """The stored response. Raises KeyReused, and what proving the caller's claim raises."""
    if isinstance(request.auth, Claim):
        request.auth.prove()
    answer = StoredResponse.objects.filter(pk=command.id).first()
    if answer is None:  # deleted since, with its actor
        raise Unavailable(retry_after=1)
    if answer.fingerprint != command.fingerprint:
        raise KeyReused()
    return Response(
        orjson.loads(answer.body),
        status=answer.status,
        headers={**answer.headers, "Idempotent-Replay": "true"},
    )


def forget(actor: str) -> None:
    """Delete the stored responses of an erased actor."""
    StoredResponse.objects.filter(actor=actor).delete()
