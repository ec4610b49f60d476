"""Tournaments of stages over REST, from a file, and in the database."""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Player
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import FEE, NOW, begin, enter, later, rich, start
from tests.tournaments.test_api import Api
from tests.tournaments.test_console import shown, signed_in
from tests.tournaments.test_formats_over_rest import LIST, Desk, first
from tests.tournaments.test_run_from_a_file import held, rechained, report, stream
from tournaments import formats, record, services
from tournaments.entries import registration
from tournaments.errors import BadTerms, CannotSeat, EntriesClosed, TooFewEntrants
from tournaments.formats.checker import check_all
from tournaments.formats.replay import replay
from tournaments.models import Status, Tournament
from tournaments.staff.console import describe as in_words
from tournaments.terms import TermsInput, terms_of
from tournaments.validation import agree

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

RACE: dict[str, Any] = {"rules": "ace-race", "config": {}, "rounds": 0, "format": "stages"}
GROUPS = [{"format": "round-robin", "groups": 2, "qualify": 4}, {"format": "knockout"}]
SWISS = [{"format": "swiss", "rounds": 2, "qualify": 2}, {"format": "knockout"}]


def table(api: Api, path: str) -> list[dict[str, str]]:
    text = b"".join(api(None).get(path).streaming_content).decode()
    return list(csv.DictReader(StringIO(text, newline="")))


@pytest.mark.nightly
def test_groups_and_a_knockout_over_rest(api: Api, organizer: Player, player: Player):
    staff_client = Desk(
        api, organizer, [player], **RACE, stages=GROUPS, fewest=4, fill_to=6, seeding="lot"
    )  # fmt: skip
    ended = staff_client.run(first)
    assert ended["stages"] == [
        {"format": "round-robin", "rounds": 0, "groups": 2, "qualify": 4},
        {"format": "knockout", "rounds": 0, "groups": 1, "qualify": 0},
    ]
    assert (ended["rounds"], ended["round"]) == (5, 5)
    lines = staff_client.get("rounds")["results"]
    assert [line["stage"] for line in lines] == [1, 1, 1, 2, 2]
    group = {one["entry"]: one["group"] for one in staff_client.get("entries")["results"]}
    assert Counter(group.values()) == {1: 3, 2: 3}
    for number in (1, 2, 3):
        document = staff_client.get("rounds", number)
        for one in document["tables"]:
            assert {group[seat["entry"]] for seat in one["seats"]} == {one["group"]}
        assert (len(document["byes"]), document["qualified"]) == (2, [])
    begins = staff_client.get("rounds", 4)
    assert Counter(group[entry] for entry in begins["qualified"]) == {1: 2, 2: 2}
    assert begins["algorithm"] == "stages@1/knockout@1"
    for one in begins["tables"]:
        assert one["group"] is None
        assert len({group[seat["entry"]] for seat in one["seats"]}) == 2, (
            "no one meets their own group at once"
        )

    standings = staff_client.get("standings")
    rows = standings["standings"]
    assert [one["stage"] for one in rows] == [2, 2, 2, 2, 1, 1]
    assert {one["entry"]: one["group"] for one in rows} == group
    assert [one["prize"] for one in rows] == [6 * FEE, 0, 0, 0, 0, 0]
    names = [measure["name"] for measure in standings["measures"]]
    assert names[:5] == ["went-on", "knockout-round", "knockout-place", "group-place", "average"]

    sheet = table(api, f"{staff_client.path}standings.csv")
    assert [(row["stage"], row["group"]) for row in sheet] == [
        (str(one["stage"]), str(one["group"])) for one in rows
    ]
    assert {row["entry"]: row["group"] for row in table(api, f"{staff_client.path}entries.csv")} == {
        str(entry): str(number) for entry, number in group.items()
    }
    seats = table(api, f"{staff_client.path}pairings.csv")
    assert {(row["round"], row["stage"]) for row in seats} == {
        ("1", "1"), ("2", "1"), ("3", "1"), ("4", "2"), ("5", "2"),
    }  # fmt: skip
    assert all(
        row["group"] == (str(group[int(row["entry"])]) if row["stage"] == "1" else "") for row in seats
    )
    document = staff_client.get("pairings")["results"]
    assert [(str(one["stage"]), str(one["group"] or "")) for one in document] == [
        (row["stage"], row["group"]) for row in seats
    ]


