"""Dialogs about money: people by name, before and after, no ids, and the way back."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from ledger import services
from ledger.models import LimitChange, Transfer
from ledger.payouts.models import Payout
from ledger.payouts.requests import request_withdrawal
from staff.actions import Change, declared
from tests.ledger.staff.conftest import Office
from tests.money import CURRENCY, available, bankroll, cash, fresh_key, fund

pytestmark = pytest.mark.django_db

ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")
DETAILS = re.compile(r'<details class="technical">.*?</details>', re.DOTALL)
TEXT = re.compile(r"<script.*?</script>|<style.*?</style>|<[^>]*>", re.DOTALL)


@pytest.fixture
def browser(staff_client: Office, administrator: Player) -> Client:
    return staff_client(administrator)


@pytest.fixture
def payout(player: Player) -> Payout:
    fund(cash(player.pk), 20_000)
    return request_withdrawal(
        player=player.pk,
        amount=7_500,
        currency=CURRENCY,
        destination="DE02 1203",
        key=fresh_key(),
        at=timezone.now(),
    )


def dialog(answer: Any) -> str:
    """Return what a person reads in the main part of a page, without the folded technical details."""
    html = answer.content.decode()
    main = html.partition('id="content"')[2].partition('id="footer"')[0]
    return TEXT.sub(" ", DETAILS.sub("", main))


def changes(answer: Any) -> dict[str, tuple[str, str]]:
    found: list[Change] = answer.context["preview"].changes
    return {change.what: (change.before, change.after) for change in found}


def decide(payout: Payout, decision: str) -> str:
    return reverse(f"admin:ledger_payout_{decision}", args=[payout.pk])


def test_a_decision_shows_its_preview_with_the_form(browser: Client, payout: Payout, player: Player) -> None:
    shown = browser.get(decide(payout, "reject"))
    assert changes(shown) == {
        "Payout": ("Requested", "Rejected"),
        f"{player.username}: wallet, available": ("125.00 play money", "200.00 play money"),
        f"{player.username}: wallet, held": ("75.00 play money", "0.00 play money"),
    }
    assert available(f"player:{player.pk}", "cash") == 12_500, "nothing has happened yet"
    assert player.username in dialog(shown)
    assert 'name="reason"' in shown.content.decode()
    sent = {**shown.context["form"].initial, "reason": "wrong account", "confirmed": "yes"}
    assert browser.post(decide(payout, "reject"), sent).status_code == 302
    assert available(f"player:{player.pk}", "cash") == 20_000


def test_a_decision_without_a_reason_is_shown_again_with_its_preview(browser: Client, payout: Payout) -> None:
    sent = browser.post(decide(payout, "approve"), {"key": uuid4().hex, "reason": "", "confirmed": "yes"})
    assert sent.context["form"].errors
    assert sent.context["preview"] is not None
    payout.refresh_from_db()
    assert payout.state == "requested"


def test_a_refused_decision_says_why_and_has_no_form(browser: Client, payout: Payout) -> None:
    services.approve_payout(payout=payout.pk, actor="player:other", at=timezone.now())
    shown = browser.get(decide(payout, "approve"))
    assert shown.context["preview"] is None
    assert shown.context["refusal"] in dialog(shown)
    assert 'name="reason"' not in shown.content.decode()


def test_dialogs_about_money_show_no_ids(browser: Client, payout: Payout, player: Player) -> None:
    table = bankroll()
    transfer = Transfer.objects.filter(credit__key=str(player.pk)).latest("position")
    asked = {"key": uuid4().hex, "reason": "for the test", "player": player.username}
    answers = {
        "deposit": browser.post(reverse("admin:ledger_account_deposit"), {**asked, "amount": "5.00"}),
        "reverse": browser.get(reverse("admin:ledger_transfer_reverse", args=[transfer.pk])),
        "fund": browser.post(
            reverse("admin:ledger_staketable_fund", args=[table.pk]), {**asked, "amount": "5.00"}
        ),
        "limit": browser.post(
            reverse("admin:ledger_limitchange_protect"),
            {**asked, "kind": "stake", "period": "day", "amount": "50.00"},
        ),
        **{name: browser.get(decide(payout, name)) for name in ("approve", "hold", "reject")},
    }
    for name, answer in answers.items():
        assert answer.context["preview"], (name, answer.context["form"].errors)
        assert answer.context["preview"].changes, name
        assert ID.search(dialog(answer)) is None, name
        assert not {"/cash", "house/", "player:"} & set(
            re.findall(r"/cash|house/|player:", dialog(answer))
        ), name
    assert changes(answers["limit"]) == {"Stakes per day": ("none", "50.00 play money")}
    assert changes(answers["deposit"])[f"{player.username}: wallet"] == (
        "200.00 play money",
        "205.00 play money",
    )
    assert "house/external" in answers["deposit"].content.decode(), (
        "the accounts are in the technical details"
    )


def test_a_player_is_named_by_username_or_id(browser: Client, player: Player) -> None:
    address = reverse("admin:ledger_limitchange_protect")
    assert f'value="{player.username}"' in browser.get(f"{address}?player={player.pk}").content.decode()
    terms = {
        "kind": "stake",
        "period": "day",
        "amount": "50.00",
        "reason": "asked by phone",
        "confirmed": "yes",
    }
    for named in (player.username, str(player.pk)):
        sent = browser.post(address, {**terms, "key": uuid4().hex, "player": named})
        assert sent.status_code == 302, sent.context["form"].errors
    assert LimitChange.objects.filter(protected__player=player.pk).count() == 2
    unknown = browser.post(address, {**terms, "key": uuid4().hex, "player": "nobody-here"})
    assert "There is no player “nobody-here”." in dialog(unknown)


def test_an_action_returns_to_where_it_was_opened(browser: Client, payout: Payout) -> None:
    queue = f"http://testserver{reverse('admin:index')}?order=age"
    shown = browser.get(decide(payout, "hold"), headers={"Referer": queue})
    back = shown.context["came_from"]
    assert back == f"{reverse('admin:index')}?order=age"
    assert shown.context["cancel"] == back
    sent = {"key": uuid4().hex, "reason": "call the player", "confirmed": "yes", "back": back}
    assert browser.post(decide(payout, "hold"), sent)["Location"] == back


def test_an_action_returns_to_staff_pages_only(browser: Client, payout: Payout) -> None:
    own = reverse("admin:ledger_payout_change", args=[payout.pk])
    for place in (
        "https://elsewhere.example/admin/",
        "//elsewhere.example/admin/",
        "/wallet/",
        "javascript:alert(1)",
    ):
        opened = browser.get(decide(payout, "hold"), headers={"Referer": place})
        assert opened.context["came_from"] == "", place
    sent = {
        "key": uuid4().hex,
        "reason": "call the player",
        "confirmed": "yes",
        "back": "//elsewhere.example/",
    }
    assert browser.post(decide(payout, "hold"), sent)["Location"] == own


def test_a_confirming_button_says_what_it_does() -> None:
    named = {each.name: each.button for each in declared() if isinstance(each.__dict__.get("button"), str)}
    assert named["pay-in"] == "Record deposit"
    assert (named["fund-bank"], named["take-from-bank"]) == ("Fund the bank", "Withdraw money")
    assert not {"Confirm", "OK", "Submit", "Yes"} & set(named.values())


def test_the_preview_of_a_stake_table_names_every_figure(browser: Client) -> None:
    form = {
        "slug": "a-table", "rules": "ace-race", "minimum": "1.00", "maximum": "9.00", "step": "1.00", "default": "2.00",
        "open": "on", "rake": "0", "split": "winner", "reason": "a new table", "key": uuid4().hex,
    }  # fmt: skip
    shown = browser.post(reverse("admin:ledger_staketable_open"), form)
    assert ("pay table", "none") in shown.context["preview"].facts
    assert all(value for _, value in shown.context["preview"].facts)
