"""Checks of limits and time-outs: refusals and their figures."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from ledger.errors import LimitReached, PlayStopped
from ledger.limits.models import LimitChange, PlayStop, ProtectedPlayer
from ledger.services import check_deposit_allowed, check_play_allowed, check_stake_allowed
from tests.money import AT, CURRENCY, fresh_key

pytestmark = pytest.mark.django_db


def limited(kind: str, amount: int) -> UUID:
    made = ProtectedPlayer.objects.create(player=uuid4(), since=AT)
    LimitChange.objects.create(
        protected=made,
        currency=CURRENCY,
        kind=kind,
        period="day",
        amount=amount,
        at=AT,
        effective_at=AT,
        key=fresh_key(),
    )
    return made.player


def test_unprotected_player_is_never_refused() -> None:
    check_stake_allowed(player=uuid4(), amount=10**11, currency=CURRENCY, at=AT)
    check_deposit_allowed(player=uuid4(), amount=10**11, currency=CURRENCY, at=AT)
    check_play_allowed(player=uuid4(), at=AT)


@pytest.mark.parametrize("kind", ["stake", "loss"])
def test_a_stake_above_the_limit_is_refused_with_its_figures(kind: str) -> None:
    player = limited(kind, 500)
    check_stake_allowed(player=player, amount=500, currency=CURRENCY, at=AT)
    with pytest.raises(LimitReached) as refused:
        check_stake_allowed(player=player, amount=501, currency=CURRENCY, at=AT)
    assert refused.value.extra == {
        "limit": kind,
        "period": "day",
        "currency": CURRENCY,
        "amount": 500,
        "used": 0,
        "remaining": 500,
        "frees_at": None,
    }


def test_a_deposit_is_checked_against_the_deposit_limit_only() -> None:
    player = limited("deposit", 500)
    check_stake_allowed(player=player, amount=501, currency=CURRENCY, at=AT)
    with pytest.raises(LimitReached):
        check_deposit_allowed(player=player, amount=501, currency=CURRENCY, at=AT)


def test_time_out_stops_play_stakes_and_deposits() -> None:
    made = ProtectedPlayer.objects.create(player=uuid4(), since=AT)
    end = AT + timedelta(hours=2)
    PlayStop.objects.create(protected=made, kind="time-out", at=AT, until=end, key=fresh_key())
    for check in (check_stake_allowed, check_deposit_allowed):
        with pytest.raises(PlayStopped):
            check(player=made.player, amount=1, currency=CURRENCY, at=AT)
        check(player=made.player, amount=1, currency=CURRENCY, at=end)
    with pytest.raises(PlayStopped) as refused:
        check_play_allowed(player=made.player, at=end - timedelta(seconds=1))
    assert refused.value.extra == {"kind": "time-out", "until": "2026-03-01T14:00:00.000000Z"}
    check_play_allowed(player=made.player, at=end)
