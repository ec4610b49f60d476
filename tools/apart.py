"""A pytest plugin of `make test`: each worker has a Redis database of its own.

Tests empty the cache, and emptying Redis empties one whole database: with a shared one a worker would wipe the
counters that another is just counting. Loaded before the settings read the address.
"""

from __future__ import annotations

import os

_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")

if _WORKER.isdecimal() and os.environ.get("REDIS_URL"):
    os.environ["REDIS_URL"] = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{int(_WORKER) + 1}"
