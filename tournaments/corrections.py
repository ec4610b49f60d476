"""Correcting results: shown first, then applied as shown, or not at all.

A judge says what a game of a closed round should be worth. `preview` tells what that changes and gives it a token, made
of the correction and of the version that the tournament has; `correct` takes the token, so what is applied is what was
shown. Of a tournament that has finished, standings, prizes and the market on its winner follow in the same transaction.
Rounds that were laid out stay as they were played, and so do the ratings that they made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from eventstore import store
from eventstore.chain import canonical
from ledger import services as ledger
from tournaments import awards, halts, markets, record, repayment, roles, settlement
from tournaments.formats import corrections as pure
from tournaments.formats.corrections import Correction, Effects, Game, Way
from tournaments.formats.history import History
from tournaments.models import Status, TableGame, Tournament
from tournaments.problems import (
    BadEvidence,
    CorrectionTooLate,
    ImpossibleResult,
    NoSuchResult,
    NotAtTable,
    NotCorrectable,
    NothingCorrected,
    PreviewStale,
    ReachesOn,
    RoundNotClosed,
    WrongStatus,
)

AFTER_THE_END = timedelta(days=30)
"""How long results of a tournament that has finished can be corrected."""

_PROBLEMS = {
    pure.NoSuchResult: NoSuchResult,
    pure.NotClosed: RoundNotClosed,
    pure.NotCorrectable: NotCorrectable,
    pure.NotAtTable: NotAtTable,
    pure.Impossible: ImpossibleResult,
    pure.Unchanged: NothingCorrected,
    pure.ReachesOn: ReachesOn,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """An event of the game that shows what was wrong: its version and its hash."""

    version: int
    hash: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What a judge says: of which game, in which way it is to be changed, why, and by what evidence."""

    game: Game
    way: Way
    reason: str
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What a correction would change. `outright` is None where there is no market that follows the standings.

    `rated`: ratings moved by the table stay as they are.
    """

    token: str
    version: int
    correction: Correction
    effects: Effects
    outright: list[ledger.Returned] | None
    rated: bool


def preview(*, tournament_id: UUID, asked: Asked, actor: Player, now: datetime) -> Preview:
    """Raises as `correct`, but for PreviewStale."""
    with transaction.atomic():
        return _previewed(roles.locked_for(tournament_id, actor), asked, actor, now)


@transaction.atomic
def correct(*, tournament_id: UUID, asked: Asked, token: str, actor: Player, now: datetime) -> Preview:
    """Apply a correction as it was shown.

    Raises InterestedParty, WrongStatus, CorrectionTooLate, NoSuchResult, RoundNotClosed, NotAtTable, ImpossibleResult,
    NothingCorrected, ReachesOn, BadEvidence, PreviewStale, MoneyFrozen, InsufficientFunds, MarketNotEnded.
    """
    tournament = roles.locked_for(tournament_id, actor)
    head = record.head(tournament).version
    if not token.startswith(f"{head}."):
        raise PreviewStale(version=head)
    shown = _previewed(tournament, asked, actor, now)
    if shown.token != token:
        raise PreviewStale(version=head)
    was_played_out = record.is_played_out(tournament)
    version = record.append(tournament, ("result-corrected", _told(tournament, shown, asked, actor)), now=now)
    if tournament.status == Status.FINISHED:
        _settle_anew(tournament, shown, actor, now)
    elif record.is_played_out(tournament) != was_played_out:
        halts.plan_anew(tournament, now)
    assert version == shown.version + 1
    return shown


def _previewed(tournament: Tournament, asked: Asked, actor: Player, now: datetime) -> Preview:
    _require_correctable(tournament, now)
    state, head = record.load(tournament.pk), record.head(tournament)
    try:
        made = pure.correction(state, asked.game, asked.way)
        found = pure.effects(state, made, lambda standings: _awards(tournament, state, standings))
    except pure.Refused as error:
        raise _PROBLEMS[type(error)](str(error)) from None
    _require_evidence(tournament, made, asked)
    if found.prizes:
        repayment.require_free(tournament)
    return Preview(
        token=_token(tournament, head.version, made, asked),
        version=head.version,
        correction=made,
        effects=found,
        outright=_outright(tournament, found),
        rated=tournament.rated,
    )


def _require_correctable(tournament: Tournament, now: datetime) -> None:
    if tournament.status not in (Status.RUNNING, Status.FINISHED):
        raise WrongStatus(f"The tournament is {tournament.status}: there are no results to correct.")
    if tournament.ended_at is not None and now > tournament.ended_at + AFTER_THE_END:
        raise CorrectionTooLate(f"It finished more than {AFTER_THE_END.days} days ago.")


def _awards(tournament: Tournament, state: History, standings: Any) -> Mapping[int, int]:
    """What everybody would win; the fees are those of all who started, as when it was settled first."""
    fees = tournament.fee * len(state.entrants)
    return settlement.settle(tournament, standings, pool=fees).awards


def _game(tournament: Tournament, made: Correction) -> UUID:
    found = TableGame.objects.get(
        table__round__tournament=tournament,
        table__round__number=made.round,
        table__number=made.table,
        deal=made.deal,
    )
    return found.game


def _require_evidence(tournament: Tournament, made: Correction, asked: Asked) -> None:
    if asked.evidence is None:
        return
    at = asked.evidence.version
    events = store.read(_game(tournament, made), after=at - 1, until=at)
    if [event.hash for event in events] != [asked.evidence.hash]:
        raise BadEvidence


def _token(tournament: Tournament, version: int, made: Correction, asked: Asked) -> str:
    """The version, and a SHA-256 in hex of what is to be done: the same correction, for the same reason."""
    told = [str(tournament.pk), version, made.document(), asked.reason, _evidence(asked)]
    return f"{version}.{hashlib.sha256(canonical(told)).hexdigest()}"


def _evidence(asked: Asked) -> dict[str, Any] | None:
    return (
        None if asked.evidence is None else {"version": asked.evidence.version, "hash": asked.evidence.hash}
    )


def _told(tournament: Tournament, shown: Preview, asked: Asked, actor: Player) -> dict[str, Any]:
    return {
        **shown.correction.document(),
        "game": str(_game(tournament, shown.correction)),
        "reason": asked.reason,
        "by": str(actor.pk),
        "evidence": _evidence(asked),
    }


# --- after the end -------------------------------------------------------------------------------------


def _outright(tournament: Tournament, found: Effects) -> list[ledger.Returned] | None:
    """The bets that other winners would pay otherwise. Raises MarketNotEnded while it is still being paid."""
    market = markets.locked_on(tournament)
    if tournament.status != Status.FINISHED or found.winners == found.winners_were:
        return None
    if market is None or not markets.follows(market, found.winners_were):
        return None
    return markets.would_return(market, found.winners)


def _settle_anew(tournament: Tournament, shown: Preview, actor: Player, now: datetime) -> None:
    found, number = shown.effects, shown.correction.number
    state = record.load(tournament.pk)
    settled = settlement.settle(tournament, found.standings, pool=tournament.fee * len(state.entrants))
    version = record.append(tournament, *settlement.told(found.standings, settled), now=now)
    entries = {entry.number: entry for entry in tournament.entries.standing()}
    changed = [repayment.Repaid(entries[one.entry], one.was, one.now) for one in found.prizes]
    market = markets.locked_on(tournament)
    paid_too = [] if market is None or shown.outright is None else ledger.accounts_to_resettle(market)
    if changed:
        repayment.pay_anew(
            tournament, changed, number=number, event=version, actor=actor, now=now, paid_too=paid_too
        )
    awards.correct(tournament.pk, found.standings, settled.awards, number=number)
    if shown.outright is not None:
        markets.correct(
            tournament_id=tournament.pk,
            winners=found.winners,
            reason=f"{repayment.REASON}: {number}",
            actor=f"player:{actor.pk}",
            now=now,
        )
