"""Deliveries: stored with their message, sent at least once under one id, retried within bounds, then given up."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from accounts.models import Player
from accounts.services import erase_player, reinstate, suspend
from jobs import services as jobs
from jobs.models import Job
from tests.due_jobs import run_due
from tests.webhooks.servers import Receiver, serving
from webhooks import services, tasks
from webhooks.models import Attempt, Delivery, Hook, State
from webhooks.sending import Outcome, Transport
from webhooks.services import BadTarget, HookDisabled, NotDisabled, StillWaiting, TooManyHooks

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://hooks.example.org/in"
OK = Outcome(204, "", "", 5)
TROUBLE = Outcome(500, "", "out of order", 7)
SILENCE = Outcome(None, "TimeoutError: timed out", "", 10_000)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    made = Receiver(OK)
    monkeypatch.setattr(tasks, "transport", made)
    return made


@pytest.fixture
def hook(player: Player) -> Hook:
    return services.register(owner=player.pk, url=URL, now=NOW)[0]


def announce(hook: Hook, position: int = 1, *, subject: str = "thing:1", now: datetime = NOW) -> Delivery:
    services.announce(
        owner=hook.owner_id,
        subject=subject,
        position=position,
        type="thing.done",
        data={"n": position},
        now=now,
    )
    return Delivery.objects.get(hook=hook, subject=subject, position=position)


def ran_out(now: datetime = NOW) -> datetime:
    """Let all the attempts be made; when the last one was."""
    while (job := Job.objects.open().filter(kind=services.DELIVER).order_by("due").first()) is not None:
        now = max(now, job.due)
        run_due(now)
    return now


def test_an_announcement_is_sent_and_signed(receiver: Receiver, player: Player) -> None:
    hook, secret = services.register(owner=player.pk, url=URL, now=NOW)
    delivery = announce(hook)
    run_due(NOW)
    [(url, headers, body)] = receiver.got
    assert url == URL
    assert json.loads(body) == {"type": "thing.done", "timestamp": "2026-03-01T12:00:00Z", "data": {"n": 1}}
    assert headers["webhook-id"] == str(delivery.pk)
    assert headers["webhook-timestamp"] == str(int(NOW.timestamp()))
    key = bytes(hook.secret)
    assert services.secret_text(key) == secret
    assert headers["webhook-signature"] == services.sign(
        key, id=str(delivery.pk), timestamp=int(NOW.timestamp()), body=body
    )
    delivery.refresh_from_db()
    assert (delivery.state, delivery.ended_at) == (State.DELIVERED, NOW)
    assert [(one.number, one.status, one.error) for one in delivery.attempts.all()] == [(1, 204, "")]


@pytest.mark.both_databases
def test_slow_servers_hold_up_one_worker_at_most(player: Player, hook: Hook) -> None:
    services.register(owner=player.pk, url=URL, now=NOW)
    announce(hook)
    announce(hook, 2)
    assert [claim.kind for claim in jobs.claim(now=NOW)] == [services.DELIVER]
    assert jobs.claim(now=NOW) == []


def test_a_rolled_back_announcement_is_not_sent(receiver: Receiver, hook: Hook) -> None:
    with transaction.atomic():
        announce(hook)
        transaction.set_rollback(True)
    run_due(NOW)
    assert receiver.got == []
    assert not Delivery.objects.exists()


def test_nothing_is_sent_for_a_suspended_account_until_it_is_reinstated(
    receiver: Receiver, player: Player, hook: Hook
) -> None:
    delivery = announce(hook)
    suspend(player=player, reason="cheating")
    run_due(NOW)
    assert receiver.got == []
    assert [one.error for one in delivery.attempts.all()] == ["the account is suspended"]
    reinstate(player=player)
    run_due(NOW + services.PAUSES[0])
    assert len(receiver.got) == 1


def test_the_same_event_is_one_delivery(receiver: Receiver, hook: Hook) -> None:
    assert announce(hook) == announce(hook)
    run_due(NOW)
    assert len(receiver.got) == 1


def test_a_webhook_for_one_subject_gets_no_other(receiver: Receiver, player: Player) -> None:
    services.register(owner=player.pk, url=URL, subject="thing:2", now=NOW)
    services.announce(owner=player.pk, subject="thing:1", position=1, type="x", data={}, now=NOW)
    services.announce(owner=player.pk, subject="thing:2", position=1, type="x", data={}, now=NOW)
    assert [one.subject for one in Delivery.objects.all()] == ["thing:2"]


def test_messages_go_to_their_owner_only(rival: Player, hook: Hook) -> None:
    services.announce(owner=rival.pk, subject="thing:1", position=1, type="x", data={}, now=NOW)
    assert not Delivery.objects.exists()


def test_a_failure_is_tried_again_under_the_same_id(receiver: Receiver, hook: Hook) -> None:
    receiver.answers.extend([TROUBLE, SILENCE])
    delivery = announce(hook)
    run_due(NOW)
    run_due(NOW + timedelta(seconds=4))
    assert len(receiver.got) == 1
    run_due(NOW + timedelta(seconds=5))
    run_due(NOW + timedelta(seconds=65))
    assert {headers["webhook-id"] for _, headers, _ in receiver.got} == {str(delivery.pk)}
    assert len({body for *_, body in receiver.got}) == 1
    assert [int(headers["webhook-timestamp"]) - int(NOW.timestamp()) for _, headers, _ in receiver.got] == [
        0,
        5,
        65,
    ]
    result = [(one.number, one.status, one.error, one.answer) for one in delivery.attempts.all()]
    assert result == [
        (1, 500, "", "out of order"),
        (2, None, "TimeoutError: timed out", ""),
        (3, 204, "", ""),
    ]


def test_after_the_last_attempt_the_hook_is_disabled_and_says_why(receiver: Receiver, hook: Hook) -> None:
    receiver.answers.extend([TROUBLE] * 20)
    delivery = announce(hook)
    last = ran_out()
    assert last == NOW + sum(services.PAUSES, timedelta())
    assert len(receiver.got) == len(services.PAUSES) + 1 == 9
    hook.refresh_from_db()
    assert (hook.disabled_at, hook.disabled_why) == (
        last,
        "thing.done could not be delivered in 9 attempts; the last: answered 500",
    )
    delivery.refresh_from_db()
    assert (delivery.state, delivery.ended_at) == (State.FAILED, last)


def test_gone_is_gone_at_once(receiver: Receiver, hook: Hook) -> None:
    receiver.answers.append(Outcome(410, "", "", 1))
    announce(hook)
    ran_out()
    hook.refresh_from_db()
    assert hook.disabled_why == "answered 410: it wants nothing more"
    assert len(receiver.got) == 1


def test_what_happens_while_it_is_disabled_waits_and_is_sent_when_it_is_enabled(
    receiver: Receiver, hook: Hook
) -> None:
    receiver.answers.append(Outcome(410, "", "", 1))
    announce(hook, 1)
    run_due(NOW)
    announce(hook, 2)
    run_due(NOW)
    assert len(receiver.got) == 1
    services.enable(hook_id=hook.pk, now=NOW)
    run_due(NOW)
    assert [json.loads(body)["data"]["n"] for *_, body in receiver.got] == [1, 2]
    with pytest.raises(NotDisabled):
        services.enable(hook_id=hook.pk, now=NOW)


def test_what_waits_for_its_next_attempt_when_the_hook_is_disabled_is_sent_once_enabled(
    receiver: Receiver, hook: Hook
) -> None:
    receiver.answers.extend([TROUBLE, Outcome(410, "", "", 1)])
    announce(hook, 1)
    run_due(NOW)
    announce(hook, 2)
    run_due(NOW)
    ran_out()
    services.enable(hook_id=hook.pk, now=NOW)
    ran_out()
    assert [json.loads(body)["data"]["n"] for *_, body in receiver.got] == [1, 2, 1]


def test_a_webhook_enabled_while_its_job_runs_is_not_forgotten(
    receiver: Receiver, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job finds it disabled, and enabled again when it writes down that there was nothing to be sent."""
    Hook.objects.update(disabled_at=NOW, disabled_why="a test")
    delivery = announce(hook)
    assert services.send(delivery_id=delivery.pk, round=1, transport=receiver, now=NOW) is None
    Hook.objects.update(disabled_at=None, disabled_why="")
    assert services.attempted(delivery_id=delivery.pk, round=1, outcome=None, now=NOW) == NOW


