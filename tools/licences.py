"""`make licences`: write docs/licences.md with the licence of everything that an installation runs or serves.

The licences of Python packages come from their metadata, those of npm packages from the lock file. A package without
a known licence is an error and needs a review.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements" / "run.txt"
CLIENT = ROOT / "frontend"
SHARED = ROOT / "clients" / "typescript"
"""Compiled into the bundle. Its dependencies are among the packages that the web client installs."""

PAGE = ROOT / "docs" / "licences.md"

SPDX = {
    "Apache 2": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
    "BSD-3-Clause": "BSD-3-Clause",
    "ISC License": "ISC",
    "GNU LGPL v3+": "LGPL-3.0-or-later",
    "MIT": "MIT",
    "MIT License": "MIT",
    "MPL-2.0": "MPL-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "New BSD": "BSD-3-Clause",
    "PSF-2.0": "PSF-2.0",
}
"""The licence statements of packages without a licence expression, and the licence that they mean."""

SEVERAL = {"python-dateutil": "Apache-2.0 OR BSD-3-Clause", "uvloop": "MIT OR Apache-2.0"}
"""Packages whose metadata names several licences, and how their own texts combine them."""

ELSEWHERE = {"async-timeout": "Apache-2.0", "colorama": "BSD-3-Clause"}
"""Packages for other systems or older Pythons."""

NAME = r'"(@[\w.-]+/[\w.-]+|[\w-][\w.-]*)["/]'
IMPORT = rf'^\s*(?:(?:import(?! type)|export|\}})[^"\n]* from |import )\s*{NAME}|(?:import\()\s*{NAME}'
"""The name of a package that a client source imports; not of a local file."""

INSIDE = """\
Some of these packages contain third-party works:

- Django's admin: jQuery and Select2 (MIT), served to browsers;
- drf-spectacular-sidecar: Swagger UI (Apache-2.0) and Redoc (MIT), served to browsers;
- psycopg-binary: libpq (PostgreSQL licence) and OpenSSL (Apache-2.0).
"""


class UnknownLicence(Exception):
    """A package has no licence, or an unknown one."""


@dataclass(frozen=True, slots=True)
class Shipped:
    name: str
    version: str
    licence: str


# --- Python -------------------------------------------------------------------------------------------


def python_packages() -> list[Shipped]:
    """The pins of requirements/run.txt; where Pythons differ, each version."""
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
    if expression := _stated(package, "License-Expression"):
        return expression
    licence = _stated(package, "License").partition("\n")[0].strip()
    classified = [
        line.rpartition(" :: ")[2]
        for line in package.metadata.get_all("Classifier") or []
        if line.startswith("License :: ")
    ]
    for text in (licence, *classified):
        if text in SPDX:
            return SPDX[text]
        if text in ("BSD", "BSD License"):
            return _which_bsd(package)
    raise UnknownLicence(
        f"{name} says {licence!r} and {classified}; look at it and add it to tools/licences.py"
    )


def _stated(package: Distribution, field: str) -> str:
    return str(package.metadata[field]) if field in package.metadata else ""


def _which_bsd(package: Distribution) -> str:
    """Recognise the licence by its text: the third clause forbids endorsement with the authors' names."""
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
    """The imports of the client's sources and their dependencies: the contents of the bundle."""
    locked = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    found: dict[str, Shipped] = {}
    waiting = sorted(_imported())
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        entry = locked[f"node_modules/{name}"]
        if entry.get("link"):
            continue
        if not entry.get("license"):
            raise UnknownLicence(f"{name} of npm tells no licence")
        found[name] = Shipped(name, entry["version"], entry["license"])
        waiting += entry.get("dependencies", {})
    return [found[name] for name in sorted(found)]


def texts(installed: Path) -> str:
    """The licence texts of the packages in the client's bundle. `installed` is the folder node_modules."""
    parts = []
    for one in npm_packages():
        files = sorted((installed / one.name).glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
        author = json.loads((installed / one.name / "package.json").read_text(encoding="utf-8")).get("author")
        text = (
            files[0].read_text(encoding="utf-8").strip()
            if files
            else f"Author: {author}. No text is published."
        )
        parts.append(f"{one.name} {one.version} ({one.licence})\n\n{text}\n")
    return f"\n{'-' * 80}\n\n".join(parts)


def _imported() -> set[str]:
    names = set()
    for path in chain((CLIENT / "src").rglob("*"), (SHARED / "src").rglob("*")):
        if path.suffix in {".ts", ".svelte"}:
            found = re.finditer(IMPORT, path.read_text(), re.MULTILINE)
            names |= {one[1] or one[2] for one in found}
    return names


# --- the page -----------------------------------------------------------------------------------------


def page() -> str:
    return f"""\
# Licences

Racecard is under the [Apache License 2.0](../LICENSE). An installation runs the Python packages below and serves the
bundle of the web client to browsers. The pictures of the jacks, queens, and kings, in the package
@heruka_urgyen/react-playing-cards, are by Adrian Kennard (CC0 1.0). The font is Figtree by Erik Kennedy (SIL Open Font
License 1.1). The other parts of the cards, patterns, and icons are part of Racecard. `make licences` writes this page
from the metadata of the packages.

## Python

{_table(python_packages(), "https://pypi.org/project/{}/")}
{INSIDE}
## The web client

The bundle contains the packages that its sources import, and their dependencies. The server has the texts of their
licences at `/static/licences.txt`.

{_table(npm_packages(), "https://www.npmjs.com/package/{}")}"""


def _table(packages: list[Shipped], address: str) -> str:
    rows = [
        f"| [{one.name}]({address.format(one.name)}) | {one.version} | {one.licence} |" for one in packages
    ]
    return "\n".join(["| Package | Version | Licence |", "|---|---|---|", *rows, ""])


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
