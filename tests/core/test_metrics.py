"""Each process reports the counters of all processes, running or ended."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import yaml
from django.db import OperationalError, connection
from django.utils import timezone
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from config.streams import application as streams
from core import metrics
from eventstore import store
from eventstore.store import EMPTY, Head, NewEvent, WrongVersion
from games import services
from jobs import gauges, kinds
from jobs.models import Job, MetricsSample
from jobs.services import Planned, claim, schedule, schedule_all
from jobs.tasks import sample_metrics
from tests.conftest import NOW
from tests.due_jobs import run_due
from tests.installation import ROOT
from tests.money import CURRENCY, cash, fund

pytestmark = pytest.mark.slow

RUNBOOK = (ROOT / "docs" / "runbook.md").read_text(encoding="utf-8")
ALERTS = yaml.safe_load((ROOT / "docs" / "alerts.yml").read_text(encoding="utf-8"))

SEVERAL = """
import os, signal, sys, time
from django.conf import settings
settings.configure(RACECARD_METRICS=sys.argv[1])
from core import metrics
done = metrics.Counter("test_done", "…", ["what"])
held = metrics.Gauge("test_held", "…", multiprocess_mode="livesum")

def child(number):
    begun = os.pipe()
    if (pid := os.fork()) == 0:
        done.labels("a").inc(number)
        held.inc()
        os.write(begun[1], str(metrics.slots.mine()).encode())
        time.sleep(600)
    children.append(pid)
    return os.read(begun[0], 9).decode()

def kill(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)

def show():
    print(sorted(line for line in metrics.exposition().decode().splitlines() if line.startswith("test_")))

children = []

done.labels("a").inc()
print(child(10), child(100))
show()
kill(children.pop(0))
show()
print(child(1000))
show()
for pid in children:
    kill(pid)
