"""A pytest plugin: no garbage collection until the tests are collected, and none of what was made until then.

pyproject.toml loads it before all others, because loading Django and the project makes most of these objects. It saves
a tenth of the time of the collection and of each test.
"""

from __future__ import annotations

import gc

gc.disable()


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
