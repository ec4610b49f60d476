"""Test the evidence pages of a game."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from disputes import services
from disputes.staff.board import change_words
from eventstore import store
from games.evidence.naming import event_words
from games.evidence.words import Change
from games.models import EarlyAccess, GameRecord, RefusedCommand
from staff.subjects import Link
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
    assert re.search(
        r'<time datetime="([^"]+\.\d{6}Z)" title="\1">\d+ [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d</time>', text
    )
    assert not re.search(r">\d{4}-\d\d-\d\d", text)


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


@pytest.mark.parametrize("stride", [12, pytest.param(1, marks=pytest.mark.nightly)])
def test_seats_are_named_by_their_players(
    played: GameRecord, auditor, refused: RefusedCommand, stride: int
) -> None:
    browser = signed_in(auditor)
    text = read(browser, evidence(played))
    assert "eat 0" not in text
    assert "ann sits down." in text
    assert re.search(r"winners (ann|bob)", text)
    assert re.search(r"hands ann \d+, bob \d+", text)
    last = store.head(played.pk).version
    for version in {*range(1, last + 1, stride), last}:
        text = re.sub(r"(?s)<pre.*?</pre>", "", read(browser, evidence(played, f"{version}/?seat=0")))
        assert "eat 0" not in text
        assert re.search(r'aria-current="true">ann</a>', text), "the recipient of seat 0"
    assert ", seat 1</td>" in read(browser, evidence(played, "refused/"))


PEOPLE = {0: "ann"}


SENTENCES: list[tuple[str, str, str | None]] = [
    ("move", "Seat 0 gives 3H to seat 1.", "ann gives 3♥ to seat 2."),
    ("expired", "The server plays for seat 1, past its limit: draws.", None),
    ("move", "Seat 0 gives ?? to seat 1.", "ann gives a sealed card to seat 2."),
    ("move", "Seat 0 draws ?? ??.", "ann draws 2 sealed cards."),
    ("left", "Seat 0 is left again.", "Seat 1 is left again."),
    ("voided", "The game is called off: seat 1 was away.", "The game is called off: seat 1 was away."),
    (
        "finished",
        "The game is over: winners 0 1, scores -3 12.",
        "The game is over: winners ann, seat 2, scores ann -3, seat 2 12.",
    ),
    (
        "move",
        "Seat 0 moves 6H.0 from work 0 to foundation 2.",
        "ann moves 6♥ from work pile 1 to foundation 3.",
    ),
    (
        "move",
        "Seat 0 moves AH.0 from demon to foundation 9, a new one; TC.0 fills the empty pile.",
        "ann moves A♥ from the demon to foundation 10, a new one; 10♣ fills the empty pile.",
    ),
    (
        "play",
        "Seat 0 plays QC.a from kings 0 to twos 2.",
        "ann plays Q♣ from pile 1 of the kings to pile 3 of the twos.",
    ),
    ("play", "Seat 0 plays AS.b from waste to aces.", "ann plays A♠ from the waste to the aces."),
    (
        "move",
        "Seat 0 moves 2H from foundation H to column 0.",
        "ann moves 2♥ from the foundation of hearts to column 1.",
    ),
    (
        "move",
        "Seat 0 moves 2H from waste to foundation.",
        "ann moves 2♥ from the waste to the foundation.",
    ),
    ("seated", "Player 7 sits down in seat 0.", "joan sits down."),
]
CHANGES: list[tuple[str, Any, Any, str]] = [
    ("table/to_act", 0, 1, "To act: ann → seat 2"),
    ("table/hands/0", ["3H"], [], "Hands ann: loses 3♥"),
    ("table/tableau/0", ["3H"], [], "Tableau 1: loses 3♥"),
    ("table/seats/0/work/1", ["3H.0"], [], "Seats ann work pile 2: loses 3♥"),
    ("table/twos/0", ["2C.a"], ["2C.a", "3H.b"], "Pile of the twos 1: gains 3♥"),
    ("table/last", None, {"seat": 1, "cards": ["3H"]}, "Last: none → seat 2, cards 3♥"),
    ("seats", [0], [0, 1], "Seats: ann → ann, seat 2"),
    (
        "outcome",
        None,
        {"winners": [1], "places": [[1], [0]]},
        "Outcome: none → winners seat 2, places seat 2, ann",
    ),
]


def test_seats_are_named_in_sentences_and_changes() -> None:
    """The present player of a seat is not named for what an earlier one did, and a person's text is not changed."""
    for type, text, words in SENTENCES:
        event: Any = {"type": type, "data": {"seat": 0, "player": "7"}}
        found = event_words(event, text, PEOPLE, {"player:7": Link("joan")})
        assert found == (words or text.replace("seat 1", "seat 2"))
    for path, before, after, words in CHANGES:
        steps = tuple(int(step) if step.isdecimal() else step for step in path.split("/"))
        assert change_words(Change(steps, before, after).document(), PEOPLE) == words


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
    assert signed_in(people[0]).get(evidence(game)).status_code == 302
