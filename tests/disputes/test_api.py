"""Test the REST API of disputes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from accounts.models import Player
from games.models import GameRecord
from tests.conftest import Client
from tests.games.staked import money_of

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Client]
VOID = {"finding": "upheld", "remedy": "void", "reason": "the shuffle was interrupted"}


@pytest.fixture
def today(played: GameRecord) -> GameRecord:
    """Return a game that ended just now by the clock of the API."""
    GameRecord.objects.filter(pk=played.pk).update(ended_at=timezone.now())
    played.refresh_from_db()
    return played


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def opened(api: Api, game: GameRecord, who: Player) -> str:
    body = {"version": 3, "claim": "my pass was never asked for"}
    answer = api(who).post(f"/api/v1/games/{game.pk}/disputes/", body)
    assert answer.status_code == 201, answer.json()
    assert answer["Location"] == f"/api/v1/disputes/{answer.json()['id']}/"
    return str(answer["Location"])


@override_settings(RACECARD_DISPUTE_SECOND_PERSON={"XTS": 100})
def test_dispute_from_claim_to_appeal(
    api: Api,
    today: GameRecord,
    people: list[Player],
    auditor: Player,
    other_auditor: Player,
    administrator: Player,
) -> None:
    before = money_of(people)
    at = opened(api, today, people[0])
    client = api(auditor)
    [waiting] = client.get("/api/v1/disputes/?status=open").json()["results"]
    assert (waiting["game"], waiting["seat"]) == (str(today.pk), 0)
    pinned = client.post(f"{at}evidence/", {"version": 4, "note": "no one was asked"})
    assert [row["version"] for row in pinned.json()["evidence"]] == [4]
    preview = client.post(f"{at}ruling/preview/", VOID, key="").json()
    assert (preview["amounts"], preview["second_person"]) == ({"XTS": 520}, True)
    assert code(client.post(f"{at}ruling/", VOID)) == (409, "ruling-stale")
    proposed = client.post(f"{at}ruling/", {**VOID, "token": preview["token"]})
    assert (proposed.status_code, proposed.json()["status"]) == (201, "proposed")
    assert code(client.post(f"{at}ruling/approval/", {})) == (403, "second-auditor-required")
    approved = api(administrator).post(f"{at}ruling/approval/", {"reason": "it is in event 4"})
    assert approved.json()["status"] == "ruled", approved.json()
    assert money_of(people) == [1000, 1000] != before
    seen = api(people[1]).get(at).json()
    [found] = seen["rulings"]
    assert (found["reason"], found["decision_reason"]) == (VOID["reason"], "it is in event 4")
    events = api(people[1]).get(f"{at}events/").json()
    assert events[3]["data"]["reason"] == "it is in event 4"
    types = [event["type"] for event in events]
    assert types == ["opened", "pinned", "proposed", "approved", "ruled"]
    appealed = api(people[1]).post(f"{at}appeal/", {"reason": "it was not"})
    assert (appealed.status_code, appealed.json()["instance"]) == (201, 2)
    body = {"finding": "rejected", "remedy": "dismissed", "reason": "it was asked for in event 5"}
    assert code(client.post(f"{at}ruling/preview/", body, key="")) == (403, "second-auditor-required")
    other = api(other_auditor)
    token = other.post(f"{at}ruling/preview/", body, key="").json()["token"]
    assert other.post(f"{at}ruling/", {**body, "token": token}).json()["status"] == "proposed"
    again = api(administrator).post(f"{at}ruling/approval/", {})
    assert [row["state"] for row in again.json()["rulings"]] == ["superseded", "standing"]
    assert money_of(people) == before
    assert code(api(people[0]).post(f"{at}appeal/", {"reason": "once more"})) == (
        409,
        "dispute-unexpected-state",
    )


def test_dismissal_needs_only_a_reason(
    api: Api, today: GameRecord, people: list[Player], auditor: Player
) -> None:
    at = opened(api, today, people[0])
    body = {"finding": "rejected", "remedy": "dismissed", "reason": "you passed"}
    answer = api(auditor).post(f"{at}ruling/", body)
    assert (answer.status_code, answer.json()["status"]) == (201, "ruled")


def test_invalid_claims_and_terms_are_refused(
    api: Api, today: GameRecord, people: list[Player], auditor: Player
) -> None:
    claimant, client = api(people[0]), api(auditor)
    for body in (
        {},
        {"version": 0, "claim": "x"},
        {"version": 1, "claim": ""},
        {"version": 1, "claim": "x" * 2001},
        {"version": 1, "claim": "x", "seat": 0},
        {"version": 10_000, "claim": "x"},
    ):
        answer = claimant.post(f"/api/v1/games/{today.pk}/disputes/", body)
        assert answer.status_code in (400, 404), answer.json()
    at = opened(api, today, people[0])
    for terms in (
        {"outcome": {}},
        {"outcome": {"places": "01"}},
        {"options": {"no": 1}},
        {"options": {"jokers": 1.5}},
        [],
    ):
        body = {"finding": "upheld", "remedy": "corrected", "reason": "x", "terms": terms}
        answer = client.post(f"{at}ruling/preview/", body, key="")
        assert answer.status_code in (400, 409), answer.json()


def test_suspend_and_resume_game(api: Api, people: list[Player], auditor: Player) -> None:
    from games import services as games
    from tests.games.staked import dealt

    game = dealt("ace-race", people)
    at = opened(api, game, people[0])
    client = api(auditor)
    assert client.post(f"{at}suspension/", {"reason": "the turn is disputed"}).json()["suspends"] is True
    assert code(client.post(f"{at}suspension/", {"reason": "again"})) == (409, "game-suspended")
    assert client.post(f"{at}resumption/", {"reason": "looked at"}).json()["suspends"] is False
    assert code(client.post(f"{at}resumption/", {"reason": "again"})) == (409, "not-suspended")
    games.void_game(game_id=game.pk, reason="over", now=timezone.now())
