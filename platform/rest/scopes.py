"""Scopes: what a token may be used for.

Every operation declares its scope (`rest.schema.describe`). A request with a token needs the scope of its operation;
a request with a session needs none.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any

from core.errors import Forbidden


class Scope(StrEnum):
    READ = "read"
    PLAY = "play"
    ENTER = "enter"
    BET = "bet"
    WALLET = "wallet"
    ACCOUNT = "account"
    ORGANIZE = "organize"
    AUDITOR = "staff:auditor"
    ADMINISTRATOR = "staff:administrator"


Scopes = tuple[Scope, ...]
STAFF: Scopes = (Scope.AUDITOR, Scope.ADMINISTRATOR)
ANY_CALLER: Scopes = ()
"""The scope of an operation that needs no token, or that any token may call."""

NO_TOKEN = None
"""The scope of an operation that no token may call: it needs a session of the web client."""

PERMITS = {
    Scope.READ: "read games, events, tournaments, markets, disputes, and ratings, with the owner's seats",
    Scope.PLAY: "open tables, take seats, stake, move, ask for hints, and dispute games",
    Scope.ENTER: "enter tournaments, check in, and withdraw from them",
    Scope.BET: "place and cancel bets, and read them",
    Scope.WALLET: "read balances and statements, request and cancel payouts, open play sessions, and set limits",
    Scope.ACCOUNT: "read and change the account: names, password, tokens, personal data, and erasure",
    Scope.ORGANIZE: "run tournaments as organizer, judge, or helper, and manage webhooks",
    Scope.AUDITOR: "act as an auditor",
    Scope.ADMINISTRATOR: "act as an administrator",
}


class ScopeRequired(Forbidden):
    code = "scope-required"
    title = "The token lacks the scope of this operation"


def require_scope(held: Collection[str], request: Any) -> None:
    """Raises ScopeRequired unless a token with these scopes may call the operation of the request."""
    if permits(held, request):
        return
    needed = _scopes_of(request) or ()
    detail = (
        f"The token needs the scope {' or '.join(needed)}." if needed else "No token may call this operation."
    )
    raise ScopeRequired(detail, scopes=list(needed))


def permits(held: Collection[str], request: Any) -> bool:
    """Whether a token with these scopes may call the operation of the request."""
    needed = _scopes_of(request)
    return needed is not None and (not needed or any(scope in held for scope in needed))


GUEST_SCOPES = (Scope.READ, Scope.PLAY)
"""What guests may do, by session as well as by token."""

BOT_SCOPES = GUEST_SCOPES
"""What the bots of players may do."""


def permits_guests(request: Any) -> bool:
    """Whether a guest may call the operation of the request."""
    return permits(GUEST_SCOPES, request) or getattr(_handler_of(request), "guests", False)


def _scopes_of(request: Any) -> Scopes | None:
    """The scopes of which a token needs one; None if the operation declares none."""
    if request.resolver_match is None:
        return getattr(request, "scopes", None)  # an event stream, which no view of Django serves
    handler = _handler_of(request)
    if handler is None:
        return ANY_CALLER  # it changes and shows nothing
    scopes: Scopes | None = getattr(handler, "scopes", None)
    return scopes


def _handler_of(request: Any) -> Any:
    """The method that carries out the operation; None for OPTIONS and for a method that is refused."""
    method = "get" if request.method == "HEAD" else str(request.method).lower()
    return None if method == "options" else getattr(request.resolver_match.func.view_class, method, None)
