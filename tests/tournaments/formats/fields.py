"""Random tournaments of every format, and what must be true of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from random import Random

from hypothesis import settings
from hypothesis import strategies as st

from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats.checker import check_all
from tournaments.formats.protocol import Pairing, Snapshot

THOROUGH = settings().max_examples > settings.get_profile("quick").max_examples


def examples(few: int, many: int) -> settings:
    """So few examples of a slow property, but `many` in `make soak`."""
    return settings(max_examples=many if THOROUGH else few)


SIZES = {2: (2,), 3: (2, 3), 4: (2, 3, 4, 6), 6: (2, 3, 4, 6)}


@st.composite
def played(draw, format: str, *, seats: tuple[int, ...] = (2, 3, 4), most: int = 20) -> Snapshot:
    """A tournament of that format, played to its end, with people who leave, come late or not at all."""
    size = draw(st.sampled_from(seats))
    plan = Plan(
        entrants=draw(st.integers(2, most)),
        rounds=draw(st.integers(1, 7)),
        seats=size,
        sizes=SIZES[size],
        games=draw(st.integers(1, 2)),
        late=draw(st.sampled_from((0, 0, 20))) if format == "swiss" else 0,
        leaving=draw(st.sampled_from((0, 0, 10))),
        absent=draw(st.sampled_from((0, 10))),
        apart=draw(st.sampled_from((0, 0, 3))),
        through=max(1, size // 2),
    )
    return generate(formats.get(format), plan, Random(draw(st.integers(0, 10**6))))


def assert_sound(format: str, snapshot: Snapshot) -> None:
    """Check each round, pair it again, and rank every entrant once."""
    assert check_all(formats.get(format), snapshot) == ()
    standings = formats.get(format).standings(snapshot)
    assert sorted(one.entry for one in standings) == sorted(one.entry for one in snapshot.entrants)
    assert [one.place for one in standings] == sorted(one.place for one in standings)


def meetings(rounds: Iterable[Pairing]) -> Counter[tuple[int, int]]:
    return Counter(
        two for played in rounds for table in played.tables for two in combinations(sorted(table.seats), 2)
    )
