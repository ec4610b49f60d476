"""Sign-in: name and password, and a one-time code if enrolled.

Failures are counted by name and address, and lock that pair for a while (django-axes, in the database, so that the
lock holds in every process and after a restart). A wrong code counts like a wrong password.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_cool_off
from django.contrib.auth import authenticate
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, JsonResponse
from django_otp import user_has_device, verify_token
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.errors import (
    AlreadyEnrolled,
    CodeNeeded,
    CodeRefused,
    NotEnrolling,
    SignInLocked,
    SignInRefused,
)
from accounts.models import Player
from core.addresses import is_address
from rest.problems import CONTENT_TYPE, headers, problem_document, status_of
from rest.throttles import GuessThrottle, address_of


def sign_in(*, request: HttpRequest, username: str, password: str, code: str = "") -> Player:
    """Authenticate a player.

    Raises SignInRefused, CodeNeeded, CodeRefused, SignInLocked.
    """
    refuse_if_locked(request, username)
    player = authenticate(request, username=username, password=password)
    if player is None:
        raise SignInRefused()
    assert isinstance(player, Player)
    if user_has_device(player):
        check_code(request, player, code)
    user_logged_in.send(sender=Player, request=request, user=player)
    return player


def check_code(request: HttpRequest, player: Player, code: str) -> None:
    """Check a one-time code of a player who has enrolled one. Raises CodeNeeded, CodeRefused."""
    if not code:
        raise CodeNeeded()
    for device in confirmed_devices(player):
        if verify_token(player, device.persistent_id, code):
            # django-otp reads this to know that the session used a code.
            player.otp_device = device  # type: ignore[attr-defined]
            return
    count_failure(request, player.username)
    raise CodeRefused()


def refuse_if_locked(request: HttpRequest, username: str) -> None:
    """Raise SignInLocked after too many failures: of this address under this name, or of all under this name."""
    if not AxesProxyHandler.is_allowed(request, {"username": username}):
        raise locked(request)
    guesses = GuessThrottle()
    if guesses.is_exhausted(username):
        raise SignInLocked(retry_after=math.ceil(guesses.wait()))


def address_or_none(request: HttpRequest) -> str | None:
    """The address of a request for django-axes; unknown for a socket in the file system."""
    found = address_of(request)
    return found if is_address(found) else None


def check_own_password(*, request: HttpRequest, player: Player, password: str) -> None:
    """Check the current password before an irreversible change, so that a stolen token is not enough.

    Raises SignInLocked, SignInRefused.
    """
    refuse_if_locked(request, player.username)
    if not player.check_password(password):
        count_failure(request, player.username)
        raise SignInRefused("The current password is not right.", reason="password")


@receiver(user_login_failed, dispatch_uid="accounts.count_guess")
def count_guess(sender: Any, credentials: Mapping[str, Any], **kwargs: Any) -> None:
    GuessThrottle().count(str(credentials.get("username", "")))


def count_failure(request: HttpRequest, username: str) -> None:
    """Count a failure towards the lock on this name and address."""
    user_login_failed.send(sender=__name__, credentials={"username": username}, request=request)


def confirmed_devices(player: Player) -> list[TOTPDevice]:
    return list(TOTPDevice.objects.filter(user=player, confirmed=True))


def locked(request: HttpRequest) -> SignInLocked:
    wait = get_cool_off(request)
    return SignInLocked(retry_after=int(wait.total_seconds()) if wait else 60)


def lockout_response(
    request: HttpRequest, response: HttpResponse | None = None, credentials: Any = None
) -> HttpResponse:
    """The response to a locked sign-in, in place of that of django-axes."""
    problem = locked(request)
    return JsonResponse(
        problem_document(problem),
        status=status_of(problem),
        content_type=CONTENT_TYPE,
        headers=headers(problem),
    )


def enrol(*, player: Player) -> TOTPDevice:
    """Start to enrol a one-time code, which takes effect once confirmed. Raises AlreadyEnrolled."""
    if user_has_device(player):
        raise AlreadyEnrolled()
    TOTPDevice.objects.filter(user=player, confirmed=False).delete()
    return TOTPDevice.objects.create(user=player, name="authenticator", confirmed=False)


def confirm(*, player: Player, code: str) -> None:
    """Confirm an enrolment. Raises NotEnrolling, CodeRefused."""
    device = TOTPDevice.objects.filter(user=player, confirmed=False).first()
    if device is None:
        raise NotEnrolling()
    if not device.verify_token(code):
        raise CodeRefused()
    device.confirmed = True
    device.save(update_fields=["confirmed"])
