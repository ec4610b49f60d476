"""The first load of every table keeps within its budget."""

from __future__ import annotations

import pytest

from tools.weight import boards, first_load


@pytest.mark.parametrize("language", ["en", "de", "pl"])
def test_a_table_weighs_no_more_than_it_may(language: str) -> None:
    weights = {board: first_load(board, language) for board in boards()}
    assert set(weights) >= {"generic", "idle-aces", "vegas-solitaire"}
    assert {board: (weight, weight.over()) for board, weight in weights.items() if weight.over()} == {}
    assert all(min(weight.js, weight.css, weight.cards) > 1000 for weight in weights.values())
