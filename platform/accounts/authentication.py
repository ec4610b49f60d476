"""Bearer tokens.

A process caches the player of each token that it has seen. For an append the cached identity is a claim, which the
appending statement proves: a token that has ended, or whose player is inactive, appends nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
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
from core.sql import among
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


@dataclass(eq=False, slots=True)
class Credential:
    """The token or session by which a player was authenticated, to be checked again without the request."""

    player: UUID
    digest: str = ""
    """Of the token; empty for a session."""
    session: str = ""
    """The key of the session."""
    _proof: tuple[str, str] | None = None
    """The stored session and password that were verified last."""


def ended(credentials: Collection[Credential]) -> set[Credential]:
    """Return the credentials that no longer authenticate their active player.

    One statement each for tokens and for sessions. Decoding a session costs more than reading it, so a session is
    decoded again only after it or the player's password has changed.
    """
    return _ended_tokens([each for each in credentials if each.digest]) | _ended_sessions(
        [each for each in credentials if not each.digest]
    )


def _ended_tokens(credentials: Sequence[Credential]) -> set[Credential]:
    digests = sorted({each.digest for each in credentials})
    if not digests:
        return set()
    condition, parameters = among("digest", digests)
    source = (
        "FROM knox_authtoken JOIN accounts_player ON accounts_player.id = knox_authtoken.user_id "
        f"WHERE {condition} AND is_active AND (expiry IS NULL OR expiry > %s)"
    )
    parameters.append(connection.ops.adapt_datetimefield_value(timezone.now()))
    with connection.cursor() as cursor:
        # The number alone is faster to read than the digests, and nearly always enough.
        cursor.execute(f"SELECT count(*) {source}", parameters)
        if cursor.fetchone() == (len(digests),):
            return set()
        cursor.execute(f"SELECT digest {source}", parameters)
        valid = {digest for (digest,) in cursor.fetchall()}
    return {each for each in credentials if each.digest not in valid}


def _ended_sessions(credentials: Sequence[Credential]) -> set[Credential]:
    if not credentials:
        return set()
    stored = dict(
        Session.objects.filter(
            session_key__in={each.session for each in credentials}, expire_date__gt=timezone.now()
        ).values_list("session_key", "session_data")
    )
    players = Player.objects.filter(is_active=True).in_bulk({each.player for each in credentials})
    return {
        each
        for each in credentials
        if each.session not in stored
        or each.player not in players
        or not _is_verified(each, stored[each.session], players[each.player])
    }


def _is_verified(credential: Credential, stored: str, player: Player) -> bool:
    """Return whether the stored session signs in the player, as `django.contrib.auth.get_user` decides it."""
    proof = (stored, player.password)
    if credential._proof != proof:
        request = HttpRequest()
        request.session = SessionStore(credential.session)
        if get_user(request).pk != player.pk:
            return False
        credential._proof = proof
    return True


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
