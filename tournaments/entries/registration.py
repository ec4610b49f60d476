"""Entering, withdrawing, and disqualification."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.models import NameShown, Player
from accounts.services import create_bot
from core.errors import NotFound
from games import bots
from games.rules import fairness
from tournaments import record, roles
from tournaments.betting import meetings, outrights
from tournaments.entries import admission, waiting
from tournaments.errors import (
    AlreadyDisqualified,
    EntriesClosed,
    LastEntrant,
    NoBots,
    NotEntered,
    TournamentFull,
    WrongStatus,
)
from tournaments.formats import meeting
from tournaments.models import (
    Entry,
    Status,
    Tournament,
    Waiting,
)
from tournaments.prizes import money


@transaction.atomic
def disqualify(*, tournament_id: UUID, number: int, actor: Player, reason: str, now: datetime) -> Entry:
    """Disqualify an entrant for good.

    Before the start, the entrant is removed and refunded. Afterwards the entrant plays no further round, takes no
    prize, and has the last place. A game in progress is played to its end.

    Raises InterestedParty, NotFound, AlreadyDisqualified, WrongStatus, LastEntrant.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status not in (Status.PUBLISHED, Status.RUNNING):
        raise WrongStatus(f"The tournament is {tournament.status}.")
    entry = tournament.entries.select_related("player").filter(number=number).first()
    if entry is not None and entry.disqualified_at is not None:
        raise AlreadyDisqualified
    if entry is None or entry.withdrawn_at is not None:
        raise NotFound
    running = tournament.status == Status.RUNNING
    if running:
        _retire_disqualified(tournament, entry)
    else:
        # The row must be withdrawn before it can be disqualified.
        entry.withdrawn_at = now
    entry.disqualified_at = now
    entry.save(update_fields=["withdrawn_at", "retired_after", "disqualified_at"])
    data = {
        "entry": entry.number,
        "player": str(entry.player_id),
        "after": entry.retired_after,
        "reason": reason,
        "by": str(actor.pk),
    }
    version = record.append(tournament, ("disqualified", data), now=now)
    if not running:
        remove(tournament, entry, reason="refund", event=version, now=now)
    return entry


def _retire_disqualified(tournament: Tournament, entry: Entry) -> None:
    """Retire the entrant from the next round on, unless they have left already."""
    others = tournament.entries.standing().filter(disqualified_at=None).exclude(pk=entry.pk)
    if not others.exists():
        raise LastEntrant
    if entry.retired_after is None:
        entry.retired_after = last_round(tournament)


@transaction.atomic
def enter(
    *,
    tournament_id: UUID,
    player: Player,
    client_seed: str,
    shown_as: str = NameShown.MEMBERS,
    now: datetime,
) -> Entry:
    """Enter the player and take the fee. A player who withdrew re-enters at the end of the entry order.

    After the start, late entry as allowed by the terms begins with the next round that is paired. The client seed
    is then recorded but part of no deal (RULEBOOK 1, Fairness).

    Raises EntriesClosed, Disqualified, JudgeMayNotPlay, AlreadyEntered, TournamentFull, EarlyAccessUsed, BetsOnRivals,
    PlayStopped, LimitReached, InsufficientFunds, BadSeed.
    """
    tournament = record.locked(tournament_id)
    first = _first_round(tournament)
    fairness.client_seed(client_seed)
    admission.require_eligible(tournament, player)
    if tournament.entries.standing().count() >= tournament.capacity:
        raise TournamentFull
    market = outrights.locked_on(tournament)
    outrights.refuse_rival(market, player.pk)
    return admission.admit(tournament, market, player, client_seed, now, first=first, shown_as=shown_as)


@transaction.atomic
def enter_or_wait(
    *,
    tournament_id: UUID,
    player: Player,
    client_seed: str,
    shown_as: str = NameShown.MEMBERS,
    now: datetime,
) -> Entry | Waiting:
    """Enter the player, or add them to the waiting list of a full tournament.

    Raises the errors of `enter`, AlreadyWaiting, and TournamentFull if the list is full or does not exist.
    """
    tournament = record.locked(tournament_id)
    try:
        return enter(
            tournament_id=tournament_id,
            player=player,
            client_seed=client_seed,
            shown_as=shown_as,
            now=now,
        )
    except TournamentFull:
        if not tournament.waiting_list or tournament.status != Status.PUBLISHED:
            raise
    return waiting.wait(tournament, player, client_seed, now, shown_as=shown_as)


