"""The arithmetic of limits: when a change takes effect, what is used, and when it becomes available again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.limits.terms import (
    COOLING,
    Change,
    Move,
    frees_up,
    months_later,
    not_refunded,
    seconds_played,
    takes_effect,
    used,
)

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("was", "amount", "waits"),
    [
        (None, 500, False),
        (None, None, False),
        (500, 499, False),
        (500, 500, False),
        (500, 0, False),
        (500, 501, True),
        (500, None, True),
        (0, 1, True),
    ],
)
def test_a_lower_limit_applies_at_once_and_a_higher_one_after_a_day(
    was: int | None, amount: int | None, waits: bool
) -> None:
    assert takes_effect(amount=amount, was=was, at=AT) == (AT + COOLING if waits else AT)


def test_a_raise_is_in_force_from_its_time_on() -> None:
    change = Change("stake", "day", 900, 500, AT, AT + COOLING)
    before = AT + COOLING - timedelta(microseconds=1)
    assert (change.in_force(before), change.pending(before)) == (500, True)
    assert (change.in_force(AT + COOLING), change.pending(AT + COOLING)) == (900, False)


@pytest.mark.parametrize(
    ("begin", "months", "end"),
    [
        (datetime(2026, 8, 31, 9, tzinfo=UTC), 6, datetime(2027, 2, 28, 9, tzinfo=UTC)),
        (datetime(2027, 8, 31, tzinfo=UTC), 6, datetime(2028, 2, 29, tzinfo=UTC)),
        (datetime(2026, 12, 15, tzinfo=UTC), 12, datetime(2027, 12, 15, tzinfo=UTC)),
        (datetime(2026, 3, 1, tzinfo=UTC), 60, datetime(2031, 3, 1, tzinfo=UTC)),
    ],
)
def test_months_end_on_the_same_day_or_the_last(begin: datetime, months: int, end: datetime) -> None:
    assert months_later(begin, months) == end


def test_the_bounds_of_the_database_contain_every_number_of_months() -> None:
    for day in range(4 * 366):
        begin = datetime(2027, 1, 1, tzinfo=UTC) + day * DAY
        assert months_later(begin, 6) - begin >= 181 * DAY
        assert months_later(begin, 60) - begin <= 1827 * DAY


def test_window_excludes_its_own_beginning() -> None:
    moved = [Move(AT - DAY, 5), Move(AT - DAY + timedelta(microseconds=1), 7), Move(AT, 11)]
    assert used(moved, at=AT, length=DAY) == 18
    assert used([Move(AT, -4)], at=AT, length=DAY) == 0


moves = st.lists(st.tuples(st.integers(0, 60), st.integers(-300, 300)), max_size=12)


@given(moves, st.integers(0, 400), st.integers(1, 400))
def test_limit_frees_up_when_the_amount_first_fits(
    drawn: list[tuple[int, int]], limit: int, amount: int
) -> None:
    moved = [Move(AT - timedelta(hours=hours), pence) for hours, pence in drawn]
    free = frees_up(moved, limit=limit, amount=amount, at=AT, length=DAY)

    def fits(at: datetime) -> bool:
        return used(moved, at=at, length=DAY) + amount <= limit

    hours = [AT + timedelta(hours=number) for number in range(26)]
    assert free == next((hour for hour in hours if fits(hour)), None)


@given(st.lists(st.integers(1, 100), max_size=6), st.integers(0, 400))
def test_refunds_cancel_the_oldest_stakes(amounts: list[int], refunded: int) -> None:
    stakes = [Move(AT + number * DAY, amount) for number, amount in enumerate(amounts)]
    left = not_refunded(stakes, refunded)
    assert sum(move.amount for move in left) == max(0, sum(amounts) - refunded)
    assert left[1:] == [stake for stake in stakes if left and stake.at > left[0].at]


def test_time_played_counts_each_minute_once() -> None:
    hour = timedelta(hours=1)
    sessions = [(AT - 2 * hour, AT), (AT - hour, AT + hour), (AT + 2 * hour, None)]
    assert seconds_played(sessions, since=AT - hour, until=AT + 3 * hour) == 3 * 3600
    assert seconds_played([], since=AT, until=AT + hour) == 0
