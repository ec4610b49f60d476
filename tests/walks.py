"""The walk of a request or a job: the modules that it passes from the wire to the rows that it writes.

A module is passed if one of its functions is on the call stack when a row is written. Modules that only answer a
question on the way (rules, formats, selectors, models) are called, but not passed. Middleware is left out.
docs/architecture.md lists the walks, and tests/docs/test_walks.py compares them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = ("tests/", ".venv/", "platform/config/", "platform/rest/middleware.py")
WRITES = re.compile(
    r"\s*(INSERT|UPDATE|DELETE|WITH .*\b(INSERT INTO|UPDATE \S+ SET|DELETE FROM))\b", re.DOTALL
)


@contextmanager
def walk() -> Iterator[list[str]]:
    """Yield the list of the modules that the block passes, in order of first call; it is filled at the end."""
    called: dict[str, None] = {}
    passed: set[str] = set()

    def profile(frame: Any, event: str, argument: object) -> None:
        if event == "call" and (module := _module(frame)) is not None:
            called.setdefault(module)

    def note(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if WRITES.match(sql):
            frame = sys._getframe()
            while frame is not None:
                if (module := _module(frame)) is not None:
                    passed.add(module)
                frame = frame.f_back
        return execute(sql, parameters, many, context)

    found: list[str] = []
    sys.setprofile(profile)
    try:
        with connection.execute_wrapper(note):
            yield found
    finally:
        sys.setprofile(None)
        found += [module for module in called if module in passed]


def _module(frame: Any) -> str | None:
    return _module_of(frame.f_code.co_filename)


@cache
def _module_of(filename: str) -> str | None:
    """Return the module of a file; None outside the project and in what is left out."""
    path = Path(filename)
    if not path.is_relative_to(ROOT):
        return None
    name = path.relative_to(ROOT).as_posix()
    if name.startswith(OUTSIDE):
        return None
    return name.removeprefix("platform/").removesuffix(".py").replace("/", ".")
