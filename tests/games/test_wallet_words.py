"""What a wallet says of games: what each line was for, the name of the game, and what came of it for the player."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from games import services
from ledger import services as ledger
from tests.games.conftest import NOON
from tests.games.staked import dealt, match_of, play_out, provide
from tests.money import CURRENCY, fresh_key

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
STATEMENT = "/api/v1/wallet/statement/?account=all"


def lines(api: Api, who: Player, address: str = STATEMENT) -> list[Any]:
    found: list[Any] = api(who).get(address).json()["results"]
    return found


def test_a_stake_names_the_game_and_at_its_end_the_cards(api: Api, player: Player, staked: Any) -> None:
    game, _ = staked(player)
    name = {"rules": "vegas-solitaire", "title": None, "place": None, "of": None, "cards": None}
    [line, deposit] = lines(api, player)
    assert (line["purpose"], line["about"], line["name"]) == ("stake", f"game:{game.pk}", name)
    assert (deposit["purpose"], deposit["name"]) == ("deposit", None)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert lines(api, player)[0]["name"] == {**name, "cards": 0}


def test_a_pot_names_the_place(api: Api, player: Player, rival: Player) -> None:
    play_out(dealt("ace-race", [player, rival]), [player, rival])
    paid = {who: lines(api, who) for who in (player, rival)}
    assert sorted(len(found) for found in paid.values()) == [2, 3]  # the deposit, the buy-in, and one prize
    for found in paid.values():
        assert {line["purpose"] for line in found} <= {"deposit", "buy-in", "prize"}
        place = found[0]["name"]["place"]
        assert (found[0]["purpose"] == "prize") == (place == 1)
        assert found[0]["name"] == {
            "rules": "ace-race",
            "title": None,
            "place": place,
            "of": 2,
            "cards": None,
        }


def test_the_buy_in_of_a_match_is_named(api: Api, player: Player, rival: Player) -> None:
    match_of([player, rival], deals=2)
    [buy_in, _] = lines(api, player)
    assert (buy_in["purpose"], buy_in["name"]["rules"]) == ("buy-in", "ace-race")


def test_the_number_of_queries_does_not_depend_on_the_lines(api: Api, player: Player, rival: Player) -> None:
    counts = []
    for _ in range(2):
        play_out(dealt("ace-race", [player, rival]), [player, rival])
        client = api(player)
        client.get(STATEMENT)
        with CaptureQueriesContext(connection) as sent:
            assert client.get(STATEMENT).status_code == 200
        counts.append(len(sent))
    assert counts[0] == counts[1]


def test_held_money_says_why(api: Api, player: Player, rival: Player) -> None:
    game = play_out(dealt("ace-race", [player, rival]), [player, rival])
    provide([player])
    ledger.request_withdrawal(
        player=player.pk, amount=300, currency=CURRENCY, destination="my bank", key=fresh_key(), at=NOON
    )
    ledger.freeze(subject=f"game:{game.pk}", player=None, claim="claim:1", actor="player:eve", at=NOON)
    client = api(player)
    assert client.get("/api/v1/wallet/").json()["holds"] is None
    holds = client.get("/api/v1/wallet/?holds=true").json()["holds"]
    payout = next(hold for hold in holds if hold["reason"] == "payout")
    assert (payout["amount"], payout["name"]) == (300, None)
    frozen = [
        hold
        for who in (player, rival)
        for hold in api(who).get("/api/v1/wallet/?holds=true").json()["holds"]
        if hold["reason"] == "dispute"
    ]
    assert [(hold["about"], hold["name"]["rules"]) for hold in frozen] == [(f"game:{game.pk}", "ace-race")]
