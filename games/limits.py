"""How long a table waits, before it is started and between moves; how many a player may have open at once; and how
often what is decided is decided anew."""

from __future__ import annotations

from datetime import timedelta

from accounts.models import Player
from api.limits import check_open_tables
from games.models import GameRecord

UNSTARTED = timedelta(hours=24)
"""Then a table that was not started is voided."""

IDLE = timedelta(hours=24)
"""Then the server plays for who is absent: a game of Vegas is collected, an abandoned race is drawn to its end."""

ATTEMPTS = 20
"""Of one decision, while the stream that it stands on turns out to have moved; then it is `Contended`."""

_IDLE_OF = {"racing-aces": timedelta(hours=1)}


def idle(rules: str) -> timedelta:
    return _IDLE_OF.get(rules, IDLE)


def take_place(player: Player) -> None:
    """Raise TooManyTables unless the player may open one more; to be called in the transaction that opens it.

    Tables of one player that are opened at once are counted one after the other: the player's row is locked.
    """
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    check_open_tables(GameRecord.objects.running().filter(creator=player).count())
