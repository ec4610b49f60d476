"""The speed of the rules: folding events, and verifying recorded games."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from games import bots
from games.bots.simulation import simulate
from games.rules import get
from games.rules import table as tables
from games.rules.bundles.verification import verify

GAMES = 1000
ROUNDS = 3
"""The number of rounds. The best is taken, because other load on the machine is not part of the measurement."""

FOLD_FLOOR = 150_000
VERIFY_FLOOR = 30_000
"""The targets in events a second on one core."""

TARGETS = {"fold_ratio": 1.0, "verified_ratio": 1.0}


def measure() -> dict[str, Any]:
    """Return events a second of processor time over simulated games of Vegas Solitaire. Prints the ratios."""
    bundles = _bundles()
    events = sum(len(bundle["events"]) for bundle in bundles)
    folded = events / _fastest(lambda: _fold(bundles))
    verified = events / _fastest(lambda: _verify(bundles))
    figures = {
        "games": len(bundles),
        "events": events,
        "fold_events_per_second": round(folded),
        "fold_ratio": round(folded / FOLD_FLOOR, 2),
        "verified_events_per_second": round(verified),
        "verified_ratio": round(verified / VERIFY_FLOOR, 2),
    }
    print(f"rules: {len(bundles)} Vegas games, {events} events")
    print(f"  plain fold       {folded:>9,.0f} events/s  {figures['fold_ratio']:.2f} of {FOLD_FLOOR:,}")
    print(
        f"  verified replay  {verified:>9,.0f} events/s  {figures['verified_ratio']:.2f} of {VERIFY_FLOOR:,}"
    )
    return figures


def _bundles() -> list[dict[str, Any]]:
    game = get("vegas-solitaire")
    config, bot = game.parse_config({"draw": 3}), bots.get(game.slug)
    return [
        simulate(game, config, seats=1, bots=[bot], seed="bench", number=number).bundle
        for number in range(GAMES)
    ]


def _fold(bundles: list[dict[str, Any]]) -> None:
    for bundle in bundles:
        table = None
        for event in bundle["events"]:
            table = tables.evolve(table, event["type"], event["seat"], event["data"], event["private"])
        assert table is not None
        assert table.outcome == bundle["outcome"]


def _verify(bundles: list[dict[str, Any]]) -> None:
    assert all(verify(bundle).ok for bundle in bundles)


def _fastest(work: Callable[[], None]) -> float:
    """Return the least seconds of processor time."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)
