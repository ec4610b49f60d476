"""Bearer tokens.

A process caches the player of each token that it has seen. For an append the cached identity is a claim, which the
appending statement proves: a token that has ended, or whose player is inactive, appends nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from core.commands import Claim, Condition
from core.prepared import Prepared
from rest.problems import CsrfRefused


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
        """The cached player of this token. Only the player's id is loaded."""
        token = bearer_token(request.META.get("HTTP_AUTHORIZATION", ""))
        if not token:
            return None
        digest = hash_token(token)
        player_id = _players.get(digest)
        if player_id is None:
            return None
        # Any other field is read from the database on access.
        player = Player.from_db(connection.alias, ["id"], [player_id])
        return player, TokenClaim(digest, player_id, token[: CONSTANTS.TOKEN_KEY_LENGTH])


def bearer_token(authorization: str) -> str:
    """The token in the value of an Authorization header; empty if it has none."""
    scheme, _, token = authorization.partition(" ")
    return token if scheme.lower() == "bearer" and token.isascii() and token.isalnum() else ""


def players_by_token(tokens: Iterable[str]) -> dict[str, Player]:
    """The players of the tokens, in one query. Invalid tokens are left out."""
    digests = {hash_token(token): token for token in tokens if token}
    if not digests:
        return {}
    found = AuthToken.objects.filter(digest__in=digests, user__is_active=True).select_related("user")
    now = timezone.now()
    return {digests[each.digest]: each.user for each in found if each.expiry is None or each.expiry > now}


class TokenClaim(Claim):
    def __init__(self, digest: str, player_id: UUID, token_key: str) -> None:
        self._digest, self._player_id = digest, player_id
        self.token_key = token_key
        """The token's prefix in knox, which is shown to its owner."""

    def prove(self) -> None:
        if not self.proven:
            BearerAuthentication().authenticate_digest(self._digest)
            self.proven = True

    def condition(self, now: datetime) -> Condition:
        """The check of `authenticate_digest` as a condition of the statement that acts on the claim."""
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
    """The web client's session. Every request that changes something needs its CSRF token."""

    def enforce_csrf(self, request: Any) -> None:
        """Raises CsrfRefused."""
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied:
            raise CsrfRefused from None

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"
