"""What the benchmarks share: their size, and whether a library to compare with is installed."""

from __future__ import annotations

import importlib.util
import os
from typing import TypeVar

THIN = "BENCH_THIN"

Number = TypeVar("Number", int, float)


def size(full: Number, thin: Number) -> Number:
    """Return the first number, or in the thin form (`python -m bench --thin`) the second, to see that it runs."""
    return thin if os.environ.get(THIN) else full


def installed(library: str) -> bool:
    """Whether a library to compare with can be imported. Says so if not: only `.venv-bench` has all of them."""
    if importlib.util.find_spec(library) is not None:
        return True
    print(f"  not measured: {library} is not installed here")
    return False
