"""Staff pages of payouts: the queue, decisions with reason and preview, batches, and freezes."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.urls import reverse

from accounts.models import Player
from accounts.roles import Role
from ledger import services
from ledger.payouts.batches import file_checksum
from ledger.payouts.models import Freeze, Payout, PayoutBatch
from staff.subjects import short
from tests.conftest import person
from tests.ledger.payouts.cast import ADAM, LATER, approved, ask, money_of, prize, reread, rich, win
from tests.money import cash, fund

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

QUEUE = "admin:ledger_payout_changelist"


def staff_client(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def page(payout: Payout) -> str:
    return reverse("admin:ledger_payout_change", args=[payout.pk])


def decide(payout: Payout, action: str) -> str:
    return reverse(f"admin:ledger_payout_{action}", args=[payout.pk])


def text(answer: Any) -> str:
    assert answer.status_code == 200, answer
    return str(answer.content.decode())


def perform(client: Client, address: str, **form: str) -> tuple[str, Any]:
    """Return the preview of a command, and the response to its confirmation."""
    key = re.search(r'name="key" value="(\w+)"', text(client.get(address)))
    # A command that is refused at once has no form.
    sent = {"reason": "as agreed by phone", "key": key[1] if key else uuid4().hex, **form}
    preview = text(client.post(address, sent))
    return preview, client.post(address, {**sent, "confirmed": "yes"})


def test_queue_lists_open_payouts(auditor: Player, administrator: Player) -> None:
    waits, gone = ask(12_34), ask(56_78)
    services.reject_payout(payout=gone.pk, actor=ADAM, reason="name differs", at=LATER)
    for who in (auditor, administrator):
        listed = text(staff_client(who).get(reverse(QUEUE)))
        assert waits.reference in listed
        assert "12.34" in listed
        assert gone.reference not in listed
        assert gone.reference in text(staff_client(who).get(reverse(QUEUE), {"queue": "all"}))
        assert gone.reference in text(staff_client(who).get(reverse(QUEUE), {"state__exact": "rejected"}))


def test_the_page_of_a_payout_shows_balance_history_and_metadata(
    auditor: Player, administrator: Player
) -> None:
    player = rich(10_000)
    win(player, 777)
    payout = ask(400, player)
    services.hold_payout(
        payout=payout.pk, actor=f"player:{administrator.pk}", reason="whose account is it?", at=LATER
    )
    shown = text(staff_client(auditor).get(page(payout)))
    for reported in (
        "4.00",
        "107.77",
        "103.77",
        "game 7: stakes",
        "7.77",
        "whose account is it?",
        f">{administrator.username}</td>",
        payout.destination,
    ):
        assert reported in shown
    assert str(administrator.pk) not in shown
    assert decide(payout, "release") not in shown


@pytest.mark.parametrize(
    ("action", "state"), [("approve", "approved"), ("hold", "held"), ("reject", "rejected")]
)
def test_an_administrator_decides_after_a_preview_of_the_amount(
    administrator: Player, action: str, state: str
) -> None:
    payout, client = ask(12_34, rich()), staff_client(administrator)
    assert decide(payout, action) in text(client.get(page(payout)))
    preview, done = perform(client, decide(payout, action))
    assert "12.34" in preview
    assert (done.status_code, done["Location"]) == (302, page(payout))
    assert reread(payout).state == state
    assert payout.steps.last().reason == "as agreed by phone"


def test_a_held_payout_is_released_and_paid(administrator: Player) -> None:
    payout, client = approved(400), staff_client(administrator)
    for action, state in (
        ("hold", "held"),
        ("release", "requested"),
        ("approve", "approved"),
        ("pay", "paid"),
    ):
        perform(client, decide(payout, action))
        assert reread(payout).state == state
    assert money_of(payout.player) == 9600
    assert decide(payout, "hold") not in text(client.get(page(payout)))
    preview, _ = perform(client, decide(prize(900), "approve"))
    assert "/payable" in preview


def test_a_decision_requires_a_reason_and_a_preview(administrator: Player) -> None:
    payout, client = ask(), staff_client(administrator)
    for form in ({}, {"reason": "", "key": "k", "confirmed": "yes"}, {"reason": "as agreed", "key": "k"}):
        assert client.post(decide(payout, "approve"), form).status_code == 200
    assert reread(payout).state == "requested"


def test_administrators_cannot_decide_on_their_own_payouts(administrator: Player) -> None:
    fund(cash(administrator.pk), 1000)
    payout, client = ask(400, administrator.pk), staff_client(administrator)
    shown = text(client.get(page(payout)))
    assert "You cannot decide about a payout that you requested or receive" in shown
    assert decide(payout, "approve") not in shown
    _, done = perform(client, decide(payout, "approve"))
    assert "You cannot decide about a payout" in text(done)
    assert reread(payout).state == "requested"


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=1)
def test_a_refused_second_approval_by_the_same_person_is_explained(administrator: Player) -> None:
    payout, client = ask(400), staff_client(administrator)
    preview, _ = perform(client, decide(payout, "approve"))
    assert "A payout of this size needs a second approver" in preview
    assert reread(payout).state == "checked"
    shown = text(client.get(page(payout)))
    assert "needs the approval of a second person" in shown
    assert decide(payout, "approve") not in shown
    perform(client, decide(payout, "approve"))
    assert reread(payout).state == "checked"
    assert payout.reference in text(client.get(reverse(QUEUE), {"state__in": "requested,checked"}))
    other = staff_client(person("bea", Role.ADMINISTRATOR))
    perform(other, decide(payout, "approve"))
    assert reread(payout).state == "approved"


def test_a_batch_is_made_exported_and_paid(administrator: Player, auditor: Player) -> None:
    payouts, client = [approved(100), approved(200)], staff_client(administrator)
    listing = reverse("admin:ledger_payoutbatch_changelist")
    make = reverse("admin:ledger_payoutbatch_make")
    assert make in text(client.get(listing))
    preview, done = perform(client, make)
    assert "3.00" in preview
    batch = PayoutBatch.objects.get()
    shown = text(client.get(done["Location"]))
    csv = reverse("admin:ledger_payoutbatch_csv", args=[batch.pk])
    assert csv in shown
    assert file_checksum(batch) in shown
    assert client.get(csv)["Content-Disposition"].startswith("attachment")
    pay = reverse("admin:ledger_payoutbatch_pay", args=[batch.pk])
    _, wrong = perform(client, pay, checksum="0" * 64)
    assert "changed since the export" in text(wrong)
    preview, _ = perform(client, pay, checksum=file_checksum(batch))
    assert "3.00" in preview
    assert [reread(one).state for one in payouts] == ["paid"] * 2
    assert "3.00" in text(staff_client(auditor).get(listing))
    assert staff_client(auditor).get(csv).status_code == 403


def test_a_freeze_is_made_and_released(auditor: Player) -> None:
    player, client = rich(1000), staff_client(auditor)
    win(player, 300)
    make = reverse("admin:ledger_freeze_make")
    assert make in text(client.get(reverse("admin:ledger_freeze_changelist")))
    preview, done = perform(client, make, subject="game:7")
    assert "3.00" in preview
    assert money_of(player) == 1000
    assert "3.00" in text(client.get(done["Location"]))
    perform(client, reverse("admin:ledger_freeze_release", args=[Freeze.objects.get().pk]))
    assert money_of(player) == 1300


def test_the_form_of_a_freeze_shows_the_title_of_its_subject(auditor: Player) -> None:
    client, subject = staff_client(auditor), f"game:{uuid4()}"
    make = reverse("admin:ledger_freeze_make")
    page = text(client.get(make, {"subject": subject}))
    assert f'<input type="hidden" name="subject" value="{subject}">' in page
    [field] = re.findall(r'<input[^>]*name="subject-title"[^>]*>', page)
    assert "readonly" in field
    assert f'value="{short(subject)}"' in field
    assert "The address of the page" not in page
    page = text(client.get(make))
    assert "The address of the page" in page
    assert 'name="subject-title"' not in page


@pytest.mark.parametrize("who", ["player", "organizer", "auditor"])
def test_other_roles_cannot_decide(request: pytest.FixtureRequest, who: str) -> None:
    payout, client = ask(), staff_client(request.getfixturevalue(who))
    for action in ("approve", "pay", "hold", "release", "reject"):
        assert client.get(decide(payout, action)).status_code in (302, 403)
        assert client.post(
            decide(payout, action), {"reason": "x" * 5, "key": "k", "confirmed": "1"}
        ).status_code in (
            302,
            403,
        )
    assert client.get(reverse("admin:ledger_payoutbatch_make")).status_code in (302, 403)
    assert reread(payout).state == "requested"


def test_rows_cannot_be_edited_added_or_deleted(administrator: Player) -> None:
    payout, client = ask(), staff_client(administrator)
    client.post(page(payout), {"amount": "1", "state": "paid"})
    assert (reread(payout).amount, payout.state) == (400, "requested")
    for model in ("payout", "payoutbatch", "freeze"):
        assert client.get(reverse(f"admin:ledger_{model}_add")).status_code == 403
    assert (
        client.post(reverse("admin:ledger_payout_delete", args=[payout.pk]), {"post": "yes"}).status_code
        == 403
    )
    assert client.get(page(payout).replace(str(payout.pk), "nonsense")).status_code in (302, 404)


def test_a_rejected_prize_is_reinstated_after_a_preview(administrator: Player) -> None:
    won, client = prize(900), staff_client(administrator)
    assert decide(won, "reinstate") not in text(client.get(page(won)))
    services.reject_payout(payout=won.pk, actor=ADAM, reason="collusion", at=LATER)
    assert decide(won, "reinstate") in text(client.get(page(won)))
    preview, done = perform(client, decide(won, "reinstate"))
    assert "9.00" in preview
    assert "/payable" in preview
    again = Payout.objects.get(origin=won)
    assert (done["Location"], again.state) == (page(again), "requested")
    assert decide(won, "reinstate") not in text(client.get(page(won))), "it was reinstated"


def test_sources_link_to_subjects_that_the_reader_may_open(
    auditor: Player, administrator: Player, rival: Player
) -> None:
    payout = ask(400, rich(10_000))
    external = services.account(owner="house", purpose="external", currency=payout.currency)
    legs = [services.Leg(external, cash(payout.player), 5, "bonus")]
    services.post(key="bonus", legs=legs, subject=f"player:{rival.pk}", actor=ADAM, at=LATER)
    to = reverse("admin:accounts_player_change", args=[rival.pk])
    link = f'>bonus: <a href="{to}" title="player:{rival.pk}">{rival.username}</a></td>'
    assert link in text(staff_client(administrator).get(page(payout)))
    shown = text(staff_client(auditor).get(page(payout)))
    assert link not in shown
    assert f">{rival.username}</span></td>" in shown
