"""The fold of a tournament's events."""

from __future__ import annotations

import pytest

from tournaments.formats import history
from tournaments.formats.history import Entrant, History, UnknownEvent, fold

CREATED = {
    "format": "duplicate",
    "rules": "vegas-solitaire",
    "rounds": 2,
    "games": 1,
    "measures": [{"name": "points", "best": "most", "meaning": "cards"}],
}


def entered(entry: int) -> tuple[str, dict]:
    return "entered", {"entry": entry, "player": f"p{entry}"}


RUN = [
    ("created", CREATED),
    ("published", {"commitment": "c"}),
    entered(1),
    entered(2),
    ("withdrawn", {"entry": 1, "player": "p1"}),
    entered(3),
    ("entries-closed", {"entries": [2, 3], "client_seeds": ["s2", "s3"], "entropy": "e", "lot_key": "k"}),
    ("games-dealt", {"round": 1, "games": []}),
    ("round-opened", {"round": 1}),
    (
        "round-closed",
        {"round": 1, "results": [{"table": 1, "deal": 1, "entry": 2, "ended": "finished", "score": [5]}]},
    ),
]


def test_a_run_to_the_end_of_a_round():
    state = fold(RUN)
    assert state.status == "running"
    assert state.entrants == (Entrant(2, "p2"), Entrant(3, "p3"))
    assert (state.round, state.closed, state.seed) == (1, 1, None)
    assert (state.client_seeds, state.entropy, state.lot_key) == ({2: "s2", 3: "s3"}, "e", "k")
    assert [(result.entry, result.score) for result in state.results] == [(2, (5,))]
    assert [one.entry for one in state.snapshot().entrants] == [2, 3]
    assert state.snapshot().lot == "k", "not the entropy, which an entrant can choose"


def test_the_end_reveals_the_seed_and_the_prizes():
    state = fold([*RUN, ("standings", {}), ("prizes", {"awards": [{"entry": 2, "amount": 9}]}),
                  ("finished", {"seed": "ff"})])  # fmt: skip
    assert (state.status, state.seed, state.awards) == ("finished", "ff", {2: 9})


def test_a_cancelled_tournament_reveals_its_seed_later():
    cancelled = fold([*RUN, ("cancelled", {"reason": "rain"})])
    assert (cancelled.status, cancelled.seed) == ("cancelled", None)
    assert history.evolve(cancelled, "seed-revealed", {"seed": "ff"}).seed == "ff"


def test_stalled_until_resumed():
    stalled = fold([*RUN, ("stalled", {"reason": "no money"})])
    assert stalled.stalled == "no money"
    assert history.evolve(stalled, "resumed", {}).stalled is None


def test_continuing_a_fold_gives_the_same_state_as_folding_everything():
    assert fold(RUN[6:], fold(RUN[:6])) == fold(RUN)


def test_an_unknown_event_type_is_refused():
    with pytest.raises(UnknownEvent, match="sacrificed"):
        history.evolve(History(), "sacrificed", {})
