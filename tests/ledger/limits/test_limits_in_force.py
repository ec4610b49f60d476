"""The limit in force: lowered at once, raised after a day; only the newest change counts."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from accounts.models import Player
from core.errors import KeyReused
from ledger.errors import BadProtection, LimitReached, NothingPending, UnknownPlayer
from ledger.limits import protection, services
from ledger.limits.models import LimitChange, ProtectedPlayer
from ledger.limits.protection import default_limits
from ledger.services import check_stake_allowed
from tests.money import AT, CURRENCY, fresh_key

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
STAKE_A_DAY = ("stake", "day")


def ask(player: Player, amount: int | None, at: datetime = AT, **more: Any) -> LimitChange:
    order = {
        "kind": "stake",
        "period": "day",
        "currency": CURRENCY,
        "key": fresh_key(),
        "actor": "test",
    } | more
    return services.set_limit(player=player.pk, amount=amount, at=at, **order)


def in_force(player: Player, at: datetime) -> int | None:
    return protection.limits_in_force(player=player.pk, currency=CURRENCY, at=at).get(STAKE_A_DAY)


def pending(player: Player, at: datetime) -> int | None:
    [limit] = [
        limit
        for limit in protection.protection(player.pk, at).limits
        if (limit.kind, limit.period) == STAKE_A_DAY
    ]
    return limit.pending.amount if limit.pending else None


def test_a_first_limit_and_a_lower_one_apply_at_once(player: Player) -> None:
    ask(player, 500)
    assert in_force(player, AT) == 500
    ask(player, 400, AT + HOUR)
    assert in_force(player, AT + HOUR) == 400


@pytest.mark.parametrize("higher", [501, None])
def test_a_higher_limit_or_none_waits_a_day(player: Player, higher: int | None) -> None:
    ask(player, 500)
    asked = AT + HOUR
    ask(player, higher, asked)
    assert in_force(player, asked + DAY - timedelta(seconds=1)) == 500
    assert in_force(player, asked + DAY) == higher


def test_newest_pending_change_counts(player: Player) -> None:
    ask(player, 500)
    ask(player, 900, AT + HOUR)
    ask(player, 600, AT + 20 * HOUR)
    assert in_force(player, AT + HOUR + DAY) == 500
    assert pending(player, AT + HOUR + DAY) == 600
    assert in_force(player, AT + 20 * HOUR + DAY) == 600


def test_a_lower_limit_withdraws_a_pending_raise(player: Player) -> None:
    ask(player, 500)
    ask(player, 900, AT + HOUR)
    ask(player, 300, AT + 2 * HOUR)
    assert [in_force(player, AT + 2 * HOUR), in_force(player, AT + 5 * DAY)] == [300, 300]
    assert pending(player, AT + 2 * HOUR) is None


def test_a_pending_change_can_be_withdrawn_once(player: Player) -> None:
    ask(player, 500)
    ask(player, 900, AT + HOUR)
    order = {"kind": "stake", "period": "day", "currency": CURRENCY, "actor": "test", "at": AT + 2 * HOUR}
    services.withdraw_change(player=player.pk, **order)
    assert [in_force(player, AT + 5 * DAY), pending(player, AT + 3 * HOUR)] == [500, None]
    with pytest.raises(NothingPending):
        services.withdraw_change(player=player.pk, **order)


def test_change_in_force_cannot_be_withdrawn(player: Player) -> None:
    ask(player, 500)
    ask(player, 900, AT)
    with pytest.raises(NothingPending):
        services.withdraw_change(
            player=player.pk, kind="stake", period="day", currency=CURRENCY, actor="test", at=AT + DAY
        )


def test_a_raise_by_an_administrator_waits_as_well(player: Player, administrator: Player) -> None:
    ask(player, 500)
    ask(player, 900, AT, actor=f"player:{administrator.pk}", reason="asked by letter")
    assert in_force(player, AT + HOUR) == 500


def test_limits_of_other_kinds_are_independent(player: Player) -> None:
    ask(player, 500)
    ask(player, 100, period="week")
    ask(player, 50, currency="EUR")
    assert protection.limits_in_force(player=player.pk, currency=CURRENCY, at=AT) == {
        ("stake", "day"): 500,
        ("stake", "week"): 100,
    }
    assert protection.limits_in_force(player=player.pk, currency="EUR", at=AT) == {("stake", "day"): 50}


def test_a_repeated_key_makes_one_change(player: Player) -> None:
    first = ask(player, 500, key="k")
    assert ask(player, 500, AT + HOUR, key="k").pk == first.pk
    with pytest.raises(KeyReused):
        ask(player, 501, key="k")
    assert LimitChange.objects.count() == 1


def test_lowered_limit_applies_to_earlier_requests(player: Player) -> None:
    ask(player, 500, AT + timedelta(milliseconds=5))
    with pytest.raises(LimitReached):
        check_stake_allowed(player=player.pk, amount=501, currency=CURRENCY, at=AT)


def test_change_stored_last_counts(player: Player) -> None:
    ask(player, 500, AT + timedelta(milliseconds=5))
    assert ask(player, 400, AT).at == AT + timedelta(milliseconds=5)
    assert in_force(player, AT + HOUR) == 400


def test_limits_in_force_at_a_past_time(player: Player) -> None:
    ask(player, 500)
    ask(player, 900, AT + HOUR)
    ask(player, 300, AT + 2 * DAY)
    times = (AT - HOUR, AT, AT + 2 * HOUR, AT + DAY + HOUR, AT + 3 * DAY)
    found = [protection.protection(player.pk, at).limits[3] for at in times]
    assert {(limit.kind, limit.period) for limit in found} == {STAKE_A_DAY}
    assert [limit.amount for limit in found] == [None, 500, 500, 900, 300]


def test_an_invalid_limit_is_refused(player: Player, subtests: pytest.Subtests) -> None:
    for wrong in [
        {"kind": "win"},
        {"period": "year"},
        {"amount": -1},
        {"amount": 10**11 + 1},
        {"amount": 1.5},
        {"amount": True},
        {"amount": "5"},
    ]:
        with subtests.test(wrong=wrong):
            order = {"kind": "stake", "period": "day", "amount": 5, **wrong}
            with pytest.raises(BadProtection):
                services.set_limit(
                    player=player.pk, currency=CURRENCY, key=fresh_key(), actor="test", at=AT, **order
                )
            assert not ProtectedPlayer.objects.exists()


def test_unknown_player_has_no_limits() -> None:
    with pytest.raises(UnknownPlayer):
        services.set_limit(
            player=uuid4(), kind="stake", period="day", amount=1, currency=CURRENCY, key="k", actor="t", at=AT
        )


@override_settings(RACECARD_DEFAULT_LIMITS="stake/day=700 deposit/month=9000")
def test_every_player_begins_with_the_default_limits(player: Player) -> None:
    assert in_force(player, AT) == 700
    with pytest.raises(LimitReached):
        check_stake_allowed(player=player.pk, amount=701, currency=CURRENCY, at=AT)
    check_stake_allowed(player=player.pk, amount=701, currency="EUR", at=AT)
    ask(player, None)
    assert [in_force(player, AT), in_force(player, AT + DAY)] == [700, None]


@pytest.mark.parametrize(
    "text", ["stake/day", "stake/year=5", "win/day=5", "stake/day=-5", "stake/day=1e3", "x"]
)
def test_invalid_defaults_are_refused(text: str) -> None:
    with override_settings(RACECARD_DEFAULT_LIMITS=text), pytest.raises(ImproperlyConfigured):
        default_limits()
