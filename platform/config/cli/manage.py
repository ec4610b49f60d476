"""`racecard serve` and `racecard manage`: Django's commands, for an installation without the repository."""

from __future__ import annotations

import os

import typer


def serve(context: typer.Context) -> None:
    _execute(["serve", *context.args])


def manage(context: typer.Context) -> None:
    _execute(context.args)


def _execute(words: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(["racecard", *words])