def test_standings_during_the_first_stage_are_those_of_the_stage(api: Api, published: Publish):
    tournament = published(**{**RACE, "stages": GROUPS, "fewest": 4, "fill_to": 0, "prizes": (10_000,)})
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "fay")))
    path = f"{LIST}{tournament.pk}/"
    before = api(None).get(f"{path}standings/").json()["standings"]
    assert [(one["stage"], one["group"]) for one in before] == [(None, None)] * 4, "there are no groups yet"
    start(tournament)
    document = api(None).get(f"{path}standings/").json()
    assert [measure["name"] for measure in document["measures"]][:2] == ["group-place", "average"]
    assert {(one["stage"], one["group"]) for one in document["standings"]} == {(1, 1), (1, 2)}


# --- terms ---------------------------------------------------------------------------------------------

KNOCKOUT = {"format": "knockout"}
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"stages": []}, "stages", "two: a swiss"),
    ({"stages": [GROUPS[0]]}, "stages", "two: a swiss"),
    ({"stages": [KNOCKOUT, KNOCKOUT]}, "stages", "the first is a swiss or a round-robin"),
    ({"stages": [GROUPS[0], GROUPS[0]]}, "stages", "the second is a knockout or a double-knockout"),
    ({"stages": [GROUPS[0], {**KNOCKOUT, "qualify": 2}]}, "stages", "the second has only a format"),
    ({"stages": [{"format": "swiss", "qualify": 2}, KNOCKOUT]}, "stages", "rounds of the first from 1"),
    ({"stages": [{**SWISS[0], "groups": 2}, KNOCKOUT]}, "stages", "groups of a swiss from 1 to 1"),
    ({"stages": [{"format": "round-robin"}, KNOCKOUT]}, "stages", "qualify, how many"),
    ({"stages": GROUPS, "rounds": 3}, "rounds", "give 0"),
    ({"stages": GROUPS, "fewest": 3}, "fewest", "at least 4"),
    ({"stages": [{**GROUPS[0], "groups": 6}, KNOCKOUT], "fewest": 4}, "fewest", "at least 12"),
    ({"stages": GROUPS, "capacity": 3, "fewest": 2}, "capacity", "at least 4"),
    ({"stages": GROUPS, "late_until": 2}, "late_until", "the format round-robin has no late entry"),
    ({"stages": SWISS, "late_until": 3}, "late_until", "the last of the Swiss"),
    ({"format": "swiss", "rounds": 3, "stages": SWISS}, "stages", "the format swiss has none"),
    (
        {"stages": [{**SWISS[0], "qualify": 5}, KNOCKOUT], "seats": 4, "sizes": [4], "fewest": 8},
        "stages",
        "qualify 5: ",
    ),
]


def test_impossible_stages_are_refused_by_name():
    for changes, field, said in REFUSED:
        given = {"name": "Stages", **RACE, "fewest": 4, **changes}
        if given["format"] == "swiss":
            given["fewest"] = 2
        sent = TermsInput(data=given)
        assert sent.is_valid(), changes
        with pytest.raises(BadTerms, match=said) as refused:
            agree(terms_of(sent.validated_data))
        assert refused.value.extra["field"] == field
    for stages in (
        [{**SWISS[0], "colour": 1}, KNOCKOUT],
        "swiss",
        [1, 2],
        [{**SWISS[0], "rounds": "2"}, KNOCKOUT],
    ):
        assert not TermsInput(data={"name": "Stages", **RACE, "stages": stages}).is_valid()