"""


def test_processes_count_together_and_the_dead_still_count(tmp_path: Path) -> None:
    """A slot that a killed process held goes to the next one, which counts on from there."""
    command = [sys.executable, "-c", SEVERAL, str(tmp_path / "metrics")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines() == [
        "1 2",
        """['test_done_total{what="a"} 111.0', 'test_held 2.0']""",
        """['test_done_total{what="a"} 111.0', 'test_held 1.0']""",
        "1",
        """['test_done_total{what="a"} 1111.0', 'test_held 2.0']""",
    ], done.stderr


def test_a_lost_file_does_not_affect_the_others(tmp_path: Path) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    (folder / "counter_0.db").write_bytes(b"\xff" * 4096)
    (folder / "gauge_livesum_1.db").write_bytes(b"\x40\x00\x00\x00" + bytes(4) + b"\x07" * 4088)
    (folder / "histogram_7.db").write_bytes(b"")
    command = [sys.executable, "-c", SEVERAL, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert """['test_done_total{what="a"} 1111.0', 'test_held 2.0']""" in done.stdout, done.stderr


Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def figures(families: Iterable[Any]) -> Figures:
    samples = (sample for family in families for sample in family.samples)
    return {(sample.name, tuple(sorted(sample.labels.items()))): sample.value for sample in samples}


def own_files() -> list[str]:
    """Those of this process; others of the tests count too."""
    return [str(file) for file in metrics.FOLDER.glob(f"*_{metrics.slots.mine()}.db")]


class Gains:
    """By how much each figure of this process has risen since."""

    def __init__(self) -> None:
        self.before = figures(metrics._merge(own_files()))

    def of(self, name: str, **labels: str) -> float:
        key = (name, tuple(sorted(labels.items())))
        return figures(metrics._merge(own_files())).get(key, 0.0) - self.before.get(key, 0.0)


@pytest.fixture
def gains(db: None) -> Gains:
    return Gains()


@pytest.fixture
def game(api: Any, player: Any) -> str:
    client = api(player)
    body = {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}}
    game = client.post("/api/v1/games/", body).json()["id"]
    client.post(f"/api/v1/games/{game}/seats/", {"client_seed": ""})
    assert client.post(f"/api/v1/games/{game}/start/").status_code == 200
    return str(game)


def test_moves_are_counted_by_game_and_by_who_made_them(
    api, player, game: str, django_capture_on_commit_callbacks: Any
) -> None:
    gains = Gains()
    client = api(player)
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(3):
            move = client.post(f"/api/v1/games/{game}/moves/", {"move": {"type": "draw"}})
            assert move.status_code == 201
        services.expire_if_idle(game_id=UUID(game), now=NOW.replace(year=2099))
    assert gains.of("racecard_moves_total", rules="vegas-solitaire", by="player") == 3
    assert gains.of("racecard_moves_total", rules="vegas-solitaire", by="server") == 1
    route = "api/v1/games/<uuid:game_id>/moves/"
    assert gains.of("racecard_requests_total", method="POST", route=route, status="201") == 3


def test_refusals_are_counted_by_code(api, player, game: str) -> None:
    gains = Gains()
    client = api(player)
    for move in ({"type": "recycle"}, {"type": "recycle"}, {"type": "fly"}):
        assert client.post(f"/api/v1/games/{game}/moves/", {"move": move}).status_code in (400, 409)
    client.get("/api/v1/games/?status=odd")
    assert gains.of("racecard_refusals_total", code="rule-forbids") == 2
    assert gains.of("racecard_refusals_total", code="unknown-move") == 1
    assert gains.of("racecard_refusals_total", code="invalid-input") == 1


def test_an_append_behind_another_is_counted_as_a_conflict(gains: Gains, player) -> None:
    stream = player.pk
    created = [NewEvent("created", {})]
    store.append(stream, created, kind="test", expected=EMPTY, at=NOW)
    with pytest.raises(WrongVersion):
        store.append(stream, created, kind="test", expected=Head(3, "0" * 64, NOW), at=NOW)
    assert gains.of("racecard_append_conflicts_total", kind="test", why="version") == 1


def test_without_the_database_other_metrics_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise OperationalError("no route to host")

    monkeypatch.setattr(connection, "cursor", gone)
    page = figures(text_string_to_metric_families(metrics.exposition().decode()))
    assert page["racecard_database_up", ()] == 0
    assert ("racecard_transactions_repeated_total", ()) in page


def scraped() -> Figures:
    return figures(text_string_to_metric_families(metrics.exposition().decode()))


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_sample_of_a_job_is_served_with_its_age(player: Any) -> None:
    fund(cash(player.pk), 700)
    in_cash = ("racecard_ledger_pence", (("currency", CURRENCY), ("kind", "player"), ("purpose", "cash")))
    before = scraped()
    assert in_cash not in before
    assert ("racecard_metrics_age_seconds", ()) not in before
    assert before["racecard_jobs_paused", ()] == 0
    sample_metrics({}, now=timezone.now() - timedelta(minutes=3), prepared=metrics.sample())
    fund(cash(player.pk), 50)
    after = scraped()
    assert after[in_cash] == 700
    assert 180 <= after["racecard_metrics_age_seconds", ()] < 240
    sample_metrics({}, now=timezone.now(), prepared=metrics.sample())
    assert scraped()[in_cash] == 750


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_job_samples_within_its_interval(settings: Any) -> None:
    kind = kinds.get("jobs.metrics")
    assert kind.every == timedelta(seconds=settings.RACECARD_METRICS_SECONDS)
    schedule(kind=kind.name, key=kind.recurring_key, payload={}, due=NOW)
    run_due(NOW)
    assert MetricsSample.objects.get().at == NOW
    assert Job.objects.get(kind=kind.name).due == NOW + kind.every


@pytest.mark.django_db
def test_a_gauge_that_fails_is_counted_and_the_others_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[Any]:
        raise OperationalError("canceling statement due to statement timeout")

    whole = figures(text_string_to_metric_families(metrics.sample()))
    monkeypatch.setattr(metrics, "_sampled", [broken, *metrics._sampled])
    rest = figures(text_string_to_metric_families(metrics.sample()))
    assert (whole["racecard_metrics_failed", ()], rest["racecard_metrics_failed", ()]) == (0, 1)
    assert rest.keys() == whole.keys()


@pytest.mark.django_db
@pytest.mark.both_databases
def test_waiting_jobs_are_counted_while_no_worker_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sample is made then. The count ends at a bound, so that a long queue costs no more."""
    monkeypatch.setattr(gauges, "MOST", 3)
    now = timezone.now()
    planned = [Planned("jobs.metrics", f"k{n}", {}, now + n * timedelta(minutes=1)) for n in range(-8, 3)]
    schedule_all(planned)
    claim(now=now, limit=2)
    Job.objects.filter(key="k-1").update(failed=now)
    page = scraped()
    counted = {
        dict(labels)["state"]: count for (name, labels), count in page.items() if name == "racecard_jobs"
    }
    assert counted == {"waiting": 2, "handed_out": 2, "in_hand": 0, "planned": 2, "given_up": 1}
    assert page["racecard_jobs_oldest_wait_seconds", ()] >= 480


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_scrape_sends_few_statements(django_assert_max_num_queries: Any) -> None:
    sample_metrics({}, now=timezone.now(), prepared=metrics.sample())
    with django_assert_max_num_queries(13):
        scraped()


