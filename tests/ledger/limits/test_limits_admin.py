"""Staff pages of limits and stops: read, add with a reason, and no editing."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.limits.models import LimitChange, PlayStop
from ledger.limits.services import exclude, set_limit
from tests.money import AT, CURRENCY

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LIMIT = "admin:ledger_limitchange_protect"
STOP = "admin:ledger_playstop_protect"


def signed_in(player: Player) -> Client:
    client = Client()
    client.force_login(player, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


@pytest.fixture
def staff_client(administrator: Player) -> Client:
    return signed_in(administrator)


def send(client: Client, name: str, **fields: Any) -> Any:
    """Fill in the form, view the preview, confirm, and return the last response."""
    address = reverse(name)
    (key,) = re.findall(r'name="key" value="(\w+)"', client.get(address).content.decode())
    preview = client.post(address, {"key": key, **fields})
    assert preview.status_code == 200
    if "errorlist" in preview.content.decode():
        return preview
    assert not LimitChange.objects.filter(actor__startswith="player:", reason=fields["reason"]).exists()
    return client.post(address, {"key": key, "confirmed": "1", **fields})


def test_an_administrator_sets_a_limit_with_a_reason(
    staff_client: Client, administrator: Player, player: Player
) -> None:
    fields = {"player": player.pk, "kind": "stake", "period": "week", "amount": "12.50"}
    assert send(staff_client, LIMIT, **fields, reason="asked by letter").status_code == 302
    made = LimitChange.objects.get()
    assert (made.amount, made.was, made.actor, made.reason) == (
        1250,
        None,
        f"player:{administrator.pk}",
        "asked by letter",
    )
    fields |= {"amount": "", "none": "on"}
    assert send(staff_client, LIMIT, **fields, reason="asked again").status_code == 302
    raised = LimitChange.objects.latest("pk")
    assert (raised.amount, raised.was) == (None, 1250)
    assert raised.effective_at > raised.at


def test_an_administrator_stops_play_with_a_reason(staff_client: Client, player: Player) -> None:
    fields = {"player": player.pk, "kind": "time-out", "hours": "24", "reason": "asked by phone"}
    assert send(staff_client, STOP, **fields).status_code == 302
    fields = {"player": player.pk, "kind": "self-exclusion", "reason": "asked by phone"}
    assert send(staff_client, STOP, **fields).status_code == 302
    assert [stop.until is None for stop in PlayStop.objects.order_by("pk")] == [False, True]


def test_an_invalid_form_is_shown_again(
    staff_client: Client, player: Player, subtests: pytest.Subtests
) -> None:
    for name, fields in [
        (LIMIT, {"kind": "stake", "period": "day", "amount": "5"}),
        (LIMIT, {"kind": "stake", "period": "day", "reason": "neither of them"}),
        (LIMIT, {"kind": "stake", "period": "day", "amount": "5", "none": "on", "reason": "both of them"}),
        (LIMIT, {"kind": "win", "period": "day", "amount": "5", "reason": "no such kind"}),
        (LIMIT, {"kind": "stake", "period": "day", "amount": "-5", "reason": "less than none"}),
        (STOP, {"kind": "time-out", "reason": "no hours"}),
        (STOP, {"kind": "time-out", "hours": "1009", "reason": "too long"}),
        (STOP, {"kind": "time-out", "hours": "5", "months": "6", "reason": "both of them"}),
        (STOP, {"kind": "self-exclusion", "months": "5", "reason": "too short"}),
        (STOP, {"kind": "self-exclusion", "months": "6"}),
    ]:
        with subtests.test(name=name, fields=fields):
            page = staff_client.post(
                reverse(name), {"key": "k", "confirmed": "1", "player": str(player.pk), **fields}
            )
            assert page.status_code == 200
            assert "errorlist" in page.content.decode()
            assert not LimitChange.objects.exists()
            assert not PlayStop.objects.exists()


def test_unknown_player_cannot_be_stopped(staff_client: Client) -> None:
    fields = {"key": "k", "confirmed": "1", "player": str(uuid4()), "kind": "self-exclusion", "reason": "xyz"}
    assert "There is no such player" in staff_client.post(reverse(STOP), fields).content.decode()


def test_rows_are_listed_and_shown_and_cannot_be_edited(
    staff_client: Client, auditor: Player, player: Player
) -> None:
    order = {"player": player.pk, "actor": "test", "at": AT}
    limit = set_limit(kind="loss", period="day", amount=500, currency=CURRENCY, key="l", **order)
    stop = exclude(months=None, key="s", **order)
    for client, may in ((staff_client, True), (signed_in(auditor), False)):
        for row in (limit, stop):
            name = f"admin:ledger_{row._meta.model_name}"
            page = client.get(reverse(f"{name}_changelist"))
            assert page.status_code == 200
            assert (reverse(f"{name}_protect") in page.content.decode()) is may
            assert client.get(reverse(f"{name}_protect")).status_code == (200 if may else 403)
            assert client.get(reverse(f"{name}_add")).status_code == 403
            change = reverse(f"{name}_change", args=[row.pk])
            assert client.get(change).status_code == 200
            assert client.post(change, {"amount": 1}).status_code == 403
            assert client.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("name", [LIMIT, STOP])
def test_organizers_have_no_access(organizer: Player, name: str) -> None:
    assert signed_in(organizer).get(reverse(name)).status_code == 403


@pytest.mark.parametrize("model", ["limitchange", "playstop"])
def test_the_lists_are_searched_by_player(staff_client: Client, player: Player, model: str) -> None:
    order = {"player": player.pk, "actor": "test", "at": AT}
    set_limit(kind="loss", period="day", amount=500, currency=CURRENCY, key="l", **order)
    exclude(months=None, key="s", **order)
    address = reverse(f"admin:ledger_{model}_changelist")
    for wanted, found in ((player.pk, True), (uuid4(), False), ("no id", False)):
        page = staff_client.get(address, {"q": str(wanted)})
        assert page.status_code == 200
        assert ("field-protected" in page.content.decode()) is found
