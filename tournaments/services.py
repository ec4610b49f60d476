"""What organizers and players do with a tournament: create, publish, enter, withdraw, start, cancel, pause, resume.
The first two are in `tournaments.drafts`, the last two in `tournaments.halts`.

Each owns its transaction. The tournament's row is locked first, so that of two who press at once the second finds what
the first has done; the event and the money it moves are committed together. The rounds are in `tournaments.rounds`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.models import Player
from accounts.services import create_bot
from games import bots
from games.rules import fairness
from ledger.betting.models import Market
from tournaments import (
    admission,
    calendar,
    check_in,
    formats,
    guarantees,
    markets,
    meetings,
    money,
    record,
    roles,
    seeding,
    waiting,
)
from tournaments.drafts import create as create
from tournaments.drafts import publish as publish
from tournaments.formats import punters
from tournaments.formats.sizes import CannotBeSeated
from tournaments.halts import pause as pause
from tournaments.halts import resume as resume
from tournaments.models import (
    MOST_ROUNDS,
    Entry,
    SecretSeed,
    Status,
    Tournament,
)
from tournaments.models_waiting import Waiting, WaitingEnd
from tournaments.problems import (
    CannotSeat,
    EntriesClosed,
    NoBots,
    NotEntered,
    TooFewEntrants,
    TournamentFull,
    WrongStatus,
)

SERVER = "server"
BOT_NAME = "steady"


# --- entries -------------------------------------------------------------------------------------------


@transaction.atomic
def enter(*, tournament_id: UUID, player: Player, client_seed: str, now: datetime) -> Entry:
    """Enter and pay the fee. Who withdrew may come back, at the end of the entry order.

    After the start, as far as the terms allow it, from the next round that is laid out; the client seed is in the
    record then and in no deal (RULEBOOK 1, Fairness).

    Raises EntriesClosed, Disqualified, JudgeMayNotPlay, AlreadyEntered, TournamentFull, LookedEarly, BetsOnRivals,
    PlayStopped, LimitReached, InsufficientFunds, BadSeed.
    """
    tournament = record.locked(tournament_id)
    first = _first_round(tournament)
    fairness.client_seed(client_seed)
    admission.refuse_unfit(tournament, player)
    if tournament.entries.standing().count() >= tournament.capacity:
        raise TournamentFull
    market = markets.locked_on(tournament)
    markets.refuse_rival(market, player.pk)
    return admission.admit(tournament, market, player, client_seed, now, first=first)


@transaction.atomic
def enter_or_wait(*, tournament_id: UUID, player: Player, client_seed: str, now: datetime) -> Entry | Waiting:
    """Enter; where all places are taken and the tournament has a waiting list, wait in it.

    Raises what `enter` raises, AlreadyWaiting; TournamentFull where the line is full too, or there is none.
    """
    tournament = record.locked(tournament_id)
    try:
        return enter(tournament_id=tournament_id, player=player, client_seed=client_seed, now=now)
    except TournamentFull:
        if not tournament.waiting_list or tournament.status != Status.PUBLISHED:
            raise
    return waiting.wait(tournament, player, client_seed, now)


def _first_round(tournament: Tournament) -> int:
    """Of who enters now. Raises EntriesClosed."""
    if tournament.status == Status.PUBLISHED:
        return 1
    if tournament.status != Status.RUNNING:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    following = record.load(tournament.pk).next_round
    if following > tournament.late_until:
        raise EntriesClosed("The tournament is running, and nobody enters it late any more.")
    return following


@transaction.atomic
def enter_bots(*, tournament_id: UUID, strategies: Sequence[str], now: datetime) -> list[Entry]:
    """A bot for each of these strategies; the house stakes their fees, as it does for those that fill up.

    Raises EntriesClosed, TournamentFull, NoBots, HouseCannotStake.
    """
    tournament = record.locked(tournament_id)
    if tournament.status != Status.PUBLISHED:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    if tournament.entries.standing().count() + len(strategies) > tournament.capacity:
        raise TournamentFull
    for strategy in set(strategies):
        _require_bot(tournament, strategy)
    market = markets.locked_on(tournament)
    version = record.head(tournament).version
    money.provide_for_bots(tournament, bots=len(strategies), event=version, now=now)
    return [
        admission.admit(
            tournament, market, create_bot(name=f"{strategy} {number}"), "", now, strategy=strategy
        )
        for number, strategy in enumerate(strategies, start=1)
    ]


def _require_bot(tournament: Tournament, strategy: str) -> None:
    try:
        punters.get(strategy) if meetings.bets(tournament) else bots.get(tournament.rules, strategy)
    except (bots.UnknownBot, punters.UnknownPunter) as error:
        raise NoBots(f"{error}.") from None


@transaction.atomic
def withdraw(*, tournament_id: UUID, player: Player, now: datetime) -> None:
    """Leave: before the start with the fee given back, afterwards without, and not to be paired again.

    Raises EntriesClosed once it is over, NotEntered.
    """
    tournament = record.locked(tournament_id)
    if tournament.status == Status.RUNNING:
        _retire(tournament, player, now)
        return
    if tournament.status != Status.PUBLISHED:
        raise EntriesClosed(f"The tournament is {tournament.status}.")
    entry = tournament.entries.standing().filter(player=player).first()
    if entry is None:
        raise NotEntered
    told = {"entry": entry.number, "player": str(player.pk)}
    version = record.append(tournament, ("withdrawn", told), now=now)
    remove(tournament, entry, reason="withdrawal", event=version, now=now)


def remove(tournament: Tournament, entry: Entry, *, reason: str, event: int, now: datetime) -> None:
    """Take out of a field that has not started: who backed the entrant and the entrant get their money back, and the
    first who waits comes in."""
    entry.withdrawn_at = now
    entry.save(update_fields=["withdrawn_at"])
    market = markets.locked_on(tournament)
    coming = waiting.next_in_line(tournament, market, 1, now)
    markets.leave(market, entry.number, now)
    purses = waiting.purses(tournament, coming)
    money.refund(tournament, [entry], reason=reason, event=event, now=now, paid_too=purses)
    waiting.admit(tournament, market, coming, now)


def _retire(tournament: Tournament, player: Player, now: datetime) -> None:
    """A game under way is not touched by it: its clock is."""
    entry = tournament.entries.standing().filter(player=player, retired_after=None).first()
    if entry is None:
        raise NotEntered
    entry.retired_after = last_round(tournament)
    entry.save(update_fields=["retired_after"])
    told = {"entry": entry.number, "player": str(player.pk), "after": entry.retired_after}
    record.append(tournament, ("retired", told), now=now)


def last_round(tournament: Tournament) -> int:
    """The last round that has been begun; who leaves now is in it. 0 before the first."""
    return tournament.played_rounds.aggregate(last=Max("number"))["last"] or 0


# --- start, stop, go on --------------------------------------------------------------------------------


@transaction.atomic
def start(*, tournament_id: UUID, actor: Player | None, hold: str = "", now: datetime) -> Tournament:
    """Remove absent entrants, fill up with bots, close entries and betting, publish the client seeds, the entropy and
    the lot key, and schedule the first round; or, with a reason to `hold` it, pause before that.

    Raises InterestedParty, WrongStatus, TooFewEntrants, CannotSeat, NoBots, HouseCannotStake.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.PUBLISHED:
        raise WrongStatus(f"The tournament is {tournament.status}; only a published one can start.")
    market = markets.locked_on(tournament)
    absent = check_in.absent(tournament, now)
    coming = waiting.next_in_line(tournament, market, len(absent), now, who_are_there=True)
    check_in.take_out(tournament, absent, market, now, paid_too=waiting.purses(tournament, coming))
    waiting.admit(tournament, market, coming, now, who_are_there=True)
    waiting.dismiss(tournament, WaitingEnd.STARTED, now)
    _fill(tournament, market, now)
    entries = list(tournament.entries.standing())
    if len(entries) < tournament.fewest:
        raise TooFewEntrants(f"{len(entries)} of at least {tournament.fewest}.", entrants=len(entries))
    client_seeds = [entry.client_seed for entry in entries]
    tournament.status = Status.RUNNING
    tournament.entropy = fairness.entropy(client_seeds)
    seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
    lot_key = fairness.lot_key(seed, tournament.entropy)
    tournament.rounds = _rounds(tournament, len(entries))
    tournament.started_at = now
    tournament.save(update_fields=["status", "entropy", "rounds", "started_at"])
    closed = {
        "entries": [entry.number for entry in entries],
        "client_seeds": client_seeds,
        "entropy": tournament.entropy,
        "lot_key": lot_key,
        "rounds": tournament.rounds,
        **seeding.event_data(tournament, entries, lot_key=lot_key),
        "by": str(actor.pk) if actor else SERVER,
    }
    version = record.append(tournament, ("entries-closed", closed), now=now)
    markets.close(market, event=version, now=now)
    meetings.give_banks(tournament, entries, version=version, now=now)
    calendar.open_round(tournament, 1, due=now)
    if hold and actor:
        return pause(tournament_id=tournament_id, actor=actor, reason=hold, now=now)
    return tournament


