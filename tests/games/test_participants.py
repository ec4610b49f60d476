"""Participants in a race may give no command about its market; others may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from games import services
from ledger import services as ledger
from ledger.betting.models import Market
from ledger.errors import InterestedParty
from tests.games.conftest import NOON
from tests.games.races import open_market, open_table, status_of, to_the_end
from tests.ledger.betting.markets import bet
from tests.money import cash, fund

pytestmark = pytest.mark.django_db


def commands(market: Market) -> dict[str, Callable[[Player], Any]]:
    why: dict[str, Any] = {"market": market, "reason": "because", "at": NOON}
    return {
        "settle": lambda by: ledger.settle_market(**why, winners=["S"], actor=f"player:{by.pk}"),
        "void": lambda by: ledger.void_market(**why, actor=f"player:{by.pk}"),
        "settle again": lambda by: ledger.resettle_market(**why, winners=["S"], actor=f"player:{by.pk}"),
    }


def test_participants_cannot_settle_the_market_of_their_race(
    player: Player,
    rival: Player,
    stranger: Player,
    organizer: Player,
    administrator: Player,
    subtests: pytest.Subtests,
) -> None:
    race = open_table(organizer, seats=2)
    market = open_market(race, "pool")
    for one in (player, rival):
        services.take_seat(game=race, player=one, client_seed="", now=NOON)
    fund(cash(stranger.pk), 100)
    bet(market, "S", 100, stranger.pk)
    to_the_end(race, organizer)
    before = status_of(market)
    for name, command in commands(market).items():
        for kind, participant in {"seated": player, "bet": stranger}.items():
            with subtests.test(command=name, participant=kind), pytest.raises(InterestedParty):
                command(participant)
    assert status_of(market) == before
    commands(market)["settle again"](administrator)


def test_a_player_cannot_open_a_market_on_their_race(player: Player, organizer: Player) -> None:
    race = open_table(organizer, seats=2)
    services.take_seat(game=race, player=player, client_seed="", now=NOON)
    with pytest.raises(InterestedParty):
        open_market(race, "pool", opened_by=f"player:{player.pk}")
    assert open_market(race, "pool").status == "open"
