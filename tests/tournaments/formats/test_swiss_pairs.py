"""Swiss rounds at tables of two: always a pairing, no avoidable rematches, one bye each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import given

from tests.tournaments.formats.fields import assert_sound, examples, meetings, played
from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats.pairing import swiss_pairs
from tournaments.formats.protocol import Snapshot
from tournaments.formats.scoring.points import outings

SWISS = formats.get("swiss")


@examples(few=10, many=120)
@given(played("swiss", seats=(2,)))
def test_every_round_is_valid_and_deterministic(snapshot):
    assert_sound("swiss", snapshot)
    for pairing in snapshot.played:
        odd = len(snapshot.present(pairing.round)) % 2
        assert len(pairing.byes) == odd


@pytest.mark.parametrize("entrants", range(2, 13))
def test_half_of_all_possible_rounds_need_no_rematch(entrants):
    """In later rounds, pairing without rematches may become impossible before all have met."""
    rounds = max(1, (entrants - 1) // 2)
    snapshot = generate(SWISS, Plan(entrants, rounds=rounds), Random(entrants))
    assert max(meetings(snapshot.played).values()) == 1
    assert all(not pairing.relaxed for pairing in snapshot.played)


def test_when_all_have_met_rematches_are_paired_and_reported():
    snapshot = generate(SWISS, Plan(4, rounds=9), Random(1))
    state = [len(pairing.relaxed) for pairing in snapshot.played]
    assert state[:3] == [0, 0, 0]
    assert all(state[3:])
    assert set(meetings(snapshot.played).values()) == {3}, "each pair as often as any other"


def test_no_second_bye_before_all_have_had_one():
    snapshot = generate(SWISS, Plan(7, rounds=7), Random(3))
    byes = Counter(entry for pairing in snapshot.played for entry in pairing.byes)
    assert set(byes.values()) == {1}


def test_a_forbidden_pair_meets_only_as_a_last_resort():
    apart = replace(generate(SWISS, Plan(6, rounds=1), Random(5)), rounds=4, played=(), results=())
    kept = replace(apart, apart=frozenset({(1, 2), (3, 4), (5, 6)}))
    assert not meetings([SWISS.pair(kept, 1)]).keys() & kept.apart
    everyone = replace(apart, apart=frozenset((one, other) for one in range(1, 7) for other in range(1, 7)))
    forced = SWISS.pair(everyone, 1)
    assert len(forced.tables) == 3
    assert [one.what for one in forced.relaxed] == ["apart"] * 3


def test_a_required_pair_meets():
    field = replace(generate(SWISS, Plan(8, rounds=1), Random(5)), played=(), results=(), rounds=2)
    forced = replace(field, together=frozenset({(2, 7)}))
    assert (2, 7) in meetings([SWISS.pair(forced, 1)])


def test_the_first_round_pairs_the_upper_half_with_the_lower():
    field = replace(generate(SWISS, Plan(8, rounds=1), Random(2)), played=(), results=())
    seeding = {entrant.entry: entrant.seeding for entrant in field.entrants}
    seeds = sorted(sorted(seeding[entry] for entry in table.seats) for table in SWISS.pair(field, 1).tables)
    assert seeds == [[1, 5], [2, 6], [3, 7], [4, 8]]


def test_equal_points_meet_where_they_can():
    snapshot = generate(SWISS, Plan(16, rounds=4), Random(8))
    for pairing in snapshot.played[1:3]:
        before = {
            entry: sum(one.points for one in rounds if one.round < pairing.round)
            for entry, rounds in outings(snapshot).items()
        }
        apart = [abs(before[one] - before[other]) for one, other in (table.seats for table in pairing.tables)]
        assert sum(apart) <= 2 * 2, "with sixteen in even groups few entrants float"


def least_of_all(snapshot: Snapshot, round: int) -> int:
    """Return the smallest difference of points without rematches, by trying every pairing."""
    points = {
        entry: sum(one.points for one in rounds if one.round < round)
        for entry, rounds in outings(snapshot).items()
    }
    met = meetings(one for one in snapshot.played if one.round < round)
    best = None
    for order in permutations(sorted(points)):
        pairs = [tuple(sorted(order[index : index + 2])) for index in range(0, len(order), 2)]
        if any(met[two] for two in pairs):
            continue
        cost = sum((points[one] - points[other]) ** 2 for one, other in pairs)
        best = cost if best is None else min(best, cost)
    assert best is not None
    return best


def test_no_other_pairing_has_a_smaller_difference_of_points():
    snapshot = generate(SWISS, Plan(6, rounds=3), Random(4))
    for pairing in snapshot.played:
        points = {
            entry: sum(one.points for one in rounds if one.round < pairing.round)
            for entry, rounds in outings(snapshot).items()
        }
        cost = sum(
            (points[one] - points[other]) ** 2 for one, other in (table.seats for table in pairing.tables)
        )
        assert cost == least_of_all(snapshot, pairing.round)


def test_a_field_too_large_for_one_matching_is_matched_in_slices(monkeypatch):
    monkeypatch.setattr(swiss_pairs, "WHOLE", 40)
    monkeypatch.setattr(swiss_pairs, "SLICE", 16)
    snapshot = generate(SWISS, Plan(101, rounds=6, leaving=2), Random(6))
    assert_sound("swiss", snapshot)
    assert max(meetings(snapshot.played).values()) == 1
    byes = Counter(entry for pairing in snapshot.played for entry in pairing.byes)
    assert max(byes.values()) == 1


def test_the_first_seat_alternates():
    snapshot = generate(SWISS, Plan(10, rounds=6), Random(7))
    first = Counter(table.seats[0] for pairing in snapshot.played for table in pairing.tables)
    assert all(2 <= first[entry] <= 4 for entry in range(1, 11))
