"""Stages: a Swiss or groups, then a knockout. Every round can be paired, and exactly the best advance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.fields import SIZES, assert_sound, examples, meetings
from tests.tournaments.formats.generator import SCORE, Plan, generate
from tournaments import formats
from tournaments.formats import checker
from tournaments.formats.checker import before, check_all
from tournaments.formats.pairing import stages
from tournaments.formats.pairing.stages import first_rounds, group_of, groups, snaked
from tournaments.formats.protocol import Entrant, Pairing, Result, Snapshot, Stage, Table, by_entry_order
from tournaments.formats.sizes import CannotBeSeated

STAGES = formats.get("stages")


def plan_of(first: Stage, *, entrants: int, second: str = "knockout", seats: int = 2, **others: int) -> Plan:
    return Plan(
        entrants,
        seats=seats,
        sizes=SIZES[seats],
        through=max(1, seats // 2),
        stages=(first, Stage(second)),
        **others,
    )


@st.composite
def plans(draw, *, leaving: tuple[int, ...] = (0, 0, 10)) -> Plan:
    """Swiss or groups of any size, then either knockout, at tables of two or more."""
    seats = draw(st.sampled_from((2, 2, 3, 4)))
    swiss = draw(st.booleans())
    in_groups = 1 if swiss else draw(st.integers(1, 4))
    entrants = draw(st.integers(max(2 * in_groups, 4), 12))
    qualify = draw(st.integers(2, entrants))
    rounds = draw(st.integers(1, 4) if swiss else st.sampled_from((0, 0, 2)))
    return plan_of(
        Stage("swiss" if swiss else "round-robin", rounds, in_groups, qualify),
        entrants=entrants,
        second=draw(st.sampled_from(("knockout", "double-knockout"))),
        seats=seats,
        late=draw(st.sampled_from((0, 20))) if swiss else 0,
        leaving=draw(st.sampled_from(leaving)),
        absent=draw(st.sampled_from((0, 10))),
        apart=draw(st.sampled_from((0, 3))),
        games=draw(st.integers(1, 2)),
    )


@examples(few=5, many=60)
@given(plans(), st.integers(0, 10**6))
def test_every_round_is_valid_and_the_tournament_ends(plan, seed):
    snapshot = generate(STAGES, plan, Random(seed))
    assert_sound("stages", snapshot)
    assert STAGES.is_over(snapshot) or len(snapshot.played) == snapshot.rounds
    for pairing in snapshot.played:
        seated = [*pairing.byes, *(entry for table in pairing.tables for entry in table.seats)]
        assert len(seated) == len(set(seated)), "each entrant once in a round"
    breakdown, columns = STAGES.arithmetic(snapshot), STAGES.columns(snapshot)
    for one in STAGES.standings(snapshot):
        assert one.totals == tuple(breakdown[one.entry][column.name].value for column in columns)
    for entry in breakdown:
        for column in ("average", "points"):
            if column in breakdown[entry]:
                reckoning = breakdown[entry][column]
                assert reckoning.value == sum(part.amount for part in reckoning.parts)


@examples(few=5, many=60)
@given(plans(leaving=(0,)), st.integers(0, 10**6))
def test_exactly_the_qualified_advance_and_are_ranked_first(plan, seed):
    snapshot = generate(STAGES, plan, Random(seed))
    first, qualify = first_rounds(snapshot), plan.stages[0].qualify
    begins = snapshot.played[first]
    assert len(set(begins.going_on)) == len(begins.going_on) == qualify
    assert all(not one.going_on for one in snapshot.played if one is not begins)
    played = {entry for one in snapshot.played[first:] for table in one.tables for entry in table.seats}
    assert played <= set(begins.going_on)
    for known in (before(snapshot, first + 1), snapshot):
        assert {one.entry for one in STAGES.standings(known)[:qualify]} == set(begins.going_on)


@given(plans(), st.integers(0, 10**6))
@examples(few=2, many=20)
def test_the_same_input_gives_the_same_bytes(plan, seed):
    one, other = (generate(STAGES, plan, Random(seed)) for _ in range(2))
    assert one.fingerprint() == other.fingerprint()
    assert repr(STAGES.standings(one)) == repr(STAGES.standings(other))


# --- examples ------------------------------------------------------------------------------------------


def run(snapshot: Snapshot, *, rounds: int | None = None) -> Snapshot:
    """The lower number always wins."""
    snapshot = replace(
        snapshot,
        rounds=STAGES.rounds(len(snapshot.entrants), asked=0, snapshot=snapshot),
    )
    for round in range(len(snapshot.played) + 1, (rounds or snapshot.rounds) + 1):
        pairing = STAGES.pair(snapshot, round)
        results = tuple(
            Result(round, table.number, table.number, entry, "finished", (-entry,))
            for table in pairing.tables
            for entry in table.seats
        )
        snapshot = replace(
            snapshot, played=(*snapshot.played, pairing), results=(*snapshot.results, *results)
        )
        if STAGES.is_over(snapshot):
            break
    return snapshot


def field(
    entrants: int, first: Stage, *, second: str = "knockout", sizes: tuple[int, ...] = (2,), through: int = 1
) -> Snapshot:
    return Snapshot(
        by_entry_order(range(1, entrants + 1)), 0, 1, (SCORE,), sizes=sizes, preferred=max(sizes),
        through=through, columns=("points", "head-to-head", "score"), lot="x", stages=(first, Stage(second)),
    )  # fmt: skip


def seats(pairing: Pairing) -> list[tuple[int, ...]]:
    return [table.seats for table in pairing.tables]


def test_groups_are_filled_in_serpentine_order():
    assert snaked(range(1, 9), 4) == ((1, 8), (2, 7), (3, 6), (4, 5))
    assert snaked(range(1, 8), 2) == ((1, 4, 5), (2, 3, 6, 7))


def test_groups_play_at_the_same_time_and_tables_are_numbered_across_groups():
    snapshot = run(field(8, Stage("round-robin", groups=2, qualify=4)))
    assert groups(snapshot) == ((1, 4, 5, 8), (2, 3, 6, 7))
    for pairing in snapshot.played[:3]:
        assert [table.number for table in pairing.tables] == [1, 2, 3, 4]
        assert [{group_of(snapshot)[entry] for entry in two} for two in seats(pairing)] == [
            {1},
            {1},
            {2},
            {2},
        ]
    met = meetings(snapshot.played[:3])
    assert set(met.values()) == {1}
    assert met.keys() == {two for group in groups(snapshot) for two in combinations(group, 2)}


def test_knockout_entrants_are_ranked_by_it_and_others_by_the_first_stage():
    snapshot = run(field(8, Stage("round-robin", groups=2, qualify=4)))
    assert [(one.place, one.entry) for one in STAGES.standings(snapshot)] == [
        (place, place) for place in range(1, 9)
    ]
    breakdown = STAGES.arithmetic(snapshot)
    rows = {
        entry: [breakdown[entry][name].value for name in ("went-on", "knockout-round", "knockout-place")]
        for entry in (1, 2, 3, 4, 5)
    }
    assert rows == {1: [1, 5, 1], 2: [1, 5, 2], 3: [1, 5, 3], 4: [1, 5, 4], 5: [0, 0, 0]}


def test_entrants_of_one_group_change_seeds_to_avoid_each_other():
    snapshot = run(field(8, Stage("round-robin", groups=2, qualify=4)), rounds=3)
    # The first seed meets the fourth. That would be 4, who is in the group of 1, so 4 and 3 change seeds.
    paired = STAGES.pair(snapshot, 4)
    assert group_of(snapshot) == {1: 1, 4: 1, 5: 1, 8: 1, 2: 2, 3: 2, 6: 2, 7: 2}
    assert paired.going_on == (1, 2, 4, 3)
    assert seats(paired) == [(1, 3), (2, 4)]
    assert not paired.relaxed, "no rematches"


def test_unequal_groups_compare_by_points_per_table_without_byes():
    snapshot = run(field(9, Stage("round-robin", groups=2, qualify=3)), rounds=5)
    smaller, larger = groups(snapshot)
    assert (len(larger), len(smaller)) == (4, 5) or (len(larger), len(smaller)) == (5, 4)
    breakdown = STAGES.arithmetic(snapshot)
    winners = [breakdown[one]["average"].value for one in (1, 2)]
    assert winners[0] == winners[1], "both have won all their tables"
    assert breakdown[1]["points"].value != breakdown[2]["points"].value, (
        "though one had a bye and a table more"
    )


def test_a_smaller_group_finishes_sooner():
    snapshot = run(field(9, Stage("round-robin", groups=2, qualify=3)))
    group = group_of(snapshot)
    fourth = {group[entry] for table in snapshot.played[3].tables for entry in table.seats}
    assert len(fourth) == 1
    assert check_all(STAGES, snapshot) == ()


def test_the_best_across_groups_advance_too():
    snapshot = run(field(12, Stage("round-robin", groups=3, qualify=8)))
    begins = snapshot.played[3]
    chosen = Counter(group_of(snapshot)[entry] for entry in begins.going_on)
    assert sorted(chosen.values()) == [2, 3, 3]
    breakdown = STAGES.arithmetic(snapshot)
    assert [breakdown[entry]["group-place"].value for entry in (7, 8, 9)] == [3, 3, 3]
    assert [breakdown[entry]["went-on"].value for entry in (7, 8, 9)] == [1, 1, 0], "parted by the score"


def test_an_entrant_who_has_left_is_replaced_by_the_next_of_the_group():
    known = run(field(8, Stage("round-robin", groups=2, qualify=2)), rounds=3)
    left = tuple(replace(one, last=3) if one.entry == 1 else one for one in known.entrants)
    paired = STAGES.pair(replace(known, entrants=left), 4)
    assert set(paired.going_on) == {2, 4}, "the second of its group, not the second of the other"
    gone = tuple(replace(one, last=3, disqualified=True) if one.entry == 1 else one for one in known.entrants)
    assert STAGES.pair(replace(known, entrants=gone), 4).going_on == paired.going_on
    assert STAGES.standings(replace(known, entrants=gone))[-1].entry == 1


def test_a_disqualification_in_the_knockout_does_not_change_its_field():
    known = run(field(8, Stage("round-robin", groups=2, qualify=4)), rounds=4)
    gone = tuple(replace(one, last=4, disqualified=True) if one.entry == 1 else one for one in known.entrants)
    snapshot = run(replace(known, entrants=gone))
    assert snapshot.played[3].going_on == known.played[3].going_on
    standings = STAGES.standings(snapshot)
    assert (standings[0].entry, standings[-1].entry, standings[-1].disqualified) == (2, 1, True)
    assert check_all(STAGES, replace(snapshot, entrants=gone)) == ()


def test_a_late_entrant_of_a_swiss_may_advance():
    late = tuple(Entrant(one, one, first=2 if one == 6 else 1) for one in range(1, 7))
    snapshot = run(replace(field(6, Stage("swiss", rounds=3, qualify=6)), entrants=late))
    assert 6 in snapshot.played[3].going_on
    assert check_all(STAGES, snapshot) == ()


def test_the_last_remaining_entrant_wins_without_a_knockout():
    known = run(field(4, Stage("swiss", rounds=2, qualify=4)), rounds=2)
    left = tuple(replace(one, last=None if one.entry == 4 else 2) for one in known.entrants)
    alone = replace(known, entrants=left)
    assert STAGES.is_over(alone)
    assert [one.entry for one in STAGES.standings(alone)] == [4, 1, 2, 3]
    paired = STAGES.pair(alone, 3)
    assert (paired.tables, paired.byes, paired.going_on) == ((), (4,), (4,))
    unknown = replace(known, entrants=tuple(replace(one, last=2) for one in known.entrants))
    assert STAGES.is_over(unknown)
    assert STAGES.pair(unknown, 3).going_on == ()


def test_with_too_few_entrants_the_knockout_is_shorter():
    known = run(field(8, Stage("swiss", rounds=2, qualify=8)), rounds=2)
    left = tuple(replace(one, last=None if one.entry < 4 else 2) for one in known.entrants)
    snapshot = run(replace(known, entrants=left))
    assert len(snapshot.played) == 4, "two rounds of three, not three of eight"
    assert [one.entry for one in STAGES.standings(snapshot)][:3] == [1, 2, 3]


def test_a_table_that_cannot_be_filled_is_not_waited_for():
    known = run(field(8, Stage("swiss", rounds=1, qualify=4), sizes=(4,), through=2), rounds=1)
    left = tuple(replace(one, last=None if one.entry < 4 else 1) for one in known.entrants)
    three = replace(known, entrants=left)
    assert STAGES.is_over(three)
    assert {one.entry for one in STAGES.standings(three)[:3]} == {1, 2, 3}


def test_a_rematch_in_the_knockout_is_reported():
    snapshot = run(field(4, Stage("round-robin", groups=1, qualify=2)))
    final = snapshot.played[3]
    assert [(one.what, one.entries) for one in final.relaxed] == [("rematch", (1, 2))]


def test_the_second_stage_may_be_a_double_knockout():
    snapshot = run(field(8, Stage("round-robin", groups=2, qualify=4), second="double-knockout"))
    breakdown = STAGES.arithmetic(snapshot)
    assert [column.name for column in STAGES.columns(snapshot)][:4] == [
        "went-on", "knockout-round", "knockout-place", "knockout-lives",
    ]  # fmt: skip
    assert breakdown[2]["knockout-round"].value == len(snapshot.played)
    lives = breakdown[2]["knockout-lives"]
    assert (lives.value, [part.round for part in lives.parts if part.what == "lost"]) == (0, [5, 7])
    assert breakdown[8]["knockout-lives"].value == 0


@pytest.mark.parametrize(
    ("entrants", "stage", "sizes", "said"),
    [
        (7, Stage("swiss", rounds=2, qualify=8), (2,), "8 should qualify"),
        (5, Stage("round-robin", groups=3, qualify=2), (2,), "do not fill 3 groups"),
        (7, Stage("round-robin", groups=2, qualify=4), (4,), "do not fill 2 groups"),
        (12, Stage("swiss", rounds=2, qualify=5), (4,), "do not fill a table"),
    ],
)
def test_a_field_too_small_is_refused_with_an_explanation(entrants, stage, sizes, said):
    with pytest.raises(CannotBeSeated, match=said):
        STAGES.rounds(entrants, asked=0, snapshot=field(entrants, stage, sizes=sizes, through=2))


def test_the_engine_name_includes_the_format_of_the_stage():
    snapshot = run(field(8, Stage("round-robin", groups=2, qualify=4)))
    named = [STAGES.algorithm(before(snapshot, round)) for round in (1, 3, 4)]
    assert named == ["stages@1/round-robin@1", "stages@1/round-robin@1", "stages@1/knockout@1"]


# --- the checker ---------------------------------------------------------------------------------------

PLAYED = run(field(8, Stage("round-robin", groups=2, qualify=4)))


def faults(pairing: Pairing) -> list[str]:
    return [fault.why for fault in checker.check(STAGES, before(PLAYED, pairing.round), pairing)]


def test_the_checker_refuses_a_table_of_two_groups():
    first = PLAYED.played[0]
    (one, two), (three, four) = first.tables[0].seats, first.tables[2].seats
    mixed = (Table(1, (one, three)), first.tables[1], Table(3, (two, four)), first.tables[3])
    assert faults(replace(first, tables=mixed)) == ["table 1 mixes groups", "table 3 mixes groups"]


@pytest.mark.parametrize(
    ("going_on", "said"),
    [
        ((1, 2, 4), "3 qualify, and 4 should"),
        ((1, 2, 4, 4), "4 qualify, and 4 should"),
        ((1, 2, 3, 6), "of group 1 only 1 go on"),
        ((1, 2, 5, 3), "entry 4 does not qualify, with more points than one that does"),
        ((), "0 qualify, and 4 should"),
    ],
)
def test_the_checker_refuses_others_than_the_best(going_on, said):
    assert said in faults(replace(PLAYED.played[3], going_on=going_on))


def test_the_checker_refuses_entrants_who_did_not_advance_or_are_out():
    final = PLAYED.played[4]
    one, other = final.tables[0].seats
    assert f"entry {other} has no place" in faults(
        replace(final, tables=(Table(1, (one, 8)), final.tables[1]))
    )
    assert "entry 8 is not in the knockout" in faults(
        replace(final, tables=(Table(1, (one, 8)), final.tables[1]))
    )
    loser = final.tables[1].seats[0]
    wrong = replace(final, tables=(Table(1, (one, loser)), Table(2, (other, final.tables[1].seats[1]))))
    assert f"entry {loser} is out: it has lost 1 of 1" in faults(wrong)
    assert "the qualifiers were recorded before" in faults(replace(final, going_on=(1, 2, 3, 4)))


def test_the_checker_misses_a_meeting_of_the_cycle():
    known = before(PLAYED, 4)
    first, second, third = known.played
    again = replace(known, played=(first, second, replace(second, round=third.round)), columns=("lot",))
    said = [fault.why for fault in checker.check(STAGES, again, PLAYED.played[3])]
    (one, other), (late, later) = second.tables[0].seats, third.tables[0].seats
    assert f"entries {min(one, other)} and {max(one, other)} of one group have met 2 times" in said
    assert f"entries {min(late, later)} and {max(late, later)} of one group have met 0 times" in said
    by_hand = replace(again, played=(first, second, replace(again.played[2], by_hand=True)))
    assert not any("of one group" in fault.why for fault in checker.check(STAGES, by_hand, PLAYED.played[3]))


def test_the_checker_misses_a_group_that_has_not_played_its_cycle():
    third = PLAYED.played[2]
    group = stages.group_of(PLAYED)
    one_group = tuple(table for table in third.tables if group[table.seats[0]] == 1)
    assert [what for what in faults(replace(third, tables=one_group)) if "no place" in what] == [
        f"entry {entry} has no place" for entry in (2, 3, 6, 7)
    ]
