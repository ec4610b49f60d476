"""The first load of every table keeps within its budget."""

from __future__ import annotations

import pytest

from tools.frontend import OUTPUT
from tools.weight import boards, first_load, manifest

MOST_FONT = 40_000
"""Bytes of the font in all its files, which are compressed already."""


@pytest.mark.parametrize("language", ["en", "de", "pl"])
def test_a_table_weighs_no_more_than_it_may(language: str) -> None:
    weights = {board: first_load(board, language) for board in boards()}
    assert set(weights) >= {"generic", "idle-aces", "vegas-solitaire"}
    assert {board: (weight, weight.over()) for board, weight in weights.items() if weight.over()} == {}
    assert all(min(weight.js, weight.css, weight.cards) > 1000 for weight in weights.values())


def test_the_font_weighs_no_more_than_it_may() -> None:
    files = {file for chunk in manifest().values() for file in (chunk["file"], *chunk.get("assets", ()))}
    fonts = [(OUTPUT / file).stat().st_size for file in files if file.endswith(".woff2")]
    assert 10_000 < sum(fonts) <= MOST_FONT
