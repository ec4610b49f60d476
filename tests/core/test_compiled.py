"""Compiled modules are used only if asked for, and only those of the present sources."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core import compiled
from core.compiled import SETTING, SUFFIX, CompiledFinder, folder


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with one source, of which nothing is compiled."""
    source = tmp_path / "games" / "rules" / "cards.py"
    source.parent.mkdir(parents=True)
    source.write_text("KING = 13\n")
    monkeypatch.setattr(compiled, "ROOT", tmp_path)
    monkeypatch.setattr(compiled, "BUILDS", tmp_path / "build")
    monkeypatch.setattr(compiled, "SOURCES", ("games/rules/*.py",))
    monkeypatch.setattr(sys, "meta_path", sys.meta_path.copy())
    return source


def build() -> Path:
    file = folder() / "games" / "rules" / f"cards{SUFFIX}"
    file.parent.mkdir(parents=True)
    file.touch()
    return file


def finders() -> list[CompiledFinder]:
    compiled.use.__wrapped__()
    return [finder for finder in sys.meta_path if isinstance(finder, CompiledFinder)]


def test_a_changed_a_renamed_and_a_new_source_have_other_builds(sources: Path) -> None:
    names = {folder()}
    sources.write_text("KING = 12\n")
    names.add(folder())
    sources = sources.rename(sources.with_name("pack.py"))
    names.add(folder())
    sources.with_name("suits.py").touch()
    names.add(folder())
    assert len(names) == 4


def test_a_build_is_used_if_the_setting_asks_for_it(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = build()
    monkeypatch.setenv(SETTING, "0")
    assert finders() == []
    monkeypatch.setenv(SETTING, "1")
    [finder] = finders()
    spec = finder.find_spec("games.rules.cards", None)
    assert spec is not None
    assert spec.origin == str(file)
    assert finder.find_spec("games.rules.table", None) is None


def test_a_build_of_other_sources_is_not_used(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    sources.write_text("KING = 12\n")
    monkeypatch.setenv(SETTING, "1")
    with pytest.warns(RuntimeWarning, match="run `make compiled`"):
        assert finders() == []
