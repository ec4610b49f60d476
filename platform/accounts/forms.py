"""The fields that signing up has besides those of django-allauth."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts import services
from accounts.errors import PasswordRefused
from accounts.models import Player


class SignUpForm(forms.Form):
    """Part of allauth's form: the password must not resemble the name or the address."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        player = Player(username=cleaned.get("username") or "", email=cleaned.get("email") or "")
        if password := cleaned.get("password"):
            try:
                services.check_password(password, player)
            except PasswordRefused as refused:
                self.add_error("password", ValidationError(refused.detail, code="password_too_similar"))
        return cleaned

    def signup(self, request: HttpRequest, user: Player) -> None:
        """Called by allauth for the fields of this form; there is none to store."""
