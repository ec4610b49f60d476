"""What a player is called before others."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser

from accounts.models import Player


def name_for(viewer: Player | AnonymousUser | None, player: Player) -> str | None:
    """People's names are for those who have signed in; to others a player is an id."""
    return player.get_full_name() if isinstance(viewer, Player) or player.is_bot else None
