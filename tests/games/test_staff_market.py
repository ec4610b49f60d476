"""Staff with the REST permission open a market on a race on a staff page, after a preview of its terms."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from games import services
from games.models import GameRecord
from ledger.betting.models import Market
from staff.models import ActionRecord
from tests.conftest import NOW
from tests.ledger.betting.markets import bank

pytestmark = pytest.mark.django_db


@pytest.fixture
def race(organizer: Player) -> GameRecord:
    bank()
    return services.create_game(creator=organizer, rules="racing-aces", config={}, seats=0, now=NOW)


def staff_client(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def url(race: GameRecord) -> str:
    return reverse("admin:games_gamerecord_market", args=[race.pk])


def form(**changes: object) -> dict[str, object]:
    terms = {
        "kind": "pool",
        "stake_table": "race-bets",
        "takeout": 15,
        "step": 0,
        "margin": 0,
        "on_draw": "refund",
    }
    return {**terms, "cancellable": "on", "reason": "race night", "key": uuid4().hex, **changes}


def page(race: GameRecord) -> str:
    return reverse("admin:games_gamerecord_change", args=[race.pk])


def test_a_pool_is_previewed_and_opened(administrator: Player, race: GameRecord) -> None:
    client = staff_client(administrator)
    assert url(race) in client.get(page(race)).content.decode()
    preview = client.post(url(race), form()).content.decode()
    for result in (
        "15%",
        "none: a pool pays from its stakes",
        "Clubs, Diamonds, Hearts, Spades",
        "bets are refunded",
        "race night",
    ):
        assert result in preview
    assert not Market.objects.exists()
    done = client.post(url(race), form(confirmed="yes"))
    market = Market.objects.get()
    assert done["Location"] == reverse("admin:ledger_market_change", args=[market.pk])
    assert (market.kind, market.takeout, market.cap, market.status) == ("pool", 1500, None, "open")
    assert market.opened_by == f"player:{administrator.pk}"
    kept = ActionRecord.objects.get(action="open-market")
    assert (kept.subject, kept.made, kept.reason) == (f"game:{race.pk}", f"market:{market.pk}", "race night")
    assert url(race) not in client.get(page(race)).content.decode(), "there is already has a market"
    assert "already has a market" in client.post(url(race), form(confirmed="yes")).content.decode()


def test_fixed_odds_show_prices_and_the_banks_risk(administrator: Player, race: GameRecord) -> None:
    preview = (
        staff_client(administrator).post(url(race), form(kind="fixed", takeout=0, margin=5)).content.decode()
    )
    for result in ("5%", "Hearts at ", "each bet reserves its possible loss", "Without a cap"):
        assert result in preview


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"kind": "fixed"}, "a pool has a takeout"),
        ({"takeout": 100}, "less than or equal to 99.99"),
        ({"stake_table": "vegas-classic"}, "not one of the available choices"),
        ({"cap": "0.001"}, "Write an amount"),
        ({"reason": ""}, "required"),
    ],
)
def test_invalid_terms_are_explained(
    administrator: Player, race: GameRecord, change: dict[str, object], why: str
) -> None:
    for more in ({}, {"confirmed": "yes"}):
        assert why in staff_client(administrator).post(url(race), form(**change, **more)).content.decode()
    assert not Market.objects.exists()


def test_organizers_open_a_market_within_their_limit_and_return_to_the_race(
    organizer: Player, race: GameRecord
) -> None:
    client = staff_client(organizer)
    most = settings.RACECARD_ORGANIZER_MARKET_CAP
    refused = client.post(url(race), form(cap=f"{most / 100 + 1:.2f}", confirmed="yes"))
    assert "capped at" in refused.content.decode()
    done = client.post(url(race), form(confirmed="yes"))
    assert (done["Location"], Market.objects.get().cap) == (page(race), most)


def test_other_roles_cannot_open_a_market(auditor: Player, player: Player, race: GameRecord) -> None:
    assert staff_client(auditor).post(url(race), form(confirmed="yes")).status_code == 403
    assert staff_client(player).post(url(race), form(confirmed="yes")).status_code == 302, "to the sign-in"
    assert url(race) not in staff_client(auditor).get(page(race)).content.decode()
    assert not Market.objects.exists()


def test_other_games_cannot_have_a_market(administrator: Player, race: GameRecord) -> None:
    other = services.create_game(
        creator=administrator, rules="vegas-solitaire", config={"draw": 3, "stake": 0}, seats=1, now=NOW
    )
    client = staff_client(administrator)
    assert url(other) not in client.get(page(other)).content.decode()
    assert client.post(url(other), form(confirmed="yes")).status_code == 200
    assert client.get(reverse("admin:games_gamerecord_market", args=[uuid4()])).status_code == 404
    assert not Market.objects.exists()
