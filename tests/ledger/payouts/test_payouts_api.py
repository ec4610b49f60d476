"""Payouts over REST: permissions, refusals, and documents."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import override_settings

from accounts.models import Player
from accounts.roles import Role
from staff.models import ActionRecord
from tests.conftest import Client, person
from tests.ledger.payouts.cast import prize, win
from tests.money import CURRENCY, available, cash, fund

pytestmark = pytest.mark.django_db

V1 = "/api/v1"
Api = Callable[[Player | None], Client]
BODY = {"amount": 400, "destination": "IBAN XT00 1234"}
REASON = {"reason": "whose account is it?"}


@pytest.fixture(autouse=True)
def money(player: Player) -> None:
    fund(cash(player.pk), 1000)


@pytest.fixture
def other(db: None) -> Player:
    """Return a second administrator."""
    return person("bea", Role.ADMINISTRATOR)


def ask(api: Api, who: Player, **more: Any) -> str:
    made = api(who).post(f"{V1}/withdrawals/", {**BODY, **more})
    assert made.status_code == 201, made.json()
    return str(made.json()["id"])


def do(client: Client, payout: str, action: str, body: Any = None) -> Any:
    return client.post(f"{V1}/payouts/{payout}/{action}/", body if body is not None else REASON)


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_player_requests_views_and_cancels_a_withdrawal(api: Api, player: Player, rival: Player) -> None:
    client = api(player)
    made = client.post(f"{V1}/withdrawals/", BODY)
    reported = made.json()
    assert (made.status_code, reported["state"], reported["amount"], reported["reason"]) == (
        201,
        "requested",
        400,
        None,
    )
    assert client.get(made["Location"]).json() == reported
    assert [row["id"] for row in client.get(f"{V1}/withdrawals/").json()["results"]] == [reported["id"]]
    assert client.get(f"{V1}/wallet/").json()["accounts"]["cash"] == {
        "available": 600,
        "held": 400,
        "total": 1000,
    }
    assert api(rival).get(f"{V1}/withdrawals/").json()["results"] == []
    for address in (made["Location"],):
        assert refused(api(rival).get(address)) == (404, "unknown-payout")
    cancel = f"{V1}/withdrawals/{reported['id']}/cancel/"
    assert refused(api(rival).post(cancel, {})) == (404, "unknown-payout")
    taken = client.post(cancel, {}).json()
    assert (taken["state"], taken["reason"]) == ("rejected", "cancelled by the player")
    assert refused(client.post(cancel, {})) == (409, "payout-unexpected-state")
    assert available(f"player:{player.pk}") == 1000


def test_a_decision_of_an_administrator_is_in_the_history(
    api: Api, player: Player, administrator: Player, other: Player
) -> None:
    payout, client = ask(api, player), api(administrator)
    for action in ("hold", "release"):
        assert do(client, payout, action).status_code == 200
    assert refused(do(client, payout, "approve", {"amount": 40})) == (409, "payout-amount-differs")
    assert do(client, payout, "approve", {"amount": 400}).json()["state"] == "approved"
    paid = do(api(other), payout, "pay", {}).json()
    assert (paid["state"], paid["balances"]["cash"]["total"]) == ("paid", 600)
    assert [(step["was"], step["becomes"]) for step in paid["history"]] == [
        ("", "requested"),
        ("requested", "held"),
        ("held", "requested"),
        ("requested", "approved"),
        ("approved", "paid"),
    ]
    assert paid["history"][-1]["actor"] == f"player:{other.pk}"
    assert paid["sources"][0]["amount"] == 1000
    assert paid["two_persons"] is False
    assert refused(do(client, payout, "pay", {})) == (409, "payout-unexpected-state")
    assert available("house", "external") == -600
    fund(cash(administrator.pk), 400)
    own = ask(api, administrator)
    assert refused(do(client, own, "approve")) == (403, "own-payout")


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=399)
@pytest.mark.parametrize("actions", [(), ("hold",), ("hold", "release"), ("approve",), ("reject",)])
def test_cancellable_flag_matches_cancellation(
    api: Api, player: Player, administrator: Player, actions: tuple[str, ...]
) -> None:
    """A payee cannot cancel after the first of two approvals, and the flag shows it."""
    payout, client = ask(api, player), api(player)
    for action in actions:
        assert do(api(administrator), payout, action).status_code == 200
    address = f"{V1}/withdrawals/{payout}/"
    reported = client.get(address).json()["cancellable"]
    assert reported is (actions in ((), ("hold", "release")))
    cancelled = client.post(f"{address}cancel/", {})
    assert cancelled.status_code == (200 if reported else 409)
    assert client.get(address).json()["cancellable"] is False


def test_a_rejected_prize_can_be_reinstated(api: Api, administrator: Player, other: Player) -> None:
    won = prize(900)
    client = api(administrator)
    assert do(client, str(won.pk), "reject").json()["state"] == "rejected"
    again = do(client, str(won.pk), "reinstate")
    assert (again.status_code, again.json()["reinstates"]) == (201, str(won.pk))
    assert refused(do(client, str(won.pk), "reinstate")) == (409, "not-reinstated")
    [recorded] = ActionRecord.objects.filter(action="reinstate-payout")
    assert (recorded.subject, recorded.made) == (f"payout:{won.pk}", f"payout:{again.json()['id']}")
    assert do(api(other), again.json()["id"], "approve").json()["state"] == "paid"
    assert available(won.payee) == 900


def test_the_queue_is_filtered(api: Api, player: Player, rival: Player, auditor: Player) -> None:
    fund(cash(rival.pk), 1000)
    mine, theirs, won = ask(api, player), ask(api, rival), str(prize().pk)
    client = api(auditor)

    def listed(query: str) -> set[str]:
        return {row["id"] for row in client.get(f"{V1}/payouts/?{query}").json()["results"]}

    assert listed("") == {mine, theirs, won}
    assert listed(f"player={player.pk}") == {mine}
    assert listed("kind=prize&state=requested") == {won}
    assert listed("state=paid") == set()
    assert listed(f"currency={CURRENCY}") == {mine, theirs, won}
    assert listed("currency=EUR") == set()
    for bad in ("state=x", "kind=x", "player=x", "other=1", "state=paid&state=held"):
        assert client.get(f"{V1}/payouts/?{bad}").status_code == 400


# --- batches -------------------------------------------------------------------------------------------


def test_a_batch_is_collected_exported_and_paid(api: Api, player: Player, administrator: Player) -> None:
    payout, client = ask(api, player, destination="=cmd()"), api(administrator)
    do(client, payout, "approve")
    made = client.post(f"{V1}/payout-batches/", {"payouts": [payout]})
    assert (made.status_code, made.json()["count"], made.json()["amount"]) == (201, 1, 400)
    assert client.get(made["Location"]).json() == made.json()
    assert refused(do(client, payout, "pay", {})) == (409, "payout-in-batch")
    batch = f"{V1}/payout-batches/{made.json()['id']}"
    for accept in ("text/csv", "*/*", "application/json"):
        file = client.get(f"{batch}/csv/", headers={"Accept": accept})
        assert (file.status_code, file["Content-Type"].split(";")[0]) == (200, "text/csv")
    assert file["Racecard-Checksum"] == hashlib.sha256(file.content).hexdigest() == made.json()["checksum"]
    rows = list(csv.reader(io.StringIO(file.content.decode(), newline="")))
    assert (rows[1][1], rows[1][3], rows[1][5]) == ("4.00", "'=cmd()", player.username)
    assert refused(client.post(f"{batch}/pay/", {"checksum": "0" * 64})) == (409, "batch-changed")
    paid = client.post(f"{batch}/pay/", {"checksum": file["Racecard-Checksum"]})
    assert (paid.status_code, paid.json()["payouts"][0]["state"]) == (200, "paid")
    assert refused(client.post(f"{batch}/pay/", {"checksum": file["Racecard-Checksum"]})) == (
        409,
        "batch-paid",
    )
    assert [row["id"] for row in client.get(f"{V1}/payout-batches/").json()["results"]] == [made.json()["id"]]
    absent = client.get(f"{V1}/payout-batches/{uuid4()}/csv/", headers={"Accept": "text/csv"})
    assert (absent.status_code, absent["Content-Type"]) == (404, "application/problem+json")


# --- freezes -------------------------------------------------------------------------------------------


def test_freeze_of_a_game_over_rest(api: Api, auditor: Player, player: Player) -> None:
    win(player.pk, 300)
    client = api(auditor)
    made = client.post(f"{V1}/freezes/", {"subject": "game:7", **REASON})
    assert made.status_code == 201
    assert made.json()["money"] == [
        {"account": f"player:{player.pk}/cash", "currency": CURRENCY, "amount": 300, "state": "held"}
    ]
    assert available(f"player:{player.pk}") == 1000
    assert [row["id"] for row in client.get(f"{V1}/freezes/").json()["results"]] == [made.json()["id"]]
    release = f"{V1}/freezes/{made.json()['id']}/release/"
    assert client.post(release, {}).status_code == 400
    assert client.post(release, REASON).json()["money"][0]["state"] == "released"
    assert refused(client.post(release, REASON)) == (409, "freeze-released")
    assert refused(client.post(f"{V1}/freezes/{uuid4()}/release/", REASON)) == (404, "unknown-freeze")
