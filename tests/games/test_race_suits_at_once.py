"""Of concurrent players who choose the last place of a suit, one gets it. The others are refused and pay nothing."""

from __future__ import annotations

from functools import partial

import pytest

from accounts.models import Player
from games import services, state
from games.rules import Refused
from ledger.selectors import reconcile
from tests.concurrency import at_once
from tests.games.chosen import BUY_IN, opened
from tests.games.conftest import NOON
from tests.games.staked import in_escrow, money_of, provide

pytestmark = pytest.mark.django_db(transaction=True)


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
