"""The SQL statements of frequent requests, sent by token to a process that has answered such requests before.

Each of them costs a round trip on PostgreSQL. SQLite has no statement that writes to several tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from tests.conftest import Client
from tests.games.races import open_market, open_table
from tests.money import cash, fund

pytestmark = pytest.mark.django_db(transaction=True)
Api = Callable[[Player | None], Client]
V1 = "/api/v1"
TABLE = {"rules": "racing-demons", "seats": 2}
OF_TRANSACTIONS = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def statements(request: Callable[[], Any], status: int = 201) -> list[str]:
    """Return the statements of a request, without those that begin and end transactions and savepoints."""
    with CaptureQueriesContext(connection) as captured:
        answer = request()
    assert answer.status_code == status, answer.content
    found = [query["sql"].strip() for query in captured.captured_queries]
    return [sql for sql in found if not sql.startswith(OF_TRANSACTIONS)]


def most(on_postgresql: int, on_sqlite: int) -> int:
    return on_postgresql if connection.vendor == "postgresql" else on_sqlite


def opened(client: Client) -> str:
    return str(client.post(f"{V1}/games/", TABLE).json()["id"])


def test_a_game_is_shown_in_three_statements(api: Api, player: Player, rival: Player) -> None:
    """The token, the game with its table, and what keeps the caller from a seat."""
    game = opened(api(player))
    api(player).post(f"{V1}/games/{game}/seats/", {})
    client = api(rival)
    client.get(f"{V1}/games/{game}/")
    assert len(statements(lambda: client.get(f"{V1}/games/{game}/"), 200)) == 3


def test_a_seat_is_taken_in_four_statements(api: Api, player: Player, rival: Player) -> None:
    first, client = opened(api(player)), api(rival)

    def sit(game: str) -> Any:
        return client.post(f"{V1}/games/{game}/seats/", {"client_seed": "mine"})

    sit(first)
    second = opened(api(player))
    api(player).post(f"{V1}/games/{second}/seats/", {})
    assert len(statements(lambda: sit(second))) == most(4, 5)


def test_a_table_is_opened_in_four_statements(api: Api, player: Player) -> None:
    client = api(player)
    opened(client)
    assert len(statements(lambda: client.post(f"{V1}/games/", TABLE))) == most(4, 8)


def test_a_bet_at_fixed_odds_is_placed_in_four_statements(
    api: Api, organizer: Player, player: Player
) -> None:
    market = open_market(open_table(organizer))
    fund(cash(player.pk), 1_000)
    client = api(player)
    body = {"runner": "H", "stake": 100, "price": market.runners.get(name="H").price}

    def bet() -> Any:
        return client.post(f"{V1}/markets/{market.pk}/bets/", body)

    bet()
    assert len(statements(bet)) == most(4, 9)


def test_the_first_request_by_a_token_reads_it(api: Api, player: Player, rival: Player) -> None:
    game, client = opened(api(player)), api(rival)
    first = statements(lambda: client.post(f"{V1}/games/{game}/seats/", {}))
    assert "accounts_token" in first[0]
