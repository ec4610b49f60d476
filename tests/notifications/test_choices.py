"""What players choose: kinds and channels, quiet hours, digests, and the end of e-mails without signing in."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client as Anonymous

from accounts import services as accounts
from accounts.models import Player
from jobs.models import Job
from notifications import kinds, preferences, sending, times, unsubscribing
from notifications.kinds import Channel
from notifications.models import Choices, Delivery, Notification, Preference
from tests.conftest import NOW, Client
from tests.due_jobs import run_due
from tests.mailbox import SITE, Mailbox, text
from tests.notifications.conftest import address, announce, browser
from tests.webhooks.servers import Receiver
from webhooks.models import Delivery as HookDelivery
from webhooks.models import Hook

pytestmark = pytest.mark.django_db

Api = Callable[[Player | None], Client]
HERE = "/api/v1/notifications/"
PREFERENCES, WEBHOOK = f"{HERE}preferences/", f"{HERE}webhook/"
HOOK = "https://hooks.example.org/in"


def choose(player: Player, **changes: Any) -> None:
    preferences.change(player=player.pk, changes=changes, wanted={})


# --- quiet hours and digests -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "ends"),
    [
        ("2026-07-01T19:59:59", None),
        ("2026-07-01T20:00:00", "2026-07-02T05:00:00"),
        ("2026-07-02T04:59:59", "2026-07-02T05:00:00"),
        ("2026-07-02T05:00:00", None),
        ("2026-10-24T21:00:00", "2026-10-25T06:00:00"),  # the clock is set back in this night
    ],
)
def test_quiet_hours_are_those_of_the_players_time_zone(now: str, ends: str | None) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    end = times.quiet_end(time(22), time(7), ZoneInfo("Europe/Berlin"), at)
    assert (None if end is None else end.replace(tzinfo=None).isoformat()) == ends


def test_messages_wait_until_the_quiet_hours_end_but_webhooks_do_not(
    mailbox: Mailbox, pushed: Receiver, player: Player
) -> None:
    to = address(player)
    browser(player)
    choose(player, quiet_from=time(12), quiet_until=time(13), time_zone="UTC")
    announce(player)
    assert set(Delivery.objects.values_list("due", flat=True)) == {NOW + timedelta(hours=1)}
    run_due(NOW + timedelta(minutes=59))
    assert mailbox.messages == pushed.got == []
    choose(player, quiet_until=time(14))  # while they wait
    run_due(NOW + timedelta(hours=1))
    assert mailbox.messages == pushed.got == []
    run_due(NOW + timedelta(hours=2))
    mailbox.take(to)
    assert len(pushed.got) == 1
    assert preferences.chosen(Choices.objects.get()).due(Channel.WEBHOOK, NOW) == NOW


@pytest.mark.parametrize(
    ("digest", "due"), [("hourly", NOW + timedelta(hours=1)), ("daily", NOW + timedelta(hours=19))]
)
def test_a_digest_is_one_e_mail_of_one_job(
    mailbox: Mailbox, pushed: Receiver, player: Player, digest: str, due: datetime
) -> None:
    to = address(player)
    browser(player)
    choose(player, digest=digest, time_zone="Europe/Berlin")
    for number, name in enumerate(("one", "two", "three")):
        announce(player, name=name, now=NOW + timedelta(minutes=number))
    assert Job.objects.filter(kind="notifications.digest").count() == 1
    run_due(due - timedelta(seconds=1))
    assert mailbox.messages == []
    assert len(pushed.got) == 3
    run_due(due)
    mail = mailbox.take(to)
    assert mail["Subject"] == "[Racecard] 3 notifications"
    body = text(mail)
    assert [body.index(f"Test of {name}") for name in ("one", "two", "three")] == sorted(
        body.index(f"Test of {name}") for name in ("one", "two", "three")
    )
    run_due(due + timedelta(days=2))
    assert mailbox.messages == []


def test_a_digest_of_one_is_its_e_mail_and_a_long_one_counts_the_rest(
    mailbox: Mailbox, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MOST_OF_A_DIGEST", 2)
    monkeypatch.setattr(sending, "MOST_AT_ONCE", 4)
    to = address(player)
    choose(player, digest="hourly")
    announce(player)
    run_due(NOW + timedelta(hours=1))
    assert mailbox.take(to)["Subject"] == "[Racecard] Test of one"
    for number in range(5):
        announce(player, 10 + number, now=NOW + timedelta(hours=1))
    run_due(NOW + timedelta(hours=2))
    first, second = mailbox.messages
    assert (first["Subject"], second["Subject"]) == ("[Racecard] 4 notifications", "[Racecard] Test of one")
    assert "and 2 more" in text(first)


def test_a_notification_that_commits_as_its_digest_is_sent_is_in_a_second_one(
    mailbox: Mailbox, player: Player
) -> None:
    to, due = address(player), NOW + timedelta(hours=1)
    choose(player, digest="hourly")
    announce(player)
    run_due(due)
    mailbox.take(to)
    announce(player, 2, now=due - timedelta(seconds=1))
    run_due(due + sending.STRAGGLERS)
    mailbox.take(to)
    assert not Job.objects.open().exists()


# --- the end of e-mails ----------------------------------------------------------------------------------


def link_of(mailbox: Mailbox, to: str) -> str:
    mail = mailbox.take(to)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    header = mail["List-Unsubscribe"].strip()
    assert header.startswith(f"<{SITE}/unsubscribe/")
    assert header[1:-1] in text(mail)
    return header[1:-1].removeprefix(SITE)


def mails(player: Player) -> dict[str, bool]:
    rows = Preference.objects.filter(player=player, channel="email")
    return dict(rows.values_list("kind", "wanted"))


def test_a_link_ends_the_e_mails_of_its_kind_only_after_a_post(mailbox: Mailbox, player: Player) -> None:
    announced, to = announce(player), address(player)
    assert announced == 1
    announce(player, 2)
    run_due(NOW)
    link, stranger = link_of(mailbox, to), Anonymous(enforce_csrf_checks=True)
    shown = stranger.get(link)
    assert (shown.status_code, shown["Cache-Control"].split(",")[0]) == (200, "max-age=0")
    assert b"E-mails about: A test" in shown.content
    assert b'<form method="post">' in shown.content
    assert mails(player) == {}
    done = stranger.post(link, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
    assert (done.status_code, b"are stopped" in done.content) == (200, True)
    assert stranger.post(link).status_code == 200
    assert mails(player) == {"test": False}
    announce(player, 3)
    run_due(NOW)
    assert mailbox.messages == []
    german = stranger.get(link, headers={"Accept-Language": "de"})
    assert b"E-Mails zu: Ein Test" in german.content


def test_the_link_of_a_digest_ends_all_e_mails(mailbox: Mailbox, player: Player) -> None:
    to = address(player)
    choose(player, digest="hourly")
    announce(player)
    announce(player, 2)
    run_due(NOW + timedelta(hours=1))
    Anonymous().post(link_of(mailbox, to))
    assert mails(player) == dict.fromkeys(kinds.names(), False)


def test_a_token_is_good_for_nothing_else(mailbox: Mailbox, player: Player, rival: Player, api: Api) -> None:
    link = unsubscribing.link(player.pk, "test").removeprefix(SITE)
    token = link.split("/")[2]
    changed = token[:-2] + ("aa" if not token.endswith("aa") else "bb")
    other = Anonymous()
    for wrong in (changed, "x", "a" * 5000, token.replace(":", "")):
        assert other.post(f"/unsubscribe/{wrong}/").status_code == 404
    assert other.put(link).status_code == 405
    bearer = Client(raise_request_exception=False)
    bearer.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    assert bearer.get(HERE).status_code == 401
    other.post(link)
    assert (mails(player), mails(rival)) == ({"test": False}, {})
    accounts.erase_player(player=rival, now=NOW)
    assert other.post(unsubscribing.link(rival.pk, "test").removeprefix(SITE)).status_code == 200
    assert mails(rival) == {}


# --- REST ----------------------------------------------------------------------------------------------


def test_the_list_is_paged_and_counts_what_is_unread(player: Player, rival: Player, api: Api) -> None:
    for number in range(3):
        announce(player, number, now=NOW + timedelta(minutes=number))
    announce(rival)
    client = api(player)
    page = client.get(f"{HERE}?limit=2").json()
    assert (len(page["results"]), page["unread"]) == (2, 3)
    first = page["results"][0]
    assert {name: first[name] for name in first if name != "id"} == {
        "kind": "test",
        "title": "Test of one",
        "text": "Something has happened.",
        "link": "/games/one/",
        "values": {"name": "one"},
        "created_at": "2026-03-01T12:02:00Z",
        "read_at": None,
    }
    rest = client.get(page["next"]).json()
    assert (len(rest["results"]), rest["next"]) == (1, None)
    german = client.get(HERE, headers={"Accept-Language": "de-AT,en;q=0.5"}).json()["results"][0]
    assert german["title"] == "Probe von one"
    theirs = Notification.objects.get(player=rival)
    read = client.post(f"{HERE}read/", {"ids": [first["id"], str(theirs.pk)]}, key="")
    assert (read.status_code, read.json()) == (200, {"unread": 2})
    theirs.refresh_from_db()
    assert theirs.read_at is None
    assert client.post(f"{HERE}read/", {}, key="").json() == {"unread": 0}
    assert client.get(HERE).json()["unread"] == 0


def test_an_unwanted_channel_is_not_used_and_a_kind_without_any_is_not_stored(
    mailbox: Mailbox, player: Player, api: Api
) -> None:
    to, client = address(player), api(player)
    wanted = [{"kind": "test", "page": False}]
    changed = client.patch(PREFERENCES, {"kinds": wanted}).json()
    assert {one["kind"]: one for one in changed["kinds"]}["test"] == {
        "kind": "test",
        "page": False,
        "email": True,
        "push": True,
        "webhook": True,
    }
    announce(player)
    run_due(NOW)
    mailbox.take(to)
    assert client.get(HERE).json()["results"] == []
    client.patch(PREFERENCES, {"kinds": [{"kind": "test", "email": False}]})
    assert announce(player, 2) == 0


def test_preferences_have_defaults_and_are_changed_one_by_one(player: Player, api: Api) -> None:
    client = api(player)
    shown = client.get(PREFERENCES).json()
    assert {
        name: shown[name] for name in ("language", "time_zone", "quiet_from", "quiet_until", "digest")
    } == {"language": None, "time_zone": None, "quiet_from": None, "quiet_until": None, "digest": "none"}
    assert shown["channels"] == [
        {"channel": "page", "available": True},
        *({"channel": channel, "available": False} for channel in ("email", "push", "webhook")),
    ]
    assert [one["kind"] for one in shown["kinds"]] == kinds.names()
    given = {"language": "de", "time_zone": "Europe/Berlin", "quiet_from": "22:00", "quiet_until": "07:30"}
    changed = client.patch(PREFERENCES, given)
    assert changed.status_code == 200
    assert {name: changed.json()[name] for name in given} == given
    assert client.patch(PREFERENCES, {"digest": "daily"}).json()["quiet_from"] == "22:00"
    assert (
        client.patch(PREFERENCES, {"time_zone": None, "quiet_from": None, "quiet_until": None}).status_code
        == 200
    )
    assert client.get(PREFERENCES).json()["time_zone"] is None


def test_bad_preferences_are_refused(player: Player, api: Api, subtests: pytest.Subtests) -> None:
    client = api(player)
    for given, code in (
        ({"time_zone": "Europe"}, "bad-time-zone"),
        ({"time_zone": "../etc/passwd"}, "bad-time-zone"),
        ({"time_zone": "Nowhere/At-all"}, "bad-time-zone"),
        ({"quiet_from": "22:00"}, "bad-quiet-hours"),
        ({"quiet_from": "22:00", "quiet_until": "22:00"}, "bad-quiet-hours"),
        ({"quiet_from": "24:00", "quiet_until": "07:00"}, "invalid-input"),
        ({"quiet_from": "٢٢:00", "quiet_until": "07:00"}, "invalid-input"),
        ({"language": "fr"}, "invalid-input"),
        ({"digest": "weekly"}, "invalid-input"),
        ({"kinds": [{"kind": "none", "page": True}]}, "invalid-input"),
        ({"kinds": [{"kind": "turn", "fax": True}]}, "invalid-input"),
    ):
        with subtests.test(given):
            refused = client.patch(PREFERENCES, given)
            assert (refused.status_code, refused.json()["code"]) == (400, code)
            assert not Choices.objects.exists()


def test_a_guest_reads_notifications_in_the_page_only(api: Api) -> None:
    guest = accounts.create_guest(now=NOW)
    announce(guest)
    client = Client(raise_request_exception=False)
    client.force_login(guest, backend="accounts.roles.PlayerBackend")
    assert len(client.get(HERE).json()["results"]) == 1
    assert client.get(PREFERENCES).status_code == 200
    assert client.put(WEBHOOK, {"url": HOOK}).status_code == 403


def test_a_webhook_is_set_replaced_and_removed(player: Player, organizer: Player, api: Api) -> None:
    client = api(player)
    assert client.get(WEBHOOK).json() == {"webhook": None}
    first = client.put(WEBHOOK, {"url": HOOK})
    assert (first.status_code, first["Cache-Control"]) == (200, "no-store")
    assert first.json()["secret"].startswith("whsec_")
    second = client.put(WEBHOOK, {"url": f"{HOOK}/2"}).json()
    assert second["secret"] != first.json()["secret"]
    assert client.get(WEBHOOK).json() == {"webhook": second["webhook"]}
    assert second["webhook"]["url"] == f"{HOOK}/2"
    refused = client.put(WEBHOOK, {"url": "https://127.0.0.1/in"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad-webhook-target")
    assert client.get(WEBHOOK).json()["webhook"]["url"] == f"{HOOK}/2"
    assert client.delete(WEBHOOK).status_code == 204
    assert client.get(WEBHOOK).json() == {"webhook": None}


def test_the_webhook_of_an_organizer_for_tournaments_is_another(organizer: Player, api: Api) -> None:
    client = api(organizer)
    client.put(WEBHOOK, {"url": HOOK})
    assert client.get("/api/v1/webhooks/").json() == []
    created = client.post("/api/v1/webhooks/", {"url": f"{HOOK}/all"})
    assert created.status_code == 201
    announce(organizer)
    run_due(NOW, strict=False)
    assert [one.hook.url for one in HookDelivery.objects.select_related("hook")] == [HOOK]
    accounts.set_roles(player=organizer, roles=frozenset())
    assert [one.url for one in Hook.objects.all()] == [HOOK]
