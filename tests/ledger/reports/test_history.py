"""The history of a player: every stake is listed once, and the totals equal the changes of the balances."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.models import Player
from ledger import services
from ledger.models import PlaySession, StakeTable, Transfer
from ledger.reports import history
from ledger.reports.history import Filters
from ledger.services import Leg
from tests.ledger.betting.markets import bank, bet, open_pool, settle
from tests.ledger.reports.worlds import World
from tests.money import AT, CURRENCY, cash, fund

pytestmark = pytest.mark.django_db

Api = Callable[[Player | None], Any]
V1 = "/api/v1"


def gained_by_play(player: Any) -> int:
    """Sum the transfers from escrows and banks to a player's accounts, less those in the other direction."""
    gained = 0
    for row in Transfer.objects.with_accounts():
        for theirs, other, sign in ((row.credit, row.debit, 1), (row.debit, row.credit, -1)):
            if theirs.owner == f"player:{player}" and other.purpose in ("escrow", "bank"):
                gained += sign * row.amount
    return gained


@pytest.mark.both_databases
@settings(max_examples=2, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 2**32))
def test_the_history_accounts_for_everything_won_and_lost(seed: int) -> None:
    world = World(seed).do(8)
    for player in world.players:
        filters = Filters(player, CURRENCY)
        rows, totals = list(history.every(filters)), history.totals(filters)
        assert rows == sorted(rows, key=lambda row: (row.at, row.key), reverse=True)
        assert len({(row.kind, row.key) for row in rows}) == len(rows) == totals["count"]
        assert totals["net"] == sum(row.net or 0 for row in rows)
        standing = 0
        for row in rows:
            if row.state == "open" and row.kind in ("table", "tournament"):
                standing += stands_in(row.subject, player)
            elif row.state == "open":
                standing += row.stake
        assert totals["net"] - standing == gained_by_play(player)
    for name, values in (("kind", history.KINDS), ("state", history.STATES)):
        for value in values:
            some = Filters(player, CURRENCY, **{name: value})
            chosen = [row for row in rows if getattr(row, name) == value]
            assert list(history.every(some)) == chosen
            assert history.totals(some)["stake"] == sum(row.stake for row in chosen)


def stands_in(subject: str, player: Any) -> int:
    """Return what a player has paid into an escrow and not received back yet."""
    rows = Transfer.objects.with_accounts().filter(subject=subject)
    purse = f"player:{player}"
    return sum(row.amount * ((row.debit.owner == purse) - (row.credit.owner == purse)) for row in rows)


@pytest.fixture
def played(player: Player, cashed_in: PlaySession, vegas: StakeTable) -> dict[str, str]:
    """A lost bet, a won game, an open game, and a cancelled tournament."""
    bank()
    market = open_pool()
    lost = bet(market, "H", 300, player.pk, at=AT)
    bet(market, "S", 300)
    settle(market, "S")
    won, waiting = uuid4(), uuid4()
    terms = {"session": cashed_in, "stake": 104, "max_win": 416, "stake_table": vegas}
    services.take_stake(**terms, game=won, event=3, at=AT + timedelta(minutes=1))
    services.settle_stake(game=won, winnings=250, event=9, at=AT + timedelta(minutes=2))
    services.take_stake(**terms, game=waiting, event=3, at=AT + timedelta(minutes=3))
    subject = f"tournament:{uuid4()}"
    escrow = services.account(owner=subject, purpose="escrow", currency=CURRENCY)
    for what, legs in (
        ("fee:1", [Leg(cash(player.pk), escrow, 50, "entry fee")]),
        ("refund:1", [Leg(escrow, cash(player.pk), 50, "cancelled")]),
    ):
        at = AT + timedelta(minutes=4)
        services.post(key=f"{subject}:{what}", legs=legs, subject=subject, actor="tournaments", at=at)
    return {
        "bet": str(lost.pk),
        "won": str(won),
        "open": str(waiting),
        "tournament": subject.partition(":")[2],
    }


def test_the_history_is_one_list_with_the_newest_first(
    api: Api, player: Player, played: dict[str, str]
) -> None:
    client = api(player)
    shown = client.get(f"{V1}/wallet/history/").json()
    reported = [
        (row["kind"], row["id"], row["stake"], row["returned"], row["net"], row["state"])
        for row in shown["results"]
    ]
    assert reported == [
        ("tournament", played["tournament"], 50, 50, 0, "refunded"),
        ("game", played["open"], 104, None, None, "open"),
        ("game", played["won"], 104, 250, 146, "settled"),
        ("bet", played["bet"], 300, 0, -300, "settled"),
    ]
    assert shown["totals"] == {"count": 4, "stake": 558, "returned": 300, "net": -154, "open": 104}
    assert shown["results"][3]["on"] == "H"
    assert shown["results"][3]["about"].startswith("game:")
    address, ids = f"{V1}/wallet/history/?limit=1", []
    while address:
        page = client.get(address).json()
        assert page["totals"] == shown["totals"]
        ids += [row["id"] for row in page["results"]]
        address = page["next"]
    assert ids == [row["id"] for row in shown["results"]]


def test_the_history_is_filtered(
    api: Api, player: Player, played: dict[str, str], subtests: pytest.Subtests
) -> None:
    client = api(player)
    for asked, ids in [
        ("kind=bet", ["bet"]),
        ("kind=game", ["open", "won"]),
        ("kind=table", []),
        ("state=open", ["open"]),
        ("state=settled&kind=game", ["won"]),
        ("from=2026-03-01T12:01:00Z&until=2026-03-01T12:03:00Z", ["open", "won"]),
        ("until=2026-03-01T12:00:59.999999Z", ["bet"]),
    ]:
        with subtests.test(asked=asked, ids=ids):
            shown = client.get(f"{V1}/wallet/history/?{asked}").json()
            assert [row["id"] for row in shown["results"]] == [played[name] for name in ids]
            assert shown["totals"]["count"] == len(ids)
            answer = client.get(f"{V1}/wallet/history.csv?{asked}")
            rows = list(csv.DictReader(StringIO(b"".join(answer.streaming_content).decode(), newline="")))
            assert [row["id"] for row in rows] == [played[name] for name in ids]


def test_unknown_formats_are_refused(api: Api, player: Player) -> None:
    client = api(player)
    for query in ("kind=x", "state=won", "from=now", "sort=at", "limit=0", "cursor=x"):
        answer = client.get(f"{V1}/wallet/history/?{query}")
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json"), query


def test_the_history_is_that_of_the_caller(api: Api, stranger: Player, played: dict[str, str]) -> None:
    fund(cash(stranger.pk), 5)
    shown = api(stranger).get(f"{V1}/wallet/history/").json()
    assert (shown["results"], shown["totals"]["count"]) == ([], 0)
