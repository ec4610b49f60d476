"""Sign-in by REST, and the confirmation of an identity, with the checks and limits of django-allauth."""

from __future__ import annotations

import time
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.authentication import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.internal import ratelimit
from allauth.mfa.base.forms import AuthenticateForm
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.errors import (
    AccountSuspended,
    CodeNeeded,
    CodeRefused,
    EmailNotVerified,
    RecentSignInNeeded,
    SignInLocked,
    SignInRefused,
)
from accounts.models import Player
from accounts.roles import has_second_factor

LOCKED_FOR = 15 * 60
"""Seconds after which a name at an address may be tried again; with many guesses from elsewhere, an hour."""


def sign_in(*, request: HttpRequest, username: str, password: str, code: str = "") -> Player:
    """Authenticate a player.

    Raises SignInRefused, SignInLocked, AccountSuspended, EmailNotVerified, CodeNeeded, CodeRefused.
    """
    player = _authenticated(request, username, password)
    if player is None or (not player.is_active and not player.suspended_for):
        raise SignInRefused()
    if not player.is_active:
        raise AccountSuspended(
            f"This account is suspended: {player.suspended_for}", reason=player.suspended_for
        )
    if settings.REQUIRE_EMAIL and not EmailAddress.objects.filter(user=player, verified=True).exists():
        raise EmailNotVerified()
    if has_second_factor(player):
        check_code(request, player, code)
    user_logged_in.send(sender=Player, request=request, user=player)
    return player


def _authenticated(request: HttpRequest, username: str, password: str) -> Player | None:
    """Return the player of a name and password, active or not. Raises SignInLocked."""
    with context.request_context(request):
        try:
            found: Player | None = get_adapter().authenticate(request, username=username, password=password)
        except ValidationError:
            raise SignInLocked(retry_after=LOCKED_FOR) from None
        return found


def check_code(request: HttpRequest, player: Player, code: str) -> None:
    """Check the code of an authenticator, or a recovery code. Raises CodeNeeded, CodeRefused, SignInLocked."""
    if not code:
        raise CodeNeeded()
    with context.request_context(request):
        form = AuthenticateForm({"code": code}, user=player)
        if form.is_valid():
            form.authenticator.record_usage()
            return
    if form.has_error("code", "too_many_login_attempts"):
        raise SignInLocked(retry_after=LOCKED_FOR)
    raise CodeRefused()


def check_own_password(*, request: HttpRequest, player: Player, password: str) -> None:
    """Check the current password before an irreversible change, so that a stolen token is not enough.

    Raises SignInLocked, SignInRefused.
    """
    if _authenticated(request, player.username, password) != player:
        raise SignInRefused("The current password is not right.", reason="password")


def confirmed_recently(request: HttpRequest) -> bool:
    """Return whether the session has signed in, or confirmed its identity, in the last half hour."""
    records = get_authentication_records(request, request.user)
    return bool(records) and time.time() - records[-1]["at"] < settings.ACCOUNT_REAUTHENTICATION_TIMEOUT


def needs_confirmation(request: HttpRequest) -> bool:
    """Return whether the session must confirm its identity before it moves money or changes roles."""
    return settings.REQUIRE_RECENT_SIGN_IN and not confirmed_recently(request)


def require_confirmation(request: HttpRequest) -> None:
    """Raises RecentSignInNeeded."""
    if needs_confirmation(request):
        raise RecentSignInNeeded()


class AccountThrottle(BaseThrottle):
    """A limit of `ACCOUNT_RATE_LIMITS` by address, which the REST API shares with the web client."""

    action: str
    seconds: int

    def allow_request(self, request: Request, view: Any) -> bool:
        used = ratelimit.consume(request._request, app="allauth.account", action=self.action)
        return used is not None

    def wait(self) -> float:
        return self.seconds


class SignInThrottle(AccountThrottle):
    action, seconds = "login", 60


class SignUpThrottle(AccountThrottle):
    action, seconds = "signup", 3600


class GuestThrottle(AccountThrottle):
    action, seconds = "guest", 3600
