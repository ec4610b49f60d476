"""Drafts: their terms are changed, copied, previewed, and deleted; a published tournament keeps its terms."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from audit.services import audit_installation, audit_tournament
from core.sql import stored
from core.triggers import removed
from eventstore import store
from staff.models import ActionRecord
from tests.audit.conftest import found
from tests.conftest import person
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, SEED, enter, play_round, replayed, rich, start, terms
from tests.tournaments.test_api import LIST, TERMS, Api, at, refused
from tournaments import drafts, roles, services
from tournaments.errors import DraftChanged, WrongStatus
from tournaments.formats.replay import replay
from tournaments.models import StaffRole, Tournament
from tournaments.terms import copied

pytestmark = pytest.mark.django_db

SWISS: dict[str, Any] = {
    "name": "Friday Swiss",
    "format": "swiss",
    "rules": "ace-race",
    "config": {},
    "rounds": 3,
    "seats": 4,
    "fewest": 4,
    "capacity": 16,
    "fee": 500,
    "rake": 1000,
    "prizes": [5000, 3000, 2000],
    "opens_at": "2099-03-27T19:00",
    "time_zone": "Europe/Berlin",
    "round_seconds": 1800,
    "gap_seconds": 600,
}


@pytest.fixture
def draft(organizer: Player) -> Tournament:
    return services.create(organizer=organizer, terms=terms(), now=NOW)


# --- change ------------------------------------------------------------------------------------------


def test_a_change_replaces_the_terms_and_is_recorded(draft: Tournament, organizer: Player) -> None:
    stages = [{"format": "swiss", "rounds": 2, "qualify": 4}, {"format": "knockout"}]
    staged = {
        "format": "stages",
        "rules": "ace-race",
        "config": {},
        "rounds": 0,
        "fewest": 4,
        "stages": stages,
    }
    services.change(tournament_id=draft.pk, actor=organizer, terms=terms(**staged), now=NOW)
    services.change(tournament_id=draft.pk, actor=organizer, terms=terms(name="Late night"), now=NOW)
    draft.refresh_from_db()
    assert (draft.name, draft.format, draft.stages, draft.rounds) == ("Late night", "duplicate", [], 2)
    events = store.read(draft.pk)
    assert [event.type for event in events] == ["created", "terms-changed", "terms-changed"]
    assert {"name", "format", "rules", "stages"} <= set(events[2].data["changed"])
    assert events[2].data["by"] == str(organizer.pk)
    assert "Late night" not in str(events[2].data)
    services.publish(tournament_id=draft.pk, actor=organizer, now=NOW, seed=SEED)
    assert replayed(draft).ok
    assert audit_tournament(draft.pk).faults == []


def test_a_changed_tournament_is_played_and_audited_by_its_last_terms(
    draft: Tournament, organizer: Player
) -> None:
    services.change(
        tournament_id=draft.pk, actor=organizer, terms=terms(rounds=1, fee=300, prizes=(10_000,)), now=NOW
    )
    services.publish(tournament_id=draft.pk, actor=organizer, now=NOW, seed=SEED)
    enter(draft, rich("cid"), rich("dan"))
    start(Tournament.objects.get(pk=draft.pk))
    play_round(draft, 1)
    assert replayed(draft).status == "finished"
    assert audit_tournament(draft.pk).faults == []


def test_a_change_that_hides_what_it_changed_is_found(draft: Tournament, organizer: Player) -> None:
    services.change(tournament_id=draft.pk, actor=organizer, terms=terms(rounds=3), now=NOW)
    created, changed = (event.public() for event in store.read(draft.pk))
    hidden = {**changed["data"], "changed": ["fee"]}
    [forged] = store.chained(
        draft.pk,
        [store.NewEvent("terms-changed", hidden)],
        expected=store.read(draft.pk)[0].head(),
        at=NOW,
    )
    difference = replay(str(draft.pk), [created, forged.public()]).difference
    assert difference is not None
    assert (difference.version, difference.derived) == (2, ["rounds"])


def test_a_draft_that_was_changed_elsewhere_is_not_overwritten(draft: Tournament, organizer: Player) -> None:
    services.change(tournament_id=draft.pk, actor=organizer, terms=terms(), now=NOW)
    assert [event.type for event in store.read(draft.pk)] == ["created"], "the same terms record nothing"
    first, second = terms(rounds=3), terms(rounds=4)
    services.change(tournament_id=draft.pk, actor=organizer, terms=first, version=1, now=NOW)
    with pytest.raises(DraftChanged):
        services.change(tournament_id=draft.pk, actor=organizer, terms=second, version=1, now=NOW)
    draft.refresh_from_db()
    assert draft.rounds == 3


def test_a_published_tournament_is_not_changed(published: Publish, organizer: Player) -> None:
    tournament = published()
    for command in (services.delete, lambda **order: services.change(terms=terms(rounds=3), **order)):
        with pytest.raises(WrongStatus):
            command(tournament_id=tournament.pk, actor=organizer, now=NOW)


def test_drafts_over_rest(api: Api, organizer: Player) -> None:
    client = api(organizer)
    draft = client.post(LIST, TERMS).json()
    changed = client.put(at(draft), {**TERMS, "rounds": 4}, HTTP_IF_MATCH=f'"{draft["version"]}"')
    assert (changed.status_code, changed.json()["rounds"], changed.json()["version"]) == (200, 4, 2)
    stale = client.put(at(draft), TERMS, HTTP_IF_MATCH=f'"{draft["version"]}"')
    assert refused(stale, 412, "draft-changed")["version"] == 2
    refused(client.put(at(draft), TERMS, HTTP_IF_MATCH="yesterday"), 400, "malformed-if-match")
    assert refused(client.put(at(draft), {**TERMS, "rounds": 0}), 400, "invalid-terms")["field"] == "rounds"
    assert client.delete(at(draft)).status_code == 204
    refused(client.delete(at(draft)), 404, "not-found")
    refused(client.get(at(draft)), 404, "not-found")


# --- deletion ----------------------------------------------------------------------------------------


def test_a_deleted_draft_leaves_its_events(draft: Tournament, organizer: Player, api: Api) -> None:
    judge = person("judy")
    roles.give(tournament_id=draft.pk, player_id=judge.pk, role=StaffRole.JUDGE, actor=organizer, now=NOW)
    assert api(organizer).delete(at(draft)).status_code == 204
    assert not Tournament.objects.exists()
    last = store.read(draft.pk)[-1]
    assert (last.type, last.data) == ("deleted", {"by": str(organizer.pk)})
    record = ActionRecord.objects.get(action="delete-draft")
    assert (record.actor, record.subject) == (organizer.pk, f"tournament:{draft.pk}")
    assert replayed(draft).ok
    assert found(audit_installation()) == set()


@pytest.mark.both_databases
def test_the_database_keeps_published_tournaments(
    published: Publish, organizer: Player, subtests: pytest.Subtests
) -> None:
    tournament, draft = published(), services.create(organizer=organizer, terms=terms(), now=NOW)
    table = "tournaments_tournament"
    for sql in (
        f"UPDATE {table} SET fee = fee + 1 WHERE id = %s",
        f"UPDATE {table} SET name = 'Another' WHERE id = %s",
        f"UPDATE {table} SET prizes = '[10000]' WHERE id = %s",
        f"UPDATE {table} SET published_at = NULL, commitment = NULL, status = 'draft' WHERE id = %s",
        f"DELETE FROM {table} WHERE id = %s",
    ):
        with subtests.test(sql=sql), pytest.raises(IntegrityError), transaction.atomic():
            _run(sql, tournament)
    with pytest.raises(IntegrityError), transaction.atomic():
        _run(f"DELETE FROM {table} WHERE id = %s", draft)  # no event says so
    Tournament.objects.filter(pk=tournament.pk).update(stalled="why", paused="")


@pytest.mark.both_databases
def test_a_draft_that_was_deleted_by_force_is_found(draft: Tournament) -> None:
    with removed("tournaments_tournament"):
        _run("DELETE FROM tournaments_tournament WHERE id = %s", draft)
    assert ("streams", "owner") in {(part, check) for part, check, *_ in found(audit_installation())}


def _run(sql: str, tournament: Tournament) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, [stored(tournament.pk)])


# --- duplicate ---------------------------------------------------------------------------------------


def test_a_duplicate_has_the_terms_and_a_start_ahead(api: Api, organizer: Player) -> None:
    client = api(organizer)
    soon = (timezone.now() + timedelta(days=3)).astimezone(UTC).replace(microsecond=0)
    original = client.post(
        LIST, {**SWISS, "opens_at": soon.isoformat(), "check_in_seconds": 600, "late_until": 2}
    ).json()
    copy = client.post(at(original, "duplicate"), {})
    assert (copy.status_code, copy["Location"]) == (201, at(copy.json()))
    same = set(SWISS) - {"opens_at", "config"} | {"opens_at", "check_in_seconds", "late_until", "sizes"}
    assert {name: copy.json()[name] for name in same} == {name: original[name] for name in same}
    assert copy.json()["status"] == "draft"
    assert copy.json()["id"] != original["id"]


def test_a_duplicate_of_an_earlier_tournament_is_at_the_same_time_of_the_week(
    published: Publish, organizer: Player, api: Api
) -> None:
    """The clocks go forward in between: the local time stays."""
    opens = datetime(2026, 3, 27, 18, tzinfo=UTC)  # Friday, 19:00 in Berlin
    tournament = published(
        opens_at=opens, time_zone="Europe/Berlin", round_times=[(2, opens + timedelta(days=1))]
    )
    again = copied(tournament, now=opens + timedelta(days=10))
    assert again.opens_at == datetime.fromisoformat("2026-04-10T19:00")
    assert again.round_times == [(2, datetime.fromisoformat("2026-04-11T19:00"))]
    another = api(person("otto", Role.ORGANIZER)).post(at(tournament, "duplicate"), {})
    assert another.status_code == 201
    assert another.json()["organizer"] != str(organizer.pk)


def test_every_format_can_be_duplicated(organizer: Player) -> None:
    race: dict[str, Any] = {"rules": "ace-race", "config": {}, "rounds": 0}
    stages = [{"format": "swiss", "rounds": 2, "qualify": 4}, {"format": "knockout"}]
    for changes in (
        {**race, "format": "knockout", "through": 2, "seats": 4},
        {**race, "format": "round-robin"},
        {**race, "format": "stages", "fewest": 4, "stages": stages},
        {"format": "meeting", "rules": "racing-aces", "config": {}, "bank": 10_000},
    ):
        original = services.create(organizer=organizer, terms=terms(**changes), now=NOW)
        copy = services.create(organizer=organizer, terms=copied(original, now=NOW), now=NOW)
        for name in changes:
            assert getattr(copy, name) == getattr(original, name), name


# --- preview -----------------------------------------------------------------------------------------


def test_a_preview_has_timetable_and_prizes(api: Api, organizer: Player) -> None:
    shown = api(organizer).post(f"{LIST}preview/", {**SWISS, "entrants": 10}).json()
    assert (shown["faults"], shown["rounds"]) == ([], 3)
    assert [(slot["round"], slot["opens_at"], slot["closes_at"]) for slot in shown["timetable"]] == [
        (1, "2099-03-27T18:00:00+00:00", "2099-03-27T18:30:00+00:00"),
        (2, "2099-03-27T18:40:00+00:00", "2099-03-27T19:10:00+00:00"),
        (3, "2099-03-27T19:20:00+00:00", "2099-03-27T19:50:00+00:00"),
    ]
    assert shown["prize_plan"] == {
        "entrants": 10,
        "fees": 5000,
        "rake": 500,
        "overlay": 0,
        "places": [2250, 1350, 900],
    }
    assert not Tournament.objects.exists()


def test_the_expected_field_is_kept_within_the_terms() -> None:
    knockout = {**SWISS, "format": "knockout", "rounds": 0, "seats": 2}
    for entrants, counted, rounds in ((2, 4, 2), (9, 9, 4), (1000, 16, 4)):
        shown = drafts.preview({**knockout, "entrants": entrants}, now=timezone.now())
        assert shown["prize_plan"] is not None
        assert (shown["prize_plan"]["entrants"], shown["rounds"]) == (counted, rounds)


def test_faults_are_named_by_field() -> None:
    for changes, fields in (
        ({"capacity": 1, "fee": "much"}, {"capacity", "fee"}),
        ({"rounds": 0}, {"rounds"}),
        ({"opens_at": "2020-01-01T19:00"}, {"opens_at"}),
        ({"opens_at": "tomorrow"}, {"opens_at"}),
        ({"prizes": [5000, 3000]}, {"prizes"}),
        ({"colour": 1}, {"colour"}),
        ({"round_times": [{"round": 1, "opens_at": "2099-03-28T19:00"}]}, {"round_times"}),
        ({"format": "round-robin", "rounds": 0, "seats": 2, "capacity": 200}, {"entrants"}),
    ):
        shown = drafts.preview({**SWISS, **changes}, now=timezone.now())
        assert {fault["field"] for fault in shown["faults"]} == fields
        assert all(fault["message"] for fault in shown["faults"])
        assert (shown["rounds"], shown["timetable"], shown["prize_plan"]) == (None, [], None)
    nameless = {key: value for key, value in SWISS.items() if key != "name"}
    assert drafts.preview(nameless, now=timezone.now())["faults"] == []
    assert drafts.preview([1], now=timezone.now())["faults"][0]["message"]


def test_formats_name_the_games_that_can_be_played(api: Api) -> None:
    listed = {one["slug"]: one for one in api(None).get(f"{LIST}formats/").json()["results"]}
    games = {slug: {game["rules"]: game["seats"] for game in one["games"]} for slug, one in listed.items()}
    assert games["swiss"]["ace-race"] == games["knockout"]["ace-race"]
    assert 4 in games["swiss"]["ace-race"]
    assert games["duplicate"]["vegas-solitaire"] == [1]
    assert list(games["meeting"]) == ["racing-aces"]
    assert "vegas-solitaire" not in games["swiss"]
    assert (listed["swiss"]["needs_rounds"], listed["knockout"]["needs_rounds"]) == (True, False)
    for one in listed.values():
        for game in one["games"]:
            given = {"format": one["slug"], "rules": game["rules"], "config": {}, "rounds": 4, "bank": 100}
            keep = given if one["on_bets"] else {**given, "bank": 0}
            faults = drafts.preview(keep, now=NOW)["faults"]
            assert {fault["field"] for fault in faults} <= {"rounds", "stages", "entrants", "config"}, faults
