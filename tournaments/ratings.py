"""Ratings move when a round is closed, in its transaction; and they can be made anew from what the streams tell.

`round-closed` of a rated round tells in its `rated` which one of the game's rated rounds it is. That order, and no
clock, is the one in which ratings follow from one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from eventstore import store
from tournaments import record
from tournaments.formats import history
from tournaments.formats.history import History
from tournaments.formats.ratings import UNRATED, Rating, TableResult, rate, rated_tables
from tournaments.models import Entry, Tournament
from tournaments.models_ratings import RatedGame, RatingChange
from tournaments.models_ratings import Rating as Row


@dataclass(frozen=True, slots=True)
class RatedRound:
    """`number` counts the rated rounds of a game from 1, in all its tournaments."""

    number: int
    round: int
    tables: tuple[TableResult, ...]

    @property
    def players(self) -> list[UUID]:
        return [UUID(player) for table in self.tables for player in table.places]


def of(rules: str, entries: Sequence[Entry]) -> list[Rating | None]:
    """What each entrant's rating is now; None for who has none."""
    players = {entry.player_id for entry in entries}
    known = {
        row.player_id: Rating(row.mu, row.sigma)
        for row in Row.objects.filter(rules=rules, player__in=players)
    }
    return [known.get(entry.player_id) for entry in entries]


# --- as rounds are closed ------------------------------------------------------------------------------


def claim(tournament: Tournament, told: Mapping[str, Any]) -> RatedRound | None:
    """The place in the game's order for a round that `told` is about to close; None if it changes no rating.

    From here to the end of the transaction no other round of the game is rated.
    """
    if not tournament.rated:
        return None
    after = history.evolve(record.load(tournament.pk), "round-closed", told)
    tables = tuple(rated_tables(after, told["round"]))
    if not tables:
        return None
    RatedGame.objects.get_or_create(rules=tournament.rules)
    game = RatedGame.objects.select_for_update().get(rules=tournament.rules)
    game.rounds += 1
    game.save(update_fields=["rounds"])
    return RatedRound(game.rounds, told["round"], tables)


def apply(tournament: Tournament, rated: RatedRound, *, version: int, now: datetime) -> None:
    """Change the ratings of the round's players; `version` is that of the event that closed it."""
    rows = Row.objects.filter(rules=tournament.rules, player__in=rated.players)
    before = {str(row.player_id): row for row in rows}
    known = {player: Rating(row.mu, row.sigma) for player, row in before.items()}
    changes = [
        RatingChange(
            player_id=UUID(player),
            rules=tournament.rules,
            number=1 + (before[player].tables if player in before else 0),
            tournament=tournament,
            round=rated.round,
            table=table.table,
            version=version,
            place=table.places[player],
            mu_before=known.get(player, UNRATED).mu,
            sigma_before=known.get(player, UNRATED).sigma,
            mu=after.mu,
            sigma=after.sigma,
            at=now,
        )
        for table in rated.tables
        for player, after in sorted(rate(table.places, known).items())
    ]
    RatingChange.objects.bulk_create(changes)
    Row.objects.bulk_create(
        (
            Row(
                player_id=change.player_id,
                rules=change.rules,
                mu=change.mu,
                sigma=change.sigma,
                worth=Rating(change.mu, change.sigma).worth,
                tables=change.number,
                changed_at=now,
            )
            for change in changes
        ),
        update_conflicts=True,
        unique_fields=["player", "rules"],
        update_fields=["mu", "sigma", "worth", "tables", "changed_at"],
    )


# --- anew ----------------------------------------------------------------------------------------------


def differences() -> Iterator[str]:
    """Where what is kept is not what follows from the event streams, in plain words; nothing if all is well."""
    rounds = _rated_rounds()
    for rules in sorted(rounds.keys() | set(RatedGame.objects.values_list("rules", flat=True))):
        yield from _differences_of(rules, rounds.get(rules, []))


def _rated_rounds() -> dict[str, list[tuple[RatedRound, UUID, int]]]:
    """By game, its rated rounds with their tournament and event, in the order of their numbers."""
    found: dict[str, list[tuple[RatedRound, UUID, int]]] = {}
    for tournament in Tournament.objects.filter(rated=True).order_by("pk"):
        state = History()
        for event in store.read(tournament.pk):
            state = history.evolve(state, event.type, event.data)
            if event.type == "round-closed" and "rated" in event.data:
                number = event.data["round"]
                rated = RatedRound(event.data["rated"], number, tuple(rated_tables(state, number)))
                found.setdefault(state.rules, []).append((rated, tournament.pk, event.version))
    return {rules: sorted(rounds, key=lambda one: one[0].number) for rules, rounds in found.items()}


_Line = tuple[UUID, int, int, int, int, int, int]


def _differences_of(rules: str, rounds: Sequence[tuple[RatedRound, UUID, int]]) -> Iterator[str]:
    if [one.number for one, _, _ in rounds] != list(range(1, len(rounds) + 1)):
        yield f"{rules}: the rated rounds are not numbered from 1 without a gap"
    counted = RatedGame.objects.filter(rules=rules).values_list("rounds", flat=True).first() or 0
    if counted != len(rounds):
        yield f"{rules}: {counted} rounds are counted, {len(rounds)} were rated"
    known: dict[str, Rating] = {}
    counts: dict[str, int] = {}
    due: dict[tuple[str, int], _Line] = {}
    for one, tournament, version in rounds:
        for table in one.tables:
            for player, after in rate(table.places, known).items():
                known[player] = after
                counts[player] = counts.get(player, 0) + 1
                place = table.places[player]
                due[player, counts[player]] = (
                    tournament, one.round, table.table, version, place, after.mu, after.sigma,
                )  # fmt: skip
    kept = {
        (str(player), number): tuple(line)
        for player, number, *line in RatingChange.objects.filter(rules=rules).values_list(
            "player_id", "number", "tournament_id", "round", "table", "version", "place", "mu", "sigma"
        )
    }
    for key in sorted(due.keys() | kept.keys()):
        if due.get(key) != kept.get(key):
            player, number = key
            yield f"{rules}: change {number} of player {player} is {kept.get(key)}, derived {due.get(key)}"
    standing = {
        str(row.player_id): (row.mu, row.sigma, row.tables) for row in Row.objects.filter(rules=rules)
    }
    for player in sorted(known.keys() | standing.keys()):
        rating = known.get(player)
        derived = None if rating is None else (rating.mu, rating.sigma, counts[player])
        if standing.get(player) != derived:
            yield f"{rules}: the rating of player {player} is {standing.get(player)}, derived {derived}"
