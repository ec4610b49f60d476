"""Lists of the staff pages: every row once, also while rows are added."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Player
from jobs.models import Job
from tests.conftest import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
JOBS = "admin:jobs_job_changelist"


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin.site.get_model_admin(Job), "list_per_page", 3)


@pytest.fixture
def staff_client(administrator: Player) -> Client:
    client = Client()
    client.force_login(administrator, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


@pytest.fixture
def ten_jobs() -> list[Job]:
    """Two of a kind, three due at one moment."""
    Job.objects.all().delete()
    return [
        Job.objects.create(
            key=f"job-{number:02}", kind=f"kind-{number // 2}", due=NOW + timedelta(minutes=number // 3)
        )
        for number in range(10)
    ]


def page(client: Client, address: str) -> tuple[list[str], str]:
    """The keys of a page, and where the next one is."""
    answer = client.get(address)
    assert answer.status_code == 200, answer
    text = answer.content.decode()
    following = re.search(r'<a href="([^"]+)">Next page</a>', text)
    links = re.findall(r'href="/admin/jobs/job/(\d+)/change/', text)
    keys = [Job.objects.get(pk=pk).key for pk in links]
    return keys, reverse(JOBS) + following[1].replace("&amp;", "&") if following else ""


def walked(client: Client, query: str = "") -> list[str]:
    found, address = [], reverse(JOBS) + query
    while address:
        keys, address = page(client, address)
        assert 0 < len(keys) <= 3
        found += keys
    return found


@pytest.mark.both_databases
def test_every_row_appears_once(staff_client: Client, ten_jobs: list[Job]) -> None:
    assert walked(staff_client) == [job.key for job in reversed(ten_jobs)]


@pytest.mark.both_databases
def test_a_row_appears_once_among_equal_ones(
    staff_client: Client, ten_jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin.site.get_model_admin(Job), "ordering", ["-due"])
    found = walked(staff_client)
    assert sorted(found) == [job.key for job in ten_jobs]
    due = [Job.objects.get(key=key).due for key in found]
    assert due == sorted(due, reverse=True)


def test_no_column_orders_the_list(staff_client: Client, ten_jobs: list[Job]) -> None:
    """An order that no index carries would sort the whole table."""
    assert walked(staff_client, "?o=1") == walked(staff_client)
    assert 'href="?o=' not in staff_client.get(reverse(JOBS)).content.decode()


def test_a_new_row_does_not_shift_pages(staff_client: Client, ten_jobs: list[Job]) -> None:
    first, following = page(staff_client, reverse(JOBS))
    Job.objects.create(key="job-99", kind="late", due=NOW + timedelta(days=1))
    second, _ = page(staff_client, following)
    assert first + second == walked(staff_client)[1:7]


def test_a_filter_and_a_search_hold_on_the_pages_that_follow(
    staff_client: Client, ten_jobs: list[Job]
) -> None:
    Job.objects.filter(key__in=["job-00", "job-09"]).update(done=NOW)
    assert sorted(walked(staff_client, "?state=waiting")) == [f"job-{number:02}" for number in range(1, 9)]
    assert walked(staff_client, "?q=job-03") == ["job-03"]
    assert "0 jobs" in staff_client.get(reverse(JOBS), {"q": "job-0"}).content.decode()


def test_an_unknown_row_is_refused(staff_client: Client, ten_jobs: list[Job]) -> None:
    for after in ("none", "-1", "9" * 30, "\x00"):
        answer = staff_client.get(reverse(JOBS), {"after": after})
        assert (answer.status_code, answer.get("Location", "?e=1")[-3:]) in {(302, "e=1"), (400, "e=1")}


@pytest.mark.both_databases
def test_seen_rows_are_not_read_again(staff_client: Client, ten_jobs: list[Job]) -> None:
    _, following = page(staff_client, reverse(JOBS))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page(staff_client, following)
    about = [query["sql"] for query in queries if "jobs_job" in query["sql"] and "LIMIT" in query["sql"]]
    assert about
    assert not any("OFFSET" in sql for sql in about)
    assert all(
        "LIMIT" in query["sql"]
        for query in queries
        if "COUNT(" in query["sql"] and "jobs_job" in query["sql"]
    )
    assert "10 jobs" in staff_client.get(reverse(JOBS)).content.decode()
