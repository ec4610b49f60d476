"""Take the reports of `bench load` from build/load/ into measured.toml."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.scaling.figures import MEASURED

REPORTS = Path(__file__).resolve().parent.parent.parent / "build" / "load"
COMMAND = ".venv/bin/python -m tools.services --durable -- .venv/bin/python -m bench load"
MODEL = "postgresql"
"""The database whose costs the model uses."""
WORKER_MS = 0.56
"""Of a move, where worker and ticker used no more at the knee than idle: 42.2 s of worker and PostgreSQL for about
75,000 moves of bots, as `python -m bench tournament` measured (docs/performance.md)."""
HEAD = f"""\
# Measured by `{COMMAND}`.
# Written by `.venv/bin/python -m tools.scaling record`; not edited by hand.
"""

Step = Mapping[str, Any]


def record(reports: Path = REPORTS, into: Path = MEASURED) -> None:
    """Write the measured figures. Raises FileNotFoundError if there is no report on PostgreSQL."""
    found = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(reports.glob("*.json"))
    }
    if MODEL not in found:
        raise FileNotFoundError(f"{reports / MODEL}.json: run `{COMMAND}` first")
    lines = [HEAD, "[costs]", *_values(costs_of(found[MODEL])), ""]
    for database, report in found.items():
        lines += _report(database, report)
    into.write_text("\n".join(lines), encoding="utf-8")


def _report(database: str, report: Mapping[str, Any]) -> Iterator[str]:
    yield f"[{database}]"
    yield from _values({name: value for name, value in report.items() if not isinstance(value, dict)})
    yield f"\n[{database}.space]"
    yield from _values(report["space"])
    for number, steps in report["series"].items():
        for step in steps:
            yield f"\n[[{database}.web_{number}]]"
            yield from _values({name: value for name, value in step.items() if name != "processor"})
            used = ", ".join(f"{kind} = {share}" for kind, share in step["processor"].items())
            yield f"processor = {{ {used} }}"
    yield ""


def _values(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        yield f"{name} = {json.dumps(round(value, 4) if isinstance(value, float) else value)}"


def knee_of(steps: Sequence[Step]) -> Step:
    """Return the last good step with people; the first one with people if none is good."""
    loaded = [step for step in steps if step["people"]]
    good = next((place for place, step in enumerate(loaded) if not step["good"]), len(loaded))
    return loaded[max(0, good - 1)]


def costs_of(report: Mapping[str, Any]) -> dict[str, float]:
    """Return the costs at the knee of the series with most web processes, without what an idle installation uses."""
    steps = report["series"][max(report["series"], key=int)]
    idle, at = steps[0], knee_of(steps)
    used = {
        kind: max(0.0, share - idle["processor"].get(kind, 0.0)) for kind, share in at["processor"].items()
    }
    requests, moves = at["requests"], at["moves"]

    def rate(name: str) -> float:
        return max(0.0, float(at[name] - idle[name]))

    return {
        "web_ms": 1000 * used["web"] / requests,
        "database_ms": 1000 * used["postgresql"] / (requests + at["deliveries"]),
        "broker_ms": 1000 * used["redis"] / requests,
        "delivery_ms": 1000 * used["streams"] / at["deliveries"],
        "worker_ms": 1000 * (used["worker"] + used["ticker"]) / moves or WORKER_MS,
        "requests_a_move": requests / moves,
        "events_a_move": rate("events") / moves,
        "deliveries_a_move": at["deliveries"] / moves,
        "statements_a_move": rate("statements") / moves,
        "transactions_a_move": rate("transactions") / moves,
        "flushes_a_transaction": rate("fsyncs") / rate("transactions"),
        "log_bytes": rate("wal_bytes") / rate("events"),
        "stored_bytes": report["space"]["bytes_with_an_event"],
    }
