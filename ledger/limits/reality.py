"""Figures that remind a player of what play has come to: of a session, a day, a week, a month, since any time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from ledger.limits import terms, usage
from ledger.limits.figures import Figures, seconds_played
from ledger.models import PlaySession, Purpose


def figures(
    *, player: UUID, since: datetime, until: datetime, currency: str | None = None, purpose: str | None = None
) -> Figures:
    """What was staked from `since` to `until`, and what came back in that time; of one purse of the player's, if named.

    A stake that was taken back counts neither as a stake nor as a return.
    """
    currency = currency or settings.RACECARD_CURRENCY
    start = since - timedelta.resolution
    turnover = usage.turnover(player=player, currency=currency, start=start, until=until, purpose=purpose)
    overlapping = PlaySession.objects.filter(
        Q(closed_at=None) | Q(closed_at__gt=since), player=player, currency=currency, opened_at__lt=until
    )
    played = seconds_played(overlapping.values_list("opened_at", "closed_at"), since=since, until=until)
    return Figures(since, until, played, turnover.stakes, turnover.staked, turnover.returned)


def of_session(session: PlaySession, *, now: datetime) -> Figures:
    """From cash in to cash out, or until now: what was played for with the session's own money."""
    until = session.closed_at or now
    return figures(
        player=session.player,
        since=session.opened_at,
        until=until,
        currency=session.currency,
        purpose=Purpose.SESSION,
    )


def of_range(*, player: UUID, since: datetime | None, until: datetime | None, now: datetime) -> Figures:
    """Of a statement's range; where that has no beginning, of the day before its end: it would be a whole history."""
    end = now if until is None else until
    begin = end - terms.LENGTHS[terms.DAY] if since is None else since
    return figures(player=player, since=min(begin, end), until=end)


def of_player(*, player: UUID, now: datetime, since: datetime | None = None) -> Mapping[str, Figures | None]:
    """Of the session that is open, the last day, week and month, and since a time if one is named."""
    currency = settings.RACECARD_CURRENCY
    open_one = PlaySession.objects.filter(player=player, currency=currency, closed_at=None).first()
    found: dict[str, Figures | None] = {
        "session": None if open_one is None else of_session(open_one, now=now)
    }
    for period, length in terms.LENGTHS.items():
        found[period] = figures(player=player, since=now - length, until=now)
    found["since"] = None if since is None else figures(player=player, since=since, until=now)
    return found
