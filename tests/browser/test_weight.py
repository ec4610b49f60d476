"""The built client keeps within its budgets, and has no page that is for development only."""

from __future__ import annotations

import pytest

from tools.frontend import OUTPUT
from tools.weight import boards, first_load, manifest

MOST_FONT = 40_000
"""Bytes of the font in all its files, which are compressed already."""


def test_the_client_weighs_no_more_than_it_may(subtests: pytest.Subtests) -> None:
    for language in ("en", "de", "pl"):
        with subtests.test(language):
            weights = {board: first_load(board, language) for board in boards()}
            assert set(weights) >= {"generic", "idle-aces", "vegas-solitaire"}
            assert {
                board: (weight, weight.over()) for board, weight in weights.items() if weight.over()
            } == {}
            assert all(min(weight.js, weight.css, weight.cards) > 1000 for weight in weights.values())
    files = {file for chunk in manifest().values() for file in (chunk["file"], *chunk.get("assets", ()))}
    assert (
        10_000 < sum((OUTPUT / file).stat().st_size for file in files if file.endswith(".woff2")) <= MOST_FONT
    )
    assert [name for name in manifest() if name.startswith("kit/")] == []
