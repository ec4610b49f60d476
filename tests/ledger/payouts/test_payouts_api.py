"""Payouts over REST: permissions, refusals, and documents."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import override_settings

from accounts.models import Player
from accounts.roles import Role
from ledger.models import Hold, Transfer
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutStep
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


def test_repeated_request_is_one_payout(api: Api, player: Player) -> None:
    client = api(player)
    first, second = (client.post(f"{V1}/withdrawals/", BODY, key="k") for _ in range(2))
    assert first.json() == second.json()
    assert refused(client.post(f"{V1}/withdrawals/", {**BODY, "amount": 1}, key="k")) == (
        409,
        "idempotency-key-reused",
    )
    assert Payout.objects.count() == 1
    assert refused(client.post(f"{V1}/withdrawals/", BODY, key="")) == (400, "idempotency-key-required")


BAD: list[Any] = [
    {"amount": 0}, {"amount": -5}, {"amount": 1.0}, {"amount": 0.5}, {"amount": "5"}, {"amount": True},
    {"amount": None}, {"amount": 10**30}, {"amount": 10**11 + 1}, {"currency": "EUR"}, {"currency": 5},
    {"destination": ""}, {"destination": "  "}, {"destination": "a\nb"}, {"destination": "x" * 141}, {"destination": 7},
    {"destination": "a\u0000b"}, {"account": "house"}, {"player": str(uuid4())},
]  # fmt: skip


def test_invalid_requests_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    client = api(player)
    for change in BAD:
        with subtests.test(change=change):
            answer = client.post(f"{V1}/withdrawals/", {**BODY, **change})
            assert answer.status_code == 400
            assert not Payout.objects.exists()
            assert available(f"player:{player.pk}") == 1000


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400", "4e2"])
def test_an_amount_that_is_not_an_integer_is_refused(api: Api, player: Player, text: str) -> None:
    body = f'{{"amount": {text}, "destination": "x"}}'.encode()
    answer = api(player).generic(
        "POST", f"{V1}/withdrawals/", body, "application/json", headers={"Idempotency-Key": "k"}
    )
    assert answer.status_code == 400
    assert not Payout.objects.exists()


def test_an_amount_above_the_balance_is_refused(api: Api, player: Player) -> None:
    ask(api, player, amount=700)
    assert refused(api(player).post(f"{V1}/withdrawals/", BODY)) == (409, "insufficient-funds")


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
    assert refused(do(client, payout, "pay", {})) == (409, "payout-unexpected-state")
    assert available("house", "external") == -600


def test_a_decision_requires_a_reason(
    api: Api, player: Player, administrator: Player, subtests: pytest.Subtests
) -> None:
    client, payout = api(administrator), ask(api, player)
    for body in [{}, {"reason": ""}, {"reason": "  "}, {"reason": "x" * 201}, {"reason": 5}]:
        for action in ["hold", "release", "reject", "reinstate"]:
            with subtests.test(body=body, action=action):
                assert do(client, payout, action, body).status_code == 400
                assert PayoutStep.objects.count() == 1


def test_administrators_cannot_decide_on_their_own_payouts(
    api: Api, administrator: Player, other: Player
) -> None:
    fund(cash(administrator.pk), 1000)
    payout, mine = ask(api, administrator), api(administrator)
    for action in ("approve", "hold"):
        assert refused(do(mine, payout, action)) == (403, "own-payout")
    assert do(api(other), payout, "approve").status_code == 200
    assert refused(do(mine, payout, "pay")) == (403, "own-payout")
    assert refused(do(mine, payout, "reject")) == (403, "own-payout")
    assert Payout.objects.get().state == "approved"


@override_settings(RACECARD_PAYOUT_SECOND_PERSON=399)
def test_a_payout_above_the_limit_needs_a_second_approval(
    api: Api, player: Player, administrator: Player, other: Player
) -> None:
    payout, client = ask(api, player), api(administrator)
    assert client.get(f"{V1}/payouts/{payout}/").json()["two_persons"] is True
    assert do(client, payout, "approve").json()["state"] == "checked"
    assert refused(do(client, payout, "approve")) == (403, "second-approver-required")
    assert refused(do(api(other), payout, "pay")) == (409, "payout-unexpected-state")
    assert do(api(other), payout, "approve").json()["state"] == "approved"


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


@pytest.mark.parametrize(
    "body", [{"payouts": []}, {"payouts": ["x"]}, {"currency": "EUR"}, {"up_to": 0}, {"up_to": 1.5}, {"x": 1}]
)
def test_invalid_batches_are_refused(api: Api, administrator: Player, body: Any) -> None:
    assert api(administrator).post(f"{V1}/payout-batches/", body).status_code == 400


def test_a_batch_without_payouts_is_refused(api: Api, administrator: Player) -> None:
    client = api(administrator)
    assert refused(client.post(f"{V1}/payout-batches/", {})) == (409, "empty-batch")
    unknown = client.post(f"{V1}/payout-batches/", {"payouts": [str(uuid4())]})
    assert refused(unknown) == (404, "unknown-payout")


# --- freezes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["auditor", "administrator"])
def test_freeze_of_a_game_over_rest(
    api: Api, request: pytest.FixtureRequest, player: Player, who: str
) -> None:
    win(player.pk, 300)
    client = api(request.getfixturevalue(who))
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


# --- permissions ---------------------------------------------------------------------------------------

GET = {
    "payouts/": "auditor", "payouts/{payout}/": "auditor", "payout-batches/": "auditor",
    "payout-batches/{batch}/": "auditor", "payout-batches/{batch}/csv/": "administrator", "freezes/": "auditor",
}  # fmt: skip
POST: dict[str, tuple[Any, str]] = {
    "payouts/{payout}/approve/": ({}, "administrator"),
    "payouts/{payout}/hold/": (REASON, "administrator"),
    "payouts/{payout}/release/": (REASON, "administrator"),
    "payouts/{payout}/reject/": (REASON, "administrator"),
    "payouts/{payout}/reinstate/": (REASON, "administrator"),
    "payouts/{payout}/pay/": ({}, "administrator"),
    "payout-batches/": ({}, "administrator"),
    "payout-batches/{batch}/pay/": ({"checksum": "x"}, "administrator"),
    "freezes/": ({"subject": "game:7", **REASON}, "auditor"),
    "freezes/{freeze}/release/": (REASON, "auditor"),
}
PEOPLE = ["player", "rival", "stranger", "organizer", "auditor", "administrator", None]


def everything() -> list[Any]:
    return [
        list(model.objects.order_by("pk").values())
        for model in (Payout, PayoutStep, PayoutBatch, Freeze, Hold, Transfer)
    ]


@pytest.fixture
def scene(api: Api, player: Player, other: Player) -> dict[str, Any]:
    win(player.pk, 300)
    waiting, batched = ask(api, player), ask(api, player, amount=100)
    do(api(other), batched, "approve", {})
    batch = api(other).post(f"{V1}/payout-batches/", {}).json()["id"]
    freeze = api(other).post(f"{V1}/freezes/", {"subject": "game:7", **REASON}).json()["id"]
    return {"payout": UUID(waiting), "batch": batch, "freeze": freeze}


def may(who: str | None, least: str) -> bool:
    return who == "administrator" or (who, least) == ("auditor", "auditor")


def test_every_endpoint_with_every_role(
    api: Api, request: pytest.FixtureRequest, scene: dict[str, Any], subtests: pytest.Subtests
) -> None:
    before = everything()
    for who in PEOPLE:
        client = api(request.getfixturevalue(who) if who else None)
        with subtests.test(who=who):
            for path, least in GET.items():
                answer = client.get(f"{V1}/{path.format(**scene)}")
                expected = 200 if may(who, least) else 401 if who is None else 403
                assert answer.status_code == expected, path
            for path, (body, least) in POST.items():
                if may(who, least):
                    continue
                answer = client.post(f"{V1}/{path.format(**scene)}", body)
                assert answer.status_code == (401 if who is None else 403), path
            assert everything() == before
            own = client.get(f"{V1}/withdrawals/{scene['payout']}/")
            assert own.status_code == (200 if who == "player" else 401 if who is None else 404)


def test_staff_need_a_required_one_time_code(api: Api, administrator: Player, scene: dict[str, Any]) -> None:
    client, before = api(administrator), everything()
    with override_settings(REQUIRE_SECOND_FACTOR=True):
        for path, (body, _) in POST.items():
            assert client.post(f"{V1}/{path.format(**scene)}", body).status_code == 403
    assert everything() == before


def test_no_endpoint_accepts_put_patch_or_delete(
    api: Api, administrator: Player, scene: dict[str, Any]
) -> None:
    client = api(administrator)
    for path in (*GET, *POST, "withdrawals/"):
        for method in (client.put, client.patch, client.delete):
            assert method(f"{V1}/{path.format(**scene)}", {}).status_code in (403, 405)
