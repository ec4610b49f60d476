"""The balance at any time is the sum of the transfers until then, in any order of posting."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.models import Player
from ledger import selectors, services
from ledger.models import Account
from ledger.reports.statements import Range, oldest_first
from ledger.services import Leg
from tests.ledger.reports.worlds import World, moved_until
from tests.money import AT, CURRENCY, cash, fresh_key

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Api = Callable[[Player | None], Any]
V1 = "/api/v1"


def text(at: datetime) -> str:
    return quote(at.isoformat())


def paid_in(purse: Account, *when: tuple[int, int]) -> None:
    """Pay an amount in, a number of seconds after AT."""
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    for pence, seconds in when:
        at = AT + timedelta(seconds=seconds)
        services.post(
            key=fresh_key(), legs=[Leg(outside, purse, pence, f"paid in {pence}")], actor="test", at=at
        )


@settings(max_examples=4, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate])
@given(seed=st.integers(0, 2**32))
def test_the_balance_at_any_time_is_the_sum_until_then(seed: int) -> None:
    World(seed).do(5)
    # Transfers of earlier examples must not change what hypothesis draws.
    chance = random.Random(seed)
    for account in chance.sample(list(Account.objects.order_by("pk")), 4):
        begins, until = sorted(
            AT + timedelta(seconds=chance.randint(-13 * 86400, 13 * 86400)) for _ in range(2)
        )
        times = [line.at for line in oldest_first([account], Range())]
        if times:
            # Includes the exact time of a transfer, which belongs to both ends.
            begins = min(begins, chance.choice(times))
            until = max(begins, chance.choice([*times, until]))
        asked = Range(begins, until)
        before = moved_until(account.pk, begins - timedelta(microseconds=1))
        assert asked.opening([account]) == before
        assert asked.closing([account]) == moved_until(account.pk, until)
        lines = list(oldest_first([account], asked))
        assert before + sum(line.change for line in lines) == asked.closing([account])
        assert [line.balance for line in lines[-1:]] == [asked.closing([account])][: len(lines)]
        assert all(begins <= line.at <= until for line in lines)
        newest = selectors.lines([account], selectors.newest([account], asked.condition, 10_000))
        assert newest == lines[::-1]
        assert Range().closing([account]) == account.total == moved_until(account.pk)


def test_late_posting_is_listed_at_its_time(api: Api, player: Player) -> None:
    paid_in(cash(player.pk), (100, 0), (7, 60), (20, 30), (3, 60))
    client = api(player)
    shown = client.get(f"{V1}/wallet/statement/").json()
    assert (shown["opening"], shown["closing"]) == (0, 130)
    assert [(line["change"], line["balance"]) for line in shown["results"]] == [
        (3, 130),
        (7, 127),
        (20, 120),
        (100, 100),
    ]
    then = f"from={text(AT + timedelta(seconds=1))}&until={text(AT + timedelta(seconds=60))}"
    address, lines = f"{V1}/wallet/statement/?limit=1&{then}", []
    while address:
        page = client.get(address).json()
        assert (page["opening"], page["closing"]) == (100, 130)
        lines += [line["balance"] for line in page["results"]]
        address = page["next"]
    assert lines == [130, 127, 120]
    past = client.get(f"{V1}/wallet/statement/?until={text(AT + timedelta(seconds=59))}").json()
    assert (past["closing"], [line["balance"] for line in past["results"]]) == (120, [120, 100])


def test_a_statement_at_a_time_as_csv(api: Api, player: Player) -> None:
    paid_in(cash(player.pk), (100, 0), (7, 60))
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    formula = Leg(cash(player.pk), outside, 1, '=HYPERLINK("evil"),\n')
    services.post(key="k", legs=[formula], actor="test", at=AT + timedelta(seconds=90))
    answer = api(player).get(
        f"{V1}/wallet/statement.csv?from={text(AT + timedelta(seconds=1))}", HTTP_ACCEPT="text/csv"
    )
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="statement.csv"'
    rows = list(csv.DictReader(StringIO(b"".join(answer.streaming_content).decode(), newline="")))
    assert [(row["change"], row["balance"], row["reason"]) for row in rows] == [
        ("7", "107", "paid in 7"),
        ("-1", "106", '\'=HYPERLINK("evil"),\n'),
    ]


def test_staff_see_any_account(api: Api, player: Player, auditor: Player) -> None:
    paid_in(cash(player.pk), (100, 0))
    client, id = api(auditor), cash(player.pk).pk
    listed = client.get(f"{V1}/accounts/?account=player:{player.pk}/cash").json()["results"]
    assert [each["id"] for each in listed] == [id]
    shown = client.get(f"{V1}/accounts/{id}/statement/?until={text(AT)}").json()
    assert (shown["closing"], len(shown["results"])) == (100, 1)
    assert client.get(f"{V1}/accounts/{id}/statement.csv").status_code == 200
    for unknown in (0, 2**63, 10**30):
        answer = client.get(f"{V1}/accounts/{unknown}/statement/")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-account")


def test_invalid_times_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    client = api(player)
    for form in ["statement/", "statement.csv"]:
        for asked in [
            "until=yesterday",
            "until=2026-03-01",
            "until=2026-03-01T12:00:00",
            "until=2026-03-01T12:00:00+00:00",  # a + that is not encoded as %2B is a space
            "until=0001-01-01T00:00:00%2B23:59",
            "until=9999-12-31T23:59:59-23:59",
            "from=2026-13-01T00:00:00Z",
            "from=2026-03-02T00:00:00Z&until=2026-03-01T00:00:00Z",
            "until=2026-03-01T12:00:00Z&until=2026-03-01T12:00:00Z",
            "account=bank",
            "format=csv",
        ]:
            with subtests.test(form=form, asked=asked):
                answer = client.get(f"{V1}/wallet/{form}?{asked}")
                assert answer.status_code == (404 if asked == "format=csv" and form == "statement/" else 400)
                assert answer["Content-Type"] == "application/problem+json"


def test_missing_account_has_an_empty_statement(api: Api, stranger: Player) -> None:
    answer = api(stranger).get(f"{V1}/wallet/statement.csv?account=session")
    assert b"".join(answer.streaming_content).count(b"\r\n") == 1
