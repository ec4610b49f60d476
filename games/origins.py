"""The command that a request carries to a game's stream, with where it came from."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from api import idempotency
from api.client_time import client_time
from api.lean import Asked
from eventstore.store import Command, Origin


def command(request: Asked) -> Command:
    """Raises what reading the Idempotency-Key, the Client-Time and the body raises."""
    asked = idempotency.command(request)
    return Command(asked.id, asked.fingerprint, origin(request))


def unnamed_command(request: Asked) -> Command:
    """Of a request that bears no Idempotency-Key, because sending it again is safe anyway."""
    name = idempotency.named(request, f"{request.method} {request.path}", secrets.token_hex(16))
    return Command(name, hashlib.sha256(b"").hexdigest(), origin(request))


def origin(request: Asked) -> Origin:
    """Who asks, by which token (none: by a session), and when by the clock of their own.

    Raises MalformedClientTime.
    """
    # A token and the claim of one are both known by its key, which its owner sees in the list of tokens.
    token: Any = getattr(request.auth, "token_key", None)
    return Origin(request.user.pk, token, client_time(request))
