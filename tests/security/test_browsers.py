"""Test the security headers and cookies of all responses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.checks.registry import registry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse

from tests import forked
from tests.signing_in import signed_in


def test_static_files_have_strict_policy() -> None:
    answer = Client().get("/static/admin/css/base.css")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
def test_api_responses_are_not_cached(api: Any, player: Any) -> None:
    for client in (api(player), api(None)):
        for address in ("/api/v1/players/me/", "/api/v1/wallet/", "/api/v1/nothing/"):
            assert client.get(address)["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_cookies_are_restricted_to_site(administrator: Any) -> None:
    with override_settings(SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True):
        browser = signed_in(administrator)
    session, csrf = browser.cookies["sessionid"], browser.cookies["csrftoken"]
    assert (session["secure"], session["httponly"], session["samesite"]) == (True, True, "Lax")
    assert (csrf["secure"], csrf["samesite"]) == (True, "Lax")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "to", ["//evil.example/", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_sign_in_redirects_only_within_site(administrator: Any, to: str) -> None:
    answer = signed_in(administrator).get(reverse("admin:login"), {"next": to})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


@pytest.mark.django_db
def test_file_uploads_are_refused() -> None:
    browser = Client(raise_request_exception=False)
    body = {"username": "adam", "password": "x", "file": SimpleUploadedFile("large.bin", b"x" * 100)}
    assert browser.post("/_allauth/browser/v1/auth/login", body).status_code == 415
    answer = browser.post("/api/v1/players/", body)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported-media-type")


@pytest.mark.processes
def test_production_settings_pass_django_checks(tmp_path: Path) -> None:
    env = {
        **os.environ,
        "RACECARD_HTTPS": "1",
        "RACECARD_HOSTS": "cards.example",
        "RACECARD_DATA": str(tmp_path / "data"),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    env.pop("DATABASE_URL", None)
    # Without those of this machine (`racecard doctor`).
    tags = [f"--tag={tag}" for tag in sorted({*registry.tags_available(True)} - {"installation"})]
    done = forked.run(["manage.py", "check", "--deploy", "--fail-level", "WARNING", *tags], env, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout + done.stderr
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0, "other files are not served"
    assert (tmp_path / "data" / "secret.key").stat().st_mode & 0o077 == 0
