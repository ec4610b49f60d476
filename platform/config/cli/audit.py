"""`racecard audit`: check the whole installation, or a part of it, from its first event to its last penny."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.console import Console
from rich.markup import escape

from config.cli.options import AsJson, Data, Jobs, use
from config.parallel import cores, progress, spread

if TYPE_CHECKING:
    from core.checks import Report
    from eventstore.checkpoints.service import Published

SIGNS = {"passed": "[green]✓[/]", "failed": "[red]✗[/]", "in-part": "[yellow]◐[/]", "not-run": "[yellow]·[/]"}
SHOWN = 20
"""Faults printed as text; --json prints more."""


def audit(
    game: Annotated[
        list[UUID] | None, typer.Option("--game", metavar="ID", help="Only this game; repeatable.")
    ] = None,
    tournament: Annotated[
        list[UUID] | None,
        typer.Option("--tournament", metavar="ID", help="Only this tournament and its games; repeatable."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="CHECKPOINT",
            help="Only data after a checkpoint: its number, or a file with it, which is compared first.",
        ),
    ] = None,
    known: Annotated[
        Path | None,
        typer.Option(
            help="Checkpoints stored elsewhere, to compare with; by default the published file.",
            dir_okay=False,
        ),
    ] = None,
    jobs: Jobs = 0,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Check everything: the log, every game and tournament, the ledger, the checkpoints. Nothing is written.

    Exits with 0 if there are no faults, with 1 if there are, with 2 if the check could not run.
    """
    if (game or tournament) and since:
        raise typer.BadParameter("--since is for the whole installation")
    _use(data)
    report, scope, subject = (
        _named(game or [], tournament or []) if game or tournament else _whole(since, known, jobs)
    )
    from audit.report import document

    if as_json:
        output = document(report, scope=scope, subject=subject)
        sys.stdout.write(json.dumps(output, ensure_ascii=False) + "\n")
    else:
        _print(report)
    if not report.ok:
        raise typer.Exit(1 if report.count else 2)


def _use(data: Path | None) -> None:
    """Use a database of this version. Raises BadParameter."""
    if data is not None and not data.is_dir():
        raise typer.BadParameter(f"{data}: no such folder")
    use(data)
    from django.db import DEFAULT_DB_ALIAS, connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        name = connection.settings_dict["NAME"] or DEFAULT_DB_ALIAS
        raise typer.BadParameter(f"{name}: no database of this version; see `manage.py migrate --plan`")


def _named(games: list[UUID], tournaments: list[UUID]) -> tuple[Report, str, str]:
    from audit.services import audit_game, audit_tournament
    from core.checks import Report
    from core.errors import NotFound

    report, subjects = Report(), []
    for kind, ids, one in (("game", games, audit_game), ("tournament", tournaments, audit_tournament)):
        for id in ids:
            subjects.append(f"{kind}:{id}")
            try:
                report.merge(one(id))
            except NotFound:
                raise typer.BadParameter(f"no {kind} {id} here") from None
    scope = subjects[0].partition(":")[0] if len(subjects) == 1 else "selection"
    return report, scope, " ".join(subjects)


def _whole(since: str | None, known: Path | None, jobs: int) -> tuple[Report, str, str]:
    from audit.services import UnknownCheckpoint, audit_installation

    kept = _known(known)
    number = None
    if since is not None:
        number, more = _since(since)
        kept += more
    processes = jobs or cores()
    try:
        with progress() as bars:
            task = bars.add_task("events", total=None)
            report = audit_installation(
                since=number,
                known=kept,
                spread=lambda work, pieces: spread(work, pieces, jobs=min(processes, len(pieces))),
                progress=lambda done, total: bars.update(task, completed=done, total=total),
            )
    except UnknownCheckpoint as error:
        raise typer.BadParameter(str(error)) from None
    return report, "installation", "" if number is None else f"since checkpoint {number}"


def _known(file: Path | None) -> list[Published]:
    from config.checkpoints import read_published

    if file is not None and not file.exists():
        raise typer.BadParameter(f"{file}: no such file")
    try:
        return list(read_published(file))
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None


def _since(text: str) -> tuple[int, list[Published]]:
    """The checkpoint's number; for a file, the newest in it, and all that it contains."""
    if text.isdecimal():
        return int(text), []
    held = _known(Path(text))
    if not held:
        raise typer.BadParameter(f"{text}: contains no checkpoint")
    return max(each.number for each in held), held


def _print(report: Report) -> None:
    from audit.report import ordered, sorted_faults

    console = Console(highlight=False, soft_wrap=True)
    console.print(", ".join(f"{number:,} {what}" for what, number in sorted(report.counted.items())))
    part = ""
    for of, check in ordered(report):
        tally = report.tallies[of, check]
        if of != part:
            console.print(f"[bold]{of}[/]")
            part = of
        console.print(f"  {SIGNS[tally.verdict]} {escape(check)}: {escape(_numbers(tally))}")
    for fault in sorted_faults(report.faults)[:SHOWN]:
        console.print(f"[red]✗[/] {fault.part}: {escape(str(fault))}")
    if report.count > SHOWN:
        console.print(f"and {report.count - SHOWN} more faults")
    if report.count:
        console.print("[red]Faults were found.[/]")
    else:
        console.print("No faults were found." if report.ok else "Nothing was checked.")


def _numbers(tally: Any) -> str:
    parts = [f"{tally.passed:,} passed"] if tally.passed else []
    parts += [f"{tally.failed:,} failed"] if tally.failed else []
    parts += [f"{number:,} not run: {why}" for why, number in sorted(tally.not_run.items())]
    return "; ".join(parts) or "not run: no such data here"
