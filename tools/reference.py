"""Update the tables of docs/api.md and docs/errors.md that repeat texts of the code.

docs/api.md repeats the summaries of docs/openapi.json. docs/errors.md repeats the status and title of each error, and
the meaning of each code with which the rules refuse a move. `make openapi` runs this after writing the description.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.errors import Problem

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTION = ROOT / "docs" / "openapi.json"
API = ROOT / "docs" / "api.md"
ERRORS = ROOT / "docs" / "errors.md"

PREFIX = "/api/v1/"
OPERATION_ROW = re.compile(r"^\| (GET|POST|PUT|PATCH|DELETE) \| `([^`]+)` \| (.*) \|$", re.MULTILINE)
ERROR_ROW = re.compile(
    r'^\| (?P<name><a id="(?P<code>[a-z0-9-]+)"></a>`(?P=code)`) \| (?P<status>\d{3}) \| (?P<title>.*?) \|'
    r" (?P<details>.*?)\|$",
    re.MULTILINE,
)
PACKAGES = ("platform", "games", "tournaments", "disputes", "ledger")
"""The folders in which errors are defined."""

Operation = tuple[str, str]
Error = tuple[int, str]


# --- operations ---------------------------------------------------------------------------------------


def summaries() -> dict[Operation, str]:
    """The summary of each operation of the description, by its method and its path below /api/v1/."""
    paths = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"]
    return {
        (method.upper(), path.removeprefix(PREFIX) or "/"): operation["summary"]
        for path, item in paths.items()
        for method, operation in item.items()
    }


def operations(page: str) -> dict[Operation, str]:
    """The description of each operation in the tables of docs/api.md."""
    return {(method, path): text for method, path, text in OPERATION_ROW.findall(page)}


def with_summaries(page: str) -> str:
    """docs/api.md with the summaries of the description in its tables."""
    known = summaries()

    def row(match: re.Match[str]) -> str:
        method, path, text = match.groups()
        return f"| {method} | `{path}` | {known.get((method, path), text)} |"

    return OPERATION_ROW.sub(row, page)


# --- errors -------------------------------------------------------------------------------------------


def problems() -> Iterator[type[Problem]]:
    """Every error class that has a code."""
    from core.errors import Problem

    def below(parent: type[Problem]) -> Iterator[type[Problem]]:
        for child in parent.__subclasses__():
            if "code" in vars(child):
                yield child
            yield from below(child)

    for module in _modules():
        importlib.import_module(module)
    yield from below(Problem)


def _modules() -> Iterator[str]:
    for folder in PACKAGES:
        base = ROOT / "platform" if folder == "platform" else ROOT
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(base).with_suffix("").parts
            if "migrations" not in parts and "class " in file.read_text(encoding="utf-8"):
                yield ".".join(parts).removesuffix(".__init__")


def known_errors() -> dict[str, set[Error]]:
    """Status and title of each code that a response can have. Some codes have several titles."""
    from games.rules.refusals import CODES, FORM_CODES
    from rest.problems import status_of

    known: dict[str, set[Error]] = {}
    for code, about in CODES.items():
        known.setdefault(code, set()).add((400 if code in FORM_CODES else 409, about.meaning))
    for one in problems():
        known.setdefault(one.code, set()).add((status_of(one), _sentence(one.title)))
    return known


def _sentence(title: str) -> str:
    return title if title.endswith(".") else f"{title}."


def errors(page: str) -> dict[str, Error]:
    """Status and title of each code in the tables of docs/errors.md."""
    return {row["code"]: (int(row["status"]), row["title"]) for row in ERROR_ROW.finditer(page)}


def with_titles(page: str) -> str:
    """docs/errors.md with the statuses and titles of the code in its tables."""
    known = known_errors()

    def row(match: re.Match[str]) -> str:
        shown = (int(match["status"]), match["title"])
        possible = known.get(match["code"], {shown})
        status, title = shown if shown in possible else min(possible)
        return f"| {match['name']} | {status} | {title} | {match['details']}|"

    return ERROR_ROW.sub(row, page)


def main() -> int:
    """Update both pages. Return 1 if something in the code has no row, or a row nothing in the code."""
    import django

    sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for path, update in ((API, with_summaries), (ERRORS, with_titles)):
        path.write_text(update(path.read_text(encoding="utf-8")), encoding="utf-8")
    different = [
        *(" ".join(one) for one in summaries().keys() ^ operations(API.read_text(encoding="utf-8")).keys()),
        *(known_errors().keys() ^ errors(ERRORS.read_text(encoding="utf-8")).keys()),
    ]
    for name in sorted(different):
        print(f"racecard: {name} is only in the code or only in the documentation")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
