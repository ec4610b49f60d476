"""The model and the simulation of docs/scaling.md, compared with queueing theory and with manual calculations."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from math import factorial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tools.scaling import __main__ as command
from tools.scaling import capacity, evening, report
from tools.scaling.changes import CHANGES
from tools.scaling.figures import Costs, Hardware, assumptions
from tools.scaling.record import MODEL, record

COSTS = Costs(
    web_ms=4.0,
    database_ms=1.0,
    broker_ms=0.1,
    delivery_ms=0.2,
    worker_ms=0.5,
    requests_a_move=2.0,
    events_a_move=1.5,
    deliveries_a_move=3.0,
    statements_a_move=6.0,
    transactions_a_move=2.0,
    flushes_a_transaction=0.5,
    log_bytes=2000.0,
    stored_bytes=1000.0,
)
HOST = Hardware("a host", cores=4, memory_gib=8, flush_ms=2.0, log_mb=60.0, disk_gb=100, price=(10, 20))


def erlang_c(servers: int, load: float) -> float:
    """The probability that a customer of an M/M/c queue waits. `load`: arrival rate times mean service time."""
    waits = load**servers / factorial(servers) * servers / (servers - load)
    return waits / (sum(load**number / factorial(number) for number in range(servers)) + waits)


def mean_wait(servers: int, load: float, *, exponential: bool, customers: int = 100_000) -> float:
    """The simulated mean wait, in mean service times."""
    chance, clock = Random(1), evening.Clock()
    station = evening.Station(clock, servers)
    waits: list[float] = []

    def arrive() -> None:
        if len(waits) < customers:
            clock.after(chance.expovariate(load), arrive)
            service = chance.expovariate(1.0) if exponential else 1.0
            came = clock.now
            station.enter(service, lambda: waits.append(clock.now - came - service))

    arrive()
    clock.run(float("inf"))
    return sum(waits) / len(waits)


@pytest.mark.slow
@pytest.mark.parametrize(("servers", "load"), [(1, 0.6), (4, 2.4), (8, 5.6)])
def test_a_station_waits_as_erlang_says(servers: int, load: float) -> None:
    expected = erlang_c(servers, load) / (servers - load)
    assert mean_wait(servers, load, exponential=True) == pytest.approx(expected, rel=0.08)


@pytest.mark.slow
def test_a_station_with_constant_service_waits_as_pollaczek_and_khinchine_say() -> None:
    assert mean_wait(1, 0.7, exponential=False) == pytest.approx(0.7 / (2 * (1 - 0.7)), rel=0.05)


def test_a_flush_takes_along_all_who_wait_when_it_begins() -> None:
    clock, answered = evening.Clock(), list[tuple[str, float]]()
    log = evening.Log(clock, 1.0)
    for name, at in (("first", 0.0), ("second", 0.2), ("third", 0.9), ("late", 1.1)):
        clock.after(at, lambda name=name: log.enter(lambda: answered.append((name, clock.now))))  # type: ignore[misc]
    clock.run(10)
    assert answered == [("first", 1.0), ("second", 2.0), ("third", 2.0), ("late", 3.0)]
    assert log.flushes == 3


def simulate(**changed: Any) -> evening.Result:
    given = assumptions().with_accounts(10_000)
    hosts = evening.Hosts(**{"web": 8, "streams": 2, "database": 4, "flush": 0.001, **changed})
    return evening.simulate(COSTS, given, hosts, share=1.0, seconds=20, seed=3)


@pytest.mark.slow
def test_an_evening_makes_the_moves_and_the_reads_that_were_assumed() -> None:
    asked = capacity.demand(assumptions().with_accounts(10_000))
    found = simulate()
    assert found.moves == pytest.approx(asked.moves, rel=0.05)
    assert found.requests == pytest.approx(asked.requests, rel=0.05)
    assert found.web == pytest.approx(asked.requests * COSTS.web_ms / 1000 / 8, rel=0.05)


@pytest.mark.slow
def test_an_evening_is_the_same_with_the_same_seed_and_later_with_fewer_processes() -> None:
    assert simulate() == simulate()
    assert simulate(web=2).p99_ms > 5 * simulate().p99_ms


def test_the_limits_of_a_primary_follow_from_its_costs() -> None:
    given = assumptions()
    asked, found = capacity.demand(given), capacity.limits(COSTS, HOST, given)
    requests, deliveries = asked.requests / asked.moves, asked.deliveries / asked.moves
    cores = given.engine.busiest * 4**given.engine.scaling
    # A millisecond for each request, and for each event that is sent to a reader.
    assert found.processor == pytest.approx(1000 * cores / (requests + deliveries))
    assert found.log == pytest.approx(60e6 / 2000 / (asked.events / asked.moves))
    # Two transactions for a move, which asks the database five times in COSTS.
    assert found.flushes == pytest.approx(given.engine.committing / 0.002 / (0.4 * (requests + deliveries)))
    whole = capacity.limits(COSTS, HOST, given, alone=False)
    assert whole.processor == pytest.approx(1000 * cores / (5.1 * requests + 1.2 * deliveries + 0.5))
    assert whole.first() == ("processor", whole.processor)
    assert capacity.writes_of_a_row(COSTS, HOST) == pytest.approx(1000 / 3.0)


def test_the_demand_grows_with_the_accounts_and_the_people_follow_from_the_moves() -> None:
    small, large = (assumptions().with_accounts(number) for number in (1_000, 50_000))
    assert capacity.demand(large).moves == pytest.approx(50 * capacity.demand(small).moves)
    assert capacity.people_of(capacity.demand(small).moves, large) == pytest.approx(small.site.people)
    assert sum(game.share for game in small.games.values()) == pytest.approx(1.0)


def test_a_size_is_one_host_then_hosts_around_a_primary_then_sites() -> None:
    given = assumptions()
    small, medium, large = (
        capacity.size_for(COSTS, given.with_accounts(number), "large") for number in (500, 100_000, 5_000_000)
    )
    assert (small.is_one_host, small.sites) == (True, 1)
    assert (medium.is_one_host, medium.sites, medium.standbys) == (False, 1, 2)
    assert (large.primary, large.is_one_host) == ("large", False)
    assert large.sites > 1
    assert small.price(given) < medium.price(given) < large.price(given)


def test_every_assumption_of_the_tornado_table_changes_something() -> None:
    given = assumptions()
    for name, change in CHANGES.items():
        assert change(given, 0.5) != given, name
        assert change(given, 1.0).site == given.site
    found = capacity.tornado(COSTS, given)
    low, high = found["share of accounts online"]
    assert high == pytest.approx(4 * low)


def step(people: int, **changed: Any) -> dict[str, Any]:
    processor = {"web": 0.9, "streams": 0.2, "worker": 0.1, "ticker": 0.02, "postgresql": 0.4, "redis": 0.05}
    rates = {
        "events": 120.0,
        "transactions": 300.0,
        "statements": 700.0,
        "fsyncs": 90.0,
        "wal_bytes": 240_000.0,
    }
    times = {"p50_ms": 8.0, "p99_ms": 40.0, "others_p99_ms": 50.0, "event_p50_ms": 9.0, "event_p99_ms": 60.0}
    counts = {"streams": 2 * people, "due": 100.0, "moves": 100.0, "requests": 300.0, "deliveries": 200.0}
    found = {
        "people": people,
        "failed": 0.0,
        "good": True,
        "processor": processor,
        **rates,
        **times,
        **counts,
    }
    return {**found, **changed}


def idle() -> dict[str, Any]:
    nothing = dict.fromkeys(("due", "moves", "requests", "deliveries", "fsyncs", "wal_bytes", "events"), 0.0)
    processor = {"web": 0.0, "streams": 0.0, "worker": 0.01, "ticker": 0.02, "postgresql": 0.0, "redis": 0.0}
    return step(0, processor=processor, transactions=50.0, statements=100.0, **nothing)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    head = {
        "version": "15",
        "commit": "abc",
        "date": "2026-11-26 19:50",
        "machine": "two cores",
        "python": "3.11",
    }
    series = {"1": [idle(), step(50, good=False)], "2": [idle(), step(100), step(130, good=False)]}
    space = {"events": 1000, "bytes_of_an_event": 700, "bytes_with_an_event": 900}
    body = {"database": MODEL, **head, "flush_ms": 1.2, "space": space, "series": series}
    (tmp_path / f"{MODEL}.json").write_text(json.dumps(body))
    return tmp_path


def test_costs_are_those_of_the_knee_without_what_an_idle_installation_uses(reports: Path) -> None:
    record(reports, reports / "measured.toml")
    read = tomllib.loads((reports / "measured.toml").read_text())
    found = Costs(**read["costs"])
    assert (found.web_ms, found.database_ms) == (pytest.approx(3.0), pytest.approx(0.8))
    assert found.worker_ms == pytest.approx(1000 * 0.09 / 100)
    assert (found.transactions_a_move, found.statements_a_move) == (2.5, 6.0)
    assert (found.log_bytes, found.stored_bytes) == (2000.0, 900)
    assert [each["people"] for each in read[MODEL]["web_2"]] == [0, 100, 130]


def test_a_missing_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"postgresql\.json.*bench load"):
        record(tmp_path, tmp_path / "measured.toml")


def test_a_series_names_its_knee(reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(reports, reports / "measured.toml")
    read = tomllib.loads((reports / "measured.toml").read_text())
    monkeypatch.setattr(report, "measured", lambda: read)
    text = report.load()
    assert "beyond the knee already with 50 people" in text
    assert "the knee is at 100 people and 100 moves a second" in text
    assert "| 100 (knee) |" in text


def test_the_page_has_what_the_figures_say() -> None:
    assert command.is_current(), "run `make scaling`"


def test_another_assumption_is_another_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "assumptions.toml"
    changed.write_text(report.ASSUMPTIONS.read_text() + "\n")
    before = report.digest()
    monkeypatch.setattr(report, "ASSUMPTIONS", changed)
    assert report.digest() != before


def test_the_plot_has_a_line_for_each_plan_and_loads_nothing() -> None:
    given = assumptions()
    result = evening.Result(5.0, 20.0, 100.0, 300.0, 50.0, 0.5, 0.5, 0.5)
    found = {plan: [replace(result, p99_ms=20.0 * (number + 1))] * len(given.evening.shares) for number, plan in
             enumerate(report.plans(COSTS, given))}  # fmt: skip
    drawn = report.plot(found, given)
    assert all(plan.name(given) in drawn for plan in found)
    assert "<script" not in drawn
    assert report.plot(found, given) == drawn
