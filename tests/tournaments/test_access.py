"""Who may do what with a tournament: every endpoint, tried by everybody."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.urls import URLPattern

from accounts.models import Player
from accounts.roles import Role
from tests.conftest import person
from tests.tournaments.conftest import Publish
from tests.tournaments.test_api import Api, at
from tournaments import roles, services
from tournaments.models import Tournament
from tournaments.models_roles import Office
from tournaments.testing import NOW, enter, rich
from tournaments.urls import urlpatterns

pytestmark = pytest.mark.django_db

ANYBODY = {
    "organizer",
    "another organizer",
    "judge",
    "helper",
    "entrant",
    "stranger",
    "auditor",
    "administrator",
}
MANAGERS = {"organizer", "administrator"}
RULERS = {*MANAGERS, "judge"}
ASSISTANTS = {*RULERS, "helper"}
SOMEBODY = str(uuid.UUID(int=7))

COMMANDS: dict[str, set[str]] = {
    "post tournament-publish": MANAGERS,
    "post tournament-start": MANAGERS,
    "post tournament-cancel": MANAGERS,
    "post tournament-markets": MANAGERS,
    "post tournament-roles": MANAGERS,
    "delete tournament-role": MANAGERS,
    "post tournament-pairs": MANAGERS,
    "post tournament-pairs-release": MANAGERS,
    "put tournament-round-pairing": MANAGERS,
    "delete tournament-round-pairing": MANAGERS,
    "post tournament-round-pairing-preview": MANAGERS,
    "post tournament-pause": RULERS,
    "post tournament-corrections": RULERS,
    "post tournament-corrections-preview": RULERS,
    "post tournament-resume": RULERS,
    "post tournament-entry-disqualify": RULERS,
    "post tournament-entry-check-in": ASSISTANTS,
    "post tournament-entries": ANYBODY,
    "delete tournament-entries": ANYBODY,
    "post tournament-check-in": ANYBODY,
    "delete tournament-waiting": ANYBODY,
    "post tournament-waiting-check-in": ANYBODY,
}
"""Who is let as far as the command itself; a new endpoint belongs here."""
BODIES: dict[str, dict[str, Any]] = {"post tournament-markets": {"cap": 100}}


def _patterns() -> list[URLPattern]:
    return [one for one in urlpatterns if str(one.pattern).startswith("tournaments/<uuid:tournament_id>/")]


def _path(pattern: URLPattern, tournament: Tournament) -> str:
    path = str(pattern.pattern).replace("<uuid:tournament_id>", str(tournament.pk))
    path = path.replace("<uuid:player_id>", SOMEBODY).replace("<int:entry>", "1").replace("<int:number>", "1")
    return f"/api/v1/{path}"


@pytest.fixture
def cast(
    published: Publish, organizer: Player, stranger: Player, auditor: Player, administrator: Player
) -> tuple[Tournament, dict[str, Player]]:
    """Called off, so that who is let as far as a command changes nothing by it."""
    tournament = published()
    entrant, judge, helper = rich("cid"), person("judy"), person("hal")
    enter(tournament, entrant)
    for who, role in ((judge, Office.JUDGE), (helper, Office.HELPER)):
        roles.give(tournament_id=tournament.pk, player_id=who.pk, role=role, actor=organizer, now=NOW)
    services.cancel(tournament_id=tournament.pk, actor=organizer, reason="fog", now=NOW)
    return tournament, {
        "organizer": organizer,
        "another organizer": person("otto", Role.ORGANIZER),
        "judge": judge,
        "helper": helper,
        "entrant": entrant,
        "stranger": stranger,
        "auditor": auditor,
        "administrator": administrator,
    }


def test_every_command_lets_through_whom_it_should(api: Api, cast: tuple[Tournament, dict[str, Player]]):
    tournament, people = cast
    clients = {name: api(who) for name, who in people.items()}
    let: dict[str, set[str]] = {}
    for pattern in _patterns():
        view = pattern.callback.view_class  # type: ignore[attr-defined]
        for method in {"post", "put", "patch", "delete"}.intersection(vars(view)):
            command, path = f"{method} {pattern.name}", _path(pattern, tournament)
            body = BODIES.get(command, {})
            answers = {name: getattr(one, method)(path, body) for name, one in clients.items()}
            let[command] = {name for name, answer in answers.items() if answer.status_code != 403}
            kept_out = [one.json()["code"] for name, one in answers.items() if name not in let[command]]
            assert set(kept_out) <= {"forbidden"}, command
            assert getattr(api(None), method)(path, body).status_code == 401, command
    assert let == COMMANDS


def test_everybody_reads_what_is_published(api: Api, cast: tuple[Tournament, dict[str, Player]]):
    tournament, people = cast
    read = [one for one in _patterns() if hasattr(one.callback.view_class, "get")]  # type: ignore[attr-defined]
    for who in (None, *people.values()):
        client = api(who)
        answers = {one.name: client.get(_path(one, tournament)).status_code for one in read}
        # What is asked of a round that was never played is not there for anybody.
        assert set(answers.values()) <= {200, 404}, answers
        assert answers["api-tournament"] == answers["tournament-roles"] == 200


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
