"""A pytest plugin: gives each worker of a run its own servers and data folder.

Emptying Redis empties one whole database, with the counters that another worker is just counting. In PostgreSQL a
transaction in one database delays what followers and checkpoints of every other database of the server may see.
The plugin is loaded before the settings read the environment.
"""

from __future__ import annotations

import json
import os

WORKERS = "RACECARD_TEST_WORKERS"
"""The environment variable that holds a JSON list with an object of environment variables for each worker."""

_worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")

if _worker.isdecimal() and WORKERS in os.environ:
    os.environ.update(json.loads(os.environ[WORKERS])[int(_worker)])
