"""Markets over REST: permissions, requests, and responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import override_settings

from accounts.models import Player
from core.errors import Forbidden
from ledger import services
from ledger.betting.markets import allowed_terms
from ledger.betting.models import Bet, Market, VoidedBet
from ledger.models import Transfer
from ledger.services import Terms
from tests.conftest import Client
from tests.ledger.betting.markets import LATER, bank, bet, close, escrow, open_fixed, open_pool
from tests.money import AT, available, cash, fund

pytestmark = pytest.mark.django_db

V1 = "/api/v1"
Api = Callable[[Player | None], Client]


@pytest.fixture
def fixed(player: Player) -> Market:
    bank()
    fund(cash(player.pk), 10_000)
    return open_fixed()


@pytest.fixture
def pool(player: Player) -> Market:
    fund(cash(player.pk), 10_000)
    return open_pool(takeout=500)


def order(market: Market, **changes: Any) -> dict[str, Any]:
    price = {"price": "3/1"} if market.kind == "fixed" else {}
    return {"runner": "H", "stake": 200, **price, **changes}


def bets_of(market: Market) -> str:
    return f"{V1}/markets/{market.pk}/bets/"


def test_markets_are_listed_with_prices_or_stakes(api: Api, player: Player, fixed: Market) -> None:
    pool = open_pool(takeout=500)
    bet(pool, "H", 300)
    found = api(player).get(f"{V1}/markets/").json()["results"]
    assert sorted(each["kind"] for each in found) == ["fixed", "pool"]
    by_kind = {each["kind"]: each for each in found}
    assert by_kind["fixed"]["runners"][2] == {
        "runner": "H",
        "price": "3/1",
        "decimal": "4.00",
        "price_hundredths": 400,
        "staked": None,
        "withdrawn_at": None,
    }
    assert by_kind["pool"]["runners"][2] == {
        "runner": "H",
        "price": None,
        "decimal": None,
        "price_hundredths": None,
        "staked": 300,
        "withdrawn_at": None,
    }
    assert by_kind["pool"]["terms"] == {
        "margin": 0,
        "takeout": 500,
        "step": 0,
        "on_draw": "refund",
        "cancellable": True,
        "in_running": False,
        "cap": None,
        "stake_table": "race-bets",
        "minimum": 1,
        "maximum": 1_000_000,
        "stake_step": 1,
    }
    only = api(player).get(f"{V1}/markets/?subject={pool.subject}&status=open").json()["results"]
    assert [each["id"] for each in only] == [str(pool.pk)]
    assert api(player).get(f"{V1}/markets/?status=closed").json()["results"] == []
    assert api(player).get(f"{V1}/markets/?status=shut").status_code == 400


def test_a_bet_is_placed_shown_and_cancelled(api: Api, player: Player, fixed: Market) -> None:
    client = api(player)
    made = client.post(bets_of(fixed), order(fixed, client_seed="luck"))
    assert made.status_code == 201
    shown = made.json()
    assert shown | {"id": 0, "placed_at": 0} == {
        "id": 0,
        "market": str(fixed.pk),
        "subject": fixed.subject,
        "number": 1,
        "round": 1,
        "runner": "H",
        "stake": 200,
        "currency": fixed.currency,
        "price": "3/1",
        "decimal": "4.00",
        "price_hundredths": 400,
        "max_return": 800,
        "client_seed": "luck",
        "placed_at": 0,
        "status": "open",
        "returned": None,
        "net": None,
        "cancelled_at": None,
    }
    assert client.get(made["Location"]).json() == shown
    assert (
        client.get(bets_of(fixed)).json()["results"] == client.get(f"{V1}/bets/").json()["results"] == [shown]
    )
    assert available(f"player:{player.pk}") == 9800
    cancelled = client.post(f"{V1}/bets/{shown['id']}/cancel/", {})
    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert available(f"player:{player.pk}") == 10_000
    again = client.post(f"{V1}/bets/{shown['id']}/cancel/", {})
    assert (again.status_code, again.json()["code"]) == (409, "bet-ended")


def test_invalid_bets_are_refused_with_a_reason(
    api: Api, player: Player, fixed: Market, subtests: pytest.Subtests
) -> None:
    client = api(player)
    for changes, status, code in [
        ({"runner": "Z"}, 404, "unknown-runner"),
        ({"price": "5/1"}, 409, "price-moved"),
        ({"price": "3"}, 400, "bad-bet"),
        ({"price": "3/0"}, 400, "bad-bet"),
        ({"price_hundredths": 400}, 400, "bad-bet"),
        ({"currency": "USD"}, 400, "unknown-currency"),
        ({"stake": 10_001}, 409, "insufficient-funds"),
        ({"stake": 1_000_001}, 400, "bad-bet"),
        ({"client_seed": "a|b"}, 400, "bad-bet"),
    ]:
        with subtests.test(changes=changes, status=status, code=code):
            answer = client.post(bets_of(fixed), order(fixed, **changes))
            assert (answer.status_code, answer.json()["code"]) == (status, code)
            assert not Bet.objects.exists()
            assert available(f"player:{player.pk}") == 10_000


def test_a_bet_states_its_price_in_hundredths(api: Api, player: Player, fixed: Market) -> None:
    stated = {"runner": "H", "stake": 333, "price_hundredths": 400}
    made = api(player).post(bets_of(fixed), stated).json()
    assert (made["decimal"], made["price"], made["max_return"]) == ("4.00", "3/1", 1332)
    services.quote(market=fixed, prices={}, at=AT)
    answer = api(player).post(bets_of(fixed), order(fixed))
    problem = answer.json()
    assert (answer.status_code, problem["price"], problem["price_hundredths"]) == (409, None, None)


def test_a_bet_that_was_cancelled_before_it_arrived_is_refused(
    api: Api, player: Player, pool: Market
) -> None:
    client, key = api(player), str(uuid4())
    voided = client.post(f"{bets_of(pool)}void/", {"key": key})
    assert (voided.status_code, voided.json()) == (200, {"bet": None})
    late = client.post(bets_of(pool), order(pool), key=key)
    assert (late.status_code, late.json()["code"]) == (409, "bet-voided")
    assert VoidedBet.objects.count() == 1
    assert available(f"player:{player.pk}") == 10_000


def test_an_accepted_bet_is_cancelled_by_its_key(
    api: Api, player: Player, rival: Player, pool: Market
) -> None:
    key = str(uuid4())
    api(player).post(bets_of(pool), order(pool), key=key)
    assert api(rival).post(f"{bets_of(pool)}void/", {"key": key}).json() == {"bet": None}
    assert Bet.objects.get().status == "open"
    voided = api(player).post(f"{bets_of(pool)}void/", {"key": key})
    assert voided.json()["bet"]["status"] == "cancelled"
    assert api(player).post(f"{bets_of(pool)}void/", {"key": "a b"}).status_code == 400


def test_administrator_settles_and_resettles(
    api: Api, player: Player, administrator: Player, pool: Market
) -> None:
    api(player).post(bets_of(pool), order(pool))
    bet(pool, "S", 300)
    client, at = api(administrator), f"{V1}/markets/{pool.pk}"
    ruling = {"winners": ["H"], "reason": "as the stewards saw it"}
    assert client.post(f"{at}/settle/", ruling).json()["code"] == "market-not-closed"
    close(pool)
    settled = client.post(f"{at}/settle/", ruling).json()
    assert settled["status"] == "settled"
    assert [each["paid"] for each in settled["settlements"]] == [475]
    assert available(f"player:{player.pk}") == 10_275
    assert client.post(f"{at}/void/", {"reason": "never mind"}).json()["code"] == "market-ended"
    resettled = client.post(f"{at}/resettle/", {"winners": ["S"], "reason": "photo finish"}).json()
    assert [(each["winners"], each["reversed_at"] is None) for each in resettled["settlements"]] == [
        (["H"], False),
        (["S"], True),
    ]
    assert available(f"player:{player.pk}") == 9800
    void = client.post(f"{at}/resettle/", {"winners": None, "reason": "false start"}).json()
    assert void["status"] == "void"
    assert (available(f"player:{player.pk}"), escrow(pool)) == (10_000, 0)
    assert api(player).get(f"{at}/").json() == void


def test_organizers_open_within_their_limit(player: Player, organizer: Player, administrator: Player) -> None:
    with override_settings(RACECARD_ORGANIZER_MARKET_CAP=5000):
        assert allowed_terms(administrator, Terms()).cap is None
        assert allowed_terms(organizer, Terms()).cap == 5000
        assert allowed_terms(organizer, Terms(cap=300)).cap == 300
        for who, terms in ((organizer, Terms(cap=5001)), (player, Terms(cap=1))):
            with pytest.raises(Forbidden):
                allowed_terms(who, terms)


def test_bets_of_others_are_not_in_a_markets_transfers_subject(player: Player, pool: Market) -> None:
    """The bundle of a race contains the transfers of its subject, and a bundle is public."""
    bet(pool, "H", 100)
    services.void_market(market=pool, reason="x", at=LATER)
    assert not Transfer.objects.filter(subject=pool.subject).exists()


@pytest.mark.parametrize("what", ["settle", "resettle", "void"])
def test_bettors_may_not_rule_on_their_market(
    api: Api, player: Player, administrator: Player, pool: Market, what: str
) -> None:
    fund(cash(administrator.pk), 500)
    bet(pool, "C", 300, player.pk)
    mine = bet(pool, "H", 200, administrator.pk)
    if what != "void":
        close(pool)
    if what == "resettle":
        services.settle_market(market=pool, winners=["C"], event=9, at=LATER)
    body = {"reason": "for myself"} if what == "void" else {"winners": ["H"], "reason": "for myself"}
    answer = api(administrator).post(f"{V1}/markets/{pool.pk}/{what}/", body)
    assert (answer.status_code, answer.json()["code"]) == (403, "interested-party")
    assert Bet.objects.get(pk=mine.pk).status == ("lost" if what == "resettle" else "open")
