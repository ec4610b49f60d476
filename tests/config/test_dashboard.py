"""The dashboard: figures, alarms, and the links that each role may open."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from jobs.models import Job
from ledger.models import StakeTable
from tests.ledger.staff.conftest import kept, play, session_of
from tests.money import bankroll
from tests.tournaments.playing import NOW, terms
from tournaments.models import Tournament
from tournaments.services import create, publish

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

INDEX = "admin:index"


def shown_to(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def figures(client: Client) -> dict[str, str]:
    return {tile.label: tile.figure for tile in client.get(reverse(INDEX)).context["cards"]}


@pytest.fixture
def vegas(db: None) -> StakeTable:
    return bankroll(1_000_000)


@pytest.fixture(autouse=True)
def no_jobs(db: None) -> None:
    Job.objects.all().delete()
    kept(timezone.now())


def test_todays_result_requires_the_ledger_permission(
    administrator: Player, auditor: Player, organizer: Player, vegas: StakeTable
) -> None:
    session = session_of(uuid4(), at=timezone.now() - timedelta(days=3))
    play(session, vegas, at=timezone.now() - timedelta(days=3), stake=2080)
    play(session, vegas, at=timezone.now(), stake=104, winnings=52)
    for who in (administrator, auditor):
        result = figures(shown_to(who))
        assert result["Site result today"] == "XTS\xa00.52"
        assert result["Staked today"] == "XTS\xa01.04"
    assert "Site result today" not in figures(shown_to(organizer))


def test_jobs_are_counted_by_whether_they_are_due(administrator: Player) -> None:
    now = timezone.now()
    for key, due in (
        ("past", now - timedelta(seconds=1)),
        ("lost", now),
        ("future", now + timedelta(hours=1)),
    ):
        Job.objects.create(kind="trial", key=key, due=due)
    Job.objects.filter(key="lost").update(failed=now)
    result = figures(shown_to(administrator))
    assert (result["Jobs due now"], result["Failed jobs"]) == ("1", "1")


def test_alarms_ring_on_the_first_page(administrator: Player, organizer: Player) -> None:
    assert "All clear" in shown_to(administrator).get(reverse(INDEX)).content.decode()
    Job.objects.create(kind="trial", key="lost", due=timezone.now(), failed=timezone.now())
    page = shown_to(administrator).get(reverse(INDEX)).content.decode()
    assert "Jobs given up: 1" in page
    assert "All clear" not in page
    theirs = shown_to(organizer).get(reverse(INDEX)).content.decode()
    assert "All clear" not in theirs
    assert "Failed jobs" not in theirs


def test_every_tile_leads_to_a_page_that_opens(
    administrator: Player, auditor: Player, organizer: Player
) -> None:
    for who in (administrator, auditor, organizer):
        client = shown_to(who)
        found = client.get(reverse(INDEX)).context["cards"]
        assert found
        for tile in found:
            assert client.get(tile.url).status_code == 200, tile


def test_the_number_of_queries_does_not_grow(auditor: Player, vegas: StakeTable) -> None:
    client = shown_to(auditor)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse(INDEX))
        return len(captured)

    queries()
    few = queries()
    for _ in range(10):
        play(session_of(uuid4(), at=timezone.now()), vegas, at=timezone.now())
    assert queries() == few


def test_the_count_of_stalled_tournaments_matches_the_list(administrator: Player, organizer: Player) -> None:
    for stalled in ("no bank", "no bank", ""):
        made = create(organizer=organizer, terms=terms(), now=NOW)
        publish(tournament_id=made.pk, actor=organizer, now=NOW)
        Tournament.objects.filter(pk=made.pk).update(stalled=stalled)
    client = shown_to(administrator)
    tiles = client.get(reverse(INDEX)).context["cards"]
    [tile] = [tile for tile in tiles if tile.label == "Stalled tournaments"]
    listed = client.get(tile.url).context["cl"].result_list
    assert (tile.figure, len(listed)) == ("2", 2)
    assert all(tournament.stalled for tournament in listed)


def test_a_table_is_listed_once(administrator: Player) -> None:
    page = shown_to(administrator).get(reverse("admin:accounts_player_changelist")).content.decode()
    sidebar = page.partition('id="nav-sidebar"')[2].partition("</nav>")[0]
    addresses = re.findall(r'<a href="([^"]+)"', sidebar)
    assert reverse("admin:disputes_dispute_changelist") in addresses
    assert len(addresses) == len(set(addresses)) > 10
