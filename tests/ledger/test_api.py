"""The ledger over REST: permissions, refusals, and malformed requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import override_settings

from accounts.models import Player
from ledger import selectors, services
from ledger.models import Account, GameStake, PlaySession, StakeTable, Transfer
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

pytestmark = pytest.mark.django_db

Api = Callable[[Player | None], Any]
V1 = "/api/v1"


@pytest.fixture
def funded(player: Player) -> Player:
    fund(cash(player.pk), 5000)
    return player


def everything() -> list[Any]:
    return [
        list(model.objects.order_by("pk").values()) for model in (Account, Transfer, PlaySession, GameStake)
    ]


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
    assert statement == {
        "opening": 0,
        "received": 0,
        "paid": 0,
        "closing": 0,
        "results": [],
        "next": None,
    }


@pytest.mark.both_databases
def test_a_play_session_from_cash_in_to_cash_out(api: Api, funded: Player, vegas: StakeTable) -> None:
    client = api(funded)
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


@pytest.mark.both_databases
def test_a_repeated_request_is_one_cash_in(api: Api, funded: Player) -> None:
    client = api(funded)
    first = client.post(f"{V1}/play-sessions/", {"amount": 2000}, key="k")
    again = client.post(f"{V1}/play-sessions/", {"amount": 2000}, key="k")
    assert again.json() == first.json()
    assert again["Idempotent-Replay"] == "true"
    other = client.post(f"{V1}/play-sessions/", {"amount": 2001}, key="k")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency-key-reused")
    assert available(f"player:{funded.pk}") == 3000


@pytest.mark.both_databases
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


def test_a_malformed_cash_in_changes_nothing(api: Api, funded: Player, subtests: pytest.Subtests) -> None:
    before = everything()
    client = api(funded)
    for body in [
        {},
        {"amount": None},
        {"amount": 0},
        {"amount": -5},
        {"amount": 1.5},
        {"amount": 5.0},
        {"amount": "5"},
        {"amount": True},
        {"amount": 10**11 + 1},
        {"amount": 10**30},
        {"amount": [5]},
        {"amount": 5, "player": "x"},
        {"amount": 5, "currency": "EUR"},
        [],
        "amount",
        5,
    ]:
        with subtests.test(body=body):
            answer = client.post(f"{V1}/play-sessions/", body)
            assert answer.status_code == 400
            assert answer["Content-Type"] == "application/problem+json"
            assert answer.json()["code"]
            assert everything() == before


@pytest.mark.parametrize(
    "text", [b"{", b"\xff", b'{"amount":NaN}', b'{"amount":1e400}', b'{"amount":Infinity}', b""]
)
def test_malformed_json_changes_nothing(api: Api, funded: Player, text: bytes) -> None:
    before = everything()
    answer = api(funded).generic(
        "POST",
        f"{V1}/play-sessions/",
        text,
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )
    assert answer.status_code == 400
    assert everything() == before


def test_an_idempotency_key_is_required(api: Api, funded: Player, administrator: Player) -> None:
    for who, path, body in [
        (funded, "play-sessions/", {"amount": 5}),
        (administrator, "deposits/", {"player": str(funded.pk), "amount": 5, "reason": "paid in cash"}),
    ]:
        answer = api(who).post(f"{V1}/{path}", body, key="")
        assert (answer.status_code, answer.json()["code"]) == (400, "idempotency-key-required")


def test_unpayable_commands_are_refused(api: Api, funded: Player) -> None:
    before = everything()
    answer = api(funded).post(f"{V1}/play-sessions/", {"amount": 5001})
    assert (answer.status_code, answer.json()["code"]) == (409, "insufficient-funds")
    assert everything() == before


def test_the_session_of_another_player_is_not_found(api: Api, funded: Player, stranger: Player) -> None:
    session = api(funded).post(f"{V1}/play-sessions/", {"amount": 2000}).json()["id"]
    for answer in (
        api(stranger).get(f"{V1}/play-sessions/{session}/"),
        api(stranger).post(f"{V1}/play-sessions/{session}/cash-out/", {}),
        api(stranger).get(f"{V1}/play-sessions/{uuid4()}/"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-session")
    assert api(stranger).get(f"{V1}/play-sessions/").json()["results"] == []
    assert PlaySession.objects.get(pk=session).is_open


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
    assert client.post(f"{V1}/deposits/", body, key="d").json() == paid.json()
    assert available(f"player:{player.pk}") == 750
    funded = client.post(
        f"{V1}/deposits/", {"stake_table": "vegas-classic", "amount": 9000, "reason": "bankroll"}
    )
    assert funded.status_code == 201
    assert available("house:vegas-classic", "bank") == 9000


def test_an_invalid_deposit_changes_nothing(
    api: Api, player: Player, administrator: Player, subtests: pytest.Subtests
) -> None:
    before = everything()
    client = api(administrator)
    for change, status in [
        ({"amount": -1}, 400),
        ({"amount": 1.5}, 400),
        ({"reason": ""}, 400),
        ({"reason": None}, 400),
        ({"reason": "  "}, 400),
        ({"reason": "x" * 201}, 400),
        ({"reason": "a\0b"}, 400),
        ({"currency": "EUR"}, 400),
        ({"player": "ann"}, 400),
        ({"player": "00000000-0000-4000-8000-000000000000"}, 404),
        ({"stake_table": "vegas-classic"}, 400),
        ({"extra": 1}, 400),
    ]:
        with subtests.test(change=change, status=status):
            body = {"player": str(player.pk), "amount": 5, "reason": "paid in cash", **change}
            assert client.post(f"{V1}/deposits/", body).status_code == status
            assert everything() == before


def test_text_that_is_not_unicode_is_refused(api: Api, player: Player, administrator: Player) -> None:
    before = everything()
    answer = api(administrator).generic(
        "POST",
        f"{V1}/deposits/",
        f'{{"player":"{player.pk}","amount":5,"reason":"\\ud800 in cash"}}',
        content_type="application/json",
        headers={"Idempotency-Key": "k"},
    )
    assert answer.status_code == 400
    assert everything() == before


@pytest.mark.both_databases
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


def test_ledger_is_visible_to_administrators_and_auditors(
    api: Api, cashed_in: PlaySession, auditor: Player, administrator: Player
) -> None:
    for who in (auditor, administrator):
        client = api(who)
        accounts = client.get(f"{V1}/accounts/?account=house/external").json()["results"]
        assert [row["total"] for row in accounts] == [-5000]
        transfers = client.get(f"{V1}/transfers/?subject={cashed_in.subject}").json()["results"]
        assert [(row["reason"], row["leg"]) for row in transfers] == [("cash in", 0)]
        assert len(client.get(f"{V1}/transfers/?account=house/external").json()["results"]) == 1
        (balance,) = client.get(f"{V1}/trial-balance/").json()
        assert (balance["currency"], balance["total"]) == (CURRENCY, 0)
        assert balance["debits"] == balance["credits"] == 7000
    assert api(auditor).get(f"{V1}/accounts/?account=none").status_code == 400
    assert api(auditor).get(f"{V1}/transfers/?subject=%00").status_code == 400


BODIES = {
    "deposits/": {"stake_table": "vegas-classic", "amount": 5, "reason": "for myself"},
    "reversals/": {"transfer": str(uuid4()), "reason": "for myself"},
}


def test_other_roles_are_refused(api: Api, request: pytest.FixtureRequest, subtests: pytest.Subtests) -> None:
    for who in ["player", "organizer", "auditor", None]:
        for path in [
            "accounts/",
            "transfers/",
            "trial-balance/",
            "reconciliations/",
            "deposits/",
            "reversals/",
        ]:
            with subtests.test(who=who, path=path):
                if who == "auditor" and path not in BODIES:
                    continue
                caller = request.getfixturevalue(who) if who else None
                before = everything()
                client = api(caller)
                answer = (
                    client.post(f"{V1}/{path}", BODIES[path])
                    if path in BODIES
                    else client.get(f"{V1}/{path}")
                )
                assert answer.status_code == (403 if who else 401)
                assert everything() == before


@pytest.mark.parametrize("path", ["wallet/", "wallet/statement/", "play-sessions/"])
def test_anonymous_callers_are_refused(api: Api, path: str) -> None:
    assert api(None).get(f"{V1}/{path}").status_code == 401


def test_no_endpoint_accepts_put_patch_or_delete(api: Api, administrator: Player) -> None:
    client = api(administrator)
    for path in (
        "accounts/",
        "transfers/",
        "trial-balance/",
        "deposits/",
        "reversals/",
        "stakes/",
        "play-sessions/",
    ):
        for method in (client.put, client.patch, client.delete):
            assert method(f"{V1}/{path}", {}).status_code in (403, 405)


def test_staff_need_a_required_one_time_code(api: Api, administrator: Player) -> None:
    client = api(administrator)
    with override_settings(REQUIRE_SECOND_FACTOR=True):
        assert client.get(f"{V1}/accounts/").status_code == 403
        assert client.post(f"{V1}/deposits/", BODIES["deposits/"]).status_code == 403
    assert not Transfer.objects.exists()


def test_the_statement_equals_that_of_the_selector(player: Player, cashed_in: PlaySession) -> None:
    lines = selectors.statement(cash(player.pk))
    assert [(line.change, line.balance) for line in lines] == [(-2000, 3000), (5000, 5000)]
    assert selectors.statement(cash(player.pk), before=lines[0].position)[0].balance == 5000
    services.cash_out(session=cashed_in, key=fresh_key(), at=AT)
    assert selectors.total_at(cash(player.pk), lines[0].at, lines[0].position) == 3000
