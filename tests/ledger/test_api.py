"""The ledger over REST: its documents, and a play session from cash in to cash out.

Permissions: tests/security/test_access_table.py. Repeated requests: tests/rest/test_idempotency.py. Malformed bodies:
test_bad_bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import Player
from ledger import selectors, services
from ledger.models import GameStake, PlaySession, StakeTable
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

pytestmark = pytest.mark.django_db

Api = Callable[[Player | None], Any]
V1 = "/api/v1"


@pytest.fixture
def funded(player: Player) -> Player:
    fund(cash(player.pk), 5000)
    return player


def play(session: str, table: StakeTable, winnings: int | None) -> GameStake:
    staked = services.take_stake(
        session=PlaySession.objects.get(pk=session),
        game=uuid4(),
        stake=520,
        max_win=2080,
        stake_table=table,
        event=3,
        at=AT,
        summary={"draw": 1},
    )
    if winnings is not None:
        services.settle_stake(game=staked.game, winnings=winnings, event=50, at=AT, summary={"cards": 3})
    return staked


def test_a_new_wallet_is_empty(api: Api, player: Player) -> None:
    nothing = {"available": 0, "held": 0, "total": 0}
    assert api(player).get(f"{V1}/wallet/").json() == {
        "currency": CURRENCY,
        "currencies": [CURRENCY],
        "accounts": {"cash": nothing, "session": nothing},
        "top_up": 0,
        "holds": None,
    }
    statement = api(player).get(f"{V1}/wallet/statement/").json()
    assert statement.pop("reality")["net"] == 0
    assert statement == {"opening": 0, "received": 0, "paid": 0, "closing": 0, "results": [], "next": None}


@pytest.mark.both_databases
def test_a_play_session_from_cash_in_to_cash_out(api: Api, funded: Player, vegas: StakeTable) -> None:
    client = api(funded)
    poor = client.post(f"{V1}/play-sessions/", {"amount": 5001})
    assert (poor.status_code, poor.json()["code"]) == (409, "insufficient-funds")
    opened = client.post(f"{V1}/play-sessions/", {"amount": 2000})
    assert opened.status_code == 201
    session = opened.json()["id"]
    assert opened["Location"] == f"{V1}/play-sessions/{session}/"
    play(session, vegas, 120)
    play(session, vegas, None)

    shown = client.get(f"{V1}/play-sessions/{session}/").json()
    assert (shown["balance"], shown["open"]) == (2000 - 520 + 120 - 520, True)
    reported = ("stake", "winnings", "net", "status", "summary")
    assert [
        {name: row[name] for name in reported}
        for row in sorted(shown["history"], key=lambda row: row["status"])
    ] == [
        {"stake": 520, "winnings": None, "net": None, "status": "open", "summary": {"draw": 1}},
        {"stake": 520, "winnings": 120, "net": -400, "status": "settled", "summary": {"draw": 1, "cards": 3}},
    ]

    refused = client.post(f"{V1}/play-sessions/{session}/cash-out/", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "game-in-progress")
    services.settle_stake(game=GameStake.objects.get(status="open").game, winnings=0, event=9, at=AT)
    closed = client.post(f"{V1}/play-sessions/{session}/cash-out/", {})
    assert (closed.status_code, closed.json()["cash_out"], closed.json()["open"]) == (200, 1080, False)
    assert client.get(f"{V1}/play-sessions/{session}/").json()["balance"] == 0
    wallet = client.get(f"{V1}/wallet/").json()["accounts"]
    assert (wallet["cash"]["available"], wallet["session"]["available"]) == (4080, 0)
    again = client.post(f"{V1}/play-sessions/{session}/cash-out/", {})
    assert (again.status_code, again.json()["code"]) == (409, "session-closed")
    assert [row["id"] for row in client.get(f"{V1}/play-sessions/").json()["results"]] == [session]


def test_the_statement_has_a_running_balance_across_its_pages(api: Api, funded: Player) -> None:
    client = api(funded)
    for amount in (100, 200, 300):
        session = client.post(f"{V1}/play-sessions/", {"amount": amount}).json()["id"]
        client.post(f"{V1}/play-sessions/{session}/cash-out/", {})
    lines, address = [], f"{V1}/wallet/statement/?limit=3"
    while address:
        page = client.get(address).json()
        lines += page["results"]
        address = page["next"]
    assert [(line["change"], line["balance"]) for line in lines] == [
        (300, 5000), (-300, 4700), (200, 5000), (-200, 4800), (100, 5000), (-100, 4900), (5000, 5000),
    ]  # fmt: skip
    assert lines[-1]["counterparty"] == "house/external"
    inside = client.get(f"{V1}/wallet/statement/?account=session").json()["results"]
    assert [line["balance"] for line in inside] == [0, 300, 0, 200, 0, 100]
    assert client.get(f"{V1}/wallet/statement/?account=bank").status_code == 400
    assert client.get(f"{V1}/wallet/statement/?cursor=x").status_code == 400


def test_stake_tables_are_listed_with_their_bounds(api: Api, player: Player) -> None:
    tables = api(player).get(f"{V1}/stakes/").json()["results"]
    (table,) = [each for each in tables if each["slug"] == "vegas-classic"]
    assert table == {
        "slug": "vegas-classic",
        "rules": "vegas-solitaire",
        "currency": CURRENCY,
        "minimum": 104,
        "maximum": 1_040_000,
        "step": 104,
        "default": 520,
        "win_rate": "1/13",
        "rake": 0,
        "split": "winner",
        "open": True,
        "mode": "",
        "bank_limit": 100_000_000,
        "terms": 1,
        "newest": 1,
        "effective_from": "1970-01-01T00:00:00Z",
        "announced": [],
    }


def test_an_administrator_makes_a_deposit(api: Api, player: Player, administrator: Player) -> None:
    client = api(administrator)
    body = {"player": str(player.pk), "amount": 750, "reason": "paid in cash"}
    paid = client.post(f"{V1}/deposits/", body, key="d")
    assert paid.status_code == 201
    (transfer,) = paid.json()["transfers"]
    assert (transfer["debit"], transfer["credit"], transfer["actor"]) == (
        "house/external",
        f"player:{player.pk}/cash",
        f"player:{administrator.pk}",
    )
    for changes, status in (({"player": str(uuid4())}, 404), ({"stake_table": "vegas-classic"}, 400)):
        assert client.post(f"{V1}/deposits/", {**body, **changes}).status_code == status
    assert available(f"player:{player.pk}") == 750
    funded = client.post(
        f"{V1}/deposits/", {"stake_table": "vegas-classic", "amount": 9000, "reason": "bankroll"}
    )
    assert funded.status_code == 201
    assert available("house:vegas-classic", "bank") == 9000


def test_a_repeated_reversal_names_the_first(api: Api, player: Player, administrator: Player) -> None:
    client = api(administrator)
    body = {"player": str(player.pk), "amount": 750, "reason": "paid in cash"}
    (transfer,) = client.post(f"{V1}/deposits/", body).json()["transfers"]
    order = {"transfer": transfer["id"], "reason": "the wrong player"}
    made = client.post(f"{V1}/reversals/", order)
    assert made.status_code == 201
    assert made.json()["transfers"][-1]["reverses"] == transfer["id"]
    assert available(f"player:{player.pk}") == 0
    again = client.post(f"{V1}/reversals/", order)
    assert (again.status_code, again.json()["code"]) == (409, "already-reversed")
    unknown = client.post(f"{V1}/reversals/", {**order, "transfer": str(uuid4())})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-transfer")


def test_auditors_read_the_ledger(api: Api, cashed_in: PlaySession, auditor: Player) -> None:
    client = api(auditor)
    accounts = client.get(f"{V1}/accounts/?account=house/external").json()["results"]
    assert [row["total"] for row in accounts] == [-5000]
    transfers = client.get(f"{V1}/transfers/?subject={cashed_in.subject}").json()["results"]
    assert [(row["reason"], row["leg"]) for row in transfers] == [("cash in", 0)]
    assert len(client.get(f"{V1}/transfers/?account=house/external").json()["results"]) == 1
    (balance,) = client.get(f"{V1}/trial-balance/").json()
    assert (balance["currency"], balance["total"]) == (CURRENCY, 0)
    assert balance["debits"] == balance["credits"] == 7000
    assert client.get(f"{V1}/accounts/?account=none").status_code == 400
    assert client.get(f"{V1}/transfers/?subject=%00").status_code == 400


def test_the_statement_equals_that_of_the_selector(player: Player, cashed_in: PlaySession) -> None:
    lines = selectors.statement(cash(player.pk))
    assert [(line.change, line.balance) for line in lines] == [(-2000, 3000), (5000, 5000)]
    assert selectors.statement(cash(player.pk), before=lines[0].position)[0].balance == 5000
    services.cash_out(session=cashed_in, key=fresh_key(), at=AT)
    assert selectors.total_at(cash(player.pk), lines[0].at, lines[0].position) == 3000
