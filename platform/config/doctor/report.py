"""The result of `racecard doctor`. This module needs no settings, so that it can report that they are unusable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from django.core.checks import ERROR, WARNING, CheckMessage, Error

from config.doctor.secrets import without_secrets

SETTINGS = "the environment variables and Django's checks"


class MessageOutput(TypedDict):
    id: str
    level: str
    """`error` or `warning`"""
    text: str
    hint: str


class SubjectOutput(TypedDict):
    name: str
    about: str
    verdict: str
    """`passed`, `warned`, `failed`, or `not-run`"""
    messages: list[MessageOutput]


class DoctorOutput(TypedDict):
    ok: bool
    """Whether there are no errors."""
    checks: list[SubjectOutput]


def subject_output(
    name: str, about: str, messages: Sequence[CheckMessage], *, is_checked: bool = True
) -> SubjectOutput:
    """Describe the result for one subject. The texts contain no secret."""
    worst = max((message.level for message in messages), default=0)
    verdict = "failed" if worst >= ERROR else "warned" if worst >= WARNING else "passed"
    return {
        "name": name,
        "about": about,
        "verdict": verdict if is_checked else "not-run",
        "messages": [
            {
                "id": message.id or "",
                "level": "error" if message.level >= ERROR else "warning",
                "text": without_secrets(" ".join(message.msg.split())),
                "hint": without_secrets(message.hint or ""),
            }
            for message in messages
        ],
    }


def unusable_settings(error: BaseException) -> DoctorOutput:
    """The result if the settings cannot be loaded, so that nothing else can be checked."""
    message = Error(
        f"The settings cannot be loaded. {error}",
        "Correct the variable (docs/settings.md), or make the data folder writable for this user.",
        id="settings.unusable",
    )
    return {"ok": False, "checks": [subject_output("settings", SETTINGS, [message])]}
