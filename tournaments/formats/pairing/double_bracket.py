"""Double elimination at tables of two: who loses once drops into a bracket of losers, who loses there is out.

A field of 2^k slots plays 2k rounds and, if the winner of the losers' bracket wins the final, one more between the same
two. The winners' bracket plays in round 1 and in every even one; the losers' bracket plays among itself in the even
rounds and in the odd ones against those who have just dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

from tournaments.formats.pairing.knockout import first_slots
from tournaments.formats.pairing.told import Couple, Place, Tells, Told, couples
from tournaments.formats.protocol import Snapshot


def rounds(entrants: int) -> int:
    """The last of them is only played if the final does not decide."""
    return 2 * max(1, (entrants - 1).bit_length()) + 1


def meetings(snapshot: Snapshot, told: Told, round: int) -> list[Couple]:
    """The slots that meet in a round, the winners' bracket first."""
    bracket = Bracket(first_slots(snapshot))
    for number in range(1, round):
        bracket.advance(number, told)
    upper, lower = bracket.meetings(round)
    return upper + lower


class Bracket(Generic[Place]):
    """Who has come to which slot of both brackets; `dropped` waits to meet who has won among the losers."""

    def __init__(self, slots: list[Place]) -> None:
        self.depth = len(slots).bit_length() - 1
        self.winners = slots
        self.losers: list[Place] = []
        self.dropped: list[Place] = []
        self._crossings = [0]

    def meetings(self, round: int) -> tuple[list[tuple[Place, Place]], list[tuple[Place, Place]]]:
        """Of the winners' and of the losers' bracket."""
        if round == 1:
            return couples(self.winners), []
        if round >= 2 * self.depth:
            final = (self.winners[0], self.losers[0])
            return [final if round == 2 * self.depth else final[::-1]], []
        if round % 2:
            return [], list(zip(self.losers, self.dropped, strict=True))
        return couples(self.winners), couples(self.losers)

    def advance(self, round: int, told: Tells[Place]) -> None:
        """Take in what a round has brought; the final and what follows it leave the slots as they are."""
        if 1 < round >= 2 * self.depth:
            return
        upper, lower = self.meetings(round)
        fallen = [told.loser(round, couple) for couple in upper]
        if round == 1:
            self.losers = fallen
        else:
            self.losers = [told.winner(round, couple) for couple in lower]
        if upper:
            self.winners = [told.winner(round, couple) for couple in upper]
        if upper and round > 1:
            self.dropped = self._crossed(fallen)

    def _crossed(self, fallen: Sequence[Place]) -> list[Place]:
        """Those who drop, each put where nobody comes from whom they may have beaten, as long as there is such a place.

        `_crossings` tells for each earlier drop by which number its slots were crossed (`slot ^ number`), for the first
        round by 0; at each drop the slots have become half as many, and so the numbers.
        """
        self._crossings = [number >> 1 for number in self._crossings]
        number = _crossing(self._crossings, len(fallen))
        self._crossings.append(number)
        return [fallen[slot ^ number] for slot in range(len(fallen))]


def _crossing(earlier: Sequence[int], slots: int) -> int:
    """The number that differs from all earlier ones as high up as can be: the higher, the later those can meet again.

    Where it cannot differ from all, it differs from the latest.
    """

    def merit(number: int) -> tuple[int, list[int], int]:
        distances = [(number ^ other).bit_length() for other in earlier]
        return min(distances), distances[::-1], number

    return max(range(slots), key=merit)
