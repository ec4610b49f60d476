"""Bearer tokens.

A process caches the player and the scopes of each token that it has seen. For an append the cached identity is a
claim, which the appending statement proves: a token that has ended, or whose player is inactive, appends nothing.
Scopes never change, so they need no proof.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import InternalError, OperationalError, connection
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.permissions import SAFE_METHODS

from accounts.errors import AccountNeeded, BotRefused
from accounts.models import TOKEN_KEY_LENGTH, Player, Token
from accounts.roles import limit_roles
from accounts.sign_in import require_confirmation
from core.commands import Claim, Condition
from core.prepared import Prepared
from core.replicas import on_primary
from core.sql import among
from rest.problems import CsrfRefused
from rest.scopes import BOT_SCOPES, permits, permits_guests, require_scope
from staff.actions import sensitive_operations

log = structlog.get_logger(__name__)

USE_RECORDED_EVERY = timedelta(hours=1)
"""How exact the stored time of a token's last use is."""


class BearerAuthentication(BaseAuthentication):
    def authenticate(self, request: Any) -> tuple[Player, Token] | None:
        """Raises AuthenticationFailed, AccountNeeded, ScopeRequired."""
        words = request.META.get("HTTP_AUTHORIZATION", "").split()
        if not words or words[0].lower() != "bearer":
            return None
        if len(words) != 2:
            raise exceptions.AuthenticationFailed("The header is Authorization: Bearer, and the token.")
        token = self.authenticate_digest(token_digest(words[1]))
        _require_account(token.player, request)
        require_scope(token.scopes.split(), request)
        return token.player, token

    def authenticate_digest(self, digest: str) -> Token:
        """Raises AuthenticationFailed."""
        found, now = _tokens.find(digest), timezone.now()
        if found is None or found.expires <= now or not found.player.is_active:
            _forget(digest)
            raise exceptions.AuthenticationFailed("This token is not valid.")
        if found.last_used is None or found.last_used <= now - USE_RECORDED_EVERY:
            _record_use(found, now)
        scopes = frozenset(found.scopes.split())
        limit_roles(found.player, scopes)
        use_due = (found.last_used or now) + USE_RECORDED_EVERY
        _remember(digest, _Remembered(found.player.pk, found.player.owner_id, scopes, use_due))
        return found

    def remembered(self, request: HttpRequest) -> tuple[Player, TokenClaim] | None:
        """The cached player of this token, if its scopes permit the operation.

        Only the ids of the player and of a bot's owner are loaded.
        """
        token = bearer_token(request.META.get("HTTP_AUTHORIZATION", ""))
        if not token:
            return None
        digest = token_digest(token)
        known = _remembered.get(digest)
        # A refusal, like the record of a use, needs the token itself.
        if known is None or known.use_due <= timezone.now() or not permits(known.scopes, request):
            return None
        # Any other field is read from the database on access.
        player = Player.from_db(connection.alias, ["id", "owner_id"], [known.player, known.owner])
        limit_roles(player, known.scopes)
        return player, TokenClaim(digest, known.player, token[:TOKEN_KEY_LENGTH])

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"


def _require_account(player: Player, request: Any) -> None:
    """Raises AccountNeeded or BotRefused if a guest or a bot may not call the operation of the request."""
    if player.is_guest and not permits_guests(request):
        raise AccountNeeded
    if player.is_owned_bot and not permits(BOT_SCOPES, request):
        raise BotRefused


def token_digest(token: str) -> str:
    return hashlib.sha512(token.encode()).hexdigest()


def _record_use(token: Token, now: datetime) -> None:
    """Store the time of a use. Of several processes one writes; a database that cannot write refuses no reader."""
    due = Q(last_used=None) | Q(last_used__lte=now - USE_RECORDED_EVERY)
    try:
        with on_primary():
            Token.objects.filter(due, pk=token.pk).update(last_used=now)
    except (OperationalError, InternalError) as error:
        log.warning("token_use_not_recorded", error=str(error))
    token.last_used = now


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
    acting_as: frozenset[str] | None = None
    """The roles in which the token may act; None: every role of the player."""
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
        "FROM accounts_token JOIN accounts_player ON accounts_player.id = accounts_token.player_id "
        f"WHERE {condition} AND is_active AND expires > %s"
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
        """The id of the token, which is shown to its owner."""

    def prove(self) -> None:
        if not self.proven:
            BearerAuthentication().authenticate_digest(self._digest)
            self.proven = True

    def condition(self, now: datetime) -> Condition:
        """The check of `authenticate_digest` as a condition of the statement that acts on the claim."""
        player = Player._meta.pk.get_db_prep_value(self._player_id, connection)
        return Condition(_STANDS, (self._digest, player, connection.ops.adapt_datetimefield_value(now)))


_STANDS = (
    "EXISTS (SELECT 1 FROM accounts_token JOIN accounts_player ON accounts_player.id = accounts_token.player_id "
    "WHERE digest = %s AND player_id = %s AND is_active AND expires > %s)"
)


class _Remembered(NamedTuple):
    player: UUID
    owner: UUID | None
    """Of a player's bot."""
    scopes: frozenset[str]
    use_due: datetime
    """When the next use is recorded."""


REMEMBERED = 10_000
_remembered: dict[str, _Remembered] = {}


def _remember(digest: str, known: _Remembered) -> None:
    if len(_remembered) >= REMEMBERED:
        _remembered.clear()
    _remembered[digest] = known


def _forget(digest: str) -> None:
    _remembered.pop(digest, None)


_tokens: Prepared[Token] = Prepared(Token, "digest", related="player")


class WebSession(SessionAuthentication):
    """The web client's session.

    Every request that changes something needs its CSRF token, and one that moves money or changes roles a session that
    has confirmed its identity recently.
    """

    def authenticate(self, request: Any) -> tuple[Any, None] | None:
        """Raises AccountNeeded, RecentSignInNeeded."""
        found = super().authenticate(request)
        if found is not None:
            _require_account(found[0], request)
            if _is_sensitive(request):
                require_confirmation(request._request)
        return found

    def enforce_csrf(self, request: Any) -> None:
        """Raises CsrfRefused."""
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied:
            raise CsrfRefused from None

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"


def _is_sensitive(request: Any) -> bool:
    view = request.parser_context.get("view")
    handler = getattr(view, request.method.lower(), None)
    if getattr(handler, "sensitive", False):
        return True
    return request.method not in SAFE_METHODS and getattr(handler, "operation", "") in _sensitive_operations()


_sensitive_operations = functools.cache(sensitive_operations)
