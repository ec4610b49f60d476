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
    reads_arguments: bool = False
    """Whether the function reads the arguments itself: those of Django's commands, and of a client's."""


COMMANDS = {
    "serve": Command(
        "config.cli.manage:serve", "Run web server, worker, and ticker until Ctrl-C.", reads_arguments=True
    ),
    "run": Command("config.cli.run:run", "Run one process of an installation: web, worker, or ticker."),
    "manage": Command(
        "config.cli.manage:manage", "Run a command of manage.py, such as `checkpoints`.", reads_arguments=True
    ),
    "verify": Command(
        "config.cli.verify:verify", "Check bundles: every event, the deal, the outcome, the money."
    ),
    "checkpoints": Command(
        "config.cli.checkpoints:checkpoints", "Check exported checkpoints, and that several files agree."
    ),
    "simulate": Command("config.cli.simulate:simulate", "Play games between bots and write them as bundles."),
    "rejudge": Command(
        "config.cli.rejudge:rejudge",
        "Find the first event that differs under another value of an option.",
    ),
    "rtp": Command("config.cli.rtp:rtp", "Compute the return to player of Vegas Solitaire."),
    "compare": Command(
        "config.cli.compare:compare", "Compare bots on the same deals, with confidence intervals."
    ),
    "demo": Command("config.cli.demo:demo", "Run a tournament of bots over REST and check every result."),
    "tournament": Command(
        "config.cli.tournament:app",
        "Run a tournament of bots from a file, or replay a finished one.",
    ),
    "bot": Command(
        "config.cli.bot:bot", "Play with a strategy of your own, or check one.", reads_arguments=True
    ),
    "new": Command("config.cli.new:app", "Write the skeleton of a plug-in: a game with its bots and tests."),
    "audit": Command("config.cli.audit:audit", "Audit the installation, a game, or a tournament."),
    "doctor": Command(
        "config.cli.doctor:doctor", "Check settings, database, clock, disk, broker, mail, keys, and proxy."
    ),
    "backup": Command("config.cli.backup:backup", "Back up the installation while it runs."),
    "restore": Command("config.cli.backup:restore", "Restore a backup and verify it."),
    "resume": Command("config.cli.backup:resume", "Resume the jobs of a restored installation."),
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
        elif command.reads_arguments:
            settings = {"ignore_unknown_options": True, "allow_extra_args": True}
            app.command(name, help=command.about, context_settings=settings, add_help_option=False)(loaded)
        else:
            app.command(name, help=None if name == called else command.about)(loaded)
    return app


def _racecard() -> None:
    """Self-hosted card tournaments with provably fair deals and verifiable games."""


def _listed() -> None:
    """The placeholder of a command that is not called. Calling it is an error."""
    raise typer.Exit(2)


def _load(path: str) -> Callable[..., Any]:
    module, _, function = path.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), function)
    return loaded


if __name__ == "__main__":
    main()