@pytest.fixture
def known(db: None) -> set[str]:
    """The names of all that can be scraped, whether it has happened here or not."""
    counted = {
        f"{each._name}_total" if isinstance(each, metrics.Counter) else each._name for each in _declared()
    }
    read = {family.name for function in metrics._reads for family in function()}
    sampled = {family.name for family in text_string_to_metric_families(metrics.sample())}
    return counted | read | sampled | {"racecard_database_up"}


def _declared() -> Iterator[Any]:
    assert streams.OPEN  # the one module that Django does not load itself
    kinds = (metrics.Counter, metrics.Gauge, metrics.Histogram)
    own = (each for each in REGISTRY._collector_to_names if isinstance(each, kinds))
    return (each for each in own if each._name.startswith("racecard_"))


OFTEN_ABSENT = {
    "racecard_ticker_age_seconds",
    "racecard_metrics_age_seconds",
    "racecard_clock_step_age_seconds",
    "racecard_reconciliation_age_seconds",
    "racecard_reconciliation_differences",
    "racecard_audit_age_seconds",
    "racecard_audit_faults",
}
"""Absent before the first tick, sample, reconciliation, and audit."""


def test_every_metric_is_in_the_runbook(known: set[str]) -> None:
    result = set(re.findall(r"^\| `(racecard_\w+)", RUNBOOK, flags=re.MULTILINE))
    assert result == known | OFTEN_ABSENT


def test_every_alert_uses_known_metrics_and_is_in_the_runbook(known: set[str]) -> None:
    rules = [rule for group in ALERTS["groups"] for rule in group["rules"]]
    assert len(rules) > 10
    for rule in rules:
        requested = set(re.findall(r"racecard_\w+", rule["expr"]))
        plain = {re.sub(r"_(bucket|sum|count)$", "", name) for name in requested}
        assert plain <= known | OFTEN_ABSENT, rule["alert"]
        assert f"\n### {rule['alert']}\n" in RUNBOOK, rule["alert"]
        assert rule["annotations"]["runbook"].endswith(f"#{rule['alert'].lower()}")
    headings = re.findall(r"^### (\w+)$", RUNBOOK, flags=re.MULTILINE)
    assert [rule["alert"] for rule in rules] == headings


def test_all_counters_are_in_the_files_of_the_processes() -> None:
    """A counter that the library made by itself may be one process's alone."""
    folders = ("platform", "games", "tournaments", "ledger", "disputes", "audit")
    modules = (module for folder in folders for module in (ROOT / folder).rglob("*.py"))
    taken = re.compile(r"from prometheus_client import .*\b(Counter|Gauge|Histogram|Summary)\b")
    own = ROOT / "platform" / "core" / "metrics.py"
    assert [m.name for m in modules if m != own and taken.search(m.read_text(encoding="utf-8"))] == []


def test_no_label_bears_an_id(api, player, game: str) -> None:
    api(player).get(f"/api/v1/games/{game}/")
    text = metrics.exposition().decode()
    assert "racecard_request_seconds" in text
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}|[0-9a-f]{32}", text)