def _rounds(tournament: Tournament, entrants: int) -> int:
    form = formats.get(tournament.format)
    try:
        rounds = form.rounds(
            entrants, asked=tournament.rounds, snapshot=record.load(tournament.pk).snapshot()
        )
    except CannotBeSeated as error:
        raise CannotSeat(f"{error}.") from None
    if rounds > MOST_ROUNDS:
        raise CannotSeat(f"{entrants} entrants need {rounds} rounds; {MOST_ROUNDS} is the most.")
    return rounds


def _fill(tournament: Tournament, market: Market | None, now: datetime) -> None:
    missing = tournament.fill_to - tournament.entries.standing().count()
    if missing <= 0:
        return
    _require_bot(tournament, bots.DEFAULT)
    version = record.head(tournament).version
    money.provide_for_bots(tournament, bots=missing, event=version, now=now)
    for number in range(1, missing + 1):
        # Its seed adds nothing that the server did not know, and says so by being empty.
        admission.admit(tournament, market, create_bot(name=f"{BOT_NAME} {number}"), "", now)


def start_on_time(*, tournament_id: UUID, now: datetime) -> None:
    """Start as scheduled, or call it off if too few have entered. What has started already is left alone."""
    tournament = record.locked(tournament_id)
    if tournament.status != Status.PUBLISHED:
        return
    try:
        start(tournament_id=tournament_id, actor=None, now=now)
    except TooFewEntrants as error:
        cancel(tournament_id=tournament_id, actor=None, reason=f"too few entrants: {error.detail}", now=now)


