"""Notifications in the browser: the bell, the list, the settings, and push messages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import NARROW, Opener, Site, Watched, scrolls_sideways, violations
from tests.installation import until

ANNOUNCE = """
import django; django.setup()
import sys, json
from uuid import uuid4
from django.utils import timezone
from accounts.models import Player
from notifications.services import Announcement, announce
from datetime import timedelta
name, first, last = sys.argv[-3:]
player = Player.objects.get(username=name)
for number in range(int(first), int(last) + 1):
    game = str(uuid4())
    kind, values = "turn", {"game": game, "name": f"Ace Race {number}"}
    if number % 3 == 0:
        kind, values = "round", {"tournament": game, "name": f"Sunday Cup {number}", "round": 1}
    at = timezone.now() - timedelta(minutes=1000 - number)
    announce([Announcement(kind, player.pk, f"test:{number}", "1", values)], now=at)
"""


def announce(site: Site, name: str, first: int, last: int) -> None:
    """Notifications of a player with these numbers."""
    site.installed.run("-c", ANNOUNCE, name, str(first), str(last))


def bell(page: Page, text: str) -> None:
    expect(page.get_by_role("banner").get_by_role("link", name=text, exact=True)).to_be_visible()


def test_the_bell_counts_and_the_list_is_read(site: Site, open_page: Opener, watched: Watched) -> None:
    watched.expect("404")  # the games of the notifications do not exist
    site.newcomer("listener")
    page = open_page("/notifications/", user="listener", viewport=NARROW)
    bell(page, "Notifications")
    assert not page.title().startswith("(")
    expect(page.get_by_text("No notifications yet")).to_be_visible()
    announce(site, "listener", 1, 2)
    bell(page, "Notifications: 2 unread")  # by the stream of what waits
    lines = page.get_by_role("main").get_by_role("listitem")
    expect(lines).to_have_count(2)
    expect(page).to_have_title("(2) Notifications · Racecard")
    expect(lines.first).to_contain_text("Your turn: Ace Race 2, unread")
    lines.first.get_by_role("link").click()
    page.wait_for_url("**/games/**")
    bell(page, "Notifications: 1 unread")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.go_back()
    expect(lines.first).not_to_contain_text("unread")
    expect(lines.nth(1)).to_contain_text("unread")
    page.get_by_role("button", name="Mark all as read").click()
    bell(page, "Notifications")
    expect(lines.filter(has_text="unread")).to_have_count(0)
    expect(page.get_by_role("button", name="Mark all as read")).to_have_count(0)
    expect(page).to_have_title("Notifications · Racecard")


@pytest.mark.nightly
@pytest.mark.both_databases
def test_more_than_a_page_of_notifications(site: Site, open_page: Opener) -> None:
    site.newcomer("busy")
    announce(site, "busy", 1, 120)
    page = open_page("/notifications/", user="busy", viewport=NARROW)
    bell(page, "Notifications: 99+ unread")
    expect(page.get_by_role("banner").get_by_text("99+")).to_be_visible()
    lines = page.get_by_role("main").get_by_role("listitem")
    expect(lines).to_have_count(50)
    expect(lines.first).to_contain_text("Round 1 of Sunday Cup 120")
    assert violations(page, "best-practice") == []
    assert not scrolls_sideways(page)
    for count in (100, 120):
        page.get_by_role("button", name="Load more").click()
        expect(lines).to_have_count(count)
    expect(page.get_by_role("button", name="Load more")).to_have_count(0)
    page.get_by_role("combobox", name="Language").select_option("Deutsch")
    expect(lines.first).to_contain_text("Runde 1 von Sunday Cup 120")


def test_a_setting_chosen_while_another_is_being_saved_is_saved_too(site: Site, open_page: Opener) -> None:
    site.newcomer("chooser")
    page = open_page("/account/notifications/", user="chooser", viewport=NARROW, intercepted=True)
    box = page.get_by_role("checkbox", name="A round opens, On this site")
    expect(box).to_be_checked()
    box.click()
    expect(box).not_to_be_checked()
    expect(box).to_be_enabled()
    times = page.get_by_role("region", name="Quiet hours")
    expect(times.get_by_label("From")).to_have_count(0)
    times.get_by_label("Keep quiet hours").check()
    times.get_by_label("From").fill("21:30")
    times.get_by_label("Until").fill("07:15")
    times.get_by_label("Time zone").select_option("Europe/Berlin")
    texts = page.get_by_role("region", name="Language of messages")
    held: list[Route] = []
    page.route("**/notifications/preferences/", lambda route: held.append(route), times=1)
    times.get_by_role("button", name="Save").click()
    until(lambda: held or page.wait_for_timeout(20), "the times are sent")
    texts.get_by_label("Language of e-mails").select_option("Deutsch")
    with page.expect_response(lambda answer: '"language":"de"' in (answer.request.post_data or "")):
        held[0].continue_()
    expect(page.get_by_text("Saved.")).to_have_count(2)
    page.reload()
    expect(box).not_to_be_checked()
    expect(times.get_by_label("From")).to_have_value("21:30")
    expect(times.get_by_label("Until")).to_have_value("07:15")
    expect(times.get_by_label("Time zone")).to_have_value("Europe/Berlin")
    expect(texts.get_by_label("Language of e-mails")).to_have_value("de")


# --- push messages ---

NO_PUSH_SERVICE = """
// Chromium reaches no push service here. Its subscription is one whose keys are valid.
const KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
const made = () => ({
  endpoint: "https://push.example/one",
  toJSON: () => ({ endpoint: "https://push.example/one", keys: { p256dh: KEY, auth: "BTBZMqHH6r4Tts7J_aSIgg" } }),
  unsubscribe: async () => (localStorage.removeItem("subscribed"), true),
});
// It allows no notifications either, whatever its context permits.
Object.defineProperty(Notification, "permission", { get: () => "granted" });
PushManager.prototype.subscribe = async () => (localStorage.setItem("subscribed", "1"), made());
PushManager.prototype.getSubscription = async () => (localStorage.getItem("subscribed") ? made() : null);
"""


STANDING_IN = """
// What Chromium does only with its user's permission, and after a press by the user.
self.shown = [], self.opened = [], self.focused = [], self.closed = 0;
self.registration.showNotification = async (...given) => void shown.push(given);
self.clients.openWindow = async (address) => void opened.push(address);
WindowClient.prototype.focus = async function () { focused.push(this.url); };
self.click = async (link) => {
  const work = [];
  const notification = { close: () => (closed += 1), data: { link } };
  const waitUntil = (one) => work.push(one);
  self.dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil }));
  await Promise.all(work);
};
null
"""


def test_a_browser_is_turned_on_and_off_and_shows_messages(site: Site, open_page: Opener) -> None:
    local = site.address.replace("127.0.0.1", "localhost")
    site.newcomer("reachable")
    page = open_page("/sign-in/", user="reachable", address=local)
    page.context.add_init_script(NO_PUSH_SERVICE)
    page.goto(f"{local}/account/notifications/")
    push = page.get_by_role("region", name="Push messages")
    push.get_by_role("button", name="Turn on in this browser").click()
    expect(push.get_by_text("this browser")).to_be_visible()
    expect(page.get_by_text("Push: no browser is set up.")).to_have_count(0)
    assert violations(page, "best-practice") == []

    protocol = page.context.new_cdp_session(page)
    registrations: list[dict[str, Any]] = []
    protocol.on(
        "ServiceWorker.workerRegistrationUpdated", lambda event: registrations.extend(event["registrations"])
    )
    protocol.send("ServiceWorker.enable")

    def reported() -> list[dict[str, Any]]:
        page.evaluate("() => null")  # events are received while a call waits
        return [one for one in registrations if one["scopeURL"] == f"{local}/static/"]

    registration = until(reported, "the registration of the service worker is reported")[-1]

    def deliver(**message: str) -> None:
        given = {"registrationId": registration["registrationId"], "data": json.dumps(message)}
        protocol.send("ServiceWorker.deliverPushMessage", {"origin": local, **given})

    [worker] = until(lambda: page.evaluate("() => null") or page.context.service_workers, "the worker runs")
    worker.evaluate(STANDING_IN)
    announce(site, "reachable", 1, 1)
    text = {"title": "Your turn: Ace Race", "body": "The table waits for your move."}
    deliver(**text, link="/tournaments/", tag="turn:1")
    until(lambda: worker.evaluate("shown.length"), "the message is shown")
    bell(page, "Notifications: 1 unread")
    assert worker.evaluate("shown") == [
        [
            text["title"],
            {
                "body": text["body"],
                "tag": "turn:1",
                "icon": "/static/icon.svg",
                "data": {"link": "/tournaments/"},
            },
        ]
    ]
    worker.evaluate("click('/tournaments/')")
    assert worker.evaluate("opened") == [f"{local}/tournaments/"]
    worker.evaluate("click('https://evil.example/')")
    assert worker.evaluate("opened.length") == 1
    worker.evaluate("click('/account/notifications/')")
    assert worker.evaluate("focused") == [f"{local}/account/notifications/"]
    assert worker.evaluate("[opened.length, closed]") == [1, 3]

    push.get_by_role("button", name="Remove").click()
    expect(push.get_by_role("button", name="Turn on in this browser")).to_be_visible()
    expect(push.get_by_role("listitem")).to_have_count(0)
    assert page.evaluate("localStorage.getItem('subscribed')") is None


@pytest.mark.nightly
def test_a_browser_that_allows_no_messages_is_told_how(site: Site, open_page: Opener) -> None:
    local = site.address.replace("127.0.0.1", "localhost")
    site.newcomer("unreachable")
    page = open_page("/sign-in/", user="unreachable", address=local)
    page.context.add_init_script("Object.defineProperty(Notification, 'permission', { get: () => 'denied' })")
    page.goto(f"{local}/account/notifications/")
    push = page.get_by_role("region", name="Push messages")
    expect(push.get_by_text("This browser does not allow this site to send messages.")).to_be_visible()
    expect(push.get_by_role("button")).to_have_count(0)
