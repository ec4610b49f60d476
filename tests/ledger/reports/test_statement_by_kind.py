"""Statements filtered by kind: the same lines and balances, and matching sums."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from ledger import selectors, services
from ledger.models import Account, Transfer
from ledger.selectors import LineKind, kind_of, of_kind
from tests.ledger.reports.worlds import World
from tests.money import AT, CURRENCY, cash, fresh_key, fund

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]
V1 = "/api/v1"


def test_each_transfer_has_one_kind_and_is_found_by_it() -> None:
    World(7).do(8)
    rows = list(Transfer.objects.with_accounts())
    assert len({kind_of(row) for row in rows}) >= 3
    for kind in LineKind:
        found = set(Transfer.objects.filter(of_kind(kind)).values_list("pk", flat=True))
        assert found == {row.pk for row in rows if kind_of(row) == kind}


def test_filter_does_not_change_balances() -> None:
    World(1).do(8)
    for account in Account.objects.filter(kind="player"):
        whole = {line.transfer: line for line in selectors.statement(account, limit=10_000)}
        for kind in LineKind:
            page = selectors.newest([account], of_kind(kind), 10_000)
            shown = selectors.lines([account], page, consecutive=False)
            assert shown == [line for line in whole.values() if line.kind == kind]


def test_sums_cover_all_matching_lines(api: Api, player: Player) -> None:
    fund(cash(player.pk), 5000)
    session = services.open_session(
        player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=timezone.now()
    )
    services.cash_out(session=session, key=fresh_key(), at=timezone.now())
    at = f"{V1}/wallet/statement/"
    whole = api(player).get(f"{at}?limit=1").json()
    assert (whole["opening"], whole["received"], whole["paid"], whole["closing"]) == (0, 7000, 2000, 5000)
    own = api(player).get(f"{at}?kind=own").json()
    assert (own["received"], own["paid"]) == (2000, 2000)
    assert [(line["change"], line["balance"]) for line in own["results"]] == [(2000, 5000), (-2000, 3000)]
    since = api(player).get(f"{at}?from=2026-03-01T12:00:01Z").json()
    assert since["opening"] + since["received"] - since["paid"] == since["closing"] == 5000
    rows = list(
        csv.reader(StringIO(b"".join(api(player).get(f"{V1}/wallet/statement.csv?kind=own")).decode()))
    )
    assert [row[4:6] for row in rows[1:]] == [["-2000", "3000"], ["2000", "5000"]]
    wrong = api(player).get(f"{at}?kind=luck")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid-input")


def test_reversal_and_original_refer_to_each_other(api: Api, player: Player, administrator: Player) -> None:
    order = {"currency": CURRENCY, "key": fresh_key(), "actor": "test", "reason": "by mistake", "at": AT}
    [wrong] = services.deposit(player=player.pk, amount=700, **order).transfers
    answer = api(administrator).post(
        f"{V1}/reversals/", {"transfer": str(wrong.uuid), "reason": "paid in for the wrong player"}
    )
    assert answer.status_code == 201
    correction, mistake = api(player).get(f"{V1}/wallet/statement/").json()["results"]
    assert (correction["kind"], correction["reverses"], correction["change"]) == (
        "correction",
        mistake["transfer"],
        -700,
    )
    assert (mistake["kind"], mistake["reversed_by"], mistake["reverses"]) == (
        "outside",
        correction["transfer"],
        None,
    )
    alone = api(player).get(f"{V1}/wallet/statement/?transfer={mistake['transfer']}").json()["results"]
    assert alone == [mistake]
    assert api(player).get(f"{V1}/wallet/statement/?transfer=x").status_code == 400


def test_other_currency_is_shown_to_its_owner(api: Api, player: Player, rival: Player) -> None:
    fund(cash(player.pk, "JPY"), 900)
    wallet = api(player).get(f"{V1}/wallet/?currency=JPY").json()
    assert (wallet["currencies"], wallet["accounts"]["cash"]["total"]) == (sorted(["JPY", CURRENCY]), 900)
    [line] = api(player).get(f"{V1}/wallet/statement/?currency=JPY").json()["results"]
    assert line["change"] == 900
    for address in ("wallet/", "wallet/statement/"):
        assert api(rival).get(f"{V1}/{address}?currency=JPY").json()["code"] == "unknown-currency"
