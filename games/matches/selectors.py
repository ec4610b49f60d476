"""Documents of matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import Player
from games.access import Viewer
from games.models import GameRecord, Match, Seat, Status
from games.money import buy_ins
from games.rules import match_rules
from games.selectors import moment, seat_document


def line(match: Match, viewer: Viewer) -> dict[str, Any]:
    """Return a line of the list. `match.games`, with their seats' players, should be prefetched."""
    games = _in_order(match)
    return {
        "id": str(match.pk),
        "rules": match.rules,
        "config": match.config,
        "deals": match.deals,
        "played": sum(game.status == Status.FINISHED for game in games),
        "status": match.status,
        "seats": _seats(match, games, viewer),
        "game": str(games[-1].pk),
        "private": match.private,
        "pause": match.pause,
        "move_limit": match.move_limit,
        "game_limit": match.game_limit,
        "stake_table": match.stake_table.slug if match.stake_table else None,
        "buy_in": match.buy_in or None,
        "created_at": moment(match.created_at),
        "ended_at": moment(match.ended_at),
    }


def document(match: Match, viewer: Viewer) -> dict[str, Any]:
    """Return the match with its deals and the standings after the finished ones."""
    games = _in_order(match)
    shown = line(match, viewer)
    outcomes = [game.outcome for game in games if game.outcome is not None]
    standings = match_rules(match.rules).standings(outcomes, match.seats)
    return {
        **shown,
        "invite": (match.invite or None) if _is_own(match, shown["seats"], viewer) else None,
        "games": [
            {
                "number": game.match_number,
                "game": str(game.pk),
                "status": game.status,
                "outcome": game.outcome,
            }
            for game in games
        ],
        "standings": [standing._asdict() for standing in standings],
        "pot": buy_ins.document(match, {seating.seat: seating for seating in games[0].seatings.all()}),
    }


def _in_order(match: Match) -> list[GameRecord]:
    return sorted(match.games.all(), key=lambda game: game.match_number or 0)


def _seats(match: Match, games: Sequence[GameRecord], viewer: Viewer) -> list[dict[str, Any]]:
    """Who plays: those who sat at the first deal keep their seats."""
    taken: dict[int, Seat] = {seating.seat: seating for seating in games[0].seatings.all()}
    return [seat_document(seat, taken.get(seat), viewer) for seat in range(match.seats)]


def _is_own(match: Match, seats: Sequence[dict[str, Any]], viewer: Viewer) -> bool:
    if not isinstance(viewer, Player):
        return False
    return match.creator_id == viewer.pk or any(seat["player"] == str(viewer.pk) for seat in seats)
