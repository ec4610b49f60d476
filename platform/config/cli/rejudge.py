"""`racecard rejudge`: judge a finished game under another value of an option, without Django, a database, or a
network.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from config.cli.options import AsJson, read_config
from games.rules import ConfigError
from games.rules.bundles.form import Unreadable, read
from games.rules.bundles.readings import HOW, CannotReread, Otherwise, Reading, reread

STDIN = "-"
OTHERWISE, CANNOT = 1, 2


def rejudge(
    bundle: Annotated[
        str, typer.Argument(metavar="BUNDLE", help="A file as exported; - reads standard input.")
    ],
    config: Annotated[
        list[str],
        typer.Option("--config", metavar="KEY=VALUE", help="An option and its other value; repeatable."),
    ],
    as_json: AsJson = False,
) -> None:
    """Judge a finished game again with another value of an option, and print the first event that would differ.

    Exits with 0 if every event is the same under both values, with 1 if the game would have continued differently,
    with 2 if that cannot be decided: the bundle does not prove a finished game, or the key is not an option of the
    game.
    """
    try:
        reading = reread(_document(bundle), read_config(config))
    except (OSError, Unreadable, CannotReread, ConfigError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _print_error(why, as_json)
        raise typer.Exit(CANNOT) from None
    if as_json:
        _print_json(reading.document())
    else:
        _print(reading)
    if reading.otherwise is not None:
        raise typer.Exit(OTHERWISE)


def _document(path: str) -> Any:
    return read(sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes())


def _print_error(why: str, as_json: bool) -> None:
    if as_json:
        _print_json({"same": None, "why": why})
    else:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"[red]✗[/] {escape(why)}")


def _print(reading: Reading) -> None:
    console = Console(highlight=False, soft_wrap=True)
    changed = ", ".join(
        f"{key} {_text(reading.config[key])} → {_text(value)}" for key, value in reading.changed.items()
    )
    console.print(f"game {reading.game}, {reading.events} events; {escape(changed)}")
    if reading.choice is not None:
        console.print(f"[yellow]·[/] from event {reading.choice} on, other moves would have been legal")
    if reading.otherwise is None:
        console.print("[green]✓[/] every event is the same under both values")
    else:
        _print_difference(console, reading.otherwise)


def _print_difference(console: Console, found: Otherwise) -> None:
    console.print(f"[red]✗[/] event {found.version}: {HOW[found.how]}")
    if found.move is not None:
        console.print(f"  move     {escape(_text(found.move))}")
    console.print(f"  recorded {escape(_text(found.recorded))}")
    console.print(f"  instead  {escape(_text(found.instead))}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
