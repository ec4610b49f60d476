"""How django-allauth creates accounts, counts guesses, and sends e-mail here."""

from __future__ import annotations

from smtplib import SMTPException
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.headless.internal.restkit.response import ErrorResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import translation

from accounts import emails, names, services
from accounts.errors import NameRefused, NotAGuest, UsernameTaken
from accounts.models import Player
from core.addresses import is_address
from core.errors import InvalidInput, Unavailable
from rest.problems import ACCOUNT_PREFIX
from rest.throttles import address_of

log = structlog.get_logger(__name__)

UNKNOWN = "::"
"""The address of a caller without one, such as that of a socket in the file system."""


class MailUnavailable(Unavailable):
    code = "mail-unavailable"
    title = "The site cannot send e-mail at the moment"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types for mypy
    def clean_username(self, username: str, shallow: bool = False) -> str:
        try:
            names.check_username(username)
        except NameRefused as refused:
            raise ValidationError(refused.detail, code="name_refused") from None
        except InvalidInput as refused:
            raise ValidationError(refused.detail, code="invalid_username") from None
        cleaned: str = super().clean_username(username, shallow)
        return cleaned

    def new_user(self, request: HttpRequest) -> Player:
        """Return the player who signs up: the guest of this browser, who keeps their games, or a new player."""
        guest: Player | None = getattr(request, "guest", None)
        return Player() if guest is None else guest

    def login(self, request: HttpRequest, user: Player) -> None:
        if hasattr(request, "guest"):  # or signing in would delete what allauth has put into the session
            for key in (SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY):
                request.session.pop(key, None)
        super().login(request, user)

    def save_user(self, request: HttpRequest, user: Player, form: Any, commit: bool = True) -> Player:
        super().save_user(request, user, form, commit=False)
        if commit:
            try:
                if user.is_guest:
                    user.display_name = ""
                    services.keep_guest(user)
                else:
                    services.save_new(user)
            except (UsernameTaken, NotAGuest):  # between the check and the insertion
                taken = ErrorResponse(request, exception=self.validation_error("username_taken"))
                raise ImmediateHttpResponse(taken) from None
        return user

    def set_password(self, user: Player, password: str) -> None:
        services.change_password(player=user, new=password)

    def get_client_ip(self, request: HttpRequest) -> str:
        """The address under which a caller is counted. A network of IPv6 is one caller."""
        found = address_of(request)
        return found if is_address(found) else UNKNOWN

    # --- guesses ----------------------------------------------------------------------------------------

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt under a name, from this address and from anywhere, and refuse one too many."""
        name = str(credentials.get("username", "")).lower()
        here = f"{name} {self.get_client_ip(request)}"
        self._attempts = []
        for action, key in (("login_failed", here), ("login_failed_anywhere", name)):
            attempt = ratelimit.consume(request, app="allauth.account", action=action, key=key)
            if attempt is None:
                raise self.validation_error("too_many_login_attempts")
            self._attempts.append(attempt)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Player | None:
        """Raises ValidationError with the reason for a suspended player who knows the password."""
        player: Player | None = super().authenticate(request, **credentials)
        if player is not None:
            for attempt in self._attempts:
                attempt.rollback()
            if not player.is_active and player.suspended_for and request.path_info.startswith(ACCOUNT_PREFIX):
                raise ValidationError(player.suspended_for, code="account_suspended")
        return player

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        log.info("sign_in_failed", address=self.get_client_ip(request))

    # --- e-mail -----------------------------------------------------------------------------------------

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an e-mail in the language of the request, without its Host. Raises MailUnavailable."""
        site = SimpleNamespace(name="Racecard", domain=urlsplit(settings.RACECARD_SITE_URL).netloc)
        with translation.override(_language()):
            try:
                super().send_mail(template_prefix, email, {**context, "current_site": site})
            except (OSError, SMTPException):
                log.exception("mail_failed", template=template_prefix)
                raise MailUnavailable from None

    def render_mail(
        self, template_prefix: str, email: Any, context: dict[str, Any], headers: Any = None
    ) -> EmailMessage:
        text = emails.text_of(template_prefix, context)
        if text is None:
            unknown: EmailMessage = super().render_mail(template_prefix, email, context, headers)
            return unknown
        to, subject = [email] if isinstance(email, str) else email, self.format_email_subject(text[0])
        return EmailMessage(subject, text[1], self.get_from_email(), to, headers=headers)


def _language() -> str:
    request = context.request
    return translation.get_language_from_request(request) if request else settings.LANGUAGE_CODE


class LinkedAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types for mypy
    def new_user(self, request: HttpRequest, sociallogin: Any) -> Player:
        """Return a new player, also for a guest: a session holds it until it has a name."""
        return Player()

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> Player:
        """Save the player of a new linked account, without a password. It may be the guest of this browser."""
        if guest := getattr(request, "guest", None):
            sociallogin.user = guest
        try:
            with transaction.atomic():
                player: Player = super().save_user(request, sociallogin, form)
        except IntegrityError:  # the name was taken between the check and the insertion
            adapter = get_adapter()
            taken = ErrorResponse(request, exception=adapter.validation_error("username_taken"))
            raise ImmediateHttpResponse(taken) from None
        return player
