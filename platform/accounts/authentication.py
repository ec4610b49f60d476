"""Bearer tokens.

A process remembers whose the tokens are that it has seen. Where an event is to be appended this is a claim, and the
statement that appends it proves it: a token that has ended, or whose player may not come in any more, appends nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.http import HttpRequest
from django.utils import timezone
from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from knox.models import AuthToken
from knox.settings import CONSTANTS
from rest_framework import exceptions
from rest_framework.authentication import SessionAuthentication

from accounts.models import Player
from api.claims import Claim, Condition
from api.handlers import CsrfRefused
from api.prepared import Prepared


class BearerAuthentication(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    def authenticate_credentials(self, token: bytes) -> tuple[Any, AuthToken]:
        try:
            digest = hash_token(token.decode("ascii"))
        except ValueError:
            raise exceptions.AuthenticationFailed("This token is not valid.") from None
        return self.authenticate_digest(digest)

    def authenticate_digest(self, digest: str) -> tuple[Any, AuthToken]:
        found = _tokens.find(digest)
        if found is None or (found.expiry is not None and found.expiry <= timezone.now()):
            _forget(digest)
            raise exceptions.AuthenticationFailed("This token is not valid.")
        user, record = self.validate_user(found)
        _remember(digest, user.pk)
        return user, record

    def remembered(self, request: HttpRequest) -> tuple[Player, TokenClaim] | None:
        """Whom this process remembers to have come with this token. Nothing of the player is known but the id."""
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer" or not (token.isascii() and token.isalnum()):
            return None
        digest = hash_token(token)
        player_id = _players.get(digest)
        if player_id is None:
            return None
        # Any other field would be read from the database when it is asked for.
        player = Player.from_db(connection.alias, ["id"], [player_id])
        return player, TokenClaim(digest, player_id, token[: CONSTANTS.TOKEN_KEY_LENGTH])


class TokenClaim(Claim):
    def __init__(self, digest: str, player_id: UUID, token_key: str) -> None:
        self._digest, self._player_id = digest, player_id
        self.token_key = token_key
        """As knox names the token: it is what its owner is shown of it."""

    def prove(self) -> None:
        if not self.proven:
            BearerAuthentication().authenticate_digest(self._digest)
            self.proven = True

    def condition(self, now: datetime) -> Condition:
        """What `authenticate_digest` asks, for the statement that acts on the claim."""
        player = Player._meta.pk.get_db_prep_value(self._player_id, connection)
        return Condition(_STANDS, (self._digest, player, connection.ops.adapt_datetimefield_value(now)))


_STANDS = (
    "EXISTS (SELECT 1 FROM knox_authtoken JOIN accounts_player ON accounts_player.id = knox_authtoken.user_id "
    "WHERE digest = %s AND user_id = %s AND is_active AND (expiry IS NULL OR expiry > %s))"
)

REMEMBERED = 10_000
_players: dict[str, UUID] = {}


def _remember(digest: str, player_id: UUID) -> None:
    if len(_players) >= REMEMBERED:
        _players.clear()
    _players[digest] = player_id


def _forget(digest: str) -> None:
    _players.pop(digest, None)


_tokens: Prepared[AuthToken] = Prepared(AuthToken, "digest", related="user")


class WebSession(SessionAuthentication):
    """The web client's session; every request that changes something carries its CSRF token."""

    def enforce_csrf(self, request: Any) -> None:
        """Raises CsrfRefused."""
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied:
            raise CsrfRefused from None

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"
