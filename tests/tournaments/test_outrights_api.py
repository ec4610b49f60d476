"""The market on a tournament's winner over REST: opening, betting, and visibility."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import Player
from ledger.limits.services import set_limit, take_time_out
from tests.conftest import person
from tests.money import cash, fund
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, enter, play_round, rich, start
from tests.tournaments.test_api import Api
from tournaments import roles, services
from tournaments.models import StaffRole, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
V1 = "/api/v1"


def address(tournament: Tournament) -> str:
    return f"{V1}/tournaments/{tournament.pk}/markets/"


def problem(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def test_a_market_is_opened_bet_on_and_paid_over_rest(
    api: Api, administrator: Player, player: Player, published: Publish
) -> None:
    tournament = published(rounds=1)
    cid = rich("cid")
    enter(tournament, cid)
    assert api(None).get(address(tournament)).json() == {"results": []}
    answer = api(administrator).post(address(tournament), {"takeout": 500})
    assert answer.status_code == 201
    opened = answer.json()
    assert answer["Location"] == f"{V1}/markets/{opened['id']}/"
    assert (opened["subject"], opened["kind"]) == (f"tournament:{tournament.pk}", "pool")
    assert (opened["terms"]["takeout"], opened["terms"]["on_draw"]) == (500, "refund")
    enter(tournament, rich("dan"))

    fund(cash(player.pk), 1_000)
    bets = f"{answer['Location']}bets/"
    placed = api(player).post(bets, {"runner": "entry 2", "stake": 100})
    assert placed.status_code == 201
    assert problem(api(cid).post(bets, {"runner": "entry 2", "stake": 100})) == (
        403,
        "bets-on-others-forbidden",
    )
    assert problem(api(tournament.organizer).post(bets, {"runner": "entry 2", "stake": 100})) == (
        403,
        "organizer-may-not-bet",
    )
    assert api(cid).post(bets, {"runner": "entry 1", "stake": 50}).status_code == 201
    assert problem(api(player).post(f"{V1}/tournaments/{tournament.pk}/entries/", {})) == (
        409,
        "bets-on-rivals",
    )

    [shown] = api(player).get(address(tournament)).json()["results"]
    assert (shown.pop("obstacle"), shown.pop("only_runner")) == (None, None)
    assert [(each["runner"], each["entry"], each["player"]) for each in shown["field"]] == [
        (f"entry {entry.number}", entry.number, str(entry.player_id)) for entry in tournament.entries.all()
    ]
    assert [each["name"] for each in shown.pop("field")] == ["cid", "dan"]
    assert shown == api(player).get(answer["Location"]).json()
    assert [(each["runner"], each["staked"]) for each in shown["runners"]] == [
        ("entry 1", 50),
        ("entry 2", 100),
    ]
    [anonymous] = api(None).get(address(tournament)).json()["results"]
    assert [each["name"] for each in anonymous["field"]] == [None, None], "names are for signed-in users"

    start(tournament)
    assert problem(api(player).post(bets, {"runner": "entry 2", "stake": 100})) == (409, "market-closed")
    play_round(tournament, 1)
    [settled] = api(None).get(address(tournament)).json()["results"]
    assert settled["status"] == "settled"
    paid = {bet["runner"]: bet["returned"] for who in (player, cid) for bet in mine(api, who)}
    [winner] = settled["settlements"][0]["winners"]
    assert paid == {name: 143 if name == winner else 0 for name in ("entry 1", "entry 2")}


def mine(api: Api, player: Player) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api(player).get(f"{V1}/bets/").json()["results"]
    return found


def test_a_withdrawn_selection_is_shown_as_gone(api: Api, administrator: Player, published: Publish) -> None:
    tournament = published()
    cid = rich("cid")
    enter(tournament, cid, rich("dan"))
    api(administrator).post(address(tournament), {})
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    [shown] = api(None).get(address(tournament)).json()["results"]
    assert [(each["runner"], each["withdrawn_at"] is None) for each in shown["runners"]] == [
        ("entry 1", False),
        ("entry 2", True),
    ]
    assert [each["runner"] for each in shown["field"]] == ["entry 2"]


def test_the_reason_against_a_bet_is_reported_in_advance(
    api: Api, administrator: Player, player: Player, auditor: Player, published: Publish
) -> None:
    tournament = published()
    cid, hal, paused, poor = rich("cid"), person("hal"), person("paul"), person("lil")
    enter(tournament, cid, rich("dan"))
    opened = api(administrator).post(address(tournament), {}).json()
    roles.give(
        tournament_id=tournament.pk,
        player_id=hal.pk,
        role=StaffRole.JUDGE,
        actor=tournament.organizer,
        now=NOW,
    )
    now = timezone.now()
    take_time_out(player=paused.pk, hours=48, actor="test", key="t", at=now)
    least = opened["terms"]["minimum"]
    order = {"kind": "stake", "period": "day", "amount": least - 1, "currency": opened["currency"]}
    set_limit(player=poor.pk, actor="test", key="l", at=now, **order)

    def obstacles(who: Player | None) -> tuple[str | None, str | None]:
        [shown] = api(who).get(address(tournament)).json()["results"]
        refused = shown["obstacle"]
        bet = {"runner": shown["only_runner"] or "entry 2", "stake": least}
        if who is not None and refused is not None:
            answer = api(who).post(f"{V1}/markets/{shown['id']}/bets/", bet)
            assert answer.json()["code"] == refused["code"], "as it would be refused"
        return refused and refused["code"], shown["only_runner"]

    assert obstacles(None) == (None, None)
    assert obstacles(player) == (None, None)
    assert obstacles(cid) == (None, "entry 1")
    assert obstacles(tournament.organizer) == ("organizer-may-not-bet", None)
    assert obstacles(hal) == ("judge-may-not-bet", None)
    assert obstacles(paused) == ("play-stopped", None)
    assert obstacles(poor) == ("limit-reached", None)
    start(tournament)
    for who in (cid, hal, paused, tournament.organizer):
        assert obstacles(who) == (None, None), "betting is closed, so there is no obstacle to report"


def test_organizers_open_one_on_their_own_tournament_within_their_limit(
    api: Api, organizer: Player, published: Publish
) -> None:
    tournament = published()
    most = settings.RACECARD_ORGANIZER_MARKET_CAP
    assert problem(api(organizer).post(address(tournament), {"cap": most + 1})) == (403, "forbidden")
    answer = api(organizer).post(address(tournament), {})
    assert (answer.status_code, answer.json()["terms"]["cap"]) == (201, most)
    assert problem(api(organizer).post(address(tournament), {})) == (409, "outright-exists")


def test_invalid_terms_are_refused(api: Api, administrator: Player, published: Publish) -> None:
    client, markets = api(administrator), address(published())
    for sent in (
        {"takeout": 10_000},
        {"takeout": 1.5},
        {"kind": "fixed"},
        {"margin": 100},
        {"on_draw": "lose"},
        {"cap": 0},
        {"step": 2},
    ):
        answer = client.post(markets, sent)
        assert answer.status_code in (400, 409, 422), sent
