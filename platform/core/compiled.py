"""The compiled form of the rules, which `make compiled` builds from the same sources with mypyc.

It is used only if `RACECARD_COMPILED` is 1. Its folder is named after a hash of the sources, so that a changed source
is never run in a compiled form of its earlier text.
"""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SETTING = "RACECARD_COMPILED"
BUILDS = ROOT / "build" / "compiled"
SOURCES = (
    "games/rules/**/*.py",
    "games/bots/**/*.py",
    "platform/core/**/*.py",
    "platform/eventstore/**/*.py",
    "tools/compiled.py",
)
"""What compiled modules are made from: themselves, what they import, and how they are built."""
SUFFIX = EXTENSION_SUFFIXES[0]
"""Of a compiled module, for this version of Python on this kind of machine."""


def folder() -> Path:
    """The folder of the modules that were compiled from the present sources, whether it exists or not."""
    digest = hashlib.sha256(SUFFIX.encode())
    for source in SOURCES:
        for path in sorted(ROOT.glob(source)):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return BUILDS / digest.hexdigest()[:16]


class CompiledFinder(MetaPathFinder):
    """Finds the modules of a folder before the sources are looked at."""

    def __init__(self, place: Path) -> None:
        self.files = {
            str(file.relative_to(place)).removesuffix(SUFFIX).replace("/", "."): file
            for file in place.rglob(f"*{SUFFIX}")
        }

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = self.files.get(name)
        return spec_from_file_location(name, file) if file else None


@cache
def use() -> None:
    """Prefer the compiled modules for all later imports, if the setting asks for them."""
    if os.environ.get(SETTING) != "1":
        return
    place = folder()
    if place.exists():
        sys.meta_path.insert(0, CompiledFinder(place))
    else:
        warnings.warn(
            f"{SETTING} is 1, but these sources are not compiled; run `make compiled`. Continuing in plain Python.",
            RuntimeWarning,
            stacklevel=2,
        )
