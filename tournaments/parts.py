"""Who is entered in a tournament has a part in all of its games, also before being seated in one."""

from __future__ import annotations

from accounts.models import Player
from games.audit import register_part
from games.models import GameRecord
from tournaments.models import Entry


@register_part
def is_entered(player: Player, game: GameRecord) -> bool:
    return (
        game.tournament is not None
        and Entry.objects.standing().filter(tournament=game.tournament, player=player).exists()
    )
