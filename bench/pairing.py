"""Pairing, checking, and ranking of large tournaments, compared with py4swiss' Dutch system on the same results."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

from bench._common import installed, size
from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats.checker import before, check_all
from tournaments.formats.protocol import MATCHPOINTS, TOTAL, Count, Result, Snapshot, by_entry_order
from tournaments.formats.scoring import game_scores, tiebreaks

SWISS, DUPLICATE = formats.get("swiss"), formats.get("duplicate")
MEASURES = game_scores.get("vegas-solitaire").measures
ROUNDS = size(7, 2)
TARGETS = {
    "pairs_1000_seconds_most": 0.15,
    "pairs_10000_seconds_most": 3.0,
    "fours_10000_seconds_most": 0.6,
    "check_1000_seconds": 10.0,
    "scoring_10000_seconds": 2.0,
    "matchpoints_10000_seconds": 2.0,
}
THOUSAND, TEN_THOUSAND = size(1_000, 16), size(10_000, 32)
BOARDS = size(20, 2)
PEER_LARGEST = size(500, 20)
"""The largest field for the peer, whose time grows quickly."""


def measure() -> dict[str, Any]:
    """Return the processor seconds of the slowest round, and of each other step."""
    thousand = _played(THOUSAND, seats=2)
    large = _played(TEN_THOUSAND, seats=2)
    fours = _played(TEN_THOUSAND, seats=4)
    sixteen = _played(16, seats=4, rounds=size(5, 2))
    small = _played(PEER_LARGEST, seats=2)
    total, matched = _scored(TOTAL), _scored(MATCHPOINTS)
    figures = {
        "pairs_1000_seconds_most": _slowest(thousand),
        "pairs_10000_seconds_most": _slowest(large),
        "fours_10000_seconds_most": _slowest(fours),
        "repeats_in_fours_of_10000": _repeats(fours),
        "repeats_in_fours_of_16": _repeats(sixteen),
        "check_1000_seconds": _timed(lambda: check_all(SWISS, thousand)),
        "standings_10000_seconds": _timed(lambda: tiebreaks.rank(large, tiebreaks.DEFAULT)),
        "scoring_10000_seconds": _timed(lambda: DUPLICATE.standings(total)),
        "matchpoints_10000_seconds": _timed(lambda: DUPLICATE.standings(matched)),
        "pairs_500_seconds_most": _slowest(small),
    }
    if installed("py4swiss"):
        figures["py4swiss_500_seconds_most"] = _slowest_of_peer(small)
        ratio = figures["py4swiss_500_seconds_most"] / figures["pairs_500_seconds_most"]
        figures["pairing_by_py4swiss_ratio"] = round(ratio, 1)
    for name, figure in figures.items():
        print(f"  {name.replace('_', ' '):36} {figure:>8.3f}")
    return figures


def _played(entrants: int, *, seats: int, rounds: int = ROUNDS) -> Snapshot:
    plan = Plan(entrants, rounds=rounds, seats=seats, sizes=(seats,))
    return generate(SWISS, plan, Random(entrants))


@cache
def _boards() -> tuple[Result, ...]:
    """Return results of 10,000 entrants on 20 shared deals."""
    rng = Random(BOARDS)
    return tuple(
        Result(1, entry, deal, entry, "finished", tuple(rng.randrange(53) for _ in MEASURES))
        for deal in range(1, BOARDS + 1)
        for entry in range(1, TEN_THOUSAND + 1)
    )


def _scored(count: Count) -> Snapshot:
    return Snapshot(by_entry_order(range(1, TEN_THOUSAND + 1)), 1, BOARDS, MEASURES, _boards(), count=count)


def _timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return round(time.process_time() - began, 3)


def _slowest(played: Snapshot) -> float:
    """Return the time of the slowest round."""
    rounds = range(1, played.rounds + 1)
    return max(_timed(lambda round=round: SWISS.pair(before(played, round), round)) for round in rounds)  # type: ignore[misc]


def _repeats(played: Snapshot) -> int:
    met = Counter(
        two
        for pairing in played.played
        for table in pairing.tables
        for two in combinations(sorted(table.seats), 2)
    )
    return sum(times - 1 for times in met.values())


# --- the peer ------------------------------------------------------------------------------------------


def _slowest_of_peer(played: Snapshot) -> float:
    from py4swiss.engines import DutchEngine

    reports = [_report_for_the_peer(before(played, round)) for round in range(1, played.rounds + 1)]
    return max(_timed(lambda trf=trf: DutchEngine.generate_pairings(trf)) for trf in reports)  # type: ignore[misc]


def _report_for_the_peer(known: Snapshot) -> Any:
    """Return the entrants and results as a FIDE report. The seeding is the starting number."""
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
    from py4swiss.trf.sections import PlayerSection, XSection

    colours = (ColorToken.WHITE, ColorToken.BLACK)
    tokens = {2: ResultToken.WIN, 1: ResultToken.DRAW, 0: ResultToken.LOSS}
    tenths = {2: 10, 1: 5, 0: 0}
    field = tiebreaks.Field(known)
    number = {entrant.entry: entrant.seeding for entrant in known.entrants}
    seat = {
        (pairing.round, entry): index
        for pairing in known.played
        for table in pairing.tables
        for index, entry in enumerate(table.seats)
    }
    sections = []
    for entry in sorted(number, key=number.__getitem__):
        met = [(one, opponent, beaten) for one, opponent, beaten in field.met(entry)]
        sections.append(
            PlayerSection(
                code=PlayerCode.PLAYER,
                starting_number=number[entry],
                points_times_ten=sum(tenths[beaten] for *_, beaten in met),
                rank=number[entry],
                results=[
                    RoundResult(
                        id=number[opponent],
                        color=colours[seat[one.round, entry]],
                        result=tokens[beaten],
                    )
                    for one, opponent, beaten in met
                ],
            )
        )
    return ParsedTrf(player_sections=sections, x_section=XSection(number_of_rounds=known.rounds))