def _first_round(tournament: Tournament) -> int:
    """Return the first round of a player who enters now. Raises EntriesClosed."""
    if tournament.status == Status.PUBLISHED:
        return 1
    if tournament.status != Status.RUNNING:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    following = record.load(tournament.pk).next_round
    if following > tournament.late_until:
        raise EntriesClosed("The tournament is running, and late entry is closed.")
    return following


@transaction.atomic
def enter_bots(*, tournament_id: UUID, strategies: Sequence[str], now: datetime) -> list[Entry]:
    """Enter a bot for each strategy; the site stakes their fees.

    Raises EntriesClosed, TournamentFull, NoBots, SiteCannotStake.
    """
    tournament = record.locked(tournament_id)
    if tournament.status != Status.PUBLISHED:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    if tournament.entries.standing().count() + len(strategies) > tournament.capacity:
        raise TournamentFull
    for strategy in set(strategies):
        require_bot(tournament, strategy)
    market = outrights.locked_on(tournament)
    version = record.head(tournament).version
    money.provide_for_bots(tournament, bots=len(strategies), event=version, now=now)
    return [
        admission.admit(
            tournament, market, create_bot(name=f"{strategy} {number}"), "", now, strategy=strategy
        )
        for number, strategy in enumerate(strategies, start=1)
    ]


def require_bot(tournament: Tournament, strategy: str) -> None:
    try:
        meeting.get(strategy) if meetings.bets(tournament) else bots.get(tournament.rules, strategy)
    except (bots.UnknownBot, meeting.UnknownBettingBot) as error:
        raise NoBots(f"{error}.") from None


@transaction.atomic
def withdraw(*, tournament_id: UUID, player: Player, now: datetime) -> None:
    """Withdraw the player: before the start with a refund, afterwards without, and not to be paired again.

    Raises NotEntered, and EntriesClosed once the tournament is over.
    """
    tournament = record.locked(tournament_id)
    if tournament.status == Status.RUNNING:
        _retire_entry(tournament, player, now)
        return
    if tournament.status != Status.PUBLISHED:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    entry = tournament.entries.standing().filter(player=player).first()
    if entry is None:
        raise NotEntered
    data = {"entry": entry.number, "player": str(player.pk)}
    version = record.append(tournament, ("withdrawn", data), now=now)
    remove(tournament, entry, reason="withdrawal", event=version, now=now)


def remove(tournament: Tournament, entry: Entry, *, reason: str, event: int, now: datetime) -> None:
    """Remove an entry before the start.

    The entrant and everyone who backed them are refunded, and the first player on the waiting list is admitted.
    """
    entry.withdrawn_at = now
    entry.save(update_fields=["withdrawn_at"])
    market = outrights.locked_on(tournament)
    coming = waiting.next_in_line(tournament, market, 1, now)
    outrights.leave(market, entry.number, now)
    purses = waiting.purses(tournament, coming)
    money.refund(tournament, [entry], reason=reason, event=event, now=now, paid_too=purses)
    waiting.admit(tournament, market, coming, now)


def _retire_entry(tournament: Tournament, player: Player, now: datetime) -> None:
    """Retire the player. A game in progress is left to its clock."""
    entry = tournament.entries.standing().filter(player=player, retired_after=None).first()
    if entry is None:
        raise NotEntered
    entry.retired_after = last_round(tournament)
    entry.save(update_fields=["retired_after"])
    data = {"entry": entry.number, "player": str(player.pk), "after": entry.retired_after}
    record.append(tournament, ("retired", data), now=now)


def last_round(tournament: Tournament) -> int:
    """Return the last round that has begun, which a player who leaves now still plays. 0 before the first."""
    return tournament.played_rounds.aggregate(last=Max("number"))["last"] or 0
