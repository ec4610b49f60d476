"""Webhook messages of a tournament: each step once, in its transaction, without secrets."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY

import pytest

from accounts.models import Player
from accounts.roles import Role
from accounts.services import set_roles
from eventstore import store
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, enter, later, play_round, rich, start, terms
from tests.tournaments.test_api import Api
from tournaments import record, services
from tournaments.record import ANNOUNCED
from tournaments.rounds import stalls
from tournaments.rounds.stalls import Trouble
from webhooks import services as webhooks
from webhooks import tasks
from webhooks.models import Delivery, Hook, State
from webhooks.sending import Outcome

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.org/in"
TROUBLE = Trouble(cause="no-seating", code="cannot-seat", reason="no table is free", round=2)


class Silent:
    """A transport that accepts every message."""

    def send(self, url: str, *, headers: Any, body: bytes) -> Outcome:
        return Outcome(204, "", "", 1)


@pytest.fixture(autouse=True)
def nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "transport", Silent())


@pytest.fixture
def hook(organizer: Player) -> Hook:
    return webhooks.register(owner=organizer.pk, url=URL, now=NOW)[0]


def messages_to(hook: Hook) -> list[dict[str, Any]]:
    in_order = Delivery.objects.filter(hook=hook).order_by("position")
    return [json.loads(one.body) for one in in_order]


def test_each_step_is_announced_once_with_its_version_and_without_secrets(
    published: Publish, hook: Hook
) -> None:
    tournament, cid = published(rounds=1), rich("cid")
    enter(tournament, cid, rich("dan"))
    start(tournament)
    play_round(tournament, 1)
    bodies = messages_to(hook)
    assert [body["type"] for body in bodies] == [
        "tournament.published",
        "tournament.entries-closed",
        "tournament.round-opened",
        "tournament.round-closed",
        "tournament.finished",
    ]
    events = {event.version: event for event in store.read(tournament.pk)}
    for body in bodies:
        data = body["data"]
        event = events[data["version"]]
        assert ANNOUNCED[event.type].type == body["type"]
        assert (data["tournament"], data["name"], data["hash"]) == (
            str(tournament.pk),
            tournament.name,
            event.hash,
        )
    assert bodies[2]["data"]["closes_at"] == "2026-03-01T12:10:00.000000Z"
    assert {one.state for one in Delivery.objects.all()} == {State.DELIVERED}
    known = {"tournament", "name", "version", "hash", "commitment", "rounds", "round", "tables", "closes_at"}
    assert {name for body in bodies for name in body["data"]} == known
    assert str(cid.pk) not in json.dumps(bodies)


def test_cancelled_and_stalled_tournaments_are_announced(published: Publish, hook: Hook) -> None:
    tournament = published()
    stalls.stall(tournament_id=tournament.pk, trouble=TROUBLE, now=NOW)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    assert [(body["type"], body["data"].get("reason")) for body in messages_to(hook)][1:] == [
        ("tournament.needs-organizer", "no table is free"),
        ("tournament.cancelled", "fog"),
    ]


def test_a_correction_names_the_table_and_not_the_result(published: Publish, hook: Hook) -> None:
    data = {"number": 1, "round": 2, "table": 3, "deal": 4, "results": [{"entry": 1}], "reason": "misread"}
    event = SimpleNamespace(type="result-corrected", version=9, hash="00", data=data)
    record.announce(published(), [event], now=NOW)
    body = messages_to(hook)[-1]
    assert (body["type"], body["data"]["version"]) == ("tournament.corrected", 9)
    assert {name: body["data"].get(name) for name in data} == {
        "number": None, "round": 2, "table": 3, "deal": 4, "results": None, "reason": None,
    }  # fmt: skip


def test_drafts_are_not_announced(organizer: Player, hook: Hook) -> None:
    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    services.cancel(tournament_id=draft.pk, actor=organizer, reason="never mind", now=NOW)
    assert messages_to(hook) == []


def test_the_secret_is_shown_once_and_deliveries_are_listed(
    api: Api, published: Publish, organizer: Player
) -> None:
    caller = api(organizer)
    made = caller.post("/api/v1/webhooks/", {"url": URL})
    assert made.status_code == 201, made.json()
    assert made["Cache-Control"] == "no-store"
    assert made.json()["secret"].startswith("whsec_")
    shown = {name: value for name, value in made.json().items() if name != "secret"}
    assert caller.get("/api/v1/webhooks/").json() == [shown]
    assert caller.get(made["Location"]).json() == shown
    tournament = published()
    run_due(NOW)
    [delivery] = caller.get(f"{made['Location']}deliveries/").json()["results"]
    assert delivery == {
        "id": ANY, "type": "tournament.published", "tournament": str(tournament.pk), "version": 2,
        "state": "delivered", "created_at": ANY, "ended_at": ANY,
        "attempts": [{"number": 1, "at": ANY, "status": 204, "error": None, "response": "", "duration_ms": 1}],
    }  # fmt: skip
    again = f"{made['Location']}deliveries/{delivery['id']}/redeliver/"
    answer = caller.post(again, {})
    assert (answer.status_code, answer.json()["state"]) == (200, "waiting")
    refused = caller.post(again, {})
    assert (refused.status_code, refused.json()["code"]) == (409, "delivery-waiting")
    assert caller.delete(made["Location"]).status_code == 204
    assert caller.get(made["Location"]).status_code == 404


def test_a_disabled_webhook_shows_the_reason_and_can_be_enabled(
    api: Api, organizer: Player, hook: Hook
) -> None:
    Hook.objects.update(disabled_at=NOW, disabled_why="answered 410: it wants nothing more")
    caller, place = api(organizer), f"/api/v1/webhooks/{hook.pk}/"
    assert caller.get(place).json()["disabled_reason"] == "answered 410: it wants nothing more"
    enabled = caller.post(f"{place}enable/", {})
    assert (enabled.status_code, enabled.json()["disabled_at"]) == (200, None)
    refused = caller.post(f"{place}enable/", {})
    assert refused.json()["code"] == "webhook-not-disabled"


def test_a_webhook_is_for_a_single_tournament_and_a_public_target(
    api: Api, published: Publish, organizer: Player
) -> None:
    first, caller = published(), api(organizer)
    refused = caller.post("/api/v1/webhooks/", {"url": "https://127.0.0.1/"})
    assert (refused.status_code, refused.json()["code"]) == (400, "bad-webhook-target")
    assert not Hook.objects.exists()
    made = caller.post("/api/v1/webhooks/", {"url": URL, "tournament": str(first.pk)})
    assert made.json()["tournament"] == str(first.pk)
    published()
    services.cancel(tournament_id=first.pk, actor=None, reason="fog", now=later(1))
    hook = Hook.objects.get(pk=made.json()["id"])
    assert [body["type"] for body in messages_to(hook)] == ["tournament.cancelled"]


def test_the_staff_pages_show_no_secret(
    client: Any, administrator: Player, published: Publish, hook: Hook
) -> None:
    published()
    run_due(NOW)
    secret = bytes(Hook.objects.get().secret)
    client.force_login(administrator)
    delivery = Delivery.objects.get()
    for path in ("hook/", f"hook/{hook.pk}/change/", "delivery/", f"delivery/{delivery.pk}/change/"):
        page = client.get(f"/admin/webhooks/{path}")
        assert page.status_code == 200, path
        assert secret.hex() not in page.content.decode()
        assert webhooks.secret_text(secret) not in page.content.decode()
        assert str(secret) not in page.content.decode()
    assert client.get("/admin/webhooks/hook/add/").status_code == 403


def _take_the_role(player: Player, *left: Role) -> None:
    set_roles(player=player, roles=frozenset(left))


def test_a_former_organizer_has_no_webhooks(published: Publish, hook: Hook, organizer: Player) -> None:
    published()
    assert hook.deliveries.exists()
    _take_the_role(organizer)
    assert not Hook.objects.filter(owner=organizer).exists()


def test_an_additional_role_removes_no_webhooks(hook: Hook, organizer: Player) -> None:
    _take_the_role(organizer, Role.ORGANIZER, Role.AUDITOR)
    assert Hook.objects.filter(owner=organizer).exists()


def test_a_former_manager_gets_no_messages(
    published: Publish, organizer: Player, administrator: Player
) -> None:
    tournament = published()
    hook, _ = webhooks.register(owner=administrator.pk, url=URL, subject=tournament.subject, now=NOW)
    services.cancel(tournament_id=tournament.pk, actor=organizer, reason="fog", now=NOW)
    assert [body["type"] for body in messages_to(hook)] == ["tournament.cancelled"]

    other = published()
    hook, _ = webhooks.register(owner=administrator.pk, url=URL, subject=other.subject, now=NOW)
    _take_the_role(administrator, Role.ORGANIZER)
    services.cancel(tournament_id=other.pk, actor=organizer, reason="fog", now=NOW)
    assert messages_to(hook) == []
