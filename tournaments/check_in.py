"""Saying that one is there, in the time before the start; who does not is taken out when the entries close."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from api.errors import NotFound
from ledger.betting.models import Market
from ledger.models import Account
from tournaments import markets, money, record, roles
from tournaments.models import Entry, Status, Tournament
from tournaments.problems import CheckInClosed, NotEntered, WrongStatus


@transaction.atomic
def check_in(*, tournament_id: UUID, player: Player, now: datetime) -> Entry:
    """Twice is as good as once. Raises CheckInClosed, NotEntered."""
    tournament = record.locked(tournament_id)
    if not is_open(tournament, now):
        raise CheckInClosed
    entry = tournament.entries.standing().select_related("player").filter(player=player).first()
    if entry is None:
        raise NotEntered
    _is_there(tournament, entry, now)
    return entry


@transaction.atomic
def check_in_other(*, tournament_id: UUID, number: int, actor: Player, now: datetime) -> Entry:
    """Check an entrant in; the event says who did. Raises InterestedParty, CheckInClosed, NotFound."""
    tournament = roles.locked_for(tournament_id, actor)
    if not is_open(tournament, now):
        raise CheckInClosed
    entry = tournament.entries.standing().select_related("player").filter(number=number).first()
    if entry is None:
        raise NotFound
    _is_there(tournament, entry, now, by=actor)
    return entry


def _is_there(tournament: Tournament, entry: Entry, now: datetime, *, by: Player | None = None) -> None:
    if entry.checked_in_at is not None:
        return
    entry.checked_in_at = now
    entry.save(update_fields=["checked_in_at"])
    told = {"entry": entry.number, "player": str(entry.player_id)}
    if by is not None:
        told["by"] = str(by.pk)
    record.append(tournament, ("checked-in", told), now=now)


def is_open(tournament: Tournament, now: datetime) -> bool:
    """Until the start, also where that comes late."""
    return tournament.status == Status.PUBLISHED and _has_begun(tournament, now)


def absent(tournament: Tournament, now: datetime) -> list[Entry]:
    """Before the entries close: who should have checked in and has not. Raises WrongStatus too early."""
    if not tournament.check_in_seconds:
        return []
    if not _has_begun(tournament, now):
        raise WrongStatus("Its check-in has not begun.")
    return list(tournament.entries.standing().filter(checked_in_at=None))


def take_out(
    tournament: Tournament,
    absent: Sequence[Entry],
    market: Market | None,
    now: datetime,
    *,
    paid_too: Sequence[Account] = (),
) -> None:
    """They are out and have the fee back. `paid_too` as in `money.refund`."""
    if not absent:
        return
    tournament.entries.filter(pk__in=[entry.pk for entry in absent]).update(withdrawn_at=now)
    told = {"entries": [entry.number for entry in absent]}
    version = record.append(tournament, ("not-checked-in", told), now=now)
    for entry in absent:
        markets.leave(market, entry.number, now)
    # The house pays for its bots in the same transaction, so its accounts are locked with the others.
    for_bots = money.accounts_for_bots(tournament) if tournament.fill_to else ()
    money.refund(tournament, absent, reason="refund", event=version, now=now, paid_too=[*paid_too, *for_bots])


def _has_begun(tournament: Tournament, now: datetime) -> bool:
    if not tournament.check_in_seconds:
        return False
    assert tournament.opens_at is not None
    return now >= tournament.opens_at - timedelta(seconds=tournament.check_in_seconds)
