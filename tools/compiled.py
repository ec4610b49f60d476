"""`make compiled`: compile the rules with mypyc, for an installation that sets RACECARD_COMPILED=1.

Does nothing if the present sources are compiled already. Needs a C compiler and the headers of Python.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from core.compiled import BUILDS, ROOT, SETTING, folder
from tools.locks import locked

MODULES = (
    "games/rules/cards.py",
    "games/rules/table.py",
    "games/rules/forms.py",
    "games/rules/bundles/form.py",
    "games/rules/bundles/rejudge.py",
    "games/rules/bundles/verification.py",
    "games/rules/*/actions.py",
    "games/rules/*/changes.py",
    "games/rules/*/legality.py",
    "games/rules/*/ending.py",
    "games/rules/*/odds.py",
    "games/rules/*/bots/playout.py",
    "games/rules/*/bots/steady.py",
    "games/rules/racing_demons/bots.py",
)
"""The modules with the functions that take most of the time of playouts, bots, and replay.

Not compiled are modules that define states, games, or base classes of plug-ins, because a class of mypyc cannot be
pickled, patched, or derived from like the class in the source, and functions that recurse over documents from outside
(`check_canonical`), because compiled code has no recursion limit and would overflow the stack.
"""
KEPT = 2
"""Earlier builds that stay on the disk, because running processes may import from them."""


def main() -> None:
    with locked(BUILDS / "lock"):
        place = folder()
        if not place.exists():
            if missing := needed():
                sys.exit(f"racecard: the rules cannot be compiled without {missing}")
            build(place)
        for old in sorted(BUILDS.glob("?" * 16), key=lambda one: one.stat().st_mtime)[: -KEPT - 1]:
            if old != place:
                shutil.rmtree(old)
    print(f"racecard: the rules are compiled; {SETTING}=1 makes use of it", flush=True)


def needed() -> str | None:
    """What is missing on this machine for compiling."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if not shutil.which(compiler):
        return f"the C compiler {compiler!r} (on Debian or Ubuntu: apt-get install gcc)"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "the headers of Python (on Debian or Ubuntu: apt-get install python3-dev)"
    return None


def build(place: Path) -> None:
    from mypyc.build import mypycify
    from setuptools import setup

    began = time.monotonic()
    os.chdir(ROOT)
    os.environ["MYPYPATH"] = "platform:."
    sources = sorted(str(path) for pattern in MODULES for path in Path().glob(pattern))
    # Without the project's own options, which load Django for the sake of its models.
    options = [
        "--config-file=",
        "--cache-dir=/dev/null",
        "--explicit-package-bases",
        "--follow-imports=silent",
    ]
    with tempfile.TemporaryDirectory(dir=BUILDS, prefix="building-") as temporary:
        extensions = mypycify(
            [*options, *sources], opt_level="1", debug_level="0", target_dir=temporary, group_name="racecard"
        )
        made = f"{temporary}/made"
        setup(
            name="racecard-compiled",
            ext_modules=extensions,
            packages=[],
            script_args=["--quiet", "build_ext", "--build-lib", made, "--build-temp", temporary],
        )
        if folder() != place:
            sys.exit("racecard: a source changed while it was compiled; run `make compiled` again")
        Path(made).rename(place)
    print(f"racecard: {len(sources)} modules compiled in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
