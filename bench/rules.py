"""The speed of the rules: folding events, and verifying recorded games.

The peer is `eventsourcing`, which rebuilds an aggregate from as many events with the same data, held in memory. It
verifies nothing: its events have no hashes, and its aggregate only counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

from bench._common import installed, size
from eventstore.chain import canonical
from games import bots
from games.bots.simulation import simulate
from games.rules import get
from games.rules import table as tables
from games.rules.bundles.verification import read, verify

GAMES = size(1000, 5)
ROUNDS = size(5, 1)
"""The number of rounds. The best is taken, because other load on the machine is not part of the measurement."""

FOLD_FLOOR = 150_000
VERIFY_FLOOR = 30_000
"""The targets in events a second on one core."""

PEER_TARGET = 2.0
TARGETS = {"fold_ratio": 1.0, "verified_ratio": 1.0}
COMPILED_TARGETS = TARGETS | {"verified_to_eventsourcing_ratio": PEER_TARGET}


def measure() -> dict[str, Any]:
    """Return events a second of processor time over simulated games of Vegas Solitaire. Prints the ratios."""
    bundles = _bundles()
    events = sum(len(bundle["events"]) for bundle in bundles)
    work: dict[str, Callable[[], None]] = {
        "folded": lambda: _fold(bundles),
        "verified": lambda: _verify(bundles),
    }
    if installed("eventsourcing"):
        work["rebuilt"] = _peer(bundles)
    speeds = {name: events / seconds for name, seconds in _fastest(work).items()}
    folded, verified = speeds["folded"], speeds["verified"]
    figures = {
        "games": len(bundles),
        "events": events,
        "fold_events_per_second": round(folded),
        "fold_ratio": round(folded / FOLD_FLOOR, 2),
        "verified_events_per_second": round(verified),
        "verified_ratio": round(verified / VERIFY_FLOOR, 2),
    }
    if rebuilt := speeds.get("rebuilt"):
        figures["eventsourcing_events_per_second"] = round(rebuilt)
        figures["verified_to_eventsourcing_ratio"] = round(verified / rebuilt, 2)
    print(f"rules: {len(bundles)} Vegas games, {events} events")
    print(f"  plain fold       {folded:>9,.0f} events/s  {figures['fold_ratio']:.2f} of {FOLD_FLOOR:,}")
    print(
        f"  verified replay  {verified:>9,.0f} events/s  {figures['verified_ratio']:.2f} of {VERIFY_FLOOR:,}"
    )
    if rebuilt:
        ratio = figures["verified_to_eventsourcing_ratio"]
        print(f"  eventsourcing    {rebuilt:>9,.0f} events/s, rebuilt without any verification")
        print(f"  verified replay / eventsourcing: {ratio:.2f} (target {PEER_TARGET}, compiled)")
    return figures


def _bundles() -> list[dict[str, Any]]:
    """Return the games as a reader has them: the documents share nothing with the rules."""
    game = get("vegas-solitaire")
    config, bot = game.parse_config({"draw": 3}), bots.get(game.slug)
    return [
        read(canonical(simulate(game, config, seats=1, bots=[bot], seed="bench", number=number).bundle))
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


def _peer(bundles: list[dict[str, Any]]) -> Callable[[], None]:
    """Save the games' events as aggregates in memory, and return a function that rebuilds all of them."""
    from eventsourcing.application import Application

    aggregate_class = game_class()
    application: Any = Application()
    saved = []
    for bundle in bundles:
        game = aggregate_class()
        for event in bundle["events"][1:]:
            game.move(event["data"])
        application.save(game)
        saved.append((game.id, len(bundle["events"])))

    def rebuild() -> None:
        assert all(application.repository.get(id).version == version for id, version in saved)

    return rebuild


@cache
def game_class() -> Any:
    """Return the aggregate of the peer, made once, because the library registers it by its name."""
    from eventsourcing.domain import Aggregate, event

    class Game(Aggregate):
        def __init__(self) -> None:
            self.moves = 0

        @event("Moved")
        def move(self, data: dict[str, Any]) -> None:
            self.moves += 1

    return Game


def _fastest(work: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Return the least seconds of processor time of each; they take turns, so that other load slows all of them."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, run in work.items():
            began = time.process_time()
            run()
            times[name].append(time.process_time() - began)
    return {name: min(found) for name, found in times.items()}
