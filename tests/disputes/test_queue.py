"""The queue of disputes, in its list and on the dashboard, with what the reader may know of each."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Player
from disputes import money
from disputes.models import Dispute
from games.models import EarlyAccess, GameRecord
from staff.dashboard import Task
from tests.disputes.conftest import LATER, Opens, decide, ruled
from tests.disputes.test_staff_pages import signed_in
from tests.games.staked import dealt

pytestmark = pytest.mark.django_db

CLAIM = "my King was not accepted"


def rows(who: Player) -> list[Dispute]:
    return list(signed_in(who).get(reverse("admin:disputes_dispute_changelist")).context["cl"].result_list)


def work(who: Player) -> list[Task]:
    shown = signed_in(who).get(reverse("admin:index")).context["work"]
    return [row["task"] for row in shown if row["task"].kind == "Dispute"]


def test_the_list_has_claim_people_and_the_held_money(
    played: GameRecord, people: list[Player], auditor: Player, administrator: Player, opened: Opens
) -> None:
    dispute = opened(played, people[0])
    held = money.current_hold(dispute.game)
    assert held is not None
    for who in (auditor, administrator):
        [row] = rows(who)
        listed: Any = row.listed  # type: ignore[attr-defined]
        assert listed.claim == CLAIM
        assert listed.people == ", ".join(person.username for person in people)
        assert listed.held.endswith(" play money")
    page = signed_in(auditor).get(reverse("admin:disputes_dispute_changelist")).content.decode()
    assert CLAIM in page
    assert str(played.pk)[-8:] not in page.partition("<tbody>")[2].partition("</tbody>")[0].replace(
        reverse("admin:games_gamerecord_change", args=[played.pk]), ""
    )


def test_a_claim_about_a_game_in_play_stays_hidden_until_it_is_read_on_record(
    people: list[Player], auditor: Player, administrator: Player, opened: Opens
) -> None:
    dispute = opened(dealt("ace-race", people), people[0])
    assert rows(auditor)[0].listed.claim == "not visible yet"  # type: ignore[attr-defined]
    [task] = work(auditor)
    assert CLAIM not in task.detail
    assert not EarlyAccess.objects.exists(), "a list records nothing"
    signed_in(auditor).get(reverse("admin:dispute_page", args=[dispute.pk]))
    assert rows(auditor)[0].listed.claim == CLAIM  # type: ignore[attr-defined]
    assert rows(administrator)[0].listed.claim == "not visible yet"  # type: ignore[attr-defined]


def test_a_dispute_is_work_for_those_who_may_decide_it(
    played: GameRecord,
    people: list[Player],
    auditor: Player,
    other_auditor: Player,
    administrator: Player,
    organizer: Player,
    opened: Opens,
    settings: Any,
) -> None:
    dispute = opened(played, people[0])
    [task] = work(auditor)
    assert (task.detail, task.action, task.since) == (CLAIM, "Rule", LATER)
    assert task.title == f"{people[0]}, Ace Race"
    assert task.amount.endswith(" play money")
    assert task.do == reverse("admin:dispute_page", args=[dispute.pk])
    assert work(administrator) == work(organizer) == [], "only auditors rule"

    settings.RACECARD_DISPUTE_SECOND_PERSON = {"XTS": 100}
    assert ruled(dispute, auditor, decide("void")).state == "proposed"
    assert work(auditor) == [], "another person decides on one's own ruling"
    for who in (other_auditor, administrator):
        assert [task.action for task in work(who)] == ["Decide on ruling"]


def test_the_stake_is_named_while_nothing_is_held(
    people: list[Player], auditor: Player, opened: Opens
) -> None:
    opened(dealt("ace-race", people), people[0])
    [task] = work(auditor)
    assert task.amount == "5.20 play money"


def test_the_list_has_a_fixed_number_of_queries(
    played: GameRecord, people: list[Player], auditor: Player, opened: Opens
) -> None:
    client = signed_in(auditor)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse("admin:disputes_dispute_changelist"))
        return len(captured)

    opened(played, people[0])
    queries()
    few = queries()
    opened(played, people[1])
    opened(dealt("ace-race", people), people[0])
    assert queries() <= few + 1, "the running deals are looked up once"