@transaction.atomic
def cancel(*, tournament_id: UUID, actor: Player | None, reason: str, now: datetime) -> Tournament:
    """Call it off and give every fee and every bet back. Games still being played are voided, then the seed is shown.

    Raises InterestedParty; WrongStatus once it has finished or been cancelled.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status in (Status.FINISHED, Status.CANCELLED):
        raise WrongStatus(f"The tournament is {tournament.status} already.")
    tournament.status = Status.CANCELLED
    tournament.stalled = tournament.paused = ""
    tournament.ended_at = now
    tournament.save(update_fields=["status", "stalled", "paused", "ended_at"])
    told = {"reason": reason, "by": str(actor.pk) if actor else SERVER}
    waiting.dismiss(tournament, WaitingEnd.CANCELLED, now)
    version = record.append(tournament, ("cancelled", told), now=now)
    market = markets.locked_on(tournament)
    entries = tournament.entries.standing()
    paid_too = [*markets.accounts(market), *guarantees.accounts(tournament)]
    money.refund(tournament, entries, reason="cancelled", event=version, now=now, paid_too=paid_too)
    markets.void(market, event=version, now=now)
    guarantees.settle(tournament, overlay=0, into=money.escrow(tournament), now=now)
    if tournament.published_at is not None:
        calendar.clear(tournament, due=now)
    return tournament
