"""Ratings change once for each rated round, follow from the events, and are protected by the database."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from accounts.models import Player
from accounts.roles import Role
from core import triggers
from eventstore import store
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, enter, later, promotion, rich, standings, start, status_of
from tests.tournaments.test_api import LIST, Api, refused
from tournaments import ratings, record
from tournaments.formats.scoring.ratings import Rating
from tournaments.models import RatedGame, RatingChange, Tournament
from tournaments.models import Rating as Row
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds import services as rounds

pytestmark = pytest.mark.django_db
SWISS = {"format": "swiss", "rules": "ace-race", "config": {}, "prizes": (10_000,)}
NAMES = ("cid", "dan", "eva", "flo")


@pytest.fixture
def people(db: None) -> list[Player]:
    return [known(name, new=rich) for name in NAMES]


def play_out(tournament: Tournament) -> None:
    """Let the server move for all entrants at the time limits of the rounds."""
    start(tournament)
    for number in range(1, tournament.rounds + 1):
        run_due(later(600 * number))
    assert status_of(tournament) == "finished"


@shared
def finished() -> Tournament:
    tournament = publish(known("olga", Role.ORGANIZER), rounds=2, **SWISS)
    enter(tournament, *(known(name, new=rich) for name in NAMES))
    play_out(tournament)
    return tournament


def derived() -> list[str]:
    return list(ratings.differences())


def belief(player: Player) -> Rating | None:
    row = Row.objects.filter(player=player, rules="ace-race").first()
    return None if row is None else Rating(row.mu, row.sigma)


# --- changes -------------------------------------------------------------------------------------------


def test_every_table_changes_the_ratings_of_its_players(finished: Tournament, people: list[Player]):
    assert RatingChange.objects.count() == 2 * len(people)
    assert sorted(Row.objects.values_list("tables", flat=True)) == [2, 2, 2, 2]
    first = RatingChange.objects.filter(round=1)
    assert {(one.mu_before, one.sigma_before) for one in first} == {(1_500_000, 500_000)}
    for one in RatingChange.objects.all():
        assert store.read(finished.pk)[one.version - 1].type == "round-closed"
    won = RatingChange.objects.filter(place=1, round=1).values_list("mu", flat=True)
    assert all(mu >= 1_500_000 for mu in won)
    assert derived() == []


def test_a_running_round_does_not_change_ratings(published: Publish, people: list[Player]):
    tournament = published(rounds=2, **SWISS)
    enter(tournament, *people)
    start(tournament)
    assert not RatingChange.objects.exists()
    run_due(later(600))
    assert RatingChange.objects.count() == 4, "round 2 is being played"


def test_rated_rounds_are_numbered_across_the_tournaments_of_a_game(
    published: Publish, finished: Tournament, people: list[Player]
):
    second = published(rounds=1, **SWISS)
    enter(second, *people[:2])
    play_out(second)
    events = [
        event.data["rated"]
        for one in (finished, second)
        for event in store.read(one.pk)
        if event.type == "round-closed"
    ]
    assert events == [1, 2, 3]
    assert RatedGame.objects.get().rounds == 3
    assert [Row.objects.get(player=one).tables for one in people] == [3, 3, 2, 2]
    assert derived() == []


def test_some_tables_are_not_rated(published: Publish, people: list[Player]):
    """Tables of tournaments without the term, of bots, and without opponents are not rated."""
    promotion()
    for terms, entrants in (({"rated": False, **SWISS}, 2), ({"fill_to": 2, **SWISS}, 1), ({}, 2)):
        tournament = published(rounds=1, **terms)
        enter(tournament, *people[:entrants])
        play_out(tournament)
        assert not RatingChange.objects.exists()
        events = store.read(tournament.pk)
        assert all("rated" not in event.data for event in events if event.type != "created")
    assert derived() == []


def test_closing_a_round_again_does_not_change_ratings(finished: Tournament):
    before = list(Row.objects.order_by("pk").values())
    with transaction.atomic():
        assert not rounds.close_round(tournament_id=finished.pk, number=2, now=later(5000))
    assert list(Row.objects.order_by("pk").values()) == before
    assert RatedGame.objects.get().rounds == 2


def test_a_failed_close_of_a_round_changes_no_rating(
    published: Publish, people: list[Player], monkeypatch: pytest.MonkeyPatch
):
    """A failure after the change of the ratings rolls it back; the retry changes them once."""
    tournament = published(rounds=1, **SWISS)
    enter(tournament, *people)
    start(tournament)
    monkeypatch.setattr("tournaments.rounds.steps.finish", lambda *_, **__: 1 // 0)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        rounds.close_round(tournament_id=tournament.pk, number=1, now=later(600))
    assert not RatingChange.objects.exists()
    assert not RatedGame.objects.exists()
    monkeypatch.undo()
    run_due(later(600))
    assert RatingChange.objects.count() == 4
    assert derived() == []


# --- seeding -------------------------------------------------------------------------------------------


def test_a_tournament_is_seeded_by_the_recorded_ratings(
    published: Publish, finished: Tournament, people: list[Player]
):
    newcomer = rich("gus")
    tournament = published(rounds=1, seeding="rating", tie_breaks=("points", "opponents-rating"), **SWISS)
    field = [newcomer, *people]
    enter(tournament, *field)
    worth = {entry: one.worth if (one := belief(who)) else 0 for entry, who in enumerate(field, start=1)}
    points = {entry: one.points if (one := belief(who)) else 0 for entry, who in enumerate(field, start=1)}
    start(tournament)
    seeding = record.load(tournament.pk).seeding
    assert seeding == tuple(sorted(worth, key=lambda entry: (-worth[entry], entry)))
    assert seeding != (1, 2, 3, 4, 5)
    [closed] = [event for event in store.read(tournament.pk) if event.type == "entries-closed"]
    assert {row["entry"]: row["rating"] for row in closed.data["ratings"]} == {
        entry: points[entry] for entry in (2, 3, 4, 5)
    }
    run_due(later(600))
    rated = {one.entry: one.rating for one in record.load(tournament.pk).snapshot().entrants}
    assert rated == points, "those of the start, though they have moved since"
    ranked = {one["entry"]: one["totals"][1] for one in standings(tournament)}
    for table in record.load(tournament.pk).played[0].tables:
        one, other = table.seats
        assert (ranked[one], ranked[other]) == (points[other], points[one])


def test_a_late_entrant_has_the_rating_of_the_time_of_entry(
    published: Publish, finished: Tournament, people: list[Player]
):
    tournament = published(rounds=2, late_until=2, rated=False, **SWISS)
    enter(tournament, *people[:2])
    start(tournament)
    enter(tournament, people[2], rich("gus"))
    known = {one.entry: one.rating for one in record.load(tournament.pk).snapshot().entrants}
    points = [one.points if (one := belief(who)) else 0 for who in people[:3]]
    assert known == {**dict(enumerate(points, start=1)), 4: 0}
    assert 0 not in points


def test_a_tournament_is_seeded_by_the_standings_of_an_earlier_one(
    published: Publish, finished: Tournament, people: list[Player]
):
    tournament = published(rounds=1, seeding="standing", seeded_by=finished.pk, **SWISS)
    field = [rich("gus"), people[3], people[1], rich("hal"), people[0], people[2]]
    enter(tournament, *field)
    start(tournament)
    place = {one["player"]: one["place"] for one in round_selectors.standings(finished, None)["standings"]}
    entries = {entry: place.get(str(who.pk), 99) for entry, who in enumerate(field, start=1)}
    assert record.load(tournament.pk).seeding == tuple(sorted(entries, key=lambda one: (entries[one], one)))
    assert record.load(tournament.pk).seeding[-2:] == (1, 4), "who was not there, in entry order"
    event = store.read(tournament.pk)[0].data
    assert (event["seeding"], event["seeded_by"]) == ("standing", str(finished.pk))


def test_impossible_terms_of_seeding_are_refused(
    api: Api, published: Publish, finished: Tournament, organizer: Player
):
    running = published(rounds=1, **SWISS)
    body = {
        "name": "x", "format": "swiss", "rules": "ace-race", "config": {}, "rounds": 1, "prizes": [10_000],
    }  # fmt: skip
    client = api(organizer)
    for field, changes in (
        ("seeded_by", {"seeding": "standing"}),
        ("seeded_by", {"seeded_by": str(finished.pk)}),
        ("seeded_by", {"seeding": "standing", "seeded_by": str(running.pk)}),
        ("seeded_by", {"seeding": "standing", "seeded_by": "00000000-0000-4000-8000-000000000000"}),
        ("rated", {"format": "duplicate", "rules": "idle-aces", "rated": True}),
        ("seeding", {"format": "duplicate", "rules": "idle-aces", "seeding": "rating"}),
    ):
        problem = refused(client.post(LIST, {**body, **changes}), 400, "invalid-terms")
        assert problem["field"] == field, changes
    for wrong in ({"rated": 1}, {"rated": "yes"}, {"seeded_by": 5}, {"seeded_by": "x"}):
        refused(client.post(LIST, {**body, **wrong}), 400, "invalid-input")
    kept = {**body, "seeding": "standing", "seeded_by": str(finished.pk), "rated": False}
    made = client.post(LIST, kept).json()
    assert (made["seeding"], made["seeded_by"], made["rated"]) == ("standing", str(finished.pk), False)
    assert client.post(LIST, body).json()["rated"] is True


# --- REST ----------------------------------------------------------------------------------------------


def test_ratings_are_public_and_only_signed_in_users_see_names(
    api: Api, finished: Tournament, people: list[Player], stranger: Player, auditor: Player
):
    for viewer in (None, stranger, auditor, people[0]):
        found = api(viewer).get("/api/v1/ratings/?rules=ace-race").json()
        assert [one["rating"] for one in found["results"]] == sorted(
            (belief(one).points for one in people), reverse=True
        )
        assert {one["name"] for one in found["results"]} == ({None} if viewer is None else set(NAMES))
        mine = api(viewer).get(f"/api/v1/players/{people[0].pk}/ratings/").json()["results"]
        assert [(one["rules"], one["tables"], one["name"]) for one in mine] == [
            ("ace-race", 2, None if viewer is None else "cid")
        ]
    assert api(None).get(f"/api/v1/players/{stranger.pk}/ratings/").json() == {"results": []}


def test_the_changes_of_a_rating_are_listed(api: Api, finished: Tournament, people: list[Player]):
    found = api(None).get(f"/api/v1/players/{people[0].pk}/ratings/ace-race/").json()["results"]
    assert [(one["number"], one["round"], one["tournament"]) for one in found] == [
        (2, 2, str(finished.pk)),
        (1, 1, str(finished.pk)),
    ]
    assert found[1]["before"] == {"rating": 0, "mu": 1_500_000, "sigma": 500_000}
    assert found[0]["before"] == found[1]["after"]
    now = belief(people[0])
    assert found[0]["after"] == {"rating": now.points, "mu": now.mu, "sigma": now.sigma}


def test_invalid_requests_for_ratings_are_refused(api: Api, player: Player):
    unknown = "00000000-0000-4000-8000-000000000000"
    for path in (f"players/{unknown}/ratings/", f"players/{unknown}/ratings/ace-race/"):
        refused(api(player).get(f"/api/v1/{path}"), 404, "not-found")
    for path in (
        "ratings/",
        "ratings/?rules=chess",
        "ratings/?rules=ace-race&x=1",
        f"players/{player.pk}/ratings/chess/",
        f"players/{player.pk}/ratings/?x=1",
    ):
        refused(api(player).get(f"/api/v1/{path}"), 400, "invalid-input")
    refused(api(player).get("/api/v1/ratings/?rules=ace-race&cursor=zz"), 400, "bad-cursor")
    refused(api(player).post("/api/v1/ratings/?rules=ace-race", {}), 405, "method-not-allowed")


# --- verification and the database ---------------------------------------------------------------------


def test_the_command_reports_that_ratings_match(finished: Tournament, capsys: pytest.CaptureFixture[str]):
    call_command("derive_ratings")
    assert capsys.readouterr().out == "8 rating changes follow from the events.\n"


def test_the_command_names_altered_ratings(finished: Tournament, capsys: pytest.CaptureFixture[str]):
    with triggers.removed():
        one = RatingChange.objects.get(player__username="cid", number=2)
        RatingChange.objects.filter(pk=one.pk).update(mu=one.mu + 1)
        Row.objects.filter(player__username="dan").update(tables=9)
        RatedGame.objects.update(rounds=3)
    with pytest.raises(CommandError, match="3 differences"):
        call_command("derive_ratings")
    output = capsys.readouterr().err
    assert f"change 2 of player {one.player_id}" in output
    assert "the rating of player" in output
    assert "3 rounds are counted" in output


def _refused(sql: str, *values: object) -> None:
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)


@pytest.mark.both_databases
def test_the_database_protects_changes_and_ratings(finished: Tournament):
    for sql in (
        "UPDATE tournaments_ratingchange SET mu = mu + 1",
        "DELETE FROM tournaments_ratingchange",
        "UPDATE tournaments_rating SET mu = mu + 1, worth = worth + 1",
        "UPDATE tournaments_rating SET mu = mu + 1, worth = worth + 1, tables = tables + 1",
        "UPDATE tournaments_rating SET worth = worth + 1",
        "UPDATE tournaments_rating SET tables = 1",
        "DELETE FROM tournaments_rating",
    ):
        _refused(sql)


@pytest.mark.both_databases
def test_the_database_refuses_a_change_that_does_not_continue_from_the_last(
    finished: Tournament, people: list[Player]
):
    last = RatingChange.objects.get(player=people[0], number=2)

    def another(**changes: object) -> None:
        values = {
            "player_id": last.player_id, "rules": last.rules, "number": 3, "tournament": finished, "round": 3,
            "table": 1, "version": 1, "place": 1, "mu_before": last.mu, "sigma_before": last.sigma,
            "mu": 1, "sigma": 1, "at": NOW,
        }  # fmt: skip
        with transaction.atomic():
            RatingChange.objects.create(**{**values, **changes})

    for wrong in (
        {"mu_before": last.mu + 1},
        {"number": 4},
        {"number": 2},
        {"round": 2},
        {"number": 1},
        {"rules": "racing-demons"},
        {"sigma": 0},
        {"place": 0},
    ):
        with pytest.raises(IntegrityError):
            another(**wrong)
    another()


@pytest.mark.both_databases
def test_the_database_protects_the_seeding(published: Publish, finished: Tournament):
    tournament = published(**SWISS)
    for changes in ({"seeding": "standing"}, {"seeded_by": finished}, {"seeding": "charm"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Tournament.objects.filter(pk=tournament.pk).update(**changes)


def test_the_rating_changes_of_a_tournament_are_public(
    api: Api, published: Publish, finished: Tournament, people: list[Player]
) -> None:
    """Ratings before its first table and after its last, also with a tournament before and after it."""
    second = published(rounds=1, **SWISS)
    enter(second, *people[:2])
    play_out(second)
    address = f"/api/v1/tournaments/{finished.pk}/ratings/"
    document = {one["player"]: one for one in api(None).get(address).json()["results"]}
    assert document.keys() == {str(one.pk) for one in people}
    for one in people:
        changes = RatingChange.objects.filter(player=one, tournament=finished).order_by("number")
        shown = document[str(one.pk)]
        assert shown["tables"] == len(changes) == 2
        assert (shown["before"]["mu"], shown["before"]["sigma"]) == (1_500_000, 500_000)
        assert (shown["after"]["mu"], shown["after"]["sigma"]) == (changes[1].mu, changes[1].sigma)
    later = api(None).get(f"/api/v1/tournaments/{second.pk}/ratings/").json()["results"]
    assert {one["player"]: one["before"] for one in later} == {
        str(one.pk): document[str(one.pk)]["after"] for one in people[:2]
    }
