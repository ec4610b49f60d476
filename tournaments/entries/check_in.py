"""Check-in before the start. Entrants who have not checked in when entries close are removed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from core.errors import NotFound
from ledger.models import Account, Market
from tournaments import record, roles
from tournaments.betting import outrights
from tournaments.errors import CheckInClosed, NotEntered, WrongStatus
from tournaments.models import Entry, Status, Tournament
from tournaments.prizes import money


@transaction.atomic
def check_in(*, tournament_id: UUID, player: Player, now: datetime) -> Entry:
    """Check the player in; a second check-in has no effect. Raises CheckInClosed, NotEntered."""
    tournament = record.locked(tournament_id)
    if not is_open(tournament, now):
        raise CheckInClosed
    entry = tournament.entries.standing().select_related("player").filter(player=player).first()
    if entry is None:
        raise NotEntered
    _record(tournament, entry, now)
    return entry


@transaction.atomic
def check_in_other(*, tournament_id: UUID, number: int, actor: Player, now: datetime) -> Entry:
    """Check another entrant in; the event names the actor. Raises InterestedParty, CheckInClosed, NotFound."""
    tournament = roles.locked_for(tournament_id, actor)
    if not is_open(tournament, now):
        raise CheckInClosed
    entry = tournament.entries.standing().select_related("player").filter(number=number).first()
    if entry is None:
        raise NotFound
    _record(tournament, entry, now, by=actor)
    return entry


def _record(tournament: Tournament, entry: Entry, now: datetime, *, by: Player | None = None) -> None:
    if entry.checked_in_at is not None:
        return
    entry.checked_in_at = now
    entry.save(update_fields=["checked_in_at"])
    data = {"entry": entry.number, "player": str(entry.player_id)}
    if by is not None:
        data["by"] = str(by.pk)
    record.append(tournament, ("checked-in", data), now=now)


def is_open(tournament: Tournament, now: datetime) -> bool:
    """Return whether the check-in is open. It stays open until the start, even if that is late."""
    return tournament.status == Status.PUBLISHED and _has_begun(tournament, now)


def absent(tournament: Tournament, now: datetime) -> list[Entry]:
    """Return the entrants who should have checked in and have not. Raises WrongStatus before the check-in begins."""
    if not tournament.check_in_seconds:
        return []
    if not _has_begun(tournament, now):
        raise WrongStatus("The check-in has not begun.")
    return list(tournament.entries.standing().filter(checked_in_at=None))


def remove_absent(
    tournament: Tournament,
    absent: Sequence[Entry],
    market: Market | None,
    now: datetime,
    *,
    paid_too: Sequence[Account] = (),
) -> None:
    """Remove entrants and refund their fees. See `money.refund` for `paid_too`."""
    if not absent:
        return
    tournament.entries.filter(pk__in=[entry.pk for entry in absent]).update(withdrawn_at=now)
    data = {"entries": [entry.number for entry in absent]}
    version = record.append(tournament, ("not-checked-in", data), now=now)
    for entry in absent:
        outrights.leave(market, entry.number, now)
    # The site pays the fees of its bots in the same transaction, so its accounts are locked with the others.
    for_bots = money.accounts_for_bots(tournament) if tournament.fill_to else ()
    money.refund(tournament, absent, reason="refund", event=version, now=now, paid_too=[*paid_too, *for_bots])


def _has_begun(tournament: Tournament, now: datetime) -> bool:
    if not tournament.check_in_seconds:
        return False
    assert tournament.opens_at is not None
    return now >= tournament.opens_at - timedelta(seconds=tournament.check_in_seconds)
