"""Prizes: the whole pool is paid, ties share, and remaining pence are given in a fixed order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.formats.protocol import Standing
from tournaments.formats.scoring.prizes import by_place, divide, overlay, shares_like


def standings(*places: int) -> list[Standing]:
    """Return standings in which entries 1, 2, … have these places."""
    return [Standing(place, entry, (0,), 1) for entry, place in enumerate(places, start=1)]


def test_shares_by_place():
    paid = divide(1000, rake=0, basis_points=(5000, 3000, 2000), standings=standings(1, 2, 3, 4))
    assert paid == (0, {1: 500, 2: 300, 3: 200, 4: 0})


def test_tied_entrants_share_the_prizes_of_the_places_they_cover():
    paid = divide(1000, rake=0, basis_points=(5000, 3000, 2000), standings=standings(1, 2, 2, 4))
    assert paid == (0, {1: 500, 2: 250, 3: 250, 4: 0})


def test_a_tie_at_the_last_paid_place_shares_its_prizes():
    paid = divide(1000, rake=0, basis_points=(7000, 3000), standings=standings(1, 2, 2, 2))
    assert paid == (0, {1: 700, 2: 100, 3: 100, 4: 100})


def test_the_rake_is_rounded_down_and_comes_first():
    assert divide(999, rake=1000, basis_points=(10_000,), standings=standings(1, 2)) == (99, {1: 900, 2: 0})


def test_prizes_of_empty_places_go_to_the_others_in_proportion():
    paid = divide(801, rake=0, basis_points=(5000, 3000, 2000), standings=standings(1, 2))
    assert paid == (0, {1: 501, 2: 300})


def test_without_a_pool_no_prize_is_paid():
    assert divide(0, rake=500, basis_points=(10_000,), standings=standings(1, 2)) == (0, {1: 0, 2: 0})


@st.composite
def ranked(draw) -> list[Standing]:
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=8))
    found: list[Standing] = []
    for size in sizes:
        place = len(found) + 1
        found += [Standing(place, len(found) + 1 + each, (0,), 1) for each in range(size)]
    return found


@st.composite
def shares(draw) -> list[int]:
    cuts = sorted(draw(st.sets(st.integers(1, 9_999), max_size=9)))
    return [high - low for low, high in zip([0, *cuts], [*cuts, 10_000], strict=True)]


@given(st.integers(0, 10**11), st.integers(0, 9_999), shares(), ranked())
def test_rake_and_prizes_add_up_to_the_pool(pool, rake, basis_points, field):
    taken, awards = divide(pool, rake=rake, basis_points=basis_points, standings=field)
    assert taken == pool * rake // 10_000
    assert taken + sum(awards.values()) == pool
    assert min(awards.values()) >= 0
    assert set(awards) == {standing.entry for standing in field}


@given(st.integers(0, 10**9), shares(), ranked())
def test_entrants_of_one_place_differ_by_a_penny_at_most(pool, basis_points, field):
    _, awards = divide(pool, rake=0, basis_points=basis_points, standings=field)
    for place in {standing.place for standing in field}:
        shared = [awards[standing.entry] for standing in field if standing.place == place]
        assert max(shared) - min(shared) <= 1
        assert shared == sorted(shared, reverse=True)


def test_fixed_prizes_come_first_and_the_rest_goes_by_shares():
    paid = divide(1000, rake=0, basis_points=(6000, 4000), amounts=(500, 200), standings=standings(1, 2, 3))
    assert paid == (0, {1: 680, 2: 320, 3: 0})


def test_tied_entrants_share_fixed_prizes_and_shares():
    paid = divide(1001, rake=0, basis_points=(10_000,), amounts=(500, 301), standings=standings(1, 1, 3))
    assert paid == (0, {1: 501, 2: 500, 3: 0})


def test_a_fixed_prize_without_a_winner_goes_by_shares():
    paid = divide(1000, rake=0, basis_points=(6000, 4000), amounts=(400, 200, 100), standings=standings(1, 2))
    assert paid == (0, {1: 400 + 240, 2: 200 + 160})


def test_the_site_adds_what_the_fees_less_the_rake_do_not_cover():
    assert overlay(1000, rake=1000, guarantee=1500) == 600
    assert overlay(1000, rake=1000, guarantee=900) == 0
    paid = divide(1000, rake=1000, basis_points=(10_000,), guarantee=1500, standings=standings(1, 2))
    assert paid == (100, {1: 1500, 2: 0})


def test_fixed_prizes_above_the_pool_are_refused():
    with pytest.raises(ValueError, match="no more than the pool"):
        divide(100, rake=0, basis_points=(10_000,), amounts=(101,), standings=standings(1, 2))


@st.composite
def plans(draw) -> dict:
    amounts = sorted(draw(st.lists(st.integers(1, 10**6), max_size=9)), reverse=True)
    guarantee = draw(st.integers(0, 10**8))
    points = shares_like(amounts) if amounts and draw(st.booleans()) else sorted(draw(shares()), reverse=True)
    return {
        "rake": draw(st.integers(0, 9_999)),
        "basis_points": points,
        "amounts": amounts,
        "guarantee": max(guarantee, sum(amounts)),
    }


@given(st.integers(0, 10**9), plans(), ranked())
def test_prizes_and_rake_add_up_to_fees_and_overlay(fees, plan, field):
    taken, awards = divide(fees, standings=field, **plan)
    added = overlay(fees, rake=plan["rake"], guarantee=plan["guarantee"])
    assert taken + sum(awards.values()) == fees + added
    assert sum(awards.values()) >= plan["guarantee"]
    assert added == 0 or sum(awards.values()) == plan["guarantee"]


@given(st.integers(0, 10**9), plans(), ranked())
def test_a_better_place_never_gets_less(fees, plan, field):
    _, awards = divide(fees, standings=field, **plan)
    won = [awards[standing.entry] for standing in field]
    assert won == sorted(won, reverse=True)
    for place in {standing.place for standing in field}:
        shared = [awards[standing.entry] for standing in field if standing.place == place]
        assert max(shared) - min(shared) <= 1


@given(st.integers(0, 10**9), plans(), st.integers(1, 12))
def test_no_place_pays_less_than_its_fixed_prize_and_the_plan_matches_the_payment(fees, plan, entrants):
    _, awards = divide(fees, standings=standings(*range(1, entrants + 1)), **plan)
    result = by_place(fees, entrants=entrants, **plan)
    assert [awards[entry] for entry in range(1, len(result) + 1)] == result
    assert sum(awards.values()) == sum(result)
    assert all(amount <= paid for amount, paid in zip(plan["amounts"], result, strict=False))
