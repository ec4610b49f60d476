"""Messages leave once by each channel that the player wants, and not to those who may not get them."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connections

from accounts import services as accounts
from accounts.models import Player
from eventstore import store
from jobs import services as jobs
from jobs.models import Job
from notifications import follower, preferences, sending, services
from notifications.kinds import Channel
from notifications.models import Delivery, Notification, Outcome, Preference, Progress
from tests.concurrency import at_once
from tests.conftest import NOW
from tests.due_jobs import run_due
from tests.games.tables import dealt
from tests.installation import until
from tests.mailbox import SITE, Mailbox, text
from tests.notifications.conftest import address, allowed, announce, announcement, browser
from tests.waiting import wait_until_final
from tests.webhooks.servers import Receiver
from tools.services import free_port
from webhooks import services as webhooks
from webhooks import tasks as webhook_tasks
from webhooks.sending import Outcome as Answer

pytestmark = pytest.mark.django_db


def outcomes() -> dict[str, str]:
    return dict(Delivery.objects.values_list("channel", "outcome"))


@pytest.fixture
def hooked(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    receiver = Receiver(Answer(204, "", "", 5))
    monkeypatch.setattr(webhook_tasks, "transport", receiver)
    return receiver


def hook(player: Player) -> str:
    return webhooks.register_personal(owner=player.pk, url="https://hooks.example.org/in", now=NOW)[1]


# --- the channels --------------------------------------------------------------------------------------


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_notification_leaves_once_by_every_channel(
    mailbox: Mailbox, pushed: Receiver, hooked: Receiver, player: Player
) -> None:
    to, secret = address(player), hook(player)
    browser(player)
    assert announce(player) == 1
    assert announce(player) == 0
    run_due(NOW)
    run_due(NOW + timedelta(days=1))
    assert outcomes() == {"email": "sent", "push": "sent", "webhook": "sent"}
    mail = mailbox.take(to)
    assert mail["Subject"] == "[Racecard] Test of one"
    assert text(mail).splitlines()[:3] == ["Something has happened.", "", f"{SITE}/games/one/"]
    assert mail["Auto-Submitted"] == "auto-generated"
    assert len(pushed.got) == 1
    [(_, headers, body)] = hooked.got
    data = json.loads(body)
    row = Notification.objects.get()
    assert data["type"] == "notification.test"
    assert data["data"] == {
        "notification": str(row.pk),
        "title": "Test of one",
        "text": "Something has happened.",
        "link": f"{SITE}/games/one/",
        "values": {"name": "one"},
        "created_at": "2026-03-01T12:00:00Z",
    }
    key = bytes(webhooks.personal_hook(player.pk).secret)  # type: ignore[union-attr]
    signed = webhooks.sign(
        key, id=headers["webhook-id"], timestamp=int(headers["webhook-timestamp"]), body=body
    )
    assert headers["webhook-signature"] == signed
    assert webhooks.secret_text(key) == secret


def test_only_verified_addresses_of_members_get_mail(
    mailbox: Mailbox, pushed: Receiver, player: Player
) -> None:
    address(player, verified=False)
    guest = accounts.create_guest(now=NOW)
    address(guest)
    browser(guest)
    bot = accounts.create_bot(name="one")
    assert [announce(who) for who in (player, guest, bot)] == [1, 1, 0]
    run_due(NOW)
    assert not Delivery.objects.exists()
    assert mailbox.messages == pushed.got == []


def test_without_a_mail_server_nothing_waits_for_one(player: Player) -> None:
    address(player)
    announce(player)
    assert not Delivery.objects.exists()


def test_the_language_is_the_one_that_the_player_has_chosen(mailbox: Mailbox, player: Player) -> None:
    to = address(player)
    preferences.change(player=player.pk, changes={"language": "de"}, wanted={})
    announce(player)
    run_due(NOW)
    mail = mailbox.take(to)
    assert mail["Subject"] == "[Racecard] Probe von one"
    assert "E-Mails dieser Art abbestellen" in text(mail)


def test_a_title_stays_in_its_header(mailbox: Mailbox, player: Player) -> None:
    to = address(player)
    announce(player, name="one\r\nBcc: eve@club.example")
    run_due(NOW)
    mail = mailbox.take(to)
    assert mail["Bcc"] is None
    assert "Test of one Bcc: eve@club.example" in mail["Subject"].replace("\n", "")


# --- who may get it ------------------------------------------------------------------------------------


def _suspended(player: Player) -> None:
    accounts.suspend(player=player, reason="cheating")


def _hidden(player: Player) -> None:
    allowed[str(player.pk)] = False


def _unwanted(player: Player) -> None:
    for channel in Channel:
        Preference.objects.create(player=player, kind="test", channel=channel, wanted=False)


@pytest.mark.parametrize("ends", [_suspended, _hidden, _unwanted], ids=lambda one: one.__name__.strip("_"))
def test_nothing_is_sent_that_is_no_longer_allowed_or_wanted(
    mailbox: Mailbox, pushed: Receiver, hooked: Receiver, player: Player, ends: Callable[[Player], None]
) -> None:
    address(player)
    browser(player)
    hook(player)
    announce(player)
    ends(player)
    run_due(NOW)
    assert outcomes() == dict.fromkeys(("email", "push", "webhook"), "dropped")
    assert mailbox.messages == pushed.got == hooked.got == []


def test_an_erased_player_keeps_nothing_and_gets_nothing(
    mailbox: Mailbox, pushed: Receiver, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "AT_ONCE", 2)
    address(player)
    browser(player)
    _unwanted_kind(player)
    for number in range(5):
        announce(player, number, now=NOW + timedelta(minutes=number // 3))
    exported = accounts.export_player(player=player)["notifications"]
    assert [one["title"] for one in exported["received"]] == ["Test of one"] * 5
    assert exported["preferences"] == [{"kind": "turn", "channel": "push", "wanted": False}]
    accounts.erase_player(player=player, now=NOW)
    run_due(NOW)
    for model in (Notification, Delivery, Preference):
        assert not model._default_manager.exists()
    assert mailbox.messages == pushed.got == []
    assert announce(player) == 0


def _unwanted_kind(player: Player) -> None:
    Preference.objects.create(player=player, kind="turn", channel="push", wanted=False)


# --- at most once --------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_workers_send_once(mailbox: Mailbox, pushed: Receiver, player: Player) -> None:
    address(player)
    browser(player)
    announce(player)
    for delivery in Delivery.objects.all():
        at_once(*[lambda: sending.send(delivery_id=delivery.pk, now=NOW)] * 3)  # noqa: B023
    assert (len(mailbox.messages), len(pushed.got)) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_two_followers_announce_once(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    follower.start()
    made = [(None, lambda events, now: [announcement(player, event.version) for event in events])]
    monkeypatch.setattr(follower, "_event_handlers", made)
    game = dealt("vegas-solitaire", [player], now=NOW)
    wait_until_final()
    at_once(*[lambda: follower.follow(now=NOW)] * 3)
    assert Notification.objects.count() == len(game_versions(game.pk))
    Progress.objects.filter(source="events").update(epoch=-1, xact=-1, position=-1)  # all of it again
    follower.follow(now=NOW)
    assert Notification.objects.count() == len(game_versions(game.pk))


def _follow_and_hang(reached: Any) -> None:
    """Follow, and hang after the notifications are written, before their transaction commits."""
    connections.close_all()

    def hang(*args: Any, **kwargs: Any) -> Any:
        reached.set()
        threading.Event().wait()

    Progress.objects.filter = hang  # type: ignore[method-assign]
    follower.follow(now=NOW)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_follower_that_is_killed_announces_nothing_and_the_next_one_everything(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower.start()
    made = [(None, lambda events, now: [announcement(player, event.version) for event in events])]
    monkeypatch.setattr(follower, "_event_handlers", made)
    game = dealt("vegas-solitaire", [player], now=NOW)
    wait_until_final()
    connections.close_all()
    context = multiprocessing.get_context("fork")
    reached = context.Event()
    process = context.Process(target=_follow_and_hang, args=(reached,))
    process.start()
    assert reached.wait(60)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert not Notification.objects.exists()
    follower.follow(now=NOW)
    assert Notification.objects.count() == len(game_versions(game.pk))


def game_versions(game: Any) -> list[int]:
    return [event.version for event in store.read(game)]


def _send_and_hang(delivery: int, port: int) -> None:
    """Send an e-mail to a server that never answers the message."""
    connections.close_all()
    django_settings.EMAIL_PORT = port
    sending.send(delivery_id=delivery, now=NOW)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_killed_while_it_sends_loses_the_message_and_never_doubles_it(
    mailbox: Mailbox, player: Player, settings: Any
) -> None:
    address(player)
    announce(player)
    delivery = Delivery.objects.get()
    hanging = HangingMailServer()
    connections.close_all()
    process = multiprocessing.get_context("fork").Process(
        target=_send_and_hang, args=(delivery.pk, hanging.port)
    )
    process.start()
    until(hanging.has_message.is_set, "the message is sent")
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    hanging.close()
    assert Delivery.objects.get().claimed_at == NOW
    run_due(NOW + timedelta(minutes=10))
    assert mailbox.messages == []
    services.prune(now=NOW + timedelta(hours=2))
    ended = Delivery.objects.get()
    assert (ended.outcome, ended.error) == ("failed", "the worker ended while it was sending")


class HangingMailServer:
    """Takes a message and never answers it."""

    def __init__(self) -> None:
        self.has_message = threading.Event()
        self._server = socket.create_server(("127.0.0.1", free_port()))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self._server.accept()
        with connection, connection.makefile("rwb") as stream:
            stream.write(b"220 hello\r\n")
            stream.flush()
            for line in stream:
                if line == b".\r\n":
                    self.has_message.set()
                elif not self._answers(line, stream):
                    continue
                stream.flush()

    def _answers(self, line: bytes, stream: Any) -> bool:
        word = line.split(b" ")[0].strip().upper()
        answers = {
            b"EHLO": b"250 hello\r\n",
            b"MAIL": b"250 OK\r\n",
            b"RCPT": b"250 OK\r\n",
            b"DATA": b"354 go\r\n",
        }
        if word not in answers:
            return False
        stream.write(answers[word])
        return True

    def close(self) -> None:
        self._server.close()


# --- failures ------------------------------------------------------------------------------------------


def test_a_mail_server_that_is_not_reached_is_tried_again_and_then_given_up(
    mailbox: Mailbox, player: Player, settings: Any
) -> None:
    to, port = address(player), settings.EMAIL_PORT
    announce(player)
    settings.EMAIL_PORT = free_port()
    run_due(NOW)
    assert (Delivery.objects.get().tries, Job.objects.get().due) == (1, NOW + timedelta(minutes=1))
    settings.EMAIL_PORT = port
    run_due(NOW + timedelta(minutes=1))
    assert mailbox.take(to)["Subject"] == "[Racecard] Test of one"
    announce(player, 2)
    settings.EMAIL_PORT = free_port()
    for _ in range(len(sending.PAUSES) + 1):
        run_due(NOW + timedelta(days=1))
        Job.objects.open().update(due=NOW + timedelta(days=1))
    failed = Delivery.objects.get(notification__occurrence="2")
    assert (failed.outcome, failed.claimed_at) == (Outcome.FAILED, None)
    assert not Job.objects.open().exists()


def test_a_message_that_the_server_refuses_has_failed(mailbox: Mailbox, player: Player) -> None:
    address(player)

    async def refuse(server: Any, session: Any, envelope: Any) -> str:
        return "554 no thanks"

    mailbox.handle_DATA = refuse  # type: ignore[method-assign]
    announce(player)
    run_due(NOW)
    failed = Delivery.objects.get()
    assert failed.outcome == "failed"
    assert "no thanks" in failed.error


def test_a_push_message_that_no_service_takes_has_failed(pushed: Receiver, player: Player) -> None:
    browser(player)
    pushed.answers.append(Answer(None, "TimeoutError: timed out", "", 5))
    announce(player)
    run_due(NOW)
    assert (outcomes(), Delivery.objects.get().error) == ({"push": "failed"}, "TimeoutError: timed out")


def test_a_slow_mail_server_holds_up_two_workers_at_most(mailbox: Mailbox, player: Player) -> None:
    address(player)
    for number in range(4):
        announce(player, number)
    claimed = [id for claim in jobs.claim(now=NOW) for id in claim.job_ids]
    assert len(claimed) == 2


# --- retention -----------------------------------------------------------------------------------------


def test_old_notifications_are_deleted_in_parts(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "AT_ONCE", 2)
    services.announce([announcement(player, number) for number in range(5)], now=NOW)
    announce(player, 9, now=NOW + timedelta(days=1))
    assert services.prune(now=NOW + timedelta(days=90, seconds=1)) == 5
    assert Notification.objects.get().occurrence == "9"
