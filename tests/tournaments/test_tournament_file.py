"""Invalid files of `racecard tournament run` and invalid streams are refused with the place of the fault."""

from __future__ import annotations

from typing import Any

import pytest

from config.cli.tournament import BadFile, read
from tests.tournaments.test_run_from_a_file import CLUB
from tournaments.errors import BadTerms
from tournaments.formats.replay import replay
from tournaments.validation import agree


@pytest.mark.parametrize(
    ("was", "put", "said"),
    [
        ('seed = "club night"', "seed = 7", "seed: a text is needed"),
        ('seed = "club night"', "seed = ", "not valid TOML: "),
        ("[tournament]", "colour = 1\n[tournament]", "colour: unknown"),
        ("[tournament]", "[tournaments]", "tournaments: unknown"),
        ("rounds = 2", "rounds = 2\nfill_to = 8", "tournament.fill_to: decided by the command"),
        ("rounds = 2", 'rounds = "2"', "tournament: rounds: "),
        ("rounds = 2", "rounds = 2\nfast = true", "tournament: fast: "),
        ("count = 3", "count = 0", "bots 1: count is from 1"),
        ("count = 2", "count = true", "bots 2: count is from 1"),
        ("count = 3", "count = 3\nname = 'x'", "bots 1: count and strategy, nothing else"),
        ('strategy = "steady"', "strategy = 1", "bots 1: strategy is a text"),
    ],
)
def test_a_fault_in_a_file_is_reported_with_its_place(was: str, put: str, said: str):
    with pytest.raises(BadFile, match=said.replace("[", r"\[")):
        read(CLUB.replace(was, put, 1))


def test_a_format_that_determines_its_rounds_needs_no_number():
    without = CLUB.replace("rounds = 2\n", "")
    knockout = read(without.replace('"swiss"', '"knockout"')).terms
    assert knockout.rounds == 0
    agree(knockout)
    with pytest.raises(BadTerms) as refused:
        agree(read(without).terms)
    assert "requires a number of rounds" in str(refused.value)


@pytest.mark.parametrize("events", [[{}], [1], [{"version": 1}], [None]])
def test_a_file_without_a_stream_is_refused(events: Any):
    assert not replay("00000000-0000-4000-8000-000000000000", events).ok
