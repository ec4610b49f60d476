"""Swiss, round-robin and knockout tournaments of games with several seats, from the entries to the prizes."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from games import state
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    FEE,
    NOW,
    begin,
    enter,
    entrants,
    games_of,
    later,
    promotion,
    rich,
    standings,
    start,
    status_of,
)
from tournaments import formats, record, services
from tournaments.errors import BadTerms, CannotSeat
from tournaments.formats.checker import check_all
from tournaments.models import Seat, Status, Tournament
from tournaments.rounds import selectors as round_selectors

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ACE_RACE = {"rules": "ace-race", "config": {}, "prizes": (10_000,)}
DEMONS = {"rules": "racing-demons", "config": {"pace": "turns"}, "prizes": (10_000,)}


def pairings(tournament: Tournament):
    return record.load(tournament.pk).played


def assert_finished_and_paid(tournament: Tournament) -> None:
    assert status_of(tournament) == Status.FINISHED
    assert available(tournament.subject, "escrow") == 0
    played = record.load(tournament.pk).snapshot()
    assert check_all(formats.get(tournament.format), played) == ()


def test_a_swiss_at_tables_of_two_with_a_bye(published: Publish):
    promotion()
    tournament = published(format="swiss", rounds=2, fill_to=5, **ACE_RACE)
    start(tournament)

    assert_finished_and_paid(tournament)
    assert [len(pairing.byes) for pairing in pairings(tournament)] == [1, 1]
    tables = [table for pairing in pairings(tournament) for table in pairing.tables]
    met = Counter(two for table in tables for two in combinations(sorted(table.seats), 2))
    assert set(met.values()) == {1}
    found = round_selectors.standings(tournament, None)
    assert [column["name"] for column in found["measures"]][:2] == ["points", "head-to-head"]
    points = [one["totals"][0] for one in found["standings"]]
    assert sum(points) == 2 * (2 * 2 + 2), "two tables of two points and a bye in each round"
    assert found["standings"][0]["prize"] == 5 * FEE
    document = round_selectors.round_document(tournament, 1, None, now=NOW)
    assert document["algorithm"] == "swiss-pairs@1"
    assert len(document["known"]) == 64
    assert (document["byes"], document["relaxed"]) == ([5], [])
    assert Seat.objects.filter(round__tournament=tournament, table=None).count() == 2
    assert len(document["tables"][0]["games"][0]["scores"]) == 2
    for one in found["standings"]:
        breakdown = round_selectors.arithmetic(tournament, one["entry"])["columns"]
        assert [column["value"] for column in breakdown] == one["totals"]
        assert sum(part["amount"] for part in breakdown[0]["parts"]) == breakdown[0]["value"]


@pytest.mark.nightly
def test_tables_of_three_in_a_round_robin(published: Publish):
    promotion()
    tournament = published(
        format="round-robin", rounds=0, seats=3, sizes=(3,), fewest=3, fill_to=6, **ACE_RACE
    )
    start(tournament)
    assert_finished_and_paid(tournament)
    assert tournament.rounds == 2
    assert [[len(table.seats) for table in pairing.tables] for pairing in pairings(tournament)] == [
        [3, 3]
    ] * 2


@pytest.mark.nightly
def test_a_knockout_of_racing_demons(published: Publish):
    promotion()
    tournament = published(format="knockout", rounds=0, seats=3, sizes=(2, 3), through=1, fill_to=5, **DEMONS)
    start(tournament)
    assert_finished_and_paid(tournament)
    assert tournament.rounds == 2
    found = round_selectors.standings(tournament, None)
    assert [column["name"] for column in found["measures"]] == ["round", "place"]
    assert [one["place"] for one in found["standings"]][:2] == [1, 2]


def test_every_table_has_a_separate_deal_and_lots_can_seed(published: Publish):
    tournament = begin(
        published, "cid", "dan", "eva", "flo", format="swiss", rounds=1, games=2, seeding="lot", **ACE_RACE
    )
    dealt = [(one.table.number, one.number, one.deal) for one in games_of(tournament, 1)]
    assert dealt == [(1, 1, 1), (1, 2, 3), (2, 1, 2), (2, 2, 4)], "tables x (game - 1) + table (RULEBOOK 1)"
    seeding = record.load(tournament.pk).seeding
    assert sorted(seeding) == [1, 2, 3, 4]
    assert seeding != (1, 2, 3, 4)


def test_at_the_time_limit_the_server_plays_for_the_absent(published: Publish):
    tournament = begin(published, "cid", "dan", format="swiss", rounds=1, **ACE_RACE)
    [one] = games_of(tournament, 1)
    assert not state.load(one.game)[1].ended
    run_due(later(600))
    one.refresh_from_db()
    assert one.ended == "expired"
    assert_finished_and_paid(tournament)


def test_an_entrant_who_leaves_is_not_paired_again_or_refunded(published: Publish):
    tournament = begin(published, "cid", "dan", "eva", "flo", format="swiss", rounds=2, **ACE_RACE)
    people = entrants(tournament)
    services.withdraw(tournament_id=tournament.pk, player=people[3], now=NOW)
    assert available(f"player:{people[3].pk}") == 10_000 - FEE
    run_due(later(600))
    run_due(later(1200))

    assert_finished_and_paid(tournament)
    first, second = pairings(tournament)
    assert sorted(entry for table in first.tables for entry in table.seats) == [1, 2, 3, 4]
    assert sorted((*second.byes, *second.tables[0].seats)) == [1, 2, 3]
    assert len(standings(tournament)) == 4


def test_impossible_terms_are_refused(published: Publish, subtests: pytest.Subtests):
    for changes, field in [
        ({"format": "swiss", "rounds": 0}, "rounds"),
        ({"format": "swiss", "seats": 5}, "seats"),
        ({"format": "swiss", "seats": 4, "sizes": (2, 3)}, "sizes"),
        ({"format": "swiss", "seats": 4, "sizes": (4, 5)}, "sizes"),
        ({"format": "swiss", "tie_breaks": ("points", "points")}, "tie_breaks"),
        ({"format": "swiss", "tie_breaks": ("beauty",)}, "tie_breaks"),
        ({"format": "swiss", "through": 1}, "through"),
        ({"format": "swiss", "seats": 4, "sizes": (4,)}, "fewest"),
        ({"format": "swiss", "seeding": "charm"}, "seeding"),
        ({"format": "knockout", "rounds": 0, "through": 2}, "through"),
        ({"format": "knockout", "tie_breaks": ("points",)}, "tie_breaks"),
        ({"format": "duplicate"}, "rules"),
        ({"format": "swiss", "rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}}, "rules"),
        ({"format": "swiss", "rules": "racing-demons", "round_seconds": 1799}, "round_seconds"),
    ]:
        with subtests.test(changes=changes, field=field):
            with pytest.raises(BadTerms) as refused:
                published(**{**ACE_RACE, **changes})
            assert refused.value.extra["field"] == field


def test_a_field_that_cannot_shrink_to_one_table_does_not_start(published: Publish):
    promotion()
    tournament = published(
        format="knockout", rounds=0, seats=4, sizes=(4,), through=2, fewest=4, fill_to=5, **ACE_RACE
    )
    with pytest.raises(CannotSeat):
        start(tournament)
    assert status_of(tournament) == Status.PUBLISHED
    assert tournament.entries.count() == 0, "the bots have not entered either"


def test_a_race_without_moves_ends_at_its_time_limit(published: Publish):
    config = {"pace": "race", "time_limit": 60}
    tournament = published(
        format="swiss", rules="racing-demons", config=config, rounds=1, prizes=(10_000,), round_seconds=60
    )
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    run_due(later(60))
    assert_finished_and_paid(tournament)
    [one] = games_of(tournament, 1)
    assert state.load(one.game)[1].outcome["result"] == "time"
