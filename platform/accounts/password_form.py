"""The back office's change of one's own password: what the REST one does, on a form."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts import services, signin
from accounts.errors import SignInLocked, SignInRefused
from accounts.models import Player


class PasswordForm(AdminPasswordChangeForm):
    """Wrong guesses count towards the lock on sign-ins, and every token ends with the old password."""

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        given: str = self.cleaned_data["old_password"]
        try:
            signin.check_own_password(request=self.request, player=self.user, password=given)
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
