"""The seeding of a field and its sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from accounts.models import Player
from tournaments import access, ratings
from tournaments.corrections import repayment
from tournaments.errors import BadTerms
from tournaments.formats.scoring.ratings import UNRATED, Rating
from tournaments.formats.scoring.tiebreaks import lot
from tournaments.models import Entry, Seeding, Status, Tournament


def earlier(organizer: Player, tournament_id: UUID | None) -> Tournament | None:
    """Return the tournament that seeds another one. Raises BadTerms unless it has finished and the organizer may
    see it.
    """
    if tournament_id is None:
        return None
    found = access.visible_tournaments(organizer).filter(pk=tournament_id, status=Status.FINISHED).first()
    if found is None:
        raise BadTerms("seeded_by", "there is no finished tournament of this id.")
    return found


def event_data(tournament: Tournament, entries: Sequence[Entry], *, lot_key: str) -> dict[str, Any]:
    """Return the part of `entries-closed` about strength: `seeding` (the strongest first) and the known `ratings`.

    Ratings keep changing after the start. The tournament uses those recorded here.
    """
    known = {
        entry.number: rating
        for entry, rating in zip(entries, ratings.of(tournament.rules, entries), strict=True)
        if rating is not None
    }
    return {
        "seeding": _order(tournament, entries, known, lot_key),
        "ratings": [{"entry": number, **_rating_data(rating)} for number, rating in known.items()],
    }


def rating_at_entry(tournament: Tournament, entry: Entry) -> dict[str, Any]:
    """Return the rating of a late entrant for the event `entered`, if they have one."""
    [rating] = ratings.of(tournament.rules, [entry])
    return {} if rating is None else {"rating": _rating_data(rating)}


def _rating_data(rating: Rating) -> dict[str, int]:
    return {"mu": rating.mu, "sigma": rating.sigma, "rating": rating.points}


def _order(
    tournament: Tournament, entries: Sequence[Entry], known: Mapping[int, Rating], lot_key: str
) -> list[int]:
    """Return the entry numbers, the strongest first. Equal entrants keep their entry order."""
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
    """Order the entries by the earlier tournament; players who were not in it come last."""
    reached = {won.player: won.place for won in repayment.of(tournament.seeded_by_id).values()}
    last = 1 + max(reached.values(), default=0)
    return [entry.number for entry in sorted(entries, key=lambda entry: reached.get(entry.player_id, last))]
