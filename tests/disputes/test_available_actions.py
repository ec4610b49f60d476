"""Test that the API returns the actions available to the caller."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import Player
from disputes import selectors, services
from disputes.models import Dispute
from disputes.rulings import services as rulings
from games.models import GameRecord
from tests.conftest import Client
from tests.disputes.conftest import Opens, decide, ruled
from tests.games.staked import dealt, play_out, provide, sit_down
from tests.games.staked import opened as tabled

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Client]
CLAIM = {"version": 1, "claim": "my turn was passed"}


def ended(game: GameRecord, days: float = 0) -> GameRecord:
    GameRecord.objects.filter(pk=game.pk).update(ended_at=timezone.now() - timedelta(days=days))
    game.refresh_from_db()
    return game


def mine(api: Api, game: GameRecord, who: Player) -> Any:
    answer = api(who).get(f"/api/v1/games/{game.pk}/disputes/mine/")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def attempt(api: Api, game: GameRecord, who: Player) -> Any:
    return api(who).post(f"/api/v1/games/{game.pk}/disputes/", CLAIM).json()


def available_actions(api: Api, dispute: Dispute, who: Player) -> dict[str, str | None]:
    """Return the code of the refusal by action, or None if it is available."""
    document = api(who).get(f"/api/v1/disputes/{dispute.pk}/").json()["actions"]
    return {one["action"]: one["why_not"] and one["why_not"]["code"] for one in document}


def test_player_can_dispute_running_game(api: Api, people: list[Player]) -> None:
    result = mine(api, dealt("ace-race", people), people[1])
    assert result == {
        "can_open": True,
        "why_not": None,
        "seat": 1,
        "until": None,
        "days": settings.RACECARD_DISPUTE_DAYS,
        "dispute": None,
    }


def test_deadline_and_refusal_match_attempt(
    api: Api, played: GameRecord, people: list[Player], stranger: Player, auditor: Player
) -> None:
    ended(played)
    result = mine(api, played, people[0])
    assert result["can_open"] is True
    until = played.ended_at + timedelta(days=settings.RACECARD_DISPUTE_DAYS)
    assert datetime.fromisoformat(result["until"]) == until
    late = mine(api, ended(played, settings.RACECARD_DISPUTE_DAYS + 1), people[0])
    assert (late["can_open"], late["why_not"]["code"]) == (False, "dispute-too-late")
    assert attempt(api, played, people[0])["code"] == "dispute-too-late"
    ended(played)
    for who in (stranger, auditor):
        result = mine(api, played, who)
        assert (result["seat"], result["why_not"]["code"]) == (None, "not-your-game")
        assert attempt(api, played, who)["detail"] == result["why_not"]["detail"]


def test_cannot_dispute_before_deal(api: Api, people: list[Player]) -> None:
    provide(people)
    game = tabled("ace-race", people[0], seats=2)
    sit_down(game, people)
    assert mine(api, game, people[0])["why_not"]["code"] == "not-started"
    assert attempt(api, game, people[0])["code"] == "not-started"


def test_existing_dispute_and_its_result_are_shown(
    api: Api, played: GameRecord, people: list[Player], auditor: Player
) -> None:
    at = f"/api/v1/disputes/{attempt(api, ended(played), people[0])['id']}/"
    result = mine(api, played, people[0])
    assert result["why_not"]["code"] == "dispute-open"
    assert (result["dispute"]["status"], result["dispute"]["finding"]) == ("open", None)
    assert mine(api, played, people[1])["can_open"] is True
    assert mine(api, played, people[1])["dispute"] is None
    api(people[0]).post(f"{at}withdrawal/", {})
    result = mine(api, played, people[0])
    assert (result["can_open"], result["dispute"]["status"]) == (True, "withdrawn")
    again = Dispute.objects.get(pk=attempt(api, played, people[0])["id"])
    ruled(again, auditor, decide("void"), now=timezone.now())
    result = mine(api, played, people[0])
    assert result["why_not"]["code"] == "already-ruled"
    assert {name: result["dispute"][name] for name in ("id", "status", "finding", "remedy")} == {
        "id": str(again.pk),
        "status": "ruled",
        "finding": "upheld",
        "remedy": "void",
    }


def test_list_shows_own_disputes_with_rulings(
    api: Api, played: GameRecord, people: list[Player], auditor: Player, opened: Opens
) -> None:
    own, other = opened(played, people[0]), opened(played, people[1])
    ruled(own, auditor, decide("void"))
    rows = api(people[0]).get("/api/v1/disputes/").json()["results"]
    assert {row["id"]: row["remedy"] for row in rows} == {str(own.pk): "void", str(other.pk): None}
    [row] = api(people[0]).get("/api/v1/disputes/?mine=true").json()["results"]
    assert (row["id"], row["finding"]) == (str(own.pk), "upheld")
    assert api(auditor).get("/api/v1/disputes/?mine=true").json()["results"] == []
    assert api(auditor).get("/api/v1/disputes/?mine=yes").status_code == 400


def test_list_shows_claims_to_those_who_may_read_them(
    api: Api, people: list[Player], auditor: Player, administrator: Player, opened: Opens
) -> None:
    """While the game is in play a claim tells what its seat saw."""
    dispute = opened(dealt("ace-race", people), people[0], claim="the King was mine")
    everyone = (people[0], people[1], auditor, administrator)

    def rows() -> list[Any]:
        return [api(who).get("/api/v1/disputes/").json()["results"][0] for who in everyone]

    assert [row["claim"] for row in rows()] == ["the King was mine", None, None, None]
    api(auditor).get(f"/api/v1/disputes/{dispute.pk}/")  # records the early access
    assert [row["claim"] for row in rows()] == ["the King was mine", None, "the King was mine", None]
    play_out(dispute.game, people)
    assert {row["claim"] for row in rows()} == {"the King was mine"}
    assert {row["name"] for row in rows()} == {"ann"}
    assert {(row["stake"], row["currency"]) for row in rows()} == {(520, "XTS")}


def test_list_names_no_entrant_of_a_tournament_to_the_others(
    api: Api, played: GameRecord, people: list[Player], auditor: Player, opened: Opens
) -> None:
    dispute = opened(played, people[0])
    dispute.game.tournament = uuid4()
    assert selectors.line(dispute, people[1])["name"] is None
    assert [selectors.line(dispute, who)["name"] for who in (people[0], auditor)] == ["ann", "ann"]


def test_list_query_count_is_constant(
    api: Api,
    played: GameRecord,
    people: list[Player],
    auditor: Player,
    opened: Opens,
    django_assert_max_num_queries: Any,
) -> None:
    for who in people:
        ruled(opened(played, who), auditor, decide("dismissed"))
    client = api(auditor)
    client.get("/api/v1/disputes/")
    with django_assert_max_num_queries(10):
        assert len(client.get("/api/v1/disputes/").json()["results"]) == 2


def test_actions_by_viewer(
    api: Api,
    played: GameRecord,
    people: list[Player],
    auditor: Player,
    other_auditor: Player,
    administrator: Player,
    opened: Opens,
    settings: Any,
) -> None:
    settings.RACECARD_DISPUTE_SECOND_PERSON = {"XTS": 100}
    now = timezone.now()
    dispute = opened(ended(played), people[0], now=now)
    assert available_actions(api, dispute, people[0]) == {"withdraw": None}
    assert available_actions(api, dispute, people[1]) == {}
    assert available_actions(api, dispute, auditor) == {"pin": None, "suspend": "not-in-play", "rule": None}
    assert set(available_actions(api, dispute, administrator).values()) == {"auditors-only"}
    ruled(dispute, auditor, decide("void"), now=now)
    assert available_actions(api, dispute, people[0]) == {}
    waiting = available_actions(api, dispute, auditor)
    assert (waiting["approve"], waiting["refuse"]) == ("second-auditor-required", "second-auditor-required")
    assert (waiting["pin"], available_actions(api, dispute, administrator)["approve"]) == (
        "dispute-unexpected-state",
        None,
    )
    rulings.approve(dispute_id=dispute.pk, actor=administrator, now=now)
    assert [available_actions(api, dispute, who) for who in people] == [{"appeal": None}] * 2
    assert available_actions(api, dispute, auditor) == {"appeal": "not-your-dispute"}
    rulings.appeal(dispute_id=dispute.pk, actor=people[1], reason="no", now=now)
    assert available_actions(api, dispute, auditor)["rule"] == "second-auditor-required"
    assert available_actions(api, dispute, other_auditor)["rule"] is None


def test_appeal_period_ends(
    api: Api, played: GameRecord, people: list[Player], auditor: Player, opened: Opens
) -> None:
    long_ago = timezone.now() - timedelta(days=settings.RACECARD_APPEAL_DAYS + 1)
    dispute = opened(ended(played), people[0], now=long_ago)
    ruled(dispute, auditor, decide("dismissed"), now=long_ago)
    assert available_actions(api, dispute, people[0]) == {"appeal": "dispute-too-late"}
    answer = api(people[0]).post(f"/api/v1/disputes/{dispute.pk}/appeal/", {"reason": "late"})
    assert answer.json()["code"] == "dispute-too-late"


def test_suspend_and_resume_are_available(
    api: Api, people: list[Player], auditor: Player, opened: Opens
) -> None:
    dispute = opened(dealt("ace-race", people), people[0])
    assert available_actions(api, dispute, auditor)["suspend"] is None
    services.suspend(dispute_id=dispute.pk, actor=auditor, reason="looked at", now=timezone.now())
    assert available_actions(api, dispute, auditor) == {"pin": None, "resume": None, "rule": None}


def test_hold_is_shown(api: Api, played: GameRecord, people: list[Player], opened: Opens) -> None:
    dispute = opened(ended(played), people[0], now=timezone.now())
    at = f"/api/v1/disputes/{dispute.pk}/"
    assert api(people[1]).get(at).json()["held_since"] is not None
    services.withdraw(dispute_id=dispute.pk, actor=people[0], now=timezone.now())
    assert api(people[1]).get(at).json()["held_since"] is None
