"""`racecard verify`: bundles checked with nothing but the rules; no Django, no database, no network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from games.rules.bundle import CHECKS, Report, Unreadable, read
from games.rules.bundle import verify as verify_bundle

STDIN = "-"
SIGNS = {"passed": "[green]✓[/]", "failed": "[red]✗[/]", "not-run": "[yellow]·[/]"}


def verify(
    bundles: Annotated[
        list[str], typer.Argument(metavar="BUNDLE…", help="Files as exported; - reads standard input.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON report a line instead of text.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only what is wrong.")] = False,
) -> None:
    """Check bundles: chain, commitment, seals, deal, every move and its facts, outcome, money.

    Exits with 1 when any bundle is wrong or cannot be read, naming the first event that is wrong and why.
    """
    console = Console(highlight=False, soft_wrap=True)
    wrong = 0
    for path in bundles:
        try:
            report = verify_bundle(read(_bytes(path)))
        except (OSError, Unreadable) as error:
            wrong += 1
            _tell_unreadable(console, path, error, as_json)
            continue
        wrong += not report.ok
        if as_json:
            _print_json({"bundle": path, **report.document()})
        elif not quiet or not report.ok:
            _tell(console, path, report)
    if len(bundles) > 1 and not as_json:
        console.print(f"{len(bundles)} bundles, {wrong} wrong")
    if wrong:
        raise typer.Exit(1)


def _bytes(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()


def _tell_unreadable(console: Console, path: str, error: Exception, as_json: bool) -> None:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if as_json:
        _print_json({"bundle": path, "ok": False, "why": why})
    else:
        console.print(f"[red]✗[/] {escape(path)}: cannot be read: {escape(why)}")


def _tell(console: Console, path: str, report: Report) -> None:
    sign = SIGNS["passed" if report.ok else "failed"]
    console.print(f"{sign} {escape(path)}: {escape(_summary(report))}")
    for check, verdict in report.checks.items():
        if not report.ok or verdict == "not-run":
            console.print(
                f"  {SIGNS[verdict]} {check}: {CHECKS[check]}{' (not run)' * (verdict == 'not-run')}"
            )
    for fault in report.faults[1:]:
        console.print(f"  also {escape(_where(fault.version))}{fault.check}: {escape(fault.why)}")


def _summary(report: Report) -> str:
    if not report.ok:
        return f"{_where(report.version)}{report.why}"
    if report.checks["commitment"] == "not-run":
        return f"game {report.game} is not open yet; its {report.events} events are as they must be so far"
    return f"game {report.game} proves itself, {report.events} events"


def _where(version: int | None) -> str:
    return "" if version is None else f"event {version} is wrong: "


def _print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
