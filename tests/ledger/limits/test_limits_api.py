"""Protection over REST, by the player and by administrators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import Player
from ledger.limits.models import LimitChange, PlayStop, ProtectedPlayer
from ledger.models import StakeTable
from ledger.services import open_session, take_stake
from tests.money import CURRENCY, cash, fresh_key, fund

pytestmark = pytest.mark.django_db

Api = Callable[[Player | None], Any]
V1 = "/api/v1"
LIMITS = f"{V1}/wallet/limits/"
TIME_OUTS = f"{V1}/wallet/time-outs/"
EXCLUSION = f"{V1}/wallet/self-exclusion/"
A_DAY = {"kind": "stake", "period": "day"}


def of_a_day(answer: Any) -> dict[str, Any]:
    [found] = [each for each in answer.json()["limits"] if (each["kind"], each["period"]) == ("stake", "day")]
    return dict(found)


def everything() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (ProtectedPlayer, LimitChange, PlayStop))


def test_unprotected_player_has_nine_empty_limits(api: Api, player: Player) -> None:
    answer = api(player).get(LIMITS)
    assert answer.json()["currency"] == CURRENCY
    assert answer.json()["limits"] == [
        {"kind": kind, "period": period, "amount": None, "used": 0, "remaining": None, "pending": None}
        for kind in ("deposit", "stake", "loss")
        for period in ("day", "week", "month")
    ]


def test_a_limit_is_set_used_raised_and_the_raise_withdrawn(
    api: Api, player: Player, vegas: StakeTable
) -> None:
    client, now = api(player), timezone.now()
    made = client.post(LIMITS, {**A_DAY, "amount": 1000})
    assert (made.status_code, made.json()) == (
        201,
        {**A_DAY, "amount": 1000, "used": 0, "remaining": 1000, "pending": None},
    )
    fund(cash(player.pk), 5000)
    session = open_session(player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=now)
    take_stake(session=session, game=uuid4(), stake=520, max_win=2080, stake_table=vegas, event=3, at=now)
    assert (of_a_day(client.get(LIMITS))["used"], of_a_day(client.get(LIMITS))["remaining"]) == (520, 480)

    raised = client.post(LIMITS, {**A_DAY, "amount": None}).json()
    assert (raised["amount"], raised["pending"]["amount"]) == (1000, None)
    effective = parse_datetime(raised["pending"]["effective_at"])
    assert effective is not None
    assert timedelta(hours=24) <= effective - now < timedelta(hours=25)

    kept = client.delete(f"{LIMITS}stake/day/pending/")
    assert (kept.status_code, kept.json()["pending"], kept.json()["amount"]) == (200, None, 1000)
    again = client.delete(f"{LIMITS}stake/day/pending/")
    assert (again.status_code, again.json()["code"]) == (404, "nothing-pending")
    assert client.delete(f"{LIMITS}win/year/pending/").status_code == 404


def test_deposit_beyond_the_limit_reports_the_remainder(
    api: Api, player: Player, administrator: Player
) -> None:
    api(player).post(LIMITS, {"kind": "deposit", "period": "week", "amount": 1000})
    client = api(administrator)
    body = {"player": str(player.pk), "amount": 800, "reason": "paid in cash"}
    paid = client.post(f"{V1}/deposits/", body, key="first")
    refused = client.post(f"{V1}/deposits/", body)
    assert (refused.status_code, refused.json()["code"]) == (409, "limit-reached")
    reported = {name: refused.json()[name] for name in ("limit", "period", "amount", "used", "remaining")}
    assert reported == {"limit": "deposit", "period": "week", "amount": 1000, "used": 800, "remaining": 200}
    assert parse_datetime(refused.json()["frees_at"]) == parse_datetime(
        paid.json()["transfers"][0]["at"]
    ) + timedelta(days=7)  # type: ignore[operator]
    assert client.post(f"{V1}/deposits/", body, key="first").json() == paid.json()
    assert client.post(f"{V1}/deposits/", {**body, "amount": 200}).status_code == 201


def test_a_time_out_stops_play_and_reports_its_end(api: Api, player: Player) -> None:
    client = api(player)
    fund(cash(player.pk), 5000)
    made = client.post(TIME_OUTS, {"hours": 2})
    assert (made.status_code, made.json()["in_force"]) == (201, True)
    for path, body in [("play-sessions/", {"amount": 500}), ("games/", {"rules": "racing-aces", "seats": 1})]:
        refused = client.post(f"{V1}/{path}", body)
        assert (refused.status_code, refused.json()["code"]) == (409, "play-stopped")
        assert refused.json()["until"][:19] == made.json()["until"][:19]
    assert [row["kind"] for row in client.get(TIME_OUTS).json()["results"]] == ["time-out"]
    assert client.get(EXCLUSION).json()["results"] == []


def test_self_exclusion_needs_confirmation(api: Api, player: Player) -> None:
    client = api(player)
    for body in ({"months": 6}, {"months": 6, "confirm": ""}, {"months": 6, "confirm": "yes"}):
        assert client.post(EXCLUSION, body).status_code == 400
    refused = client.post(EXCLUSION, {"months": 6, "confirm": "yes"})
    assert refused.json()["code"] == "not-confirmed"
    assert everything() == (0, 0, 0)
    made = client.post(EXCLUSION, {"months": None, "confirm": "exclude me"})
    assert (made.status_code, made.json()["until"], made.json()["in_force"]) == (201, None, True)


def test_an_administrator_protects_a_player_with_a_reason(
    api: Api, player: Player, administrator: Player, auditor: Player
) -> None:
    client, base = api(administrator), f"{V1}/players/{player.pk}"
    limited = client.post(f"{base}/limits/", {**A_DAY, "amount": 500, "reason": "asked by letter"})
    stopped = client.post(f"{base}/time-outs/", {"hours": 24, "reason": "asked by phone"})
    excluded = client.post(f"{base}/exclusions/", {"months": 12, "reason": "asked by phone"})
    assert [each.status_code for each in (limited, stopped, excluded)] == [201, 201, 201]
    shown = api(auditor).get(f"{base}/protection/").json()
    by = f"player:{administrator.pk}"
    assert [(each["amount"], each["actor"], each["reason"]) for each in shown["changes"]] == [
        (500, by, "asked by letter")
    ]
    assert [(each["kind"], each["reason"]) for each in shown["stops"]] == [
        ("self-exclusion", "asked by phone"),
        ("time-out", "asked by phone"),
    ]
    assert shown["stop"]["kind"] == "self-exclusion"
    assert of_a_day(api(auditor).get(f"{base}/protection/"))["amount"] == 500
    assert client.get(f"{V1}/players/{uuid4()}/protection/").json()["code"] == "unknown-player"
    raised = client.post(f"{base}/limits/", {**A_DAY, "amount": 900, "reason": "asked by letter"}).json()
    assert (raised["amount"], raised["pending"]["amount"]) == (500, 900)


def test_invalid_limits_and_stops_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    client = api(player)
    for path, body in [
        ("limits/", {"kind": "win", "period": "day", "amount": 5}),
        ("limits/", {"kind": "stake", "period": "year", "amount": 5}),
        ("limits/", {"kind": "stake", "period": "day"}),
        ("limits/", {**A_DAY, "amount": 5, "player": str(uuid4())}),
        ("time-outs/", {"hours": 0}),
        ("time-outs/", {"hours": 1009}),
        ("time-outs/", {"hours": "1"}),
        ("self-exclusion/", {"months": 5, "confirm": "exclude me"}),
        ("self-exclusion/", {"months": 61, "confirm": "exclude me"}),
        ("self-exclusion/", {"confirm": "exclude me"}),
    ]:
        with subtests.test(path=path, body=body):
            assert client.post(f"{V1}/wallet/{path}", body).status_code == 400
            assert everything() == (0, 0, 0)


def test_figures_of_play_since_an_invalid_time_are_refused(api: Api, player: Player) -> None:
    client = api(player)
    for since in ("", "yesterday", "2026-03-01T12:00:00", "9999-01-01T00:00:00Z", "2026-13-01"):
        assert client.get(f"{V1}/wallet/reality/", {"since": since}).status_code == 400, since
