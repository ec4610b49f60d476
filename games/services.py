"""Commands of games for other packages: open and fill tables, play, end, suspend, and continue games."""

from games.money.markets import open_play_market
from games.play.bots import bots_due, play_bots
from games.play.moves import Played, play
from games.play.server import draw, expire_game, expire_if_idle, expire_if_late, forfeit_seats, void_game
from games.play.start import CLOCK, SERVER_DRAWS
from games.suspensions.continuation import continue_from, redeal
from games.suspensions.services import resume, suspend
from games.tables.pairing import pair
from games.tables.services import (
    DEAL,
    EXPIRE,
    MatchRef,
    add_bot,
    count_down,
    create_game,
    deal_after_countdown,
    leave_seat,
    start_game,
    take_seat,
)
from games.tables.terms import BotSeat, Place, Sitter, TournamentRef
from games.tables.tournament import deal_tables, reveal_tournament_seed, seat_tables

__all__ = [
    "CLOCK",
    "DEAL",
    "EXPIRE",
    "SERVER_DRAWS",
    "BotSeat",
    "MatchRef",
    "Place",
    "Played",
    "Sitter",
    "TournamentRef",
    "add_bot",
    "bots_due",
    "continue_from",
    "count_down",
    "create_game",
    "deal_after_countdown",
    "deal_tables",
    "draw",
    "expire_game",
    "expire_if_idle",
    "expire_if_late",
    "forfeit_seats",
    "leave_seat",
    "open_play_market",
    "pair",
    "play",
    "play_bots",
    "redeal",
    "resume",
    "reveal_tournament_seed",
    "seat_tables",
    "start_game",
    "suspend",
    "take_seat",
    "void_game",
]
