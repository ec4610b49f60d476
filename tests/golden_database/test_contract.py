"""Clients, scripts, and configurations of an earlier release work with this version (docs/api.md, deprecation)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_database.contract import REQUIRED, broken, contract, read, write

RELEASES = sorted(Path(__file__).parent.glob("*.json"))


def test_a_release_is_recorded() -> None:
    assert RELEASES


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: path.stem)
def test_every_name_of_a_release_is_kept(path: Path) -> None:
    assert broken(read(path), contract()) == []


def test_a_lost_name_and_a_new_requirement_are_found(tmp_path: Path) -> None:
    write(contract(), tmp_path / "release.json")
    released = read(tmp_path / "release.json")
    assert released == contract()
    setting, *others = released["setting"]
    assert broken(released, {**released, "setting": others}) == [f"setting {setting} is missing"]
    stricter = {**released, REQUIRED: [*released[REQUIRED], "GameInputRequest.private", "NewRequest.name"]}
    assert broken(released, stricter) == ["GameInputRequest.private is required"]
