"""`racecard checkpoints`: check and compare exported checkpoints, without Django, a database, or a network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from config.cli.verify import read_checkpoints, read_keys
from eventstore.checkpoints.published import Published, Trust, faults, merged

SHOWN = 20
"""Faults printed as text; --json prints all."""


def checkpoints(
    exports: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="As exported: one per line, a single one, or a page of the API."
        ),
    ],
    keys: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="PUBLIC", help="A public key that you trust; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")] = False,
) -> None:
    """Check exported checkpoints: signatures, chain, keys, and that all files agree.

    An older export and a newer one of the same installation must agree on every checkpoint that both contain, and
    none may be missing between them. With --key every one must be signed by a trusted key or by one that it handed
    over to. Exits with 1 on a fault, with 2 if a file cannot be read.
    """
    trusted = read_keys(keys or [])
    history, different = merged(*map(read_checkpoints, exports))
    wrong = sorted([*different, *faults(history)])
    if trusted and not wrong:
        trust = Trust(trusted, history)
        wrong = [
            (one.number, f"signed by {one.key}, no key you trust") for one in history if not trust.covers(one)
        ]
    report = _report(history, wrong)
    if as_json:
        typer.echo(json.dumps(report))
    else:
        _print(report)
    if wrong:
        raise typer.Exit(1)


def _report(history: list[Published], wrong: list[tuple[int, str]]) -> dict[str, Any]:
    first, last = history[0], history[-1]
    keys = list(dict.fromkeys(one.key for one in history))
    lost = {} if wrong else {one.number: one.lost for one in history if one.lost}
    return {
        "ok": not wrong,
        "checkpoints": len(history),
        "first": first.number,
        "last": last.number,
        "hash": last.hash,
        "at": None if wrong else last.at,
        "keys": keys,
        "lost_keys": [{"checkpoint": number, "key": key} for number, key in lost.items()],
        "faults": [{"checkpoint": number, "why": why} for number, why in wrong],
    }


def _print(report: dict[str, Any]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    if report["ok"]:
        console.print(
            f"[green]✓[/] checkpoints {report['first']} to {report['last']} are consistent, as of {report['at']}; "
            f"last hash {report['hash']}"
        )
    for fault in report["faults"][:SHOWN]:
        console.print(f"[red]✗[/] checkpoint {fault['checkpoint']}: {escape(fault['why'])}")
    if (more := len(report["faults"]) - SHOWN) > 0:
        console.print(f"  and {more} more")
    for key in report["keys"]:
        console.print(f"  signed by {key}")
    for lost in report["lost_keys"]:
        console.print(
            f"[yellow]·[/] with checkpoint {lost['checkpoint']} the key {lost['key']} was declared lost: "
            "it did not sign its successor"
        )
