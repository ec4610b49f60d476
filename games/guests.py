"""The end of guests: an account without a password is erased after a day without play."""

from __future__ import annotations

from datetime import datetime

from accounts.models import Player
from accounts.services import GUEST_LIFETIME, erase_player
from eventstore.chain import parse_at
from eventstore.models import Stream
from games.models import GameRecord

AT_ONCE = 100
NEWEST = 20
"""Games in which a guest may have played last."""


def expire(*, now: datetime) -> None:
    """Erase the guests who are due, at most `AT_ONCE`, and put off the end of those who have played since.

    Their games stay, with their ids. A table that waits for an erased guest ends as any table does that is left.
    """
    due = list(Player.objects.filter(guest_until__lte=now).order_by("guest_until")[:AT_ONCE])
    for guest in due:
        until = _last_played(guest) + GUEST_LIFETIME
        if until <= now:
            erase_player(player=guest, now=now)
        else:
            Player.objects.filter(pk=guest.pk, guest_until__isnull=False).update(guest_until=until)


def _last_played(guest: Player) -> datetime:
    """Return when a game of the guest last went on; when the guest came, if none did."""
    games = [game.pk for game in GameRecord.objects.newest_seating(guest.pk, None, NEWEST)]
    heads = Stream.objects.filter(pk__in=games).exclude(head_at="").values_list("head_at", flat=True)
    return max([guest.date_joined, *map(parse_at, heads)])
