"""Test the evidence pages of a game."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from disputes import services
from eventstore import store
from games.models import EarlyAccess, GameRecord, RefusedCommand
from tests.disputes.conftest import LATER, Opens
from tests.disputes.test_staff_pages import signed_in
from tests.games.staked import dealt

pytestmark = pytest.mark.django_db


def evidence(game: GameRecord, more: str = "") -> str:
    return reverse("admin:game_evidence", args=[game.pk]) + more


def read(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.fixture
def refused(played: GameRecord, player: Any) -> RefusedCommand:
    return RefusedCommand.objects.create(
        game=played,
        player=player,
        at=LATER,
        seat=0,
        version=5,
        code="wrong-suit",
        rule="Suits must match.",
        move='{"type":"<b>"}',
    )


def test_events_show_verdicts(played: GameRecord, auditor, refused: RefusedCommand) -> None:
    text = read(signed_in(auditor), evidence(played))
    version = store.head(played.pk).version
    assert (
        f"All {version} events pass: the hash chain is intact, and each event follows from the rules." in text
    )
    assert text.count("verdict-passed") == 2 * version
    assert "1 move refused" in text


def test_event_shows_changes_transfers_and_refusals(
    played: GameRecord, auditor, refused: RefusedCommand
) -> None:
    browser = signed_in(auditor)
    text = read(browser, evidence(played, "5/"))
    assert "Changes" in text
    assert "Suits must match." in text
    assert "&lt;b&gt;" in text
    assert "Transfers" in read(browser, evidence(played, f"{store.head(played.pk).version - 1}/"))
    assert browser.get(evidence(played, "999/")).status_code == 404
    assert "wrong-suit" in read(browser, evidence(played, "refused/"))


def test_received_data_is_computed_again(played: GameRecord, auditor) -> None:
    browser = signed_in(auditor)
    for seat in ("0", "1", "-"):
        text = read(browser, evidence(played, f"5/?seat={seat}"))
        assert re.search(r"View: \d+ bytes", text)
    assert browser.get(evidence(played, "5/?seat=9")).status_code == 404
    assert browser.get(evidence(played, "5/?seat=x")).status_code == 404


def test_link_to_changed_event_warns(played: GameRecord, auditor) -> None:
    browser = signed_in(auditor)
    [event] = store.read(played.pk, after=4, until=5)
    banner = "This event has changed since the link was made."
    assert banner not in read(browser, evidence(played, f"5/?h={event.hash[:12]}"))
    assert banner in read(browser, evidence(played, "5/?h=0123456789ab"))


def test_events_link_to_their_disputes(played: GameRecord, auditor, player, opened: Opens) -> None:
    dispute = opened(played, player)
    services.pin(dispute_id=dispute.pk, actor=auditor, version=5, note="", now=LATER)
    browser = signed_in(auditor)
    text = read(browser, evidence(played))
    assert (text.count('state-quiet">pinned'), text.count('state-quiet">disputed')) == (1, 1)
    text = read(browser, evidence(played, "5/"))
    assert reverse("admin:dispute_page", args=[dispute.pk]) in text
    assert f"{reverse('admin:dispute_pin', args=[dispute.pk])}?version=5" in text


def test_running_game_needs_recorded_early_access(people, auditor, administrator, organizer) -> None:
    game = dealt("ace-race", people)
    text = read(signed_in(auditor), evidence(game))
    assert "run when the seed is revealed at the end of the game" in text
    assert EarlyAccess.objects.filter(viewer=auditor, game=game).exists()
    for who in (administrator, organizer):
        text = read(signed_in(who), evidence(game))
        assert "This is shown when the game has ended" in text
        assert "verdict-" not in text


def test_players_cannot_open_evidence_pages(played: GameRecord, player) -> None:
    assert signed_in(player).get(evidence(played)).status_code == 302
