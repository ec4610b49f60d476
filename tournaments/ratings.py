"""Ratings of players. They change in the transaction that closes a round, and can be derived again from the event
streams.

The member `rated` of `round-closed` numbers the rated rounds of a game. Ratings follow in that order, independent
of any clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypedDict
from uuid import UUID

from django.db.models import F, Max, Min, OuterRef, Q, QuerySet, Window

from accounts.models import NameShown, Player
from core.errors import InvalidInput, NotFound
from core.sql import exists_for_each
from eventstore import store
from tournaments import record
from tournaments.formats import history
from tournaments.formats.history import History
from tournaments.formats.scoring import game_scores
from tournaments.formats.scoring.ratings import UNRATED, Rating, TableResult, rate, rated_tables
from tournaments.models import Entry, RatedGame, RatingChange, Tournament
from tournaments.models import Rating as StoredRating

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@dataclass(frozen=True, slots=True)
class RatedRound:
    """A rated round. `number` counts the rated rounds of a game from 1, over all tournaments."""

    number: int
    round: int
    tables: tuple[TableResult, ...]

    @property
    def players(self) -> list[UUID]:
        return [UUID(player) for table in self.tables for player in table.places]


def of(rules: str, entries: Sequence[Entry]) -> list[Rating | None]:
    """Return the current rating of each entrant; None for those without one."""
    players = {entry.player_id for entry in entries}
    known = {
        row.player_id: Rating(row.mu, row.sigma)
        for row in StoredRating.objects.filter(rules=rules, player__in=players)
    }
    return [known.get(entry.player_id) for entry in entries]


# --- as rounds are closed ------------------------------------------------------------------------------


def claim(tournament: Tournament, closing: Mapping[str, Any]) -> RatedRound | None:
    """Return the place of a closing round in the game's order; None if it changes no rating.

    Until the transaction ends, no other round of the game is rated.
    """
    if not tournament.rated:
        return None
    after = history.evolve(record.load(tournament.pk), "round-closed", closing)
    tables = tuple(rated_tables(after, closing["round"]))
    if not tables:
        return None
    RatedGame.objects.get_or_create(rules=tournament.rules)
    game = RatedGame.objects.select_for_update().get(rules=tournament.rules)
    game.rounds += 1
    game.save(update_fields=["rounds"])
    return RatedRound(game.rounds, closing["round"], tables)


def apply(tournament: Tournament, rated: RatedRound, *, version: int, now: datetime) -> None:
    """Change the ratings of the round's players. `version` is that of the event that closed it."""
    rows = StoredRating.objects.filter(rules=tournament.rules, player__in=rated.players)
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
    StoredRating.objects.bulk_create(
        (
            StoredRating(
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


# --- derive again ----------------------------------------------------------------------------------------------


def differences() -> Iterator[str]:
    """Return where stored ratings differ from the event streams, in plain words."""
    rounds = _rated_rounds()
    for rules in sorted(rounds.keys() | set(RatedGame.objects.values_list("rules", flat=True))):
        yield from _differences_of(rules, rounds.get(rules, []))


def _rated_rounds() -> dict[str, list[tuple[RatedRound, UUID, int]]]:
    """Return the rated rounds of each game with their tournament and event, in the order of their numbers."""
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
        str(row.player_id): (row.mu, row.sigma, row.tables)
        for row in StoredRating.objects.filter(rules=rules)
    }
    for player in sorted(known.keys() | standing.keys()):
        rating = known.get(player)
        derived = None if rating is None else (rating.mu, rating.sigma, counts[player])
        if standing.get(player) != derived:
            yield f"{rules}: the rating of player {player} is {standing.get(player)}, derived {derived}"


# --- documents ---------------------------------------------------------------------------------------


class Named(TypedDict):
    anonymous: bool
    """Whether the player has an anonymous entry in a tournament, which the name on a rating would disclose."""


def anonymous(players: Collection[UUID]) -> Collection[UUID]:
    """Return those of the players who have an anonymous entry."""
    entries = Entry.objects.filter(player__in=players, shown_as=NameShown.ANONYMOUS)
    return set(entries.values_list("player", flat=True))


def _ratings() -> QuerySet[WithAnnotations[StoredRating, Named]]:
    entries = Entry.objects.filter(player=OuterRef("player"), shown_as=NameShown.ANONYMOUS)
    return StoredRating.objects.select_related("player").annotate(anonymous=exists_for_each(entries))


def best_first(rules: str) -> QuerySet[WithAnnotations[StoredRating, Named]]:
    """Return the ratings of a game, best first. Raises InvalidInput for a game without tournaments."""
    _require_known(rules)
    return _ratings().filter(rules=rules)


def of_player(player_id: UUID) -> QuerySet[WithAnnotations[StoredRating, Named]]:
    """Return a player's ratings. Raises NotFound."""
    _require_player(player_id)
    return _ratings().filter(player=player_id).order_by("rules")


def changes(player_id: UUID, rules: str) -> QuerySet[RatingChange]:
    """Return the changes of a player's rating. Raises NotFound, InvalidInput."""
    _require_player(player_id)
    _require_known(rules)
    return RatingChange.objects.filter(player=player_id, rules=rules)


def first_and_last(tournament: Tournament) -> list[tuple[RatingChange, RatingChange]]:
    """Return each player's first and last rating change in a tournament."""
    ends = (
        RatingChange.objects.filter(tournament=tournament)
        .annotate(
            first=Window(Min("number"), partition_by=F("player")),
            last=Window(Max("number"), partition_by=F("player")),
        )
        .filter(Q(number=F("first")) | Q(number=F("last")))
        .order_by("player", "number")
    )
    by_player = [list(changes) for _, changes in groupby(ends, key=lambda change: change.player_id)]
    return [(changes[0], changes[-1]) for changes in by_player]


def _require_known(rules: str) -> None:
    if rules not in game_scores.known():
        raise InvalidInput(f"rules: one of {', '.join(game_scores.known())} is needed.")


def _require_player(player_id: UUID) -> None:
    if not Player.objects.filter(pk=player_id).exists():
        raise NotFound
