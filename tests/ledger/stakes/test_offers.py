"""Before a stake is made one is told what it can come to, what the house takes of it, and whether it could be made."""

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
from ledger.testing import AT, CURRENCY, cash, change, fresh_key, fund

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
V1 = "/api/v1"


def offer(api: Api, who: Player | None, slug: str, **asked: int) -> Any:
    return api(who).get(f"{V1}/stakes/{slug}/offer/", asked)


def test_against_the_house_each_card_pays_the_rate(api: Api, player: Player) -> None:
    told = offer(api, None, "vegas-classic", amount=520).json()
    assert (told["card"], told["most"], told["even_at"]) == (40, 52 * 40, 13)
    assert (told["left"], told["obstacle"], told["pot"], told["places"]) == (None, None, None, [])
    assert offer(api, player, "vegas-classic", amount=520).json()["obstacle"]["code"] == "insufficient-funds"
    fund(cash(player.pk), 5000)
    services.open_session(
        player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=timezone.now()
    )
    told = offer(api, player, "vegas-classic", amount=520).json()
    assert (told["left"], told["obstacle"]) == (1480, None)


def test_among_players_the_rake_and_the_places_are_the_whole_pot(api: Api, player: Player) -> None:
    change(stake_table("ace-race-table"), at=timezone.now(), rake=500, split=(7000, WHOLE - 7000))
    told = offer(api, None, "ace-race-table", amount=510, seats=3).json()
    assert (told["pot"], told["rake"], told["places"]) == (1530, 76, [1018, 436, 0])
    assert told["rake"] + sum(told["places"]) == told["pot"]
    fund(cash(player.pk), 600)
    assert offer(api, player, "ace-race-table", amount=510).json()["left"] == 90
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
def test_what_is_not_offered_is_refused(api: Api, slug: str, asked: dict[str, int], code: str) -> None:
    assert offer(api, None, slug, **asked).json()["code"] == code
