"""Clients, scripts, and configurations of an earlier release work with this version (docs/api.md, deprecation)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden_database.contract import REQUIRED, Contract, broken, contract

RELEASES = sorted(Path(__file__).parent.glob("*.json"))


def test_a_release_is_recorded() -> None:
    assert RELEASES


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_every_name_of_a_release_is_kept(path: Path) -> None:
    released: Contract = json.loads(path.read_text(encoding="utf-8"))
    assert broken(released, contract()) == []


def test_a_lost_name_and_a_new_requirement_are_found() -> None:
    released = contract()
    setting, *others = released["setting"]
    assert broken(released, {**released, "setting": others}) == [f"setting {setting} is missing"]
    stricter = {**released, REQUIRED: [*released[REQUIRED], "GameInputRequest.private", "NewRequest.name"]}
    assert broken(released, stricter) == ["GameInputRequest.private is required"]
