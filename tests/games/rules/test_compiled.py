"""These tests run on the sources, and in `make test` once more on what is compiled from them."""

import os

import pytest

from core.compiled import SETTING, SUFFIX
from games.rules.vegas_solitaire import actions


@pytest.mark.compiled
def test_the_rules_are_compiled_only_where_the_setting_asks_for_it() -> None:
    assert actions.__file__.endswith(SUFFIX) == (os.environ.get(SETTING) == "1")
