"""Audits over REST, in the back office and by night: their reports are kept, and nobody changes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from accounts.models import Player, StaffAction
from audit import keeping
from audit.models import AuditReport, Scope
from config import tasks  # noqa: F401 - declares the kinds of job
from games.models import GameRecord
from jobs import services as jobs
from jobs.models import Job
from ledger.office.alarms import alarms
from tests.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

REPORTS = "/api/v1/audit/reports/"


def carried_out() -> AuditReport:
    [job] = Job.objects.filter(kind=keeping.ASKED, done=None)
    assert jobs.claim(now=job.due)
    assert jobs.carry_out(job_id=job.pk, now=job.due) is None
    return AuditReport.objects.get()


def test_a_game_is_audited_at_once(api: Callable[..., Any], auditor: Player, collected: GameRecord) -> None:
    told = api(auditor).get(f"/api/v1/audit/games/{collected.pk}/").json()
    assert (told["scope"], told["subject"], told["ok"]) == ("game", f"game:{collected.pk}", True)
    verdicts = {(each["part"], each["check"]): each["verdict"] for each in told["checks"]}
    assert verdicts["games", "moves"] == "passed"
    assert verdicts["games", "checkpoint"] == "not-run"


@pytest.mark.parametrize("kind", ["games", "tournaments"])
def test_what_is_not_there_is_not_found(api: Callable[..., Any], auditor: Player, kind: str) -> None:
    assert api(auditor).get(f"/api/v1/audit/{kind}/{auditor.pk}/").status_code == 404


def test_an_audit_that_is_asked_for_is_made_by_a_job_and_kept(
    api: Callable[..., Any], auditor: Player, collected: GameRecord
) -> None:
    client = api(auditor)
    asked = client.post(REPORTS, {})
    assert (asked.status_code, asked.json()["scope"]) == (202, "installation")
    kept = carried_out()
    assert (kept.ok, kept.faults, kept.asked_by) == (True, 0, auditor), kept.report
    [listed] = client.get(REPORTS).json()["results"]
    assert "report" not in listed
    told = client.get(f"{REPORTS}{listed['id']}/").json()
    assert told["report"]["counted"]["games"] == 1
    assert told["events"] == told["report"]["counted"]["events"]


def test_asked_for_twice_under_one_key_it_is_made_once(api: Callable[..., Any], auditor: Player) -> None:
    client = api(auditor)
    for _ in range(2):
        assert client.post(REPORTS, {"scope": "ledger"}, key="once").status_code == 202
    assert carried_out().scope == Scope.LEDGER


def test_what_cannot_be_audited_is_refused(
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
            assert not Job.objects.filter(kind=keeping.ASKED).exists()


def test_a_kept_report_is_never_changed() -> None:
    kept = keeping.carry_out({"scope": "ledger"}, known=[], now=NOW)
    with pytest.raises(DatabaseError), transaction.atomic():
        AuditReport.objects.filter(pk=kept.pk).update(faults=1, ok=False)
    with pytest.raises(DatabaseError), transaction.atomic():
        kept.delete()


def test_faults_are_an_alarm_until_an_audit_finds_none(
    collected: GameRecord, tamper: Callable[..., None]
) -> None:
    def told() -> list[str]:
        return [alarm.title for alarm in alarms(now=NOW) if "audit" in alarm.title]

    tamper("UPDATE games_gamerecord SET commitment = %s", "f" * 64)
    kept = keeping.carry_out({}, known=[], now=NOW)
    assert (kept.ok, kept.asked_by) == (False, None)
    assert told() == [f"The audit of 01 Mar 12:00 found faults: {kept.faults}"]
    tamper("UPDATE games_gamerecord SET commitment = %s", _commitment(collected))
    assert keeping.carry_out({}, known=[], now=NOW + timedelta(hours=1)).ok
    assert told() == []
    late = [alarm.title for alarm in alarms(now=NOW + timedelta(days=3))]
    assert "The installation has not been audited for two days" in late


def _commitment(game: GameRecord) -> str:
    from games.state import load

    return load(game.pk)[1].commitment


def test_the_back_office_shows_reports_and_asks_for_one(auditor: Player, collected: GameRecord) -> None:
    browser = Client()
    browser.force_login(auditor, backend="accounts.backends.PlayerBackend")
    address = reverse("admin:audit_auditreport_ask")
    preview = browser.get(address).content.decode()
    assert "Games to be checked" in preview
    assert not Job.objects.filter(kind=keeping.ASKED).exists()
    key = re.findall(r'name="key" value="(\w+)"', preview)[0]
    answer = browser.post(address, {"key": key, "confirmed": "yes"})
    assert answer.status_code == 302
    assert StaffAction.objects.get(action="ask-for-audit").actor == auditor.pk
    browser.post(address, {"key": key, "confirmed": "yes"})
    assert Job.objects.filter(kind=keeping.ASKED).count() == 1
    kept = carried_out()
    assert "Audit everything now" in browser.get(answer["Location"]).content.decode()
    page = browser.get(reverse("admin:audit_auditreport_change", args=[kept.pk])).content.decode()
    assert "Nothing is wrong." in page
    assert "games" in page


def test_the_back_office_is_closed_to_others(organizer: Player) -> None:
    browser = Client()
    browser.force_login(organizer, backend="accounts.backends.PlayerBackend")
    assert browser.post(reverse("admin:audit_auditreport_ask")).status_code == 403
    assert not Job.objects.filter(kind=keeping.ASKED).exists()
