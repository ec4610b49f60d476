"""The command line, `racecard`. Only the called command is imported: `verify` needs no Django."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import typer


class Command(NamedTuple):
    function: str
    """module:function"""
    about: str


COMMANDS = {
    "verify": Command(
        "config.cli.verify:verify", "Check bundles: every event, the deal, the outcome, the money."
    ),
    "checkpoints": Command(
        "config.cli.checkpoints:checkpoints", "Check exported checkpoints, and that several tell one history."
    ),
    "simulate": Command(
        "config.cli.simulate:simulate", "Let bots play whole games and write them as bundles."
    ),
    "rejudge": Command(
        "config.cli.rejudge:rejudge",
        "Say where a finished game would have gone otherwise under another reading.",
    ),
    "rtp": Command("config.cli.rtp:rtp", "Say what Vegas Solitaire gives back of its stakes."),
    "compare": Command(
        "config.cli.compare:compare", "Let bots play the same deals, and say which is better and how surely."
    ),
    "demo": Command("config.cli.demo:demo", "Run a whole tournament of bots and show that it adds up."),
    "tournament": Command(
        "config.cli.tournament:app",
        "Run a whole tournament of bots from one file, or replay one that is over.",
    ),
    "new": Command("config.cli.new:app", "Write the skeleton of a plug-in: a game with its bots and tests."),
    "audit": Command(
        "config.cli.audit:audit", "Check the whole installation, or a game or tournament of it."
    ),
    "backup": Command("config.cli.backup:backup", "Copy the installation's data while it runs."),
    "restore": Command("config.cli.backup:restore", "Bring a backup back, and verify it."),
    "resume": Command("config.cli.backup:resume", "Let the jobs of a restored installation run again."),
}


def main() -> None:
    application(next((argument for argument in sys.argv[1:] if argument in COMMANDS), ""))()


def application(called: str) -> typer.Typer:
    """The whole command line. Only `called` can be executed; the others are listed."""
    app = typer.Typer(
        name="racecard", no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False
    )
    app.callback()(_racecard)
    for name, command in COMMANDS.items():
        loaded = _load(command.function) if name == called else _listed
        if isinstance(loaded, typer.Typer):
            app.add_typer(loaded, name=name, help=command.about)
        else:
            app.command(name, help=None if name == called else command.about)(loaded)
    return app


def _racecard() -> None:
    """Self-hosted card tournaments in which every deal is provably fair and every game proves itself."""


def _listed() -> None:
    """The placeholder of a command that is not called. Calling it is an error."""
    raise typer.Exit(2)


def _load(path: str) -> Callable[..., Any]:
    module, _, function = path.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), function)
    return loaded


if __name__ == "__main__":
    main()
