"""Recent staff activity, on the first page: the newest first, of those that the reader may see, with where it led."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from config.staff_site import SEEN
from jobs.models import Job
from ledger.models import Transfer
from staff.actions import record_action
from staff.models import ActionRecord

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def shown_to(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def pay_in(by: Player, player: Player, key: str) -> None:
    sent = {"player": str(player.pk), "amount": "12.50", "reason": "paid at the desk", "key": key}
    answer = shown_to(by).post(reverse("admin:ledger_account_deposit"), {**sent, "confirmed": "yes"})
    assert answer.status_code == 302


def front(who: Player) -> str:
    return shown_to(who).get(reverse("admin:index")).content.decode()


def test_an_action_has_actor_subject_reason_and_result(administrator: Player, player: Player) -> None:
    record_action(actor=administrator, action="set-roles", at=timezone.now())
    pay_in(administrator, player, uuid4().hex)
    page = front(administrator)
    made = Transfer.objects.latest("position")
    for each in (
        "Pay in",
        "paid at the desk",
        f'<a href="{reverse("admin:accounts_player_change", args=[player.pk])}">ann</a>',
        f'<a href="{reverse("admin:ledger_transfer_change", args=[made.pk])}">its transfer</a>',
        f"{administrator.username}, <time",
    ):
        assert each in page
    assert page.index("Pay in") < page.index("Set roles"), "the newest comes first"


def test_a_form_that_is_sent_twice_is_one_action(administrator: Player, player: Player) -> None:
    key = uuid4().hex
    pay_in(administrator, player, key)
    pay_in(administrator, player, key)
    assert ActionRecord.objects.filter(action="pay-in").count() == 1
    assert Transfer.objects.count() == 1


def test_who_may_not_see_all_sees_their_own(administrator: Player, auditor: Player, player: Player) -> None:
    pay_in(administrator, player, uuid4().hex)
    record_action(actor=auditor, action="freeze-money", subject=f"player:{player.pk}", at=timezone.now())
    page = front(auditor)
    assert "Your recent activity" in page
    assert "Freeze money" in page
    assert "paid at the desk" not in page
    assert "accounts/player" not in page, "they may not open it"
    assert "Recent staff activity" in front(administrator)


def test_a_disputes_reason_is_read_on_its_page_alone(administrator: Player, auditor: Player) -> None:
    record_action(
        actor=auditor,
        action="rule-on-dispute",
        subject=f"dispute:{uuid4()}",
        at=timezone.now(),
        reason="the ace",
    )
    kept = ActionRecord.objects.latest("pk")
    for address in ("admin:index", "admin:staff_actionrecord_changelist"):
        assert "the ace" not in shown_to(administrator).get(reverse(address)).content.decode()
    one = reverse("admin:staff_actionrecord_change", args=[kept.pk])
    assert "the ace" not in shown_to(administrator).get(one).content.decode()


def test_every_subject_is_named_in_a_bounded_number_of_queries(administrator: Player, player: Player) -> None:
    Job.objects.all().delete()

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            front(administrator)
        return len(queries)

    subjects = (
        "", "house:nobody", f"game:{uuid4()}", f"market:{uuid4()}", "job:x", f"job:{2**70}", "player:\u00bd",
        f"player:{player.pk}", "installation", "payout:1", "jobs:1,2",
    )  # fmt: skip

    def did() -> None:
        for subject in subjects:
            record_action(actor=administrator, action="an-action", subject=subject, at=timezone.now())

    did()
    before = queries()
    did()
    assert queries() == before
    assert front(administrator).count("An action") == SEEN
