"""Opening the market on a tournament's winner from its console, with the permissions of REST."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Player
from ledger.betting.models import Market
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import enter, rich
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


def staff_client(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def url(tournament: Tournament) -> str:
    return reverse("admin:tournament_market", args=[tournament.pk])


def console(tournament: Tournament) -> str:
    return reverse("admin:tournament_console", args=[tournament.pk])


def form(**changes: object) -> dict[str, object]:
    terms = {"stake_table": "race-bets", "takeout": 5, "step": 10, "cap": "100.00"}
    return {**terms, "reason": "the crowd asks for it", "key": uuid4().hex, **changes}


def test_a_pool_on_the_winner_is_previewed_and_opened_once(administrator: Player, published: Publish) -> None:
    tournament = published()
    enter(tournament, rich("cid"))
    client = staff_client(administrator)
    assert url(tournament) in client.get(console(tournament)).content.decode()
    preview = client.post(url(tournament), form()).content.decode()
    for each in (
        "Runners</dt><dd>cid<",
        "5%",
        "rounded down to 0.10 play money",
        "100.00 play money",
        "Bets cancellable",
    ):
        assert each in preview
    assert not Market.objects.exists()
    assert client.post(url(tournament), form(confirmed="yes")).status_code == 302
    market = Market.objects.get()
    assert (market.subject, market.takeout, market.cap) == (tournament.subject, 500, 10_000)
    assert url(tournament) not in client.get(console(tournament)).content.decode()
    assert "already has an outright market" in client.post(url(tournament), form()).content.decode()


def test_the_organizer_opens_a_market_within_their_limit_and_returns_to_the_console(
    organizer: Player, published: Publish
) -> None:
    tournament = published()
    client = staff_client(organizer)
    more = f"{settings.RACECARD_ORGANIZER_MARKET_CAP / 100 + 1:.2f}"
    refused = client.post(url(tournament), form(cap=more, confirmed="yes"))
    assert "capped at" in refused.content.decode()
    done = client.post(url(tournament), form(cap="", confirmed="yes"))
    assert (done["Location"], Market.objects.get().cap) == (
        console(tournament),
        settings.RACECARD_ORGANIZER_MARKET_CAP,
    )
