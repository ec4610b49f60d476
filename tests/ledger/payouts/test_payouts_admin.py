"""Staff pages of payouts: the queue, decisions with reason and preview, batches, and freezes."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.test import override_settings
from django.urls import reverse

from accounts.models import Player
from accounts.roles import Role
from ledger import services
from ledger.payouts.batches import file_checksum
from ledger.payouts.models import Freeze, Payout, PayoutBatch
from staff.subjects import short
from tests.conftest import person
from tests.ledger.offices import perform, signed_in, text
from tests.ledger.payouts.cast import ADAM, LATER, approved, ask, money_of, prize, reread, rich, win
from tests.money import cash, fund

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

QUEUE = "admin:ledger_payout_changelist"


def page(payout: Payout) -> str:
    return reverse("admin:ledger_payout_change", args=[payout.pk])


def decide(payout: Payout, action: str) -> str:
    return reverse(f"admin:ledger_payout_{action}", args=[payout.pk])


def test_queue_lists_open_payouts(auditor: Player) -> None:
    waits, gone = ask(12_34), ask(56_78)
    services.reject_payout(payout=gone.pk, actor=ADAM, reason="name differs", at=LATER)
    client = signed_in(auditor)
    listed = text(client.get(reverse(QUEUE)))
    assert waits.reference in listed
    assert "12.34" in listed
    assert gone.reference not in listed
    for query in ({"queue": "all"}, {"state__exact": "rejected"}):
        assert gone.reference in text(client.get(reverse(QUEUE), query))


def test_the_page_of_a_payout_shows_balance_history_and_metadata(
    auditor: Player, administrator: Player
) -> None:
    player = rich(10_000)
    win(player, 777)
    payout = ask(400, player)
    services.hold_payout(
        payout=payout.pk, actor=f"player:{administrator.pk}", reason="whose account is it?", at=LATER
    )
    shown = text(signed_in(auditor).get(page(payout)))
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


def test_a_payout_is_decided_and_paid_after_previews(administrator: Player) -> None:
    payout, client = ask(12_34, rich()), signed_in(administrator)
    for action, state in (
        ("approve", "approved"),
        ("hold", "held"),
        ("release", "requested"),
        ("approve", "approved"),
        ("pay", "paid"),
    ):
        assert decide(payout, action) in text(client.get(page(payout)))
        preview, done = perform(client, decide(payout, action))
        assert "12.34" in preview
        assert (done.status_code, done["Location"]) == (302, page(payout))
        assert (reread(payout).state, payout.steps.last().reason) == (state, "as agreed by phone")
    assert money_of(payout.player) == 10_000 - 12_34
    assert decide(payout, "hold") not in text(client.get(page(payout)))
    preview, _ = perform(client, decide(prize(900), "approve"))
    assert "/payable" in preview


def test_administrators_cannot_decide_on_their_own_payouts(administrator: Player) -> None:
    fund(cash(administrator.pk), 1000)
    payout, client = ask(400, administrator.pk), signed_in(administrator)
    shown = text(client.get(page(payout)))
    assert "You cannot decide about a payout that you requested or receive" in shown
    assert decide(payout, "approve") not in shown
    _, done = perform(client, decide(payout, "approve"))
    assert "You cannot decide about a payout" in text(done)
    assert reread(payout).state == "requested"


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=1)
def test_a_refused_second_approval_by_the_same_person_is_explained(administrator: Player) -> None:
    payout, client = ask(400), signed_in(administrator)
    preview, _ = perform(client, decide(payout, "approve"))
    assert "A payout of this size needs a second approver" in preview
    assert reread(payout).state == "checked"
    shown = text(client.get(page(payout)))
    assert "needs the approval of a second person" in shown
    assert decide(payout, "approve") not in shown
    perform(client, decide(payout, "approve"))
    assert reread(payout).state == "checked"
    assert payout.reference in text(client.get(reverse(QUEUE), {"state__in": "requested,checked"}))
    other = signed_in(person("bea", Role.ADMINISTRATOR))
    perform(other, decide(payout, "approve"))
    assert reread(payout).state == "approved"


def test_a_batch_is_made_exported_and_paid(administrator: Player, auditor: Player) -> None:
    payouts, client = [approved(100), approved(200)], signed_in(administrator)
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
    assert "3.00" in text(signed_in(auditor).get(listing))
    assert signed_in(auditor).get(csv).status_code == 403
    assert client.get(page(payouts[0]).replace(str(payouts[0].pk), "nonsense")).status_code in (302, 404)


def test_a_freeze_is_made_and_released(auditor: Player) -> None:
    player, client = rich(1000), signed_in(auditor)
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
    client, subject = signed_in(auditor), f"game:{uuid4()}"
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


def test_a_rejected_prize_is_reinstated_after_a_preview(administrator: Player) -> None:
    won, client = prize(900), signed_in(administrator)
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
    assert link in text(signed_in(administrator).get(page(payout)))
    shown = text(signed_in(auditor).get(page(payout)))
    assert link not in shown
    assert f">{rival.username}</span></td>" in shown
