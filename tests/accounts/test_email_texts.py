"""The texts of e-mails about accounts: complete in every language, and without allauth's own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import allauth
import pytest
from django.utils import translation

from accounts import emails

CONTEXT: dict[str, Any] = {
    "current_site": SimpleNamespace(name="Racecard", domain="cards.example"),
    "user": SimpleNamespace(get_username=lambda: "zoe"),
    "username": "zoe",
    "email": "zoe@club.example",
    "activate_url": "https://cards.example/verify-email/?key=a",
    "password_reset_url": "https://cards.example/reset-password/?key=b",
    "signup_url": "https://cards.example/sign-in/",
    "from_email": "old@club.example",
    "to_email": "new@club.example",
    "deleted_email": "old@club.example",
    "provider": "Club login",
    "ip": "192.0.2.1",
    "user_agent": "Firefox",
    "timestamp": datetime(2026, 3, 1, 18, 5, tzinfo=UTC),
}
BY_CODE = {"login_code", "password_reset_code"}
"""E-mails of a way to sign in that this site does not offer."""


def sent_by_allauth() -> list[str]:
    templates = Path(allauth.__file__).parent / "templates"
    names = {str(one.relative_to(templates)) for one in templates.glob("*/email/*_subject.txt")}
    prefixes = sorted(name.removesuffix("_subject.txt") for name in names)
    return [one for one in prefixes if one.rsplit("/", 1)[1] not in BY_CODE]


@pytest.mark.parametrize("language", ["en", "de", "pl"])
@pytest.mark.parametrize("prefix", sent_by_allauth())
def test_every_email_has_a_text(settings: Any, prefix: str, language: str) -> None:
    settings.RACECARD_SITE_URL = "https://cards.example"
    with translation.override(language):
        text = emails.text_of(prefix, CONTEXT)
    assert text is not None
    assert "cards.example" in text[1]
    assert "{" not in "".join(text)


def test_a_change_says_when_and_from_where_it_came() -> None:
    bodies = {}
    for language in ("en", "de", "pl"):
        with translation.override(language):
            found = emails.text_of("account/email/password_changed", CONTEXT)
        assert found is not None
        bodies[language] = found[1]
        assert all(part in found[1] for part in ("192.0.2.1", "Firefox", "18:05 UTC", "/account/"))
    assert "1 March 2026" in bodies["en"]
    assert "1. März 2026" in bodies["de"]
    assert "1 marca 2026" in bodies["pl"]


def test_a_language_without_texts_is_answered_in_english() -> None:
    with translation.override("fr"):
        found = emails.text_of("account/email/password_changed", CONTEXT)
    assert found is not None
    assert found[0] == "Password changed"
