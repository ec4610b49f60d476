"""The names that clients, scripts, and configurations of an installation rely on.

`make.py` writes those of a release to `VERSION.json`. What a later version must keep of them is in docs/api.md
(deprecation).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from config.cli.main import COMMANDS
from rest.scopes import Scope
from tools.reference import DESCRIPTION, ERRORS

ROOT = Path(__file__).resolve().parents[2]
SETTING = re.compile(r"^\| `([A-Z_]+)` \|", re.MULTILINE)
ERROR = re.compile(r'^\| <a id="([a-z0-9-]+)"></a>', re.MULTILINE)
OWNED = re.compile(r"^(\w+)\..*")
GROUP = re.compile(r"(\w+)\.\{(.*)\}")

Contract = dict[str, list[str]]
"""Sorted names by kind. The types of members are not part of it."""

REQUIRED = "required of a request"
"""The kind whose names may become fewer, and more only for what is new."""


def read(path: Path) -> Contract:
    """Return the names in the file of a release."""
    kinds: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return {kind: [name for line in lines for name in _expanded(line)] for kind, lines in kinds.items()}


def write(names: Contract, path: Path) -> None:
    """Write the names to a file with a line for each group, such as `Game.{id,status}`."""
    kinds = {kind: list(_grouped(members)) for kind, members in names.items()}
    path.write_text(json.dumps(kinds, indent=1) + "\n", encoding="utf-8")


def _expanded(line: str) -> list[str]:
    group = GROUP.fullmatch(line)
    return [f"{group[1]}.{member}" for member in group[2].split(",")] if group else [line]


def _grouped(names: list[str]) -> Iterator[str]:
    for owner, group in groupby(names, lambda name: OWNED.sub(r"\1", name)):
        members = [name.removeprefix(f"{owner}.") for name in group]
        yield owner if members == [owner] else f"{owner}.{{{','.join(members)}}}"


def contract() -> Contract:
    """Return the names of the present version."""
    description = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    schemas: dict[str, Any] = description["components"]["schemas"]
    operations = {
        f"{method.upper()} {path} {operation['operationId']}": operation
        for path, item in description["paths"].items()
        for method, operation in item.items()
    }
    parameters = [
        (one["operationId"], each) for one in operations.values() for each in one.get("parameters", ())
    ]
    requests = {name: one for name, one in schemas.items() if name.endswith("Request")}
    responses = {name: one for name, one in schemas.items() if name not in requests}
    names = {
        "operation": operations,
        "parameter": [f"{operation}.{each['name']} in {each['in']}" for operation, each in parameters],
        "member": _of(schemas, "properties"),
        "value": _of(schemas, "enum"),
        "always in a response": _of(responses, "required"),
        REQUIRED: [
            *_of(requests, "required"),
            *(f"{operation}.{each['name']}" for operation, each in parameters if each.get("required")),
        ],
        "error code": ERROR.findall(ERRORS.read_text(encoding="utf-8")),
        "scope": Scope,
        "setting": SETTING.findall((ROOT / "docs" / "settings.md").read_text(encoding="utf-8")),
        "command": COMMANDS,
        "migration": _migrations(),
    }
    return {kind: sorted(found) for kind, found in names.items()}


def broken(released: Contract, present: Contract) -> list[str]:
    """Return a line for each name of the release that is missing, and for each request that needs more than it did."""
    missing = [
        f"{kind} {name} is missing"
        for kind in released
        if kind != REQUIRED
        for name in sorted(set(released[kind]) - set(present[kind]))
    ]
    known = {name.partition(".")[0] for kind in ("parameter", "member") for name in released[kind]}
    added = sorted(set(present[REQUIRED]) - set(released[REQUIRED]))
    return missing + [f"{name} is required" for name in added if name.partition(".")[0] in known]


def _of(schemas: dict[str, Any], part: str) -> list[str]:
    return [f"{name}.{member}" for name, one in schemas.items() for member in one.get(part, ())]


def _migrations() -> Iterator[str]:
    for path in ROOT.rglob("migrations/[0-9]*.py"):
        if not {".venv", "node_modules", "build"} & set(path.relative_to(ROOT).parts):
            yield str(path.relative_to(ROOT).with_suffix(""))
