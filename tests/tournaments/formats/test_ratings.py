"""The ratings of the players of a table, and which tables of a round are rated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.formats.history import History, fold
from tournaments.formats.scoring.ratings import UNIT, UNRATED, Rating, TableResult, rate, rated_tables

beliefs = st.builds(
    Rating, mu=st.integers(-2_000 * UNIT, 5_000 * UNIT), sigma=st.integers(20 * UNIT, 600 * UNIT)
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, Rating]]:
    players = [f"p{number}" for number in range(draw(st.integers(2, 8)))]
    places = {player: draw(st.integers(1, 8)) for player in players}
    return places, {player: draw(beliefs) for player in players if draw(st.booleans())}


def test_a_new_player_has_rating_zero():
    assert (UNRATED.worth, UNRATED.points) == (0, 0)
    assert [Rating(mu, 1).points for mu in (503, 502, -497, -498)] == [1, 0, 0, -1], "halves up"


def test_ratings_match_a_manual_computation():
    """With sigma² + tau² = 250 025 and c² = 2 (250 025 + 250²), half of 250 025 / c is 158.123."""
    assert rate({"a": 1, "b": 2}, {}) == {"a": Rating(1658123, 483954), "b": Rating(1341877, 483954)}
    assert rate({"a": 1, "b": 1}, {})["a"].mu == UNRATED.mu


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_seats_does_not_matter(table, chance):
    places, known = table
    order = list(places)
    chance.shuffle(order)
    assert rate({player: places[player] for player in order}, known) == rate(places, known)


@given(tables())
def test_the_rating_of_a_single_winner_never_falls_and_of_a_single_last_never_rises(table):
    places, known = table
    after = rate(places, known)
    by_place = sorted(places, key=lambda player: places[player])
    for end, behind, sign in ((by_place[0], by_place[1], 1), (by_place[-1], by_place[-2], -1)):
        if places[end] != places[behind]:
            assert sign * (after[end].mu - known.get(end, UNRATED).mu) >= 0


@given(tables())
def test_only_the_order_of_the_places_counts(table):
    places, known = table
    wide = {player: 10 * place for player, place in places.items()}
    assert rate(wide, known) == rate(places, known)


@given(st.permutations(["a", "b", "c", "d"]))
def test_equal_players_stay_equal_for_any_name_of_the_table(names):
    after = rate(dict(zip(names, (1, 2, 2, 4), strict=True)), {})
    assert after[names[1]] == after[names[2]]
    assert after[names[0]].mu > after[names[1]].mu > after[names[3]].mu


def test_ratings_converge_to_the_strength():
    known: dict[str, Rating] = {}
    for _ in range(60):
        known |= rate({"strong": 1, "middle": 2, "weak": 3}, known)
    assert known["strong"].worth > known["middle"].worth > known["weak"].worth
    assert all(one.sigma < UNRATED.sigma for one in known.values())


def history(rows: list[tuple[int, str, int]], *, bots: tuple[int, ...] = (), rated: bool = True) -> History:
    """One round of one table: by entry, how its game ended and what it scored."""
    created = {
        "format": "swiss", "rules": "ace-race", "rounds": 1, "games": 1, "sizes": [2, 3, 4], "seats": 4,
        "rated": rated, "measures": [{"name": "won", "best": "most", "meaning": "games won"}],
    }  # fmt: skip
    entries = [entry for entry, _, _ in rows]
    return fold(
        [
            ("created", created),
            *(("entered", {"entry": one, "player": f"p{one}", "bot": one in bots}) for one in entries),
            ("entries-closed", closed(entries)),
            ("round-paired", {"round": 1, "tables": [entries], "byes": [], "relaxed": []}),
            (
                "round-closed",
                {
                    "round": 1,
                    "results": [
                        {"table": 1, "deal": 1, "entry": entry, "ended": ended, "score": [score]}
                        for entry, ended, score in rows
                    ],
                },
            ),
        ]
    )


def closed(seeding: list[int], **more: object) -> dict[str, object]:
    return {
        "entries": sorted(seeding),
        "client_seeds": [""] * len(seeding),
        "entropy": "e",
        "lot_key": "k",
        "seeding": seeding,
        **more,
    }


def played(*scores: int) -> list[tuple[int, str, int]]:
    return [(entry, "finished", score) for entry, score in enumerate(scores, start=1)]


@pytest.mark.parametrize(
    ("state", "places"),
    [
        (history(played(5, 9, 5, 1)), {"p1": 2, "p2": 1, "p3": 2, "p4": 4}),
        (history(played(5, 9, 5, 1), bots=(2,)), {"p1": 1, "p3": 1, "p4": 3}),
        (history([(1, "forfeit", 9), (2, "expired", 0), (3, "forfeit", 1)]), {"p1": 2, "p2": 1, "p3": 2}),
    ],
    ids=["ties are ties", "bots are left out", "who does not come is last"],
)
def test_places_at_a_table(state: History, places: dict[str, int]):
    [found] = rated_tables(state, 1)
    dense = {place: 1 + sorted(set(places.values())).index(place) for place in places.values()}
    assert found == TableResult(1, {player: dense[place] for player, place in places.items()})


@pytest.mark.parametrize(
    "state",
    [
        history(played(5, 9), rated=False),
        history(played(5, 9, 1), bots=(1, 3)),
        history([(1, "void", 0), (2, "void", 0)]),
        history([(1, "forfeit", 0), (2, "forfeit", 0)]),
    ],
    ids=["not rated", "one person among bots", "void", "no one came"],
)
def test_tables_that_are_not_rated(state: History):
    assert list(rated_tables(state, 1)) == []


def test_an_open_round_does_not_change_ratings():
    assert list(rated_tables(history(played(5, 9)), 2)) == []


def test_the_ratings_at_the_start_are_in_the_fold():
    entered = [("entered", {"entry": one, "player": f"p{one}"}) for one in (1, 2)]
    ratings = [{"entry": 2, "mu": 1, "sigma": 1, "rating": 7}]
    created = {"format": "swiss", "rules": "ace-race", "rounds": 1, "games": 1, "measures": []}
    found = fold([("created", created), *entered, ("entries-closed", closed([2, 1], ratings=ratings))])
    assert [(one.rating, one.seeding) for one in found.snapshot().entrants] == [(0, 2), (7, 1)]
    assert not found.rated, "older tournaments say nothing of ratings"
