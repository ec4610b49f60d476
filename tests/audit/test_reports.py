"""Test audits over REST, on staff pages, and by jobs, and their stored reports."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from audit import services
from audit.models import AuditReport
from config import tasks  # noqa: F401 - declares the kinds of job
from games.models import GameRecord
from jobs import services as jobs
from jobs.models import Job
from staff.dashboard import alarms
from staff.models import ActionRecord
from tests.conftest import NOW

pytestmark = pytest.mark.django_db

REPORTS = "/api/v1/audit/reports/"


def run_job() -> AuditReport:
    [job] = Job.objects.filter(kind=services.REQUESTED, done=None)
    assert jobs.claim(now=job.due)
    assert jobs.carry_out(job_ids=[job.pk], now=job.due) is None
    return AuditReport.objects.get()


def test_audit_game_directly(api: Callable[..., Any], auditor: Player, collected: GameRecord) -> None:
    result = api(auditor).get(f"/api/v1/audit/games/{collected.pk}/").json()
    assert (result["scope"], result["subject"], result["ok"]) == ("game", f"game:{collected.pk}", True)
    verdicts = {(each["part"], each["check"]): each["verdict"] for each in result["checks"]}
    assert verdicts["games", "moves"] == "passed"
    assert verdicts["games", "checkpoint"] == "not-run"


@pytest.mark.parametrize("kind", ["games", "tournaments"])
def test_unknown_subject_is_not_found(api: Callable[..., Any], auditor: Player, kind: str) -> None:
    assert api(auditor).get(f"/api/v1/audit/{kind}/{auditor.pk}/").status_code == 404


def test_requested_audit_runs_as_job_and_is_stored(
    api: Callable[..., Any], auditor: Player, collected: GameRecord
) -> None:
    client = api(auditor)
    requested = client.post(REPORTS, {})
    assert (requested.status_code, requested.json()["scope"]) == (202, "installation")
    kept = run_job()
    assert (kept.ok, kept.faults, kept.asked_by) == (True, 0, auditor), kept.report
    [listed] = client.get(REPORTS).json()["results"]
    assert "report" not in listed
    document = client.get(f"{REPORTS}{listed['id']}/").json()
    assert document["report"]["counted"]["games"] == 1
    assert document["events"] == document["report"]["counted"]["events"]


def test_invalid_request_is_refused(
    api: Callable[..., Any], auditor: Player, subtests: pytest.Subtests
) -> None:
    client = api(auditor)
    for body, status in [
        ({"scope": "game"}, 400),
        ({"scope": "ledger", "subject": "6560a23e-433c-4b3e-9aaa-483631a68ae8"}, 400),
        ({"scope": "ledger", "since": 1}, 400),
        ({"scope": "everything"}, 400),
        ({"since": 7}, 404),
        ({"scope": "game", "subject": "6560a23e-433c-4b3e-9aaa-483631a68ae8"}, 404),
    ]:
        with subtests.test(body=body, status=status):
            assert client.post(REPORTS, body).status_code == status
            assert not Job.objects.filter(kind=services.REQUESTED).exists()


@pytest.mark.both_databases
def test_stored_report_is_immutable() -> None:
    kept = services.store_audit({"scope": "ledger"}, known=[], now=NOW)
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditReport.objects.filter(pk=kept.pk).update(faults=1, ok=False)
    with pytest.raises(DatabaseError), transaction.atomic():
        kept.delete()


@pytest.mark.both_databases
def test_faults_raise_alarm_until_audit_passes(collected: GameRecord, tamper: Callable[..., None]) -> None:
    def alarms_now() -> list[str]:
        return [alarm.title for alarm in alarms(now=NOW) if "audit" in alarm.title.lower()]

    tamper("UPDATE games_gamerecord SET commitment = %s", "f" * 64)
    kept = services.store_audit({}, known=[], now=NOW)
    assert (kept.ok, kept.asked_by) == (False, None)
    assert alarms_now() == [f"Faults found by the audit of 01 Mar 12:00: {kept.faults}"]
    tamper("UPDATE games_gamerecord SET commitment = %s", _commitment(collected))
    assert services.store_audit({}, known=[], now=NOW + timedelta(hours=1)).ok
    assert alarms_now() == []
    late = [alarm.title for alarm in alarms(now=NOW + timedelta(days=3))]
    assert "No audit for two days" in late


def _commitment(game: GameRecord) -> str:
    from games.state import load

    return load(game.pk)[1].commitment


def test_staff_pages_show_and_request_reports(auditor: Player, collected: GameRecord) -> None:
    browser = Client()
    browser.force_login(auditor, backend="accounts.roles.PlayerBackend")
    address = reverse("admin:audit_auditreport_ask")
    preview = browser.get(address).content.decode()
    assert "Games to check" in preview
    assert not Job.objects.filter(kind=services.REQUESTED).exists()
    key = re.findall(r'name="key" value="(\w+)"', preview)[0]
    answer = browser.post(address, {"key": key, "confirmed": "yes"})
    assert answer.status_code == 302
    assert ActionRecord.objects.get(action="ask-for-audit").actor == auditor.pk
    browser.post(address, {"key": key, "confirmed": "yes"})
    assert Job.objects.filter(kind=services.REQUESTED).count() == 1
    kept = run_job()
    assert "Audit the installation" in browser.get(answer["Location"]).content.decode()
    page = browser.get(reverse("admin:audit_auditreport_change", args=[kept.pk])).content.decode()
    assert "No faults." in page
    assert "games" in page
