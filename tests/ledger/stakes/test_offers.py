"""Stake quotes: possible results, the site's part, and whether the stake is possible now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from ledger import services
from ledger.limits.services import take_time_out
from ledger.selectors import stake_table
from ledger.splits import WHOLE
from tests.money import AT, CURRENCY, cash, change, fresh_key, fund

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
V1 = "/api/v1"


def offer(api: Api, who: Player | None, slug: str, **asked: int) -> Any:
    return api(who).get(f"{V1}/stakes/{slug}/offer/", asked)


def test_each_card_pays_the_rate_against_the_bank(api: Api, player: Player) -> None:
    reported = offer(api, None, "vegas-classic", amount=520).json()
    assert (reported["pay_per_card"], reported["max_win"], reported["break_even_cards"]) == (40, 52 * 40, 13)
    # 9.006 and 8.676 cards on average, of which 13 return the stake.
    assert reported["returns"] == [
        {"mode": "draw=1", "basis_points": 6928},
        {"mode": "draw=3", "basis_points": 6674},
    ]
    assert (reported["balance_after"], reported["obstacle"], reported["pot"], reported["places"]) == (
        None,
        None,
        None,
        [],
    )
    assert offer(api, player, "vegas-classic", amount=520).json()["obstacle"]["code"] == "insufficient-funds"
    fund(cash(player.pk), 5000)
    services.open_session(
        player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=timezone.now()
    )
    reported = offer(api, player, "vegas-classic", amount=520).json()
    assert (reported["balance_after"], reported["obstacle"]) == (4480, None)


def test_rake_and_places_add_up_to_the_pot(api: Api, player: Player) -> None:
    change(stake_table("ace-race-table"), at=timezone.now(), rake=500, split=(7000, WHOLE - 7000))
    reported = offer(api, None, "ace-race-table", amount=510, seats=3).json()
    assert (reported["pot"], reported["rake"], reported["places"]) == (1530, 76, [1018, 436, 0])
    assert reported["returns"] == []
    assert reported["rake"] + sum(reported["places"]) == reported["pot"]
    fund(cash(player.pk), 600)
    assert offer(api, player, "ace-race-table", amount=510).json()["balance_after"] == 90
    take_time_out(player=player.pk, hours=3, key=fresh_key(), actor="test", at=AT)
    take_time_out(player=player.pk, hours=3, key=fresh_key(), actor="test", at=timezone.now())
    assert offer(api, player, "ace-race-table", amount=510).json()["obstacle"]["code"] == "play-stopped"


@pytest.mark.parametrize(
    ("slug", "asked", "code"),
    [
        ("vegas-classic", {"amount": 521}, "stake-off-step"),
        ("vegas-classic", {}, "invalid-input"),
        ("nowhere", {"amount": 520}, "unknown-stake-table"),
        ("ace-race-table", {"amount": 500, "seats": 65}, "invalid-input"),
    ],
)
def test_stakes_not_offered_are_refused(api: Api, slug: str, asked: dict[str, int], code: str) -> None:
    assert offer(api, None, slug, **asked).json()["code"] == code