def test_the_database_allows_stages_only_for_their_format(published: Publish):
    tournament = published(**{**RACE, "stages": GROUPS, "fewest": 4})
    for changes in ({"stages": []}, {"format": "swiss"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Tournament.objects.filter(pk=tournament.pk).update(**changes)


def test_a_field_too_small_or_a_tournament_too_long_cannot_start(published: Publish):
    tournament = published(**{**RACE, "stages": GROUPS, "fewest": 4, "fill_to": 0})
    enter(tournament, rich("cid"), rich("dan"), rich("eva"))
    with pytest.raises(TooFewEntrants):
        services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=NOW)
    long = [{"format": "swiss", "rounds": 50, "qualify": 2}, KNOCKOUT]
    other = published(**{**RACE, "stages": long, "fewest": 2, "fill_to": 0})
    enter(other, rich("fay"), rich("gus"))
    with pytest.raises(CannotSeat, match="51 rounds"):
        services.start(tournament_id=other.pk, actor=other.organizer, now=NOW)


# --- late entries and withdrawals ----------------------------------------------------------------------


def swiss(published: Publish, *names: str, **changes: Any) -> Tournament:
    requested = {
        **RACE,
        "stages": SWISS,
        "fewest": 2,
        "prizes": (10_000,),
        "gap_seconds": 100,
        "late_until": 2,
    }
    tournament = published(**{**requested, **changes})
    enter(tournament, *(rich(name) for name in names))
    start(tournament)
    return tournament


def play_round(number: int) -> None:
    run_due(later(700 * number))
    run_due(later(700 * number + 100))


def assert_over(tournament: Tournament) -> None:
    tournament.refresh_from_db()
    assert (tournament.status, tournament.stalled) == (Status.FINISHED, "")
    assert check_all(formats.get("stages"), record.load(tournament.pk).snapshot()) == ()
    assert replay(str(tournament.pk), stream(tournament)).ok


def test_late_entry_is_possible_into_the_swiss_and_not_into_the_knockout(published: Publish):
    tournament = swiss(published, "cid", "dan", "eva")
    assert services.enter(tournament_id=tournament.pk, player=rich("fay"), client_seed="", now=NOW).first == 2
    play_round(1)
    play_round(2)
    with pytest.raises(EntriesClosed):
        services.enter(tournament_id=tournament.pk, player=rich("gus"), client_seed="", now=NOW)
    play_round(3)
    assert_over(tournament)


def test_an_entrant_who_leaves_after_the_first_stage_is_replaced_by_the_next(published: Publish):
    tournament = swiss(published, "cid", "dan", "eva", "fay")
    play_round(1)
    run_due(later(1400))
    state = record.load(tournament.pk)
    assert (state.closed, len(state.played)) == (2, 2)
    best = formats.get("stages").standings(state.snapshot())
    registration.disqualify(
        tournament_id=tournament.pk,
        number=best[0].entry,
        actor=tournament.organizer,
        reason="cheated",
        now=NOW,
    )
    gone = tournament.entries.get(number=best[1].entry)
    services.withdraw(tournament_id=tournament.pk, player=gone.player, now=NOW)
    run_due(later(1500))
    [final] = record.load(tournament.pk).played[2:]
    assert set(final.going_on) == {best[2].entry, best[3].entry}
    play_round(3)
    assert_over(tournament)
    document = formats.get("stages").standings(record.load(tournament.pk).snapshot())
    assert {one.entry for one in document[:2]} == set(final.going_on)
    assert (document[-1].entry, document[-1].disqualified) == (best[0].entry, True)


# --- from a file ---------------------------------------------------------------------------------------

CUP = """
seed = "cup"

[tournament]
name = "Cup"
format = "stages"
rules = "ace-race"
rounds = 0
fewest = 5
fee = 500
prizes = [6000, 4000]
stages = [
  { format = "round-robin", groups = 2, qualify = 3 },
  { format = "double-knockout" },
]

[[bots]]
count = 5
"""


def test_a_tournament_runs_from_a_file_and_a_replay_verifies_who_advanced():
    tournament = held(CUP)
    result = report(tournament)
    assert [(check["what"], check["wrong"]) for check in result["checks"] if not check["ok"]] == []
    whole, id = stream(tournament), str(tournament.pk)
    forged = next(event for event in whole if event["data"].get("going_on"))
    assert forged["data"]["round"] == 4
    forged["data"]["going_on"].reverse()
    found = replay(id, rechained(id, whole)).difference
    assert found is not None
    assert (found.version, found.what) == (forged["version"], "the pairing")


def test_the_expected_duration_is_shown(published: Publish):
    tournament = published(**{**RACE, "stages": GROUPS, "fewest": 4, "fill_to": 0})
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "fay", "gus")))
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=timezone.now())
    tournament.refresh_from_db()
    assert tournament.rounds == 5, "three of the larger group, two of the knockout"


def test_the_console_shows_stage_and_group(published: Publish, organizer: Player):
    tournament = begin(
        published, "cid", "dan", "eva", "fay", **{**RACE, "stages": GROUPS, "fewest": 4, "fill_to": 0}
    )
    staff_client = signed_in(organizer)
    assert '<th scope="col">Group</th>' in shown(staff_client, "tournament_standings", tournament)
    assert "stage 1" in shown(staff_client, "tournament_rounds", tournament)
    assert in_words(
        "round-paired", {"round": 4, "tables": [], "byes": [7], "relaxed": [], "going_on": [7]}
    ) == ("Round 4 paired: 0 tables, bye for 7; entrants of this stage: 7")
