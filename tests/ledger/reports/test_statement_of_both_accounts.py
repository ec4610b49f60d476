"""The statement of a player's balance with the play session: no transfers between them, and the sums reconcile."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.db.models import Q

from accounts.models import Player
from ledger import selectors, services
from ledger.models import Account, Transfer
from ledger.reports import rollups
from ledger.reports.statements import Range, oldest_first
from tests.ledger.reports.worlds import World
from tests.money import AT, CURRENCY, cash, fresh_key, fund
from tests.waiting import wait_until_final

pytestmark = pytest.mark.django_db

Api = Callable[[Player | None], Any]
V1 = "/api/v1"


def accounts_of(player: Any) -> list[Account]:
    owned = Account.objects.filter(kind="player", key=str(player), purpose__in=["session", "cash"])
    return list(owned.order_by("-purpose"))


def expected(accounts: list[Account]) -> list[tuple[Any, int, int]]:
    """The transfers with the rest of the world, oldest first, with change and balance, from all rows."""
    own, balance, lines = {account.pk for account in accounts}, 0, []
    touching = Transfer.objects.filter(Q(debit__in=own) | Q(credit__in=own)).order_by("at", "position")
    for row in touching:
        if (row.debit_id in own) != (row.credit_id in own):
            change = row.amount if row.credit_id in own else -row.amount
            balance += change
            lines.append((row.uuid, change, balance))
    return lines


@pytest.mark.parametrize("seed", [1, 4])
def test_lines_and_sums_are_those_of_all_transfers(seed: int) -> None:
    world = World(seed).do(25)
    for player in world.players:
        accounts = accounts_of(player)
        lines = expected(accounts)
        for page in (
            selectors.lines(accounts, selectors.newest(accounts, Q(), 10_000))[::-1],
            list(oldest_first(accounts, Range())),
        ):
            assert [(line.transfer, line.change, line.balance) for line in page] == lines
        few = selectors.lines(accounts, selectors.newest(accounts, Q(), 3))
        assert [line.transfer for line in few] == [line[0] for line in lines[:-4:-1]]
        closing = Range().closing(accounts)
        received, paid = Range().moved(accounts)
        assert closing == sum(account.total for account in accounts) == received - paid
        assert received == sum(change for _, change, _ in lines if change > 0)
        some = Range(AT - timedelta(days=3), AT + timedelta(days=5))
        received, paid = some.moved(accounts)
        assert some.opening(accounts) + received - paid == some.closing(accounts)


@pytest.mark.django_db(transaction=True)  # the rollups add committed transfers
def test_the_sums_are_the_same_after_the_rollups() -> None:
    world = World(2).do(8)
    before = [Range().moved(accounts_of(player)) for player in world.players]
    wait_until_final()
    rollups.follow()
    assert [Range().moved(accounts_of(player)) for player in world.players] == before


def test_a_play_session_is_a_part_of_the_balance(api: Api, player: Player) -> None:
    fund(cash(player.pk), 5000)
    session = services.open_session(player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=AT)
    client = api(player)
    whole = client.get(f"{V1}/wallet/statement/?account=all").json()
    assert [line["purpose"] for line in whole["results"]] == ["deposit"]
    assert (whole["opening"], whole["received"], whole["paid"], whole["closing"]) == (0, 5000, 0, 5000)
    [line] = client.get(f"{V1}/wallet/statement/?account=session").json()["results"]
    assert (line["purpose"], line["change"]) == ("to-session", 2000)
    services.cash_out(session=session, key=fresh_key(), at=AT)
    back = client.get(f"{V1}/wallet/statement/").json()["results"]
    assert [line["purpose"] for line in back] == ["from-session", "to-session", "deposit"]
    rows = list(
        csv.DictReader(
            StringIO(
                b"".join(client.get(f"{V1}/wallet/statement.csv?account=all").streaming_content).decode()
            )
        )
    )
    assert [(row["purpose"], row["balance"]) for row in rows] == [("deposit", "5000")]
    refused = client.get(f"{V1}/wallet/statement/?account=savings")
    assert (refused.status_code, "cash, session, all" in refused.json()["detail"]) == (400, True)


def test_an_empty_wallet_has_an_empty_statement(api: Api, player: Player) -> None:
    empty = api(player).get(f"{V1}/wallet/statement/?account=all").json()
    assert (empty["results"], empty["closing"]) == ([], 0)
