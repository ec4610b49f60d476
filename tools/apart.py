"""A pytest plugin of `make test`: each worker has servers and a data folder of its own, and shares nothing with others.

Emptying Redis empties one whole database, with the counters that another worker is just counting. In PostgreSQL a
transaction of one database holds back what is final for the followers and checkpoints of every other database of the
cluster. Loaded before the settings read where everything is.
"""

from __future__ import annotations

import json
import os

APART = "RACECARD_TEST_APART"
"""The environment's name for what is each worker's own: a JSON list with an object of variables for each."""

_worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")

if _worker.isdecimal() and APART in os.environ:
    os.environ.update(json.loads(os.environ[APART])[int(_worker)])
