"""What needs the organizer: missing check-ins, the waiting list, and tables that stand still."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from games.suspensions import services as suspensions
from tests.conftest import known
from tests.databases import shared
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import begin, enter, games_of, rich, start
from tests.tournaments.test_api import Api, at
from tournaments import roles
from tournaments.models import StaffRole, Tournament

pytestmark = pytest.mark.django_db
TABLES = {"format": "swiss", "rules": "ace-race", "config": {}, "rounds": 1, "prizes": (10_000,)}


def needs(api: Api, tournament: Tournament, viewer: Player) -> dict[str, Any]:
    answer = api(viewer).get(at(tournament, "attention"))
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


@shared
def begun() -> Tournament:
    """A round of one table that was dealt long before now."""
    return begin(partial(publish, known("olga", Role.ORGANIZER)), "cid", "dan", **TABLES)


def test_a_table_without_an_event_for_minutes_is_listed_with_who_has_not_moved(
    api: Api, begun: Tournament, organizer: Player
) -> None:
    [table] = needs(api, begun, organizer)["tables"]
    assert (table["round"], table["table"], table["number"], table["reason"]) == (1, 1, 1, "quiet")
    assert {seat["name"]: seat["has_moved"] for seat in table["seats"]} == {"cid": False, "dan": False}


def test_a_listed_table_says_which_players_are_bots(api: Api, published: Publish, organizer: Player) -> None:
    tournament = begin(published, "cid", **TABLES, fill_to=2)
    tournament.refresh_from_db()
    [table] = needs(api, tournament, organizer)["tables"]
    assert sorted(seat["kind"] for seat in table["seats"]) == ["bot", "human"]


def test_a_table_in_play_is_not_listed(api: Api, published: Publish, organizer: Player) -> None:
    tournament = published(**TABLES)
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament, now=timezone.now())
    assert needs(api, tournament, organizer)["tables"] == []


def test_a_suspended_table_says_so(api: Api, begun: Tournament, organizer: Player) -> None:
    suspensions.suspend(games_of(begun, 1)[0].game, by=organizer, reason="light", now=timezone.now())
    [table] = needs(api, begun, organizer)["tables"]
    assert table["reason"] == "suspended"


def test_entrants_without_check_in_are_named_while_it_is_open(
    api: Api, published: Publish, organizer: Player
) -> None:
    opens = timezone.now() + timedelta(minutes=10)
    tournament = published(opens_at=opens, check_in_seconds=3600, capacity=3, waiting_list=1)
    enter(tournament, rich("cid"), rich("dan"))
    found = needs(api, tournament, organizer)
    assert (found["not_checked_in"], found["waiting"], found["tables"]) == (2, 0, [])
    assert found["absent"] == [{"entry": 1, "name": "cid"}, {"entry": 2, "name": "dan"}]
    api(organizer).post(at(tournament, "entries", 1, "check-in"))
    assert [one["name"] for one in needs(api, tournament, organizer)["absent"]] == ["dan"]


def test_who_takes_part_sees_no_tables(api: Api, begun: Tournament) -> None:
    cid = Player.objects.get(username="cid")
    helper = {"player_id": cid.pk, "role": StaffRole.HELPER, "actor": begun.organizer, "now": timezone.now()}
    roles.give(tournament_id=begun.pk, **helper)
    assert needs(api, begun, cid)["tables"] == []
