"""What the games of a round are worth, as the tournament's record has it: corrections included."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments import record
from tournaments.formats.corrected import numbers
from tournaments.formats.protocol import Result
from tournaments.models import Round, RoundState, Seat, Tournament


@dataclass(frozen=True, slots=True)
class RoundResults:
    """Nothing is in it before the round is closed."""

    closed: bool
    known: dict[tuple[int, int, int], Result]
    corrections: dict[tuple[int, int], int]
    absent: frozenset[tuple[int, int]] = frozenset()

    def of(self, table: int, deal: int, entry: int) -> Result | None:
        return self.known.get((table, deal, entry))

    def correction(self, table: int, deal: int) -> int | None:
        """The number of the last correction of a game."""
        return self.corrections.get((table, deal))

    def has_forfeited(self, table: int, seat: Seat) -> bool:
        return (table, seat.entry.number) in self.absent


def results_of(tournament: Tournament, round: Round) -> RoundResults:
    if round.state != RoundState.CLOSED:
        return RoundResults(False, {}, {})
    known = record.load(tournament.pk).snapshot()
    own = [result for result in known.results if result.round == round.number]
    return RoundResults(
        True,
        {(one.table, one.deal, one.entry): one for one in own},
        {
            (table, deal): number
            for (played, table, deal), number in numbers(known).items()
            if played == round.number
        },
        frozenset((one.table, one.entry) for one in own if one.ended == "forfeit"),
    )
