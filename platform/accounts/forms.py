"""Forms of the staff site for sign-in and password change, with the rules of the REST API."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm, AdminPasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django_otp import user_has_device

from accounts import services, sign_in
from accounts.errors import CodeNeeded, CodeRefused, SignInLocked, SignInRefused
from accounts.models import Player
from accounts.roles import needs_enrolment
from rest.throttles import SignInThrottle, address_of


class SignInForm(AdminAuthenticationForm):
    """The sign-in form: name, password, and the one-time code if enrolled."""

    otp_token = forms.CharField(
        label="One-time code (if enrolled)",
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )

    def clean(self) -> dict[str, Any]:
        self._refuse_guessing()
        cleaned = super().clean() or {}
        player = self.get_user()
        if self.request is not None and isinstance(player, Player) and user_has_device(player):
            try:
                sign_in.check_code(self.request, player, cleaned.get("otp_token", ""))
            except (CodeNeeded, CodeRefused):
                raise forms.ValidationError(
                    "This account signs in with a one-time code; it is missing or not right."
                ) from None
        return cleaned

    def _refuse_guessing(self) -> None:
        if self.request is None:
            return
        if not SignInThrottle().take(address_of(self.request)):
            raise forms.ValidationError("Too many attempts from this address; wait a minute and try again.")
        try:
            sign_in.refuse_if_locked(self.request, self.cleaned_data.get("username") or "")
        except SignInLocked as locked:
            raise forms.ValidationError(locked.detail) from None

    def confirm_login_allowed(self, user: Any) -> None:
        super().confirm_login_allowed(user)
        if needs_enrolment(user):
            raise forms.ValidationError("Staff must first enrol a one-time code (over REST).")


class PasswordForm(AdminPasswordChangeForm):
    """The password form. Wrong guesses count towards the lock on sign-ins, and a change ends every token."""

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        given: str = self.cleaned_data["old_password"]
        try:
            sign_in.check_own_password(request=self.request, player=self.user, password=given)
        except (SignInLocked, SignInRefused) as refused:
            raise ValidationError(refused.detail) from None
        return given

    def save(self, commit: bool = True) -> Player:
        services.change_password(player=self.user, new=self.cleaned_data["new_password1"])
        return self.user


class PasswordPage(PasswordChangeView):
    form_class = PasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}
