"""Visibility of the draft of a tournament. Permissions are tested in tests/security/test_access_table.py."""

from __future__ import annotations

import pytest

from accounts.models import Player
from tests.conftest import person
from tests.tournaments.playing import NOW
from tests.tournaments.test_api import Api, at
from tournaments import roles, services
from tournaments.models import StaffRole

pytestmark = pytest.mark.django_db


def test_a_draft_is_visible_to_its_organizer_and_staff(
    api: Api, organizer: Player, stranger: Player, auditor: Player
):
    from tests.tournaments.playing import terms

    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    judge, helper = person("judy"), person("hal")
    for who, role in ((judge, StaffRole.JUDGE), (helper, StaffRole.HELPER)):
        roles.give(tournament_id=draft.pk, player_id=who.pk, role=role, actor=organizer, now=NOW)
    seen = {who: api(who).get(at(draft)).status_code for who in (organizer, judge, helper, auditor, stranger)}
    assert list(seen.values()) == [200, 200, 200, 200, 404]
    assert len(api(judge).get("/api/v1/tournaments/").json()["results"]) == 1
    assert api(stranger).get("/api/v1/tournaments/").json()["results"] == []
    assert [
        (api(who).get(at(draft)).json()["role"], api(who).get(at(draft)).json()["may_rule"])
        for who in (organizer, judge, helper, auditor)
    ] == [("organizer", True), ("judge", True), ("helper", False), (None, False)]