@pytest.mark.both_databases
def test_a_worker_that_dies_after_sending_sends_again_under_the_same_id(
    receiver: Receiver, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(**_: Any) -> None:
        raise Killed

    delivery = announce(hook)
    with monkeypatch.context() as dying:
        dying.setattr(services, "attempted", killed)
        with pytest.raises(Killed):
            run_due(NOW)
    assert len(receiver.got) == 1
    assert not Attempt.objects.exists()
    # Its lease has run out; another worker takes the job.
    later = NOW + timedelta(seconds=61)
    run_due(later)
    assert [headers["webhook-id"] for _, headers, _ in receiver.got] == [str(delivery.pk)] * 2
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts.count()) == (State.DELIVERED, 1)
    run_due(later + timedelta(days=1))
    assert len(receiver.got) == 2


class Killed(BaseException):
    """Stands for SIGKILL: nothing in the program may catch it."""


def test_a_worker_that_is_lost_each_time_ends_in_a_disabled_hook(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deadly(Transport):
        def send(self, url: str, *, headers: Any, body: bytes) -> Outcome:
            raise Killed

    monkeypatch.setattr(tasks, "transport", Deadly())
    delivery, now = announce(hook), NOW
    for _ in range(10):
        [claim] = jobs.claim(now=now)
        with pytest.raises(Killed):
            jobs.carry_out(job_ids=claim.job_ids, now=now)
        now += timedelta(seconds=61)
    assert jobs.claim(now=now) == []
    delivery.refresh_from_db()
    hook.refresh_from_db()
    assert delivery.state == State.FAILED
    assert hook.disabled_why == "the worker was lost in each of 10 attempts"


def test_an_ended_delivery_can_be_sent_again(receiver: Receiver, hook: Hook) -> None:
    delivery = announce(hook)
    with pytest.raises(StillWaiting):
        services.redeliver(delivery_id=delivery.pk, now=NOW)
    run_due(NOW)
    services.redeliver(delivery_id=delivery.pk, now=NOW)
    run_due(NOW)
    assert [headers["webhook-id"] for _, headers, _ in receiver.got] == [str(delivery.pk)] * 2
    assert [one.number for one in delivery.attempts.all()] == [1, 2]
    Hook.objects.update(disabled_at=NOW, disabled_why="a test")
    with pytest.raises(HookDisabled):
        services.redeliver(delivery_id=delivery.pk, now=NOW)


def test_a_removed_webhook_gets_no_messages(receiver: Receiver, hook: Hook) -> None:
    announce(hook)
    services.remove(hook)
    run_due(NOW)
    assert receiver.got == []
    assert not Job.objects.open().filter(kind=services.DELIVER).exists()


def test_an_erased_user_has_no_webhooks(player: Player, administrator: Player, hook: Hook) -> None:
    announce(hook)
    erase_player(player=player, now=NOW)
    assert not Hook.objects.exists()


def test_an_account_has_so_many(player: Player, rival: Player) -> None:
    for _ in range(services.MOST_HOOKS):
        services.register(owner=player.pk, url=URL, now=NOW)
    with pytest.raises(TooManyHooks):
        services.register(owner=player.pk, url=URL, now=NOW)
    services.register(owner=rival.pk, url=URL, now=NOW)


def test_a_target_that_may_not_be_is_refused_when_it_is_registered(player: Player) -> None:
    with pytest.raises(BadTarget, match="url: https alone"):
        services.register(owner=player.pk, url="http://hooks.example.org/", now=NOW)


@pytest.mark.both_databases
def test_what_ended_long_ago_is_dropped_and_what_waits_is_not(receiver: Receiver, hook: Hook) -> None:
    announce(hook, 1)
    run_due(NOW)
    waiting = announce(hook, 2)
    assert services.prune(now=NOW + services.KEPT_FOR) == 0
    assert services.prune(now=NOW + services.KEPT_FOR + timedelta(seconds=1)) == 1
    assert list(Delivery.objects.all()) == [waiting]


def test_from_the_event_to_a_server_with_a_certificate(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([503, 204])

    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(next(answers))
        to.send_header("Content-Length", "0")
        to.end_headers()

    with serving(tmp_path, answer) as server:
        monkeypatch.setattr(tasks, "transport", server.transport())
        Hook.objects.update(url=server.url)
        delivery = announce(hook)
        run_due(NOW)
        run_due(NOW + services.PAUSES[0])
    first, second = server.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == str(delivery.pk)
    assert first.body == second.body == delivery.body.encode()
    assert [one.status for one in delivery.attempts.all()] == [503, 204]
