"""The subjects that are examined, in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from django.core.checks import CheckMessage, Error

from config.doctor import database, machine, outside, settings
from config.doctor.report import SETTINGS, DoctorOutput, SubjectOutput, subject_output


class Subject(NamedTuple):
    name: str
    about: str
    check: Callable[[], Iterator[CheckMessage]]
    needs_database: bool = False


SUBJECTS = (
    Subject("settings", SETTINGS, settings.check),
    Subject("database", "connection, rights, and settings", database.check),
    Subject("clock", "this machine's clock and the database's", machine.clock, needs_database=True),
    Subject("disk", "space, and the time of a flush", machine.disk),
    Subject("limits", "open files", machine.limits),
    Subject("keys", "modes and owners of files, and the key of the checkpoints", machine.keys),
    Subject("broker", "the queue of the workers", outside.broker),
    Subject("jobs", "ticker and recurring jobs", outside.jobs, needs_database=True),
    Subject("archive", "the store of archived games", outside.archive, needs_database=True),
    Subject("mail", "the mail server", outside.mail),
    Subject("proxy", "trusted addresses, and what a proxy passes on", outside.proxy),
    Subject("zones", "the data of the time zones", machine.zones),
    Subject("client", "the build of the web client", machine.client),
)


def examine() -> DoctorOutput:
    """Check every subject."""
    os.environ.setdefault("PGCONNECT_TIMEOUT", "5")
    checked = [_checked(subject) for subject in SUBJECTS]
    return {"ok": not any(one["verdict"] == "failed" for one in checked), "checks": checked}


def own_messages() -> list[CheckMessage]:
    """The messages of all subjects but `settings`, for Django's `check` command."""
    return [message for subject in SUBJECTS[1:] for message in _messages(subject)]


def _checked(subject: Subject) -> SubjectOutput:
    is_checked = not subject.needs_database or database.is_usable()
    messages = _messages(subject) if is_checked else []
    return subject_output(subject.name, subject.about, messages, is_checked=is_checked)


def _messages(subject: Subject) -> list[CheckMessage]:
    """The messages of the subject that are not silenced. An unexpected error is one of them."""
    try:
        return [message for message in subject.check() if not message.is_silenced()]
    except Exception as error:  # the other subjects are still to be checked
        text = f"The check ended with {type(error).__name__}: {error}"
        return [
            Error(
                text, "Repair what the message names, and run the command again.", id=f"{subject.name}.check"
            )
        ]
