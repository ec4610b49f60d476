"""Prometheus gauges of balances and of money that waits for a decision."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from django.utils import timezone
from prometheus_client import Metric

from core.metrics import figure, gauge, sampled
from ledger.core.selectors import TrialBalance
from ledger.payouts import models as states
from ledger.payouts.models import Payout
from ledger.reconciliation.models import Reconciliation
from ledger.reports.purposes import trial_balances
from ledger.staff.alarms import ledger_alarms
from staff.dashboard import alarms


@sampled
def ledger() -> Iterator[Metric]:
    trials = trial_balances()
    yield from _totals(trials)
    yield from _reconciled()
    waiting = gauge("racecard_payouts", "Open payouts by state", ["state"])
    open_payouts = Payout.objects.filter(state__in=states.OPEN)
    for state, count in open_payouts.order_by("state").values_list("state").annotate(Count("pk")):
        waiting.add_metric([state], count)
    yield waiting
    now = timezone.now()
    shown = alarms(now=now, known={ledger_alarms: ledger_alarms(now, trials=trials)})
    yield figure("racecard_alarms", "Alarms shown on the staff pages", len(shown))


def _totals(trials: list[TrialBalance]) -> Iterator[Metric]:
    balance = gauge(
        "racecard_ledger_pence", "Balances of accounts by kind of owner", ["currency", "kind", "purpose"]
    )
    held = gauge("racecard_ledger_held_pence", "Held part of the balances", ["currency", "kind", "purpose"])
    whole = gauge(
        "racecard_ledger_imbalance_pence", "Sum of all accounts; 0 in a correct ledger", ["currency"]
    )
    for trial in trials:
        for row in trial.rows:
            labels = [trial.currency, row["kind"], row["purpose"]]
            balance.add_metric(labels, row["balance"])
            held.add_metric(labels, row["held"])
        whole.add_metric([trial.currency], trial.total)
    yield from (balance, held, whole)


def _reconciled() -> Iterator[Metric]:
    last = Reconciliation.objects.order_by("-at", "-id").values_list("at", "differences").first()
    if last is None:
        return
    at, differences = last
    age = max(0.0, (timezone.now() - at).total_seconds())
    yield figure("racecard_reconciliation_age_seconds", "Seconds since the last reconciliation", age)
    yield figure(
        "racecard_reconciliation_differences", "Differences found by the last reconciliation", differences
    )
