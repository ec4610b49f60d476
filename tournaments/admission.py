"""Letting somebody into the field: whether they may, their entry, its event and its fee, all in one transaction.

The tournament's row is locked by who calls.
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import Max

from accounts.models import Player
from api.errors import Forbidden
from games.audit import require_unseen
from ledger.betting.models import Market
from tournaments import check_in, markets, money, record, roles, seeding
from tournaments.models import Entry, Tournament
from tournaments.problems import AlreadyEntered, Disqualified


def refuse_unfit(tournament: Tournament, player: Player) -> None:
    """Raises Forbidden, LookedEarly, JudgeMayNotPlay, Disqualified, AlreadyEntered."""
    if player.is_bot:
        raise Forbidden("Bots are entered by the tournament itself.")
    if not player.is_active:
        # Who waits may have been locked out or erased since.
        raise Forbidden("This account is not in use any more.")
    require_unseen(player, tournament=tournament.pk)
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
) -> Entry:
    """The entry, with its event, its runner and its fee. The event leaves out the client seed, which `entries-closed`
    publishes. `is_here` None: who enters while one can check in is there.

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
            "checked_in_at": now if is_here else None,
            "first": first,
        },
    )
    told = {
        "entry": number,
        "player": str(player.pk),
        "bot": entry.bot,
        "fee": tournament.fee,
    }
    if is_here:
        told["checked_in"] = True
    if first > 1:
        told["first"] = first
        told |= seeding.rating_at_entry(tournament, entry)
    if strategy:
        told["strategy"] = strategy
    version = record.append(tournament, ("entered", told), now=now)
    markets.join(market, number)
    money.take_fee(tournament, entry, event=version, now=now)
    return entry
