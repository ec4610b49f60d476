"""Staff pages of limits and stops: add with a reason, search by player."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.limits.models import LimitChange, PlayStop
from ledger.limits.services import exclude, set_limit
from tests.ledger.offices import perform, signed_in, text
from tests.money import AT, CURRENCY

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LIMIT = "admin:ledger_limitchange_protect"
STOP = "admin:ledger_playstop_protect"


@pytest.fixture
def staff_client(administrator: Player) -> Client:
    return signed_in(administrator)


def test_an_administrator_sets_a_limit_with_a_reason(
    staff_client: Client, administrator: Player, player: Player
) -> None:
    fields = {"player": player.pk, "kind": "stake", "period": "week", "amount": "12.50"}
    assert perform(staff_client, reverse(LIMIT), **fields, reason="asked by letter")[1].status_code == 302
    made = LimitChange.objects.get()
    by = f"player:{administrator.pk}"
    assert (made.amount, made.was, made.actor, made.reason) == (1250, None, by, "asked by letter")
    fields |= {"amount": "", "none": "on"}
    assert perform(staff_client, reverse(LIMIT), **fields)[1].status_code == 302
    raised = LimitChange.objects.latest("pk")
    assert (raised.amount, raised.was) == (None, 1250)
    assert raised.effective_at > raised.at


def test_an_administrator_stops_play_with_a_reason(staff_client: Client, player: Player) -> None:
    for fields in ({"kind": "time-out", "hours": "24"}, {"kind": "self-exclusion"}):
        made = PlayStop.objects.count()
        _, done = perform(staff_client, reverse(STOP), player=player.pk, **fields)
        assert (done.status_code, PlayStop.objects.count()) == (302, made + 1)
    assert [stop.until is None for stop in PlayStop.objects.order_by("pk")] == [False, True]


def test_an_invalid_form_is_shown_again(
    staff_client: Client, player: Player, subtests: pytest.Subtests
) -> None:
    stake = {"kind": "stake", "period": "day"}
    cases: list[tuple[str, dict[str, Any]]] = [
        (LIMIT, {**stake, "amount": "5", "reason": ""}),
        (LIMIT, {**stake, "reason": "neither of them"}),
        (LIMIT, {**stake, "amount": "5", "none": "on", "reason": "both of them"}),
        (LIMIT, {**stake, "kind": "win", "amount": "5", "reason": "no such kind"}),
        (LIMIT, {**stake, "amount": "-5", "reason": "less than none"}),
        (STOP, {"kind": "time-out", "reason": "no hours"}),
        (STOP, {"kind": "time-out", "hours": "1009", "reason": "too long"}),
        (STOP, {"kind": "time-out", "hours": "5", "months": "6", "reason": "both of them"}),
        (STOP, {"kind": "self-exclusion", "months": "5", "reason": "too short"}),
        (STOP, {"kind": "self-exclusion", "months": "6", "reason": ""}),
        (STOP, {"kind": "self-exclusion", "player": str(uuid4()), "reason": "no such player"}),
    ]
    for name, fields in cases:
        with subtests.test(name=name, fields=fields):
            sent = {"key": "k", "confirmed": "1", "player": str(player.pk), **fields}
            assert "errorlist" in text(staff_client.post(reverse(name), sent))
            assert not LimitChange.objects.exists()
            assert not PlayStop.objects.exists()


def test_the_lists_are_searched_by_player(staff_client: Client, player: Player) -> None:
    order = {"player": player.pk, "actor": "test", "at": AT}
    set_limit(kind="loss", period="day", amount=500, currency=CURRENCY, key="l", **order)
    exclude(months=None, key="s", **order)
    for model in ("limitchange", "playstop"):
        for wanted, listed in ((player.pk, True), (uuid4(), False), ("no id", False)):
            page = staff_client.get(reverse(f"admin:ledger_{model}_changelist"), {"q": str(wanted)})
            assert ("field-protected" in text(page)) is listed, (model, wanted)
