"""The order of strength in which a field starts, and what it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from accounts.models import Player
from tournaments import access, awards, ratings
from tournaments.formats.ratings import UNRATED, Rating
from tournaments.formats.tiebreaks import lot
from tournaments.models import Entry, Seeding, Status, Tournament
from tournaments.problems import BadTerms


def earlier(organizer: Player, tournament_id: UUID | None) -> Tournament | None:
    """The tournament that is to seed another one. Raises BadTerms unless the organizer sees it finished."""
    if tournament_id is None:
        return None
    found = access.visible_tournaments(organizer).filter(pk=tournament_id, status=Status.FINISHED).first()
    if found is None:
        raise BadTerms("seeded_by", "no tournament of this id has finished.")
    return found


def event_data(tournament: Tournament, entries: Sequence[Entry], *, lot_key: str) -> dict[str, Any]:
    """The part of `entries-closed` about strength: `seeding`, the entries from the strongest, and the known `ratings`.

    A rating goes on moving after the start; what it was then is what this tournament goes by.
    """
    known = {
        entry.number: rating
        for entry, rating in zip(entries, ratings.of(tournament.rules, entries), strict=True)
        if rating is not None
    }
    return {
        "seeding": _order(tournament, entries, known, lot_key),
        "ratings": [{"entry": number, **_told(rating)} for number, rating in known.items()],
    }


def rating_at_entry(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """What the event `entered` tells of who comes after the start, if they have a rating."""
    [rating] = ratings.of(tournament.rules, [entry])
    return {} if rating is None else {"rating": _told(rating)}


def _told(rating: Rating) -> dict[str, int]:
    return {"mu": rating.mu, "sigma": rating.sigma, "rating": rating.points}


def _order(
    tournament: Tournament, entries: Sequence[Entry], known: Mapping[int, Rating], lot_key: str
) -> list[int]:
    """Who is level stays in entry order."""
    numbers = [entry.number for entry in entries]
    match tournament.seeding:
        case Seeding.LOT:
            return sorted(numbers, key=lambda number: lot(lot_key, "seeding", number))
        case Seeding.RATING:
            return sorted(numbers, key=lambda number: -known.get(number, UNRATED).worth)
        case Seeding.STANDING:
            return _by_standing(tournament, entries)
    return numbers


def _by_standing(tournament: Tournament, entries: Sequence[Entry]) -> list[int]:
    """Who was not in the earlier tournament comes after those who were."""
    reached = {won.player: won.place for won in awards.of(tournament.seeded_by_id).values()}
    last = 1 + max(reached.values(), default=0)
    return [entry.number for entry in sorted(entries, key=lambda entry: reached.get(entry.player_id, last))]
