"""Limits: how long a table waits, how many tables a player may have open, and how often a decision is retried."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

from accounts.models import Player
from core.errors import TooManyRequests
from games.models import GameRecord
from games.rules.registry import manifest

UNSTARTED = timedelta(hours=24)
"""After this time a table that was not started is voided."""


class TooManyTables(TooManyRequests):
    code = "too-many-tables"
    title = "This player has as many tables open as allowed"


def idle(rules: str) -> timedelta:
    """Return the time after which the server plays for absent seats."""
    return manifest(rules).idle


def check_open_tables(already_open: int) -> None:
    """Raise TooManyTables if a player with so many open tables may open no more."""
    most: int = settings.OPEN_TABLES_PER_PLAYER
    if already_open >= most:
        raise TooManyTables(f"At most {most} at once.", most=most)


def check_open_tables_of(player: Player) -> None:
    """Raise TooManyTables unless the player may open one more table. Call it in the transaction that opens the table.

    It locks the player's row, so that concurrent requests are counted one after the other.
    """
    Player.objects.select_for_update(no_key=True).values_list("pk").get(pk=player.pk)
    check_open_tables(GameRecord.objects.running().filter(creator=player).count())
