"""The web client's lock pins every package by hash and names no host, so that any registry can serve it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CLIENT = Path(__file__).resolve().parents[2] / "frontend"


@pytest.fixture(scope="module")
def lock() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((CLIENT / "package-lock.json").read_text())
    return document


OWN = "../clients/typescript"
"""The package of this repository, which has a folder instead of a version and a hash."""


def test_no_host_is_named(lock: dict[str, Any]) -> None:
    assert "://" not in (CLIENT / "package-lock.json").read_text()
    assert {entry.get("resolved") for entry in lock["packages"].values()} == {None, OWN}


def test_every_package_is_pinned_by_hash(lock: dict[str, Any]) -> None:
    packages = {
        name: entry
        for name, entry in lock["packages"].items()
        if name not in {"", OWN} and entry.get("resolved") != OWN
    }
    assert len(packages) > 10
    assert [
        name for name, entry in packages.items() if not entry.get("integrity", "").startswith("sha")
    ] == []


def test_the_manifest_pins_exact_versions(lock: dict[str, Any]) -> None:
    manifest = json.loads((CLIENT / "package.json").read_text())
    assert manifest["devDependencies"].pop("@racecard/client") == f"file:{OWN}"
    for name, wanted in manifest["devDependencies"].items():
        assert lock["packages"][f"node_modules/{name}"]["version"] == wanted


def test_the_client_has_no_run_time_dependencies() -> None:
    assert "dependencies" not in json.loads((CLIENT / "package.json").read_text())
