"""Test the staff pages of disputes: permissions, previews, and rulings."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts import services
from accounts.models import Player
from accounts.roles import Role, make_groups
from disputes.models import Dispute
from games.models import EarlyAccess, GameRecord
from staff.models import ActionRecord
from tests.disputes.conftest import Opens
from tests.games.staked import dealt

pytestmark = pytest.mark.django_db


def signed_in(who: Player) -> Client:
    browser = Client()
    browser.force_login(who, backend="accounts.roles.PlayerBackend")
    return browser


def page(browser: Client, dispute: Dispute) -> str:
    answer = browser.get(reverse("admin:dispute_page", args=[dispute.pk]))
    assert answer.status_code == 200
    return str(answer.content.decode())


def url(name: str, dispute: Dispute, *more: str) -> str:
    return reverse(f"admin:{name}", args=[dispute.pk, *more])


def previewed(browser: Client, address: str, **fields: Any) -> Any:
    """Send the form for a preview and return the response."""
    blank = browser.get(address).context["form"]
    hidden = {name: blank[name].value() for name in ("key", "events")}
    return browser.post(address, {**hidden, "reason": "as the log shows", **fields})


def done(browser: Client, address: str, **fields: Any) -> Any:
    """Preview the action, confirm it, and return the response."""
    shown = previewed(browser, address, **fields)
    assert shown.context["preview"], shown.context["form"].errors
    return browser.post(address, {**shown.context["form"].data.dict(), "confirmed": "yes"}, follow=True)


@pytest.fixture
def dispute(played: GameRecord, player: Player, opened: Opens) -> Dispute:
    return opened(played, player, claim="my King was <not> accepted")


def test_queue_shows_only_visible_disputes(
    dispute: Dispute, auditor, administrator, organizer, player
) -> None:
    queue = reverse("admin:disputes_dispute_changelist")
    for who in (auditor, administrator):
        assert url("dispute_page", dispute) in signed_in(who).get(queue).content.decode()
    assert url("dispute_page", dispute) not in signed_in(organizer).get(queue).content.decode()
    assert signed_in(organizer).get(url("dispute_page", dispute)).status_code == 404
    assert signed_in(player).get(queue).status_code == 302
    assert signed_in(player).get(url("dispute_page", dispute)).status_code == 302


def test_auditor_sees_claim_and_actions(dispute: Dispute, auditor, administrator) -> None:
    text = page(signed_in(auditor), dispute)
    assert "my King was &lt;not&gt; accepted" in text
    assert url("dispute_rule", dispute, "void") in text
    text = page(signed_in(administrator), dispute)
    assert url("dispute_rule", dispute, "void") not in text
    assert "Only auditors rule on disputes" in text


def test_ruling_matches_preview(dispute: Dispute, auditor) -> None:
    browser = signed_in(auditor)
    shown = previewed(browser, url("dispute_rule", dispute, "dismissed"), finding="rejected")
    assert ("Money", "unchanged") in shown.context["preview"].facts
    dispute.refresh_from_db()
    assert (dispute.status, dispute.rulings.count()) == ("open", 0)
    answer = done(browser, url("dispute_rule", dispute, "dismissed"), finding="rejected")
    assert answer.redirect_chain == [(url("dispute_page", dispute), 302)]
    dispute.refresh_from_db()
    assert dispute.status == "ruled"
    text = answer.content.decode()
    assert "Ruling 1: Dismiss the claim" in text
    assert "as the log shows" in text
    assert ActionRecord.objects.filter(action="rule-on-dispute", subject=f"dispute:{dispute.pk}").count() == 1


def test_pinned_event_has_its_hash_and_stops_other_actions(dispute: Dispute, auditor) -> None:
    browser = signed_in(auditor)
    shown = previewed(browser, url("dispute_rule", dispute, "dismissed"), finding="rejected")
    page_after = done(browser, url("dispute_pin", dispute), version=2, reason="the deal")
    pinned = dispute.evidence.get()
    assert (pinned.version, pinned.note) == (2, "the deal")
    assert pinned.hash[:12] in page_after.content.decode()
    answer = browser.post(
        url("dispute_rule", dispute, "dismissed"), {**shown.context["form"].data.dict(), "confirmed": "yes"}
    )
    assert "The dispute has changed since this page was opened." in answer.content.decode()
    dispute.refresh_from_db()
    assert dispute.status == "open"


def test_interested_person_is_refused(played: GameRecord, player, opened: Opens) -> None:
    dispute = opened(played, player)
    make_groups()
    services.set_roles(player=player, roles=frozenset({Role.AUDITOR}))
    browser = signed_in(Player.objects.get(pk=player.pk))
    assert "have an interest in its game" in page(browser, dispute)
    shown = previewed(browser, url("dispute_rule", dispute, "dismissed"), finding="rejected")
    assert "have an interest in its game" in shown.content.decode()


def test_invalid_form_is_shown_again(dispute: Dispute, auditor) -> None:
    browser = signed_in(auditor)
    for remedy, fields, given in (
        ("corrected", {"way": "decide", "decided_0": "1"}, "Enter the decided result"),
        ("corrected", {"way": "decide", "decided_0": "9"}, "less than or equal to 2"),
        ("points", {"way": "swap", "entries": "one two"}, "Select a valid choice"),
        ("void", {"reason": ""}, "Write a reason."),
        ("void", {"finding": "rejected"}, "Select a valid choice"),
    ):
        shown = previewed(browser, url("dispute_rule", dispute, remedy), **{"finding": "upheld", **fields})
        assert shown.context["preview"] is None
        assert given in shown.content.decode()


def test_unknown_remedy_is_not_found(dispute: Dispute, auditor) -> None:
    browser = signed_in(auditor)
    assert browser.get(url("dispute_rule", dispute, "odd")).status_code == 404
    assert browser.get(url("dispute_approve", dispute)).status_code == 404


def test_reading_running_game_is_recorded(people, auditor, opened: Opens) -> None:
    dispute = opened(dealt("ace-race", people), people[0])
    text = page(signed_in(auditor), dispute)
    assert "is recorded as early access" in text
    assert EarlyAccess.objects.filter(viewer=auditor, game=dispute.game, what="dispute").count() == 1


def test_administrator_reads_nothing_of_running_game(people, administrator, opened: Opens) -> None:
    dispute = opened(dealt("ace-race", people), people[0], claim="seat one has the King")
    text = page(signed_in(administrator), dispute)
    assert "seat one has the King" not in text
    assert "The game is still in play" in text


@pytest.mark.parametrize("odd", ["_00", "x", "00000000-0000-4000-8000-000000000000"])
def test_invalid_id_is_not_found(auditor: Player, odd: str) -> None:
    assert signed_in(auditor).get(f"/admin/disputes/dispute/{odd}/change/").status_code == 404


def test_list_links_to_dispute_page(auditor: Player, dispute: Dispute) -> None:
    answer = signed_in(auditor).get(reverse("admin:disputes_dispute_change", args=[dispute.pk]))
    assert answer["Location"] == reverse("admin:dispute_page", args=[dispute.pk])
