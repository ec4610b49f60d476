"""`racecard doctor`: check the installation, and say what to do."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer
from django.core.exceptions import ImproperlyConfigured
from rich.console import Console
from rich.markup import escape

from config.cli.options import AsJson, Data, use
from config.doctor.report import DoctorOutput, unusable_settings

SIGNS = {
    "passed": "[green]✓[/]",
    "warned": "[yellow]![/]",
    "failed": "[red]✗[/]",
    "not-run": "[yellow]·[/]",
}


def doctor(
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings too.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Check settings, database, clock, disk, keys, broker, jobs, mail, proxy, time zones, and web client.

    Each message says what is wrong and what to do. No secret is printed. Run it as the user of the installation, with
    its environment. Exits with 0 if there are no errors, otherwise with 1.
    """
    found = _examined(data)
    if as_json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    else:
        _print(found)
    if not found["ok"] or (strict and any(one["verdict"] == "warned" for one in found["checks"])):
        raise typer.Exit(1)


def _examined(data: Path | None) -> DoctorOutput:
    try:
        use(data)
    except (ImproperlyConfigured, RuntimeError, ValueError, OSError) as error:
        return unusable_settings(error)
    from config.doctor.examination import examine

    logging.disable(logging.CRITICAL)  # the messages name what would be logged
    return examine()


def _print(found: DoctorOutput) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for one in found["checks"]:
        note = " (not checked: the database cannot be used)" if one["verdict"] == "not-run" else ""
        console.print(f"{SIGNS[one['verdict']]} [bold]{one['name']}[/]: {one['about']}{note}")
        for message in one["messages"]:
            colour = "red" if message["level"] == "error" else "yellow"
            console.print(f"    [{colour}]{message['level']}[/] {escape(message['text'])} ({message['id']})")
            if message["hint"]:
                console.print(f"    → {escape(message['hint'])}")
    levels = [message["level"] for one in found["checks"] for message in one["messages"]]
    console.print(f"errors: {levels.count('error')}, warnings: {levels.count('warning')}")
