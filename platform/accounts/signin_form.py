"""The back office's sign-in: the REST one's rules on a form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django_otp import user_has_device, verify_token

from accounts.errors import SignInLocked
from accounts.models import Player
from accounts.roles import needs_enrolment
from accounts.signin import confirmed_devices, count_failure, refuse_if_locked
from api.throttles import SignInThrottle, address_of


class SignInForm(AdminAuthenticationForm):
    """Name, password and, for those who have enrolled one, the one-time code."""

    otp_token = forms.CharField(
        label="One-time code (if enrolled)",
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )

    def clean(self) -> dict[str, Any]:
        self._refuse_guessing()
        cleaned = super().clean() or {}
        player = self.get_user()
        if isinstance(player, Player) and user_has_device(player):
            self._check_code(player, cleaned.get("otp_token", ""))
        return cleaned

    def _refuse_guessing(self) -> None:
        if self.request is None:
            return
        if not SignInThrottle().take(address_of(self.request)):
            raise forms.ValidationError("Too many attempts from this address; wait a minute and try again.")
        try:
            refuse_if_locked(self.request, self.cleaned_data.get("username") or "")
        except SignInLocked as locked:
            raise forms.ValidationError(locked.detail) from None

    def confirm_login_allowed(self, user: Any) -> None:
        super().confirm_login_allowed(user)
        if needs_enrolment(user):
            raise forms.ValidationError("Staff of this house must first enrol a one-time code (over REST).")

    def _check_code(self, player: Player, code: str) -> None:
        for device in confirmed_devices(player):
            if code and verify_token(player, device.persistent_id, code):
                player.otp_device = device  # type: ignore[attr-defined]  # kept in the session at login
                return
        if code and self.request is not None:
            count_failure(self.request, player.username)
        raise forms.ValidationError("This account signs in with a one-time code; it is missing or not right.")
