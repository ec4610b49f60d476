"""What is compiled exists, and a machine that cannot compile says what it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.compiled import ROOT
from tools import compiled


def test_every_listed_module_exists() -> None:
    assert [pattern for pattern in compiled.MODULES if not list(ROOT.glob(pattern))] == []


def test_a_machine_without_a_compiler_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "BUILDS", tmp_path)
    monkeypatch.setattr(compiled, "folder", lambda: tmp_path / "build")
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    with pytest.raises(SystemExit, match=r"'no-such-compiler'.*apt-get install gcc"):
        compiled.main()
    assert not (tmp_path / "build").exists()


def test_a_machine_without_headers_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "true")
    monkeypatch.setattr(compiled.sysconfig, "get_path", lambda name: str(tmp_path))
    assert "python3-dev" in (compiled.needed() or "")
    (tmp_path / "Python.h").touch()
    assert compiled.needed() is None


def test_earlier_builds_are_removed_except_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = [tmp_path / f"{number:016}" for number in range(5)]
    for build in builds:
        build.mkdir()
    monkeypatch.setattr(compiled, "BUILDS", tmp_path)
    monkeypatch.setattr(compiled, "folder", lambda: builds[0])
    compiled.main()
    assert builds[0].exists()
    assert len(list(tmp_path.glob("0*"))) <= compiled.KEPT + 2
