"""Random tournaments for tests and benchmarks: a field, results that follow strength, and entrants who leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tournaments.formats.constraints import APART, Constraint
from tournaments.formats.meeting import banks
from tournaments.formats.pairing.stages import first_rounds
from tournaments.formats.protocol import Entrant, Format, Measure, Pairing, Result, Snapshot, Stage
from tournaments.formats.scoring import tiebreaks

SCORE = Measure("score", "most", "what a made-up game came to")
PLAYS = Measure("plays", "fewest", "how many plays it took")


@dataclass(frozen=True, slots=True)
class Plan:
    """The parameters of a random tournament.

    Percentages: `late`, that an entrant after the first two enters after round 1; `leaving` and `absent`, by round
    and entrant, that they leave for good or do not come to a table. `bank` is everyone's play money in betting
    formats.
    """

    entrants: int
    rounds: int = 0
    seats: int = 2
    sizes: Sequence[int] = (2,)
    through: int = 1
    games: int = 1
    late: int = 0
    leaving: int = 0
    absent: int = 0
    apart: int = 0
    bank: int = 0
    columns: Sequence[str] = tiebreaks.DEFAULT
    stages: tuple[Stage, ...] = ()


def generate(form: Format, plan: Plan, chance: Random) -> Snapshot:
    """Return a tournament played to its end. Raises CannotBeSeated if the format cannot seat such a field."""
    numbers = range(1, plan.entrants + 1)
    seeding = chance.sample(numbers, len(numbers))
    strangers = [(one, other) for one in numbers for other in numbers if one < other] if plan.apart else []
    apart = chance.sample(strangers, min(plan.apart, len(strangers)))
    snapshot = Snapshot(
        entrants=tuple(
            Entrant(number, seed, rating=1500 - seed) for number, seed in zip(numbers, seeding, strict=True)
        ),
        rounds=plan.rounds,
        games=plan.games,
        measures=(SCORE, PLAYS),
        sizes=tuple(plan.sizes),
        preferred=plan.seats,
        through=plan.through,
        columns=tuple(plan.columns),
        bank=plan.bank,
        apart=frozenset(apart),
        lot=str(chance.random()),
        constraints=tuple(Constraint(APART, two, first=1) for two in apart),
        stages=plan.stages,
    )
    snapshot = replace(snapshot, rounds=form.rounds(plan.entrants, asked=plan.rounds, snapshot=snapshot))
    snapshot = replace(snapshot, entrants=_entered(snapshot, plan, chance))
    for round in range(1, snapshot.rounds + 1):
        pairing = form.pair(snapshot, round)
        results = (*snapshot.results, *_results(form, snapshot, pairing, plan, chance))
        snapshot = replace(snapshot, played=(*snapshot.played, pairing), results=results)
        snapshot = replace(snapshot, entrants=_left(snapshot, round, plan, chance))
        if form.is_over(snapshot):
            break
    return snapshot


def _bets(snapshot: Snapshot, pairing: Pairing, chance: Random) -> list[Result]:
    """Return random bets: everyone stakes part of their bank, and some of them win the pool."""
    had = banks(snapshot)
    made = []
    for table in pairing.tables:
        staked = {entry: chance.randint(0, had[entry]) for entry in table.seats}
        won = chance.sample(table.seats, chance.randint(1, len(table.seats)))
        share, rest = divmod(sum(staked.values()), len(won))
        returned = {entry: share + (rest if entry == won[0] else 0) for entry in won}
        made += [
            Result(pairing.round, table.number, 1, entry, "finished", (returned.get(entry, 0), staked[entry]))
            for entry in table.seats
        ]
    return made


def _results(form: Format, snapshot: Snapshot, pairing: Pairing, plan: Plan, chance: Random) -> list[Result]:
    if form.on_bets:
        return _bets(snapshot, pairing, chance)
    strength = {entrant.entry: -entrant.seeding for entrant in snapshot.entrants}
    made = []
    for table in pairing.tables:
        absent = {entry for entry in table.seats if chance.randrange(100) < plan.absent}
        for game in range(1, plan.games + 1):
            deal = form.deal(tables=len(pairing.tables), game=game, table=table.number)
            for entry in table.seats:
                score = chance.randrange(plan.entrants * 2) + strength[entry]
                made.append(
                    Result(
                        pairing.round,
                        table.number,
                        deal,
                        entry,
                        "forfeit" if entry in absent else "finished",
                        (0, 0) if entry in absent else (score, chance.randrange(50)),
                    )
                )
    return made


def _entered(snapshot: Snapshot, plan: Plan, chance: Random) -> tuple[Entrant, ...]:
    last = first_rounds(snapshot) if snapshot.stages else snapshot.rounds
    if not plan.late or last < 2:
        return snapshot.entrants
    return tuple(
        replace(entrant, first=chance.randint(2, last))
        if entrant.entry > 2 and chance.randrange(100) < plan.late
        else entrant
        for entrant in snapshot.entrants
    )


def _left(snapshot: Snapshot, round: int, plan: Plan, chance: Random) -> tuple[Entrant, ...]:
    return tuple(
        replace(entrant, last=round)
        if entrant.last is None and chance.randrange(100) < plan.leaving
        else entrant
        for entrant in snapshot.entrants
    )
