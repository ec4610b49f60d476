"""Races with chosen suits that are continued, redealt, altered, or listed, and seats that are taken at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from eventstore import store
from games import selectors, services, state
from games.rules import Refused
from games.rules.bundles.verification import verify
from games.suspensions import continuation
from games.suspensions import services as suspension
from ledger import services as ledger
from ledger.reconciliation.services import reconcile_all
from ledger.selectors import reconcile
from ledger.stakes.pots import settle_pot
from tests.concurrency import at_once
from tests.games import chosen
from tests.games.chosen import BUY_IN, opened
from tests.games.conftest import NOON
from tests.games.staked import in_escrow, money_of, provide

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]
HOUR = timedelta(hours=1)


@pytest.fixture
def people(player: Player, rival: Player) -> list[Player]:
    provide([player, rival])
    return [player, rival]


def test_a_continued_race_keeps_its_suits_and_stakes_again(people: list[Player]) -> None:
    game = chosen.opened(people[0], seats=2)
    chosen.sit_down(game, people, chosen.suits(2, winners=[1]))
    services.start_game(game=game, actor=people[0], now=NOON)
    suspension.suspend(game.pk, by=None, reason="power cut", now=NOON)
    child = continuation.continue_from(
        game.pk, version=store.head(game.pk).version, reason="power cut", now=NOON + HOUR
    )
    assert (in_escrow(game), in_escrow(child)) == (0, 2 * BUY_IN)
    while not state.load(child.pk)[1].ended:
        services.play(game_id=child.pk, player=people[0], move={"type": "draw"}, now=NOON + HOUR)
    child.refresh_from_db()
    assert child.outcome is not None
    assert child.outcome["winners"] == [1]
    assert money_of(people) == [1000 - BUY_IN, 1000 + BUY_IN]
    assert verify(selectors.bundle(child, people[0])).faults == ()
    assert reconcile_all(replay=True).differences == []


def test_a_redeal_requires_suits_and_stakes_again(people: list[Player]) -> None:
    game = chosen.opened(people[0], seats=2)
    chosen.sit_down(game, people, "HC")
    chosen.raced(game, people[0])
    again = continuation.redeal(game.pk, reason="a wrong card", now=NOON)
    assert (again.config["suits"], again.buy_in) == ("chosen", BUY_IN)
    with pytest.raises(Refused) as caught:
        services.take_seat(game=again, player=people[1], client_seed="", now=NOON)
    assert caught.value.code == "suit-needed"
    assert services.take_seat(game=again, player=people[1], client_seed="", suit="S", now=NOON).seat == 1
    assert in_escrow(again) == BUY_IN


def test_a_pot_that_does_not_follow_the_outcome_is_found(
    people: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    def to_the_last(*, places: Sequence[Sequence[UUID]], **more: Any) -> object:
        return settle_pot(places=list(reversed(places)), **more)

    monkeypatch.setattr(ledger, "settle_pot", to_the_last)
    with transaction.atomic():
        game = chosen.opened(people[0], seats=2)
        chosen.sit_down(game, people, chosen.suits(2, winners=[0]))
        chosen.raced(game, people[0])
        [found] = reconcile_all().differences
        transaction.set_rollback(True)
    assert (found.account, found.what) == (f"game:{game.pk}", "the division of its pot")


def test_the_suits_of_a_page_are_read_in_one_query(api: Api, player: Player, rival: Player) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            lines = client.get("/api/v1/games/").json()["results"]
        assert all(line["seats"][0]["suit"] == "H" for line in lines)
        return len(captured)

    client = api(rival)
    client.get("/api/v1/games/")
    counted = []
    for _ in range(3):
        game = chosen.opened(player, seats=3, buy_in=None)
        chosen.sit_down(game, [player], "H")
        counted.append(queries())
    assert counted[0] == counted[2]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seats", [3, 5])
def test_concurrent_players_do_not_exceed_the_places_of_a_suit(
    player: Player, rival: Player, stranger: Player, seats: int
) -> None:
    people = [player, rival, stranger]
    provide(people)
    game = opened(player, seats=seats)
    answers = at_once(
        *(
            partial(services.take_seat, game=game, player=who, client_seed="", suit="H", now=NOON)
            for who in people
        )
    )
    refused = [answer for answer in answers if isinstance(answer, Exception)]
    most = 1 if seats <= 4 else 2
    assert len(refused) == 3 - most, answers
    assert all(isinstance(answer, Refused) and answer.code == "suit-taken" for answer in refused), answers
    assert [who.suit for who in state.load(game.pk)[1].seats.values()] == ["H"] * most
    assert in_escrow(game) == most * BUY_IN
    assert sorted(money_of(people)) == [1000 - BUY_IN] * most + [1000] * (3 - most)
    assert [str(difference) for difference in reconcile()] == []
