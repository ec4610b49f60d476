"""Admission to the field: eligibility, entry, event, and fee in one transaction.

The caller locks the tournament's row.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import Max

from accounts.models import NameShown, Player
from core.errors import Forbidden
from games.early_access import require_unseen
from ledger.models import Market
from tournaments import record, roles
from tournaments.betting import outrights
from tournaments.entries import check_in, seeding
from tournaments.errors import AlreadyEntered, Disqualified
from tournaments.models import Entry, Tournament
from tournaments.prizes import money


def require_eligible(tournament: Tournament, player: Player) -> None:
    """Raise Forbidden, EarlyAccessUsed, JudgeMayNotPlay, Disqualified, or AlreadyEntered for an ineligible player."""
    if player.is_bot:
        raise Forbidden("Players cannot enter bots.")
    if not player.is_active:
        # A waiting player may have been locked out or erased since.
        raise Forbidden("This account is closed.")
    require_unseen(player.pk, tournament=tournament.pk)
    roles.refuse_judge(tournament, player)
    if tournament.entries.filter(player=player, disqualified_at__isnull=False).exists():
        raise Disqualified
    if tournament.entries.standing().filter(player=player).exists():
        raise AlreadyEntered


def admit(
    tournament: Tournament,
    market: Market | None,
    player: Player,
    client_seed: str,
    now: datetime,
    *,
    first: int = 1,
    strategy: str = "",
    is_here: bool | None = None,
    shown_as: str = NameShown.MEMBERS,
) -> Entry:
    """Create the entry with its event, its runner, and its fee.

    The event leaves out the client seed, which `entries-closed` publishes. If `is_here` is None, an entrant who
    enters during the check-in counts as checked in.

    Raises PlayStopped, LimitReached, InsufficientFunds.
    """
    is_here = check_in.is_open(tournament, now) if is_here is None else is_here
    number = (tournament.entries.aggregate(last=Max("number"))["last"] or 0) + 1
    entry, _ = Entry.objects.update_or_create(
        tournament=tournament,
        player=player,
        defaults={
            "number": number,
            "client_seed": client_seed,
            "bot": player.is_bot,
            "entered_at": now,
            "withdrawn_at": None,
            "shown_as": shown_as,
            "checked_in_at": now if is_here else None,
            "first": first,
        },
    )
    data = {
        "entry": number,
        "player": str(player.pk),
        "bot": entry.bot,
        "fee": tournament.fee,
    }
    if is_here:
        data["checked_in"] = True
    if first > 1:
        data["first"] = first
        data |= seeding.rating_at_entry(tournament, entry)
    if strategy:
        data["strategy"] = strategy
    version = record.append(tournament, ("entered", data), now=now)
    outrights.join(market, number)
    money.take_fee(tournament, entry, event=version, now=now)
    return entry
