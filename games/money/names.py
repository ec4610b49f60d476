"""The names of games and matches in a player's wallet, with what came of them for the player."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from games import rules
from games.models import GameRecord, Match
from games.rules.cards import SUIT_NAMES
from ledger.hooks import SubjectName, register_game_titles, register_names, register_runner_names


def register() -> None:
    register_names("game", names)
    register_game_titles(rules.title)
    register_runner_names("game", suits)


def suits(game: str, names: Collection[str]) -> Mapping[str, str]:
    """Return the suits in words: those of a race are its runners."""
    return {name: SUIT_NAMES[name].capitalize() for name in names if name in SUIT_NAMES}


def names(player: UUID, ids: Collection[UUID]) -> Mapping[UUID, SubjectName]:
    """Return the names of games, and of matches, which the ledger has as one game."""
    games = GameRecord.objects.filter(pk__in=ids).prefetch_related("seatings")
    found = {game.pk: _name(game, player) for game in games}
    if matches := set(ids) - found.keys():
        slugs = Match.objects.filter(pk__in=matches).values_list("pk", "rules")
        found |= {match: SubjectName(rules=slug) for match, slug in slugs}
    return found


def _name(game: GameRecord, player: UUID) -> SubjectName:
    seat = game.seat_of(player)
    outcome = game.outcome or {}
    if seat is None:
        return SubjectName(rules=game.rules)
    places = outcome.get("places", ())
    above = next((number for number, place in enumerate(places) if seat in place), None)
    return SubjectName(
        rules=game.rules,
        place=None if above is None else 1 + sum(map(len, places[:above])),
        of=None if above is None else game.seats,
        cards=outcome.get("cards"),
    )
