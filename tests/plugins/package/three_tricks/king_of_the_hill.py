"""King of the hill: in every round the first plays the second, the third the fourth, and so on."""

from __future__ import annotations

from itertools import combinations

from tournaments.formats.opposed import ByPoints
from tournaments.formats.protocol import Pairing, Relaxed, Snapshot, Table


class KingOfTheHill(ByPoints):
    slug = "king-of-the-hill"
    name = "King of the hill"
    fewest_rounds = 1

    def takes_manual_pairings(self, snapshot: Snapshot) -> bool:
        return False

    def algorithm(self, snapshot: Snapshot) -> str:
        return "king-of-the-hill@1"

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """Pair neighbours in the standings. Of an odd field, the last who has had no bye sits out."""
        present = {entrant.entry: entrant.seeding for entrant in snapshot.present(round)}
        order = [standing.entry for standing in self.standings(snapshot) if standing.entry in present]
        if not snapshot.played:
            order = sorted(present, key=lambda entry: present[entry])
        sat_out = [entry for pairing in snapshot.played for entry in pairing.byes]
        byes: tuple[int, ...] = ()
        if len(order) % 2:
            byes = (min(reversed(order), key=sat_out.count),)
            order.remove(byes[0])
        tables = tuple(
            Table(number, (order[at], order[at + 1]))
            for number, at in enumerate(range(0, len(order), 2), start=1)
        )
        return Pairing(round, tables, byes, relaxed=_relaxed(snapshot, tables, byes))


def _relaxed(snapshot: Snapshot, tables: tuple[Table, ...], byes: tuple[int, ...]) -> tuple[Relaxed, ...]:
    met = {
        two
        for pairing in snapshot.played
        for table in pairing.tables
        for two in combinations(sorted(table.seats), 2)
    }
    now = [tuple(sorted(table.seats)) for table in tables]
    sat_out = {entry for pairing in snapshot.played for entry in pairing.byes}
    return (
        *(Relaxed("rematch", two) for two in now if two in met),
        *(Relaxed("bye-again", (entry,)) for entry in byes if entry in sat_out),
    )
