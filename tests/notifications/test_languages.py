"""Everything that a player reads of notifications is there in each language."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.mail import EmailMessage
from rest_framework.test import APIClient

from accounts.models import Player
from ledger.money import LOCALES
from ledger.payouts.notices import ANNOUNCED
from notifications import kinds, preferences, sending, services, unsubscribing
from notifications.kinds import LANGUAGES, Channel, Kind
from notifications.services import Announcement
from tests.conftest import NOW
from tests.due_jobs import run_due
from tests.mailbox import SITE
from tests.notifications.conftest import address, browser
from webhooks.sending import Outcome
from webpush import services as webpush

SUBJECTS = {name: str(uuid4()) for name in ("game", "tournament", "challenge", "dispute", "payout")}
VALUES = {"name": "Sunday Cup", "round": 1, "place": 2, "amount": 500, "currency": "XTS", **SUBJECTS}
CLIENT = Path(__file__).resolve().parents[2] / "frontend" / "src"


def cases() -> list[tuple[Kind, dict[str, Any]]]:
    """Every kind, with the values of each of its texts."""
    decided = [{"payout_kind": kind, "state": state} for kind, state in sorted(ANNOUNCED)]
    return [
        (kind, VALUES | more)
        for kind in kinds.every()
        for more in (decided if kind.name == "payout" else [{}])
    ]


NAMES = sorted({kind.name for kind, _ in cases()})


@pytest.mark.parametrize(("kind", "values"), cases(), ids=lambda case: getattr(case, "name", ""))
def test_a_kind_has_its_own_texts_in_every_language(kind: Kind, values: dict[str, Any]) -> None:
    rendered = {(kind.label[language], *kind.render(values, language)) for language in LANGUAGES}
    assert len(rendered) == len(LANGUAGES)
    assert all(text for texts in rendered for text in texts)


def test_e_mails_and_the_page_that_ends_them_are_in_every_language() -> None:
    for texts in (sending.WORDS, unsubscribing.PAGE, LOCALES):
        assert texts.keys() == set(LANGUAGES)
    assert len({tuple(page) for page in unsubscribing.PAGE.values()}) == 1
    assert len({len(words) for words in sending.WORDS.values()}) == 1


@pytest.mark.parametrize(
    "language",
    [pytest.param(language, marks=pytest.mark.nightly if language != "pl" else ()) for language in LANGUAGES],
)
@pytest.mark.django_db
def test_page_e_mail_and_push_message_of_each_kind_are_in_the_language_of_the_player(
    language: str,
    player: Player,
    mailoutbox: list[EmailMessage],
    settings: Any,
    api: Callable[..., APIClient],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pushed: list[tuple[str, str]] = []

    def push(*, title: str, body: str, **rest: Any) -> list[Outcome]:
        pushed.append((title, body))
        return [Outcome(201, "", "", 5)]

    monkeypatch.setattr(webpush, "send", push)
    settings.EMAIL_HOST, settings.RACECARD_SITE_URL = "mail.example", SITE
    address(player)
    browser(player)
    channels = (Channel.PAGE, Channel.EMAIL, Channel.PUSH)
    wanted = {(name, channel): True for name in NAMES for channel in channels}
    preferences.change(player=player.pk, changes={"language": language}, wanted=wanted)
    for number, (kind, values) in enumerate(cases()):
        # What they are about does not exist.
        monkeypatch.setitem(kinds._kinds, kind.name, dataclasses.replace(kind, is_current=lambda *_: True))
        services.announce([Announcement(kind.name, player.pk, "test", str(number), values)], now=NOW)
    run_due(NOW)

    expected = {kind.render(values, language) for kind, values in cases()}
    assert set(pushed) == expected
    assert {
        (mail.subject.removeprefix("[Racecard] "), mail.body.split("\n")[0]) for mail in mailoutbox
    } == expected
    page = api(player).get("/api/v1/notifications/", headers={"Accept-Language": language}).json()["results"]
    assert {(line["title"], line["text"]) for line in page} == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_settings_page_names_each_kind_in_every_language(language: str) -> None:
    catalogue = (CLIENT / "i18n" / language / "notifications.ts").read_text()
    named = dict(re.findall(r'"notes\.kind\.([\w-]+)": "([^"]+)"', catalogue))
    assert set(named) == set(NAMES)
    assert len(set(named.values())) == len(NAMES)
    page = (CLIENT / "pages" / "account" / "Notifications.svelte").read_text()
    [listed] = re.findall(r"const KINDS = \[(.*)\];", page)
    assert sorted(re.findall(r'"([\w-]+)"', listed)) == sorted(NAMES)
