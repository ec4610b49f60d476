"""`racecard bot`: the bots of the Python client, which also run where only that is installed."""

from __future__ import annotations

import typer


def bot(context: typer.Context) -> None:
    try:
        from racecard_client.bot.cli import main
    except ImportError:
        raise typer.BadParameter("install the Python client: pip install racecard-client") from None
    raise typer.Exit(main(context.args, "racecard bot"))
