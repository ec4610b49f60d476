"""What other packages may do with games: open and fill tables, play, and end games."""

from games.play.bots import bots_due, play_bots
from games.play.moves import Played, play
from games.play.server import draw, expire_game, expire_if_idle, expire_if_late, forfeit_seats, void_game
from games.play.start import CLOCK, SERVER_DRAWS
from games.tables.services import EXPIRE, MatchRef, create_game, leave_seat, start_game, take_seat
from games.tables.terms import BotSeat, Place, Sitter, TournamentRef
from games.tables.tournament import deal_tables, reveal_tournament_seed, seat_tables

__all__ = [
    "CLOCK",
    "EXPIRE",
    "SERVER_DRAWS",
    "BotSeat",
    "MatchRef",
    "Place",
    "Played",
    "Sitter",
    "TournamentRef",
    "bots_due",
    "create_game",
    "deal_tables",
    "draw",
    "expire_game",
    "expire_if_idle",
    "expire_if_late",
    "forfeit_seats",
    "leave_seat",
    "play",
    "play_bots",
    "reveal_tournament_seed",
    "seat_tables",
    "start_game",
    "take_seat",
    "void_game",
]
