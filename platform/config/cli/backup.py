"""`racecard backup`, `racecard restore` and `racecard resume`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import django
import typer

from config.cli.options import connect_directly

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def backup(
    dest: Annotated[
        Path, typer.Argument(metavar="DEST", help="A folder that does not exist yet, or is empty.")
    ],
    with_archive: Annotated[
        bool, typer.Option("--with-archive", help="Copy the packs of archived games as well.")
    ] = False,
) -> None:
    """Copy database, keys, and published checkpoints while the installation runs.

    The database includes the index of the archive, but not its packs. The copy contains secrets: protect it like the
    installation itself.
    """
    connect_directly()
    django.setup()
    from django.utils import timezone

    from config.backup import Unusable
    from config.backup import backup as make

    try:
        manifest = make(to=dest, now=timezone.now(), with_archive=with_archive)
    except Unusable as error:
        raise _refused(error) from None
    typer.echo(
        f"{dest}: {manifest['database']}, {manifest['events']} events, {len(manifest['files'])} files, "
        f"as of {manifest['made']}"
    )
    if packs := manifest["packs"]:
        included = "included" if with_archive else "not included; copy the store of the archive as well"
        typer.echo(f"{len(packs)} packs of archived games: {included}")


def restore(
    src: Annotated[Path, typer.Argument(metavar="SRC", help="The folder of a backup.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace an installation that has events.")
    ] = False,
    known: Annotated[
        Path | None,
        typer.Option("--known", help="Published checkpoints to compare with (checkpoints export)."),
    ] = None,
    without_archive: Annotated[
        bool,
        typer.Option("--without-archive", help="Restore although packs of archived games are missing."),
    ] = False,
) -> None:
    """Restore a backup and verify it. The jobs stay paused until `racecard resume`.

    Stop the installation first. If the data of the backup does not verify, nothing is changed.
    """
    connect_directly()
    django.setup()
    from django.utils import timezone

    from audit.report import counts
    from config.backup import Unusable
    from config.backup import restore as bring_back

    try:
        restored = bring_back(
            source=src,
            now=timezone.now(),
            replace=replace,
            known=known,
            without_archive=without_archive,
            say=typer.echo,
        )
    except (Unusable, ValueError) as error:
        raise _refused(error) from None
    typer.echo(f"verified: {counts(restored.report)}, trial balance zero; epoch {restored.epoch}")
    for fault in restored.newer:
        typer.secho(
            f"WARNING: the backup is not the newest state of this installation: {fault}", fg="red", err=True
        )
    typer.echo("The jobs are paused. Check the installation, then run: racecard resume")


def resume() -> None:
    """Resume the jobs of a restored installation."""
    django.setup()
    from jobs import services

    services.resume()
    typer.echo("The jobs are running.")


def _refused(error: Exception) -> typer.Exit:
    typer.secho(str(error), fg="red", err=True)
    return typer.Exit(1)
