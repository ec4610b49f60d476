"""Test the staff actions on disputes: suspend, resume, approve, refuse, appeal."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts import services as accounts
from accounts.models import Player
from accounts.roles import Role, make_groups
from disputes import services
from disputes.models import Dispute
from disputes.rulings import services as rulings
from eventstore import store
from games.models import GameRecord
from staff.models import ActionRecord
from tests.disputes.conftest import LATER, Opens, decide, ruled
from tests.disputes.test_staff_pages import done, page, previewed, signed_in, url
from tests.games.staked import dealt, money_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
NO_PART = "have an interest in its game"
PAGES = ("dispute_suspend", "dispute_resume", "dispute_approve", "dispute_refuse", "dispute_appeal")


@pytest.fixture
def running(people: list[Player], opened: Opens) -> Dispute:
    """Return a dispute of a running game."""
    return opened(dealt("ace-race", people), people[0])


@pytest.fixture
def proposed(
    played: GameRecord, people: list[Player], opened: Opens, auditor: Player, settings: Any
) -> Dispute:
    """Return a dispute with a proposed ruling that refunds 520 pence."""
    settings.RACECARD_DISPUTE_SECOND_PERSON = {"XTS": 100}
    dispute = opened(played, people[0])
    assert ruled(dispute, auditor, decide("void")).state == "proposed"
    return dispute


def made_auditor(player: Player) -> Client:
    make_groups()
    accounts.set_roles(player=player, roles=frozenset({Role.AUDITOR}))
    return signed_in(Player.objects.get(pk=player.pk))


def status(dispute: Dispute) -> str:
    dispute.refresh_from_db()
    return str(dispute.status)


def types(dispute: Dispute) -> list[str]:
    return [event.type for event in store.read(dispute.pk)]


def refused(browser: Client, address: str, why: str, **fields: Any) -> None:
    """Assert that the action is refused both in its preview and when sent directly."""
    shown = previewed(browser, address, **fields)
    assert shown.context["preview"] is None
    assert why in shown.content.decode()
    form = shown.context["form"].data.dict()
    sent = browser.post(address, {**form, "confirmed": "yes"})
    assert (sent.status_code, why in sent.content.decode()) == (200, True)


LONG = ("The turn is looked at. " + "As long as a reason may be, nearly. " * 50).strip()
"""A reason of the maximum length."""


def test_suspend_and_resume(running: Dispute, auditor: Player, people: list[Player]) -> None:
    browser = signed_in(auditor)
    result = done(browser, url("dispute_suspend", running), reason=LONG)
    running.refresh_from_db()
    assert (running.suspends, running.status) == (True, "open")
    assert "Game suspended." in result.content.decode()
    assert url("dispute_resume", running) in result.content.decode()
    assert url("dispute_suspend", running) not in result.content.decode()
    done(browser, url("dispute_resume", running), reason="it was right")
    running.refresh_from_db()
    assert running.suspends is False
    assert types(running) == ["opened", "suspended", "resumed"]
    reasons = [event.data["reason"] for event in store.read(running.pk, after=1)]
    assert reasons == [LONG, "it was right"]
    kept = ActionRecord.objects.filter(subject=f"dispute:{running.pk}").values_list("action", "reason")
    assert set(kept) == {
        ("suspend-game", LONG),
        ("resume-game", "it was right"),
    }


def test_only_running_game_can_be_suspended(
    running: Dispute, played: GameRecord, people: list[Player], auditor: Player, opened: Opens
) -> None:
    browser = signed_in(auditor)
    refused(browser, url("dispute_resume", running), "not suspended")
    done(browser, url("dispute_suspend", running))
    refused(browser, url("dispute_suspend", running), "suspended")
    over = opened(played, people[1])
    refused(browser, url("dispute_suspend", over), "Only a running game can be suspended")


def test_proposer_cannot_approve(proposed: Dispute, auditor: Player, people: list[Player]) -> None:
    before = money_of(people)
    browser = signed_in(auditor)
    for name in ("dispute_approve", "dispute_refuse"):
        refused(browser, url(name, proposed), "Another person must decide")
    assert "Another person must decide" in page(browser, proposed)
    assert (status(proposed), money_of(people)) == ("proposed", before)


def test_approval_shows_effects_and_stores_reason(
    proposed: Dispute, administrator: Player, people: list[Player]
) -> None:
    before = money_of(people)
    browser = signed_in(administrator)
    shown = previewed(browser, url("dispute_approve", proposed), reason="I saw event 4 too")
    content = dict(shown.context["preview"].facts)
    assert (content["Remedy"], content["Reason of the ruling"]) == ("Void the game", "as the log shows")
    named = {one.what: one for one in shown.context["preview"].changes}
    assert set(named) == {f"{person}: wallet and money in play" for person in people}
    assert {one.after for one in named.values()} == {"10.00 play money"}
    assert (status(proposed), money_of(people)) == ("proposed", before)
    after = done(browser, url("dispute_approve", proposed), reason="I saw event 4 too")
    assert status(proposed) == "ruled"
    assert money_of(people) == [1000, 1000] != before
    text = after.content.decode()
    assert "approved. I saw event 4 too" in text
    assert "Proposed ruling approved. Reason: I saw event 4 too" in text
    [approved] = [event for event in store.read(proposed.pk) if event.type == "approved"]
    assert approved.data["reason"] == "I saw event 4 too"
    [made] = proposed.rulings.all()
    assert (made.decided_by, made.decided_why) == (administrator, "I saw event 4 too")


def test_refusal_returns_dispute_with_reason(
    proposed: Dispute, other_auditor: Player, people: list[Player]
) -> None:
    before = money_of(people)
    shown = previewed(
        signed_in(other_auditor), url("dispute_refuse", proposed), reason="look at event 5"
    ).context["preview"]
    assert [one.what for one in shown.changes if one.after != one.before] == ["Ruling"]
    assert ("Proposed by", "audrey") in shown.facts
    after = done(signed_in(other_auditor), url("dispute_refuse", proposed), reason="look at event 5")
    assert (status(proposed), money_of(people)) == ("open", before)
    text = after.content.decode()
    assert "refused. look at event 5" in text
    assert url("dispute_rule", proposed, "void") in text


def test_actions_need_a_reason(proposed: Dispute, administrator: Player) -> None:
    browser = signed_in(administrator)
    for name in ("dispute_approve", "dispute_refuse"):
        for reason, more in (("", {}), ("no", {"confirmed": "yes"}), ("  ", {"confirmed": "yes"})):
            shown = previewed(browser, url(name, proposed), reason=reason, **more)
            assert shown.context["form"].errors["reason"]
    assert status(proposed) == "proposed"


def test_second_person_sees_nothing_hidden(
    running: Dispute, auditor: Player, administrator: Player, people: list[Player], settings: Any
) -> None:
    settings.RACECARD_DISPUTE_SECOND_PERSON = {"XTS": 100}
    services.suspend(dispute_id=running.pk, actor=auditor, reason="looked at", now=LATER)
    running.refresh_from_db()
    ruled(running, auditor, decide("void"))
    browser = signed_in(administrator)
    shown = previewed(browser, url("dispute_approve", running))
    text = dict(shown.context["preview"].facts)
    assert text["Remedy"] == "Void the game"
    assert "Reason of the ruling" not in text
    assert "as the log shows" not in page(browser, running)
    done(browser, url("dispute_approve", running))
    assert (status(running), money_of(people)) == ("ruled", [1000, 1000])


def test_party_appeals_on_staff_page(
    played: GameRecord, people: list[Player], opened: Opens, auditor: Player
) -> None:
    dispute = opened(played, people[0])
    browser = made_auditor(people[1])
    assert browser.get(url("dispute_appeal", dispute)).status_code == 200
    refused(browser, url("dispute_appeal", dispute), "The dispute is open.")
    ruled(dispute, auditor, decide("dismissed"))
    refused(signed_in(auditor), url("dispute_appeal", dispute), "not a party to this dispute")
    refused(browser, url("dispute_appeal", dispute), "The appeal period ended on")
    assert "The appeal period ended on" in page(browser, dispute)
    Dispute.objects.filter(pk=dispute.pk).update(appeal_until="2099-01-01T00:00Z")
    assert url("dispute_appeal", dispute) in page(browser, dispute)
    after = done(browser, url("dispute_appeal", dispute), reason="no one asked me")
    dispute.refresh_from_db()
    assert (dispute.status, dispute.instance) == ("appealed", 2)
    assert "Ruling appealed. Reason: no one asked me" in after.content.decode()


def test_an_appeal_is_shown_to_the_auditor_who_decides_it(
    played: GameRecord, people: list[Player], opened: Opens, auditor: Player, other_auditor: Player
) -> None:
    dispute = opened(played, people[0])
    browser = signed_in(other_auditor)
    assert '<h2 id="appeal-heading">' not in page(browser, dispute)
    dismissal = browser.get(url("dispute_rule", dispute, "dismissed")).content.decode()
    assert "The result does not change, and held money is released." in dismissal
    ruled(dispute, auditor, decide("void"))
    rulings.appeal(dispute_id=dispute.pk, actor=people[1], reason="event 5 <was> forgotten", now=LATER)
    _, _, appeal = page(browser, dispute).partition('<h2 id="appeal-heading">Appeal</h2>')
    shown, _, _ = appeal.partition("</section>")
    assert "event 5 &lt;was&gt; forgotten" in shown
    assert people[1].username in shown
    queue = browser.get(reverse("admin:disputes_dispute_changelist")).content.decode()
    assert '<td class="field-stage">appeal</td>' in queue
    preview = previewed(browser, url("dispute_rule", dispute, "dismissed"), finding="rejected")
    assert ("On appeal, replaces", "ruling 1: Void the game") in preview.context["preview"].facts
    assert "The result from before the first ruling is restored" in preview.content.decode()


def test_only_impartial_auditors_decide(
    running: Dispute,
    proposed: Dispute,
    people: list[Player],
    player: Player,
    organizer: Player,
    administrator: Player,
) -> None:
    refused(signed_in(administrator), url("dispute_suspend", running), "Only auditors rule on disputes")
    for name in PAGES:
        assert signed_in(organizer).get(url(name, proposed)).status_code == 404
        assert signed_in(player).get(url(name, proposed)).status_code == 302
        assert Client().get(url(name, proposed)).status_code == 302
    browser = made_auditor(people[1])
    refused(browser, url("dispute_suspend", running), NO_PART)
    refused(browser, url("dispute_approve", proposed), NO_PART)
    refused(browser, url("dispute_refuse", proposed), NO_PART)
