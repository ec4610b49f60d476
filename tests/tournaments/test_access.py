"""Who sees the draft of a tournament. Who may do what with one: tests/security/test_access_table.py."""

from __future__ import annotations

import pytest

from accounts.models import Player
from tests.conftest import person
from tests.tournaments.test_api import Api, at
from tournaments import roles, services
from tournaments.models_roles import Office
from tournaments.testing import NOW

pytestmark = pytest.mark.django_db


def test_a_draft_is_shown_to_whom_it_is_anything_to(
    api: Api, organizer: Player, stranger: Player, auditor: Player
):
    from tournaments.testing import terms

    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    judge, helper = person("judy"), person("hal")
    for who, role in ((judge, Office.JUDGE), (helper, Office.HELPER)):
        roles.give(tournament_id=draft.pk, player_id=who.pk, role=role, actor=organizer, now=NOW)
    seen = {who: api(who).get(at(draft)).status_code for who in (organizer, judge, helper, auditor, stranger)}
    assert list(seen.values()) == [200, 200, 200, 200, 404]
    assert len(api(judge).get("/api/v1/tournaments/").json()["results"]) == 1
    assert api(stranger).get("/api/v1/tournaments/").json()["results"] == []
    assert [
        (api(who).get(at(draft)).json()["role"], api(who).get(at(draft)).json()["may_rule"])
        for who in (organizer, judge, helper, auditor)
    ] == [("organizer", True), ("judge", True), ("helper", False), (None, False)]
