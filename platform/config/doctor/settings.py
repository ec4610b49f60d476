"""The environment variables, and the checks that are registered with Django."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning
from django.core.checks.registry import registry
from django.db import DEFAULT_DB_ALIAS

from config.settings import env
from core.compiled import SETTING

READ_ELSEWHERE = {"RACECARD_THREADS", SETTING}
"""Variables that are read outside the settings."""

PREFIX = "RACECARD_"

INSTALLATION = "installation"
"""The tag of the check that runs the other subjects (`config.apps`)."""


def check() -> Iterator[CheckMessage]:
    yield from _registered()
    yield from _unknown_variables()
    yield from _threads()
    yield from _public_site()
    if settings.DATABASES[DEFAULT_DB_ALIAS]["ENGINE"] == "config.postgresql" and not settings.REDIS_URL:
        yield Warning(
            "REDIS_URL is not set: each web process counts rate limits for itself, and workers on other machines get "
            "no jobs.",
            "Set REDIS_URL if there is more than one web process or machine.",
            id="settings.redis",
        )


def _registered() -> Iterator[CheckMessage]:
    """The messages of the checks of Django and of the packages, without those of the database."""
    checks: list[Any] = registry.get_checks(include_deployment_checks=True)
    for one in checks:
        if not {Tags.database, INSTALLATION} & set(one.tags):
            yield from one(app_configs=None, databases=[])


def _unknown_variables() -> Iterator[CheckMessage]:
    known = env.names | READ_ELSEWHERE
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            close = get_close_matches(name, known, n=1)
            yield Warning(
                f"{name} is set and is not a setting.",
                f"Did you mean {close[0]}?" if close else "Remove it. docs/settings.md lists the settings.",
                id="settings.unknown",
            )


def _threads() -> Iterator[CheckMessage]:
    threads = os.environ.get("RACECARD_THREADS", "16")
    if not threads.isdecimal() or int(threads) == 0:
        yield Error(
            f"RACECARD_THREADS is {threads!r}; the web process cannot start.",
            "Set a whole number of at least 1, or remove it.",
            id="settings.threads",
        )


def _public_site() -> Iterator[CheckMessage]:
    """Settings that are safe on the machine alone and not for a public address."""
    url = settings.RACECARD_SITE_URL
    if not settings.HTTPS:
        if url.startswith("https://"):
            yield Error(
                f"RACECARD_HTTPS is off, and the site is {url}: cookies would be sent without encryption too.",
                "Set RACECARD_HTTPS=1.",
                id="settings.https",
            )
        else:
            yield Warning(
                "RACECARD_HTTPS is off: passwords and tokens travel without encryption.",
                "Put a proxy with a certificate in front, and set RACECARD_HTTPS=1. On one machine alone this is fine.",
                id="settings.https",
            )
    elif not url:
        yield Warning(
            "RACECARD_SITE_URL is not set: the proxy cannot be checked, and no e-mail can be sent.",
            "Set the public address, such as https://cards.example.",
            id="settings.site-url",
        )
    if settings.HTTPS and "*" in settings.ALLOWED_HOSTS:
        yield Warning(
            "RACECARD_HOSTS allows any host name.",
            "Set the names of the site, such as RACECARD_HOSTS=cards.example.",
            id="settings.hosts",
        )
