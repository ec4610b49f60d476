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

from accounts.models import Player, PlayerReport
from jobs.models import Job
from ledger.models import StakeTable
from ledger.payouts.requests import request_withdrawal
from staff.dashboard import OLDEST, Task
from tests.ledger.staff.conftest import kept, play, session_of
from tests.money import CURRENCY, bankroll, cash, fund
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
        assert result["Site result today"] == "0.52"
        assert result["Staked today"] == "1.04"
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


def test_a_failed_job_is_in_the_queue_of_those_who_may_retry_it(
    administrator: Player, organizer: Player
) -> None:
    assert "All clear" in shown_to(administrator).get(reverse(INDEX)).content.decode()
    Job.objects.create(kind="trial", key="lost", due=timezone.now(), failed=timezone.now())
    page = shown_to(administrator).get(reverse(INDEX)).content.decode()
    assert "Failed 0 times" in page
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


# --- the work queue -----------------------------------------------------------------------------------


def queue(client: Client, order: str = "") -> list[Task]:
    return [row["task"] for row in client.get(f"{reverse(INDEX)}?order={order}").context["work"]]


def test_a_payout_waits_with_its_person_amount_age_and_button(
    administrator: Player, auditor: Player, player: Player
) -> None:
    fund(cash(player.pk), 20_000)
    asked = timezone.now() - timedelta(days=3)
    payout = request_withdrawal(
        player=player.pk, amount=7_500, currency=CURRENCY, destination="DE02 1203", key="one", at=asked
    )
    client = shown_to(administrator)
    [task] = queue(client)
    assert (task.kind, task.title, task.amount) == ("Payout", player.username, "75.00 play money")
    assert (task.waiting(timezone.now()), task.is_urgent) == ("3\xa0days", True)
    page = client.get(reverse(INDEX)).content.decode()
    assert reverse("admin:ledger_payout_approve", args=[payout.pk]) in page
    assert "All clear" not in page
    assert "Payouts waiting for more than a day" not in page, "the queue has the payout itself"
    assert queue(shown_to(auditor)) == [], "an auditor may not approve it"


def test_it_is_not_all_clear_while_others_have_work(auditor: Player, player: Player) -> None:
    client = shown_to(auditor)
    assert "All clear" in client.get(reverse(INDEX)).content.decode()
    fund(cash(player.pk), 20_000)
    request_withdrawal(
        player=player.pk, amount=100, currency=CURRENCY, destination="DE02 1203", key="one", at=timezone.now()
    )
    page = client.get(reverse(INDEX)).content.decode()
    assert queue(client) == []
    assert "Payouts to review" in page
    assert "waits for you" not in page
    assert "All clear" not in page


def test_urgent_work_is_first_and_the_oldest_on_request(administrator: Player, player: Player) -> None:
    now = timezone.now()
    reporter = Player.objects.create_user("who-reports")
    PlayerReport.objects.create(
        reporter=reporter, player=player, reason="name", created=now - timedelta(hours=5)
    )
    Job.objects.create(kind="trial.thing", key="lost", due=now, failed=now, last_error="it broke\nTraceback")
    client = shown_to(administrator)
    assert [task.kind for task in queue(client)] == ["Job", "Report"]
    assert [task.kind for task in queue(client, "age")] == ["Report", "Job"]
    job, report = queue(client)
    assert job.detail == "Failed 0 times: it broke"
    assert (report.title, report.action) == (player.username, "Close report")
    assert "reported by who-reports" in report.detail
    for task in (job, report):
        assert client.get(task.url).status_code == 200
        assert client.get(task.do).status_code in (200, 302)


def test_a_stalled_round_waits_for_its_organizer_and_the_administrators(
    administrator: Player, organizer: Player, auditor: Player
) -> None:
    made = create(organizer=organizer, terms=terms(), now=NOW)
    publish(tournament_id=made.pk, actor=organizer, now=NOW)
    Tournament.objects.filter(pk=made.pk).update(stalled="no bank")
    for who in (administrator, organizer):
        [task] = queue(shown_to(who))
        assert (task.kind, task.title, task.action) == ("Stalled round", made.name, "Resume")
        assert str(organizer) in task.detail
    assert queue(shown_to(auditor)) == []


def test_the_queue_has_a_bounded_number_of_queries(administrator: Player, player: Player) -> None:
    client = shown_to(administrator)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse(INDEX))
        return len(captured)

    def waiting(count: int, first: int) -> None:
        for number in range(first, first + count):
            Job.objects.create(kind="trial", key=f"lost {number}", due=timezone.now(), failed=timezone.now())
            reporter = Player.objects.create_user(f"reporter-{number}")
            PlayerReport.objects.create(
                reporter=reporter, player=player, reason="name", created=timezone.now()
            )

    waiting(OLDEST, 0)
    queries()
    few = queries()
    waiting(20, OLDEST)
    assert queries() == few
    assert len(queue(client)) == 2 * OLDEST


def test_figures_of_money_show_their_course(administrator: Player, vegas: StakeTable) -> None:
    now = timezone.now()
    session = session_of(uuid4(), at=now - timedelta(days=2))
    play(session, vegas, at=now - timedelta(days=2), stake=2080)
    play(session, vegas, at=now, stake=104)
    cards = {card.label: card for card in shown_to(administrator).get(reverse(INDEX)).context["cards"]}
    course = cards["Staked today"].sparkline
    assert course is not None
    assert list(course.values) == [0] * 11 + [2080, 0, 104]
    assert course.description == "Last 14 days: 0.00 play money to 20.80 play money"
    assert cards["Players"].sparkline is None
