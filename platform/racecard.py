"""The `racecard` command, and the installed package of that name.

In the repository the folders of the project are on the import path. In a wheel they lie within the package `racecard`,
of which this file is `__init__.py`, and only the command and the processes that it starts see them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def use_package() -> None:
    """Put the folders of an installed package on the import path, of this process and of those that it starts."""
    if not (PACKAGE / "manage.py").exists():
        return
    folders = [str(PACKAGE / "platform"), str(PACKAGE)]
    sys.path[:0] = folders
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*folders, *([inherited] if inherited else [])])
    shared = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    os.environ.setdefault("RACECARD_DATA", str(Path(shared) / "racecard"))


def main() -> None:
    use_package()
    from config.cli.main import main as command

    command()
