"""`platform/` is a plain folder on the path: a package of ours could hide one of Python's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def test_platform_is_not_a_package() -> None:
    assert not (ROOT / "platform" / "__init__.py").exists()


@pytest.mark.parametrize("folder", [ROOT, ROOT / "platform"], ids=["root", "platform"])
def test_no_module_of_ours_bears_the_name_of_a_standard_one(folder: Path) -> None:
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules = {path.stem for path in folder.glob("*.py")}
    assert packages or modules
    assert (packages | modules) & sys.stdlib_module_names == set()


def test_pythons_own_platform_module_is_the_one_that_is_imported() -> None:
    import platform

    assert platform.python_version().startswith("3.")


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.name)
def test_the_requirements_name_no_index_and_every_one_has_a_hash(path: Path) -> None:
    text = path.read_text()
    assert "://" not in text
    assert "--index" not in text
    pinned = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert pinned
    for line in pinned:
        assert "==" in line
        assert line.endswith("\\"), f"{line} has no hash"


@pytest.mark.parametrize("folder", ["frontend", "bench/boardgame"])
def test_the_lock_of_npm_packages_names_no_registry(folder: str) -> None:
    packages = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"].values()
    assert {entry["resolved"] for entry in packages if "resolved" in entry} <= {"../clients/typescript"}
