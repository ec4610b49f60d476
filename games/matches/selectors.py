"""Documents of matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from accounts.models import Player
from eventstore.chain import format_at
from games.access import Viewer
from games.models import GameRecord, Match, MatchStatus, Seat, Status
from games.money import buy_ins
from games.money.buy_ins import PotOutput
from games.rules import match_rules
from games.selectors import GameStatus, SeatOutput, exact_moment, seat_document
from rest.documents import Moment, Object, Uuid, one_of


class MatchLineOutput(TypedDict):
    id: Uuid
    rules: str
    config: Object
    deals: int
    played: int
    status: Annotated[str, one_of(MatchStatus)]
    seats: list[SeatOutput]
    game: Uuid
    private: bool
    pause: int
    move_limit: int | None
    game_limit: int | None
    stake_table: str | None
    buy_in: Annotated[int | None, "pence that each seat pays at the first deal for all of them"]
    created_at: Moment
    ended_at: Moment | None


def line(match: Match, viewer: Viewer) -> MatchLineOutput:
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
        "created_at": format_at(match.created_at),
        "ended_at": exact_moment(match.ended_at),
    }


class MatchGameOutput(TypedDict):
    number: int
    game: Uuid
    status: GameStatus
    outcome: Object | None


class MatchStandingOutput(TypedDict):
    seat: int
    place: int
    wins: int
    cards: int


class MatchOutput(MatchLineOutput):
    invite: str | None
    games: list[MatchGameOutput]
    standings: list[MatchStandingOutput]
    pot: PotOutput | None


def document(match: Match, viewer: Viewer) -> MatchOutput:
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
            if game.match_number is not None
        ],
        "standings": [standing._asdict() for standing in standings],
        "pot": buy_ins.document(match, {seating.seat: seating for seating in games[0].seatings.all()}),
    }


def _in_order(match: Match) -> list[GameRecord]:
    return sorted(match.games.all(), key=lambda game: game.match_number or 0)


def _seats(match: Match, games: Sequence[GameRecord], viewer: Viewer) -> list[SeatOutput]:
    """Who plays: those who sat at the first deal keep their seats."""
    taken: dict[int, Seat] = {seating.seat: seating for seating in games[0].seatings.all()}
    return [seat_document(seat, taken.get(seat), viewer) for seat in range(match.seats)]


def _is_own(match: Match, seats: Sequence[SeatOutput], viewer: Viewer) -> bool:
    if not isinstance(viewer, Player):
        return False
    return match.creator_id == viewer.pk or any(seat["player"] == str(viewer.pk) for seat in seats)
