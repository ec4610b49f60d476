"""Corrections of results: previewed, and then applied exactly as previewed.

A judge states the correct result of a game of a closed round. `preview` returns the effects and a token over the
correction and the tournament's version. `correct` takes the token, so that the applied correction is the previewed
one. In a finished tournament, standings, prizes, and the outright market follow in the same transaction. Rounds
that were already paired stay as they were played, and so do their ratings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, TypedDict, cast
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from eventstore import store
from eventstore.chain import canonical
from ledger import services as ledger
from rest.documents import Uuid
from tournaments import record, roles
from tournaments.betting import outrights
from tournaments.corrections import repayment
from tournaments.errors import (
    BadEvidence,
    CorrectionAffectsPairings,
    CorrectionTooLate,
    ImpossibleResult,
    NoSuchResult,
    NotAtTable,
    NotCorrectable,
    NothingCorrected,
    PreviewStale,
    RoundNotClosed,
    WrongStatus,
)
from tournaments.formats import corrections as pure
from tournaments.formats.corrections import Correction, CorrectionBase, Effects, Game, Prize, Way
from tournaments.formats.history import History
from tournaments.formats.protocol import Standing
from tournaments.models import Status, TableGame, Tournament
from tournaments.prizes import settlement
from tournaments.rounds import stalls
from tournaments.rounds.selectors import CorrectedPairingOutput, pairing_document, present_prizes

AFTER_THE_END = timedelta(days=30)
"""How long results of a finished tournament can be corrected."""

_PROBLEMS = {
    pure.NoSuchResult: NoSuchResult,
    pure.NotClosed: RoundNotClosed,
    pure.NotCorrectable: NotCorrectable,
    pure.NotAtTable: NotAtTable,
    pure.Impossible: ImpossibleResult,
    pure.Unchanged: NothingCorrected,
    pure.CorrectionAffectsPairings: CorrectionAffectsPairings,
}


@dataclass(frozen=True, slots=True)
class Evidence:
    """An event of the game, by version and hash, that shows the error."""

    version: int
    hash: str


@dataclass(frozen=True, slots=True)
class CorrectionRequest:
    """A requested correction: the game, the change, the reason, and the evidence."""

    game: Game
    way: Way
    reason: str
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects of a correction.

    `prizes_now` are the prizes before and after it if a running tournament ended now. `outright` is None if no market
    follows the standings. `rated` says whether the table moved ratings, which stay the same.
    """

    token: str
    version: int
    correction: Correction
    effects: Effects
    prizes_now: list[Prize]
    outright: list[ledger.Returned] | None
    rated: bool


def preview(*, tournament_id: UUID, asked: CorrectionRequest, actor: Player, now: datetime) -> Preview:
    """Return the effects of a correction. Raises the errors of `correct` except PreviewStale."""
    with transaction.atomic():
        return _previewed(roles.locked_for(tournament_id, actor), asked, actor, now)


@transaction.atomic
def correct(
    *, tournament_id: UUID, asked: CorrectionRequest, token: str | None, actor: Player, now: datetime
) -> Preview:
    """Apply a correction as it was previewed. Without a token, apply it as it is now.

    Raises InterestedParty, WrongStatus, CorrectionTooLate, NoSuchResult, RoundNotClosed, NotAtTable,
    ImpossibleResult, NothingCorrected, CorrectionAffectsPairings, BadEvidence, PreviewStale, MoneyFrozen,
    InsufficientFunds, MarketNotEnded.
    """
    tournament = roles.locked_for(tournament_id, actor)
    head = record.head(tournament).version
    if token is not None and not token.startswith(f"{head}."):
        raise PreviewStale(version=head)
    shown = _previewed(tournament, asked, actor, now)
    if token not in (None, shown.token):
        raise PreviewStale(version=head)
    was_played_out = record.is_played_out(tournament)
    version = record.append(
        tournament, ("result-corrected", _event_data(tournament, shown, asked, actor)), now=now
    )
    if tournament.status == Status.FINISHED:
        _settle_again(tournament, shown, actor, now)
    elif record.is_played_out(tournament) != was_played_out:
        stalls.reschedule(tournament, now)
    assert version == shown.version + 1
    return shown


def _previewed(tournament: Tournament, asked: CorrectionRequest, actor: Player, now: datetime) -> Preview:
    _require_correctable(tournament, now)
    state, head = record.load(tournament.pk), record.head(tournament)
    try:
        made = pure.correction(state, asked.game, asked.way)
        found = pure.effects(state, made, lambda standings: _awards(tournament, state, standings))
    except pure.Refused as error:
        raise _PROBLEMS[type(error)](str(error)) from None
    _require_evidence(tournament, made, asked)
    if found.prizes:
        repayment.require_unfrozen(tournament)
    return Preview(
        token=_token(tournament, head.version, made, asked),
        version=head.version,
        correction=made,
        effects=found,
        prizes_now=_prizes_now(tournament, state, found),
        outright=_outright(tournament, found),
        rated=tournament.rated,
    )


def _require_correctable(tournament: Tournament, now: datetime) -> None:
    if tournament.status not in (Status.RUNNING, Status.FINISHED):
        raise WrongStatus(f"The tournament is {tournament.status}: there are no results to correct.")
    if tournament.ended_at is not None and now > tournament.ended_at + AFTER_THE_END:
        raise CorrectionTooLate(f"It finished more than {AFTER_THE_END.days} days ago.")


def _awards(tournament: Tournament, state: History, standings: Any) -> Mapping[int, int]:
    """Return a function from standings to prizes. The fees are those of all starters, as at the first settlement."""
    fees = tournament.fee * len(state.entrants)
    return settlement.settle(tournament, standings, pool=fees).awards


def _prizes_now(tournament: Tournament, state: History, found: Effects) -> list[Prize]:
    both = found.standings_were, found.standings
    was, now = (present_prizes(tournament, state, ranked) for ranked in both)
    return [Prize(entry, was.get(entry, 0), now.get(entry, 0)) for entry in sorted(was.keys() | now.keys())]


def _game(tournament: Tournament, made: Correction) -> UUID:
    found = TableGame.objects.get(
        table__round__tournament=tournament,
        table__round__number=made.round,
        table__number=made.table,
        deal=made.deal,
    )
    return found.game


def _require_evidence(tournament: Tournament, made: Correction, asked: CorrectionRequest) -> None:
    if asked.evidence is None:
        return
    at = asked.evidence.version
    events = store.read(_game(tournament, made), after=at - 1, until=at)
    if [event.hash for event in events] != [asked.evidence.hash]:
        raise BadEvidence


def _token(tournament: Tournament, version: int, made: Correction, asked: CorrectionRequest) -> str:
    """Return the version and a SHA-256 in hex of the correction and its reason."""
    fields = [str(tournament.pk), version, made.document(), asked.reason, _evidence(asked)]
    return f"{version}.{hashlib.sha256(canonical(fields)).hexdigest()}"


def _evidence(asked: CorrectionRequest) -> dict[str, Any] | None:
    return (
        None if asked.evidence is None else {"version": asked.evidence.version, "hash": asked.evidence.hash}
    )


def _event_data(
    tournament: Tournament, shown: Preview, asked: CorrectionRequest, actor: Player
) -> dict[str, Any]:
    return {
        **shown.correction.document(),
        "game": str(_game(tournament, shown.correction)),
        "reason": asked.reason,
        "by": str(actor.pk),
        "evidence": _evidence(asked),
    }


# --- after the end -------------------------------------------------------------------------------------


def _outright(tournament: Tournament, found: Effects) -> list[ledger.Returned] | None:
    """Return the bets that other winners would change. Raises MarketNotEnded while the market is being paid."""
    market = outrights.locked_on(tournament)
    if tournament.status != Status.FINISHED or found.winners == found.winners_were:
        return None
    if market is None or not outrights.follows(market, found.winners_were):
        return None
    return outrights.would_return(market, found.winners)


def _settle_again(tournament: Tournament, shown: Preview, actor: Player, now: datetime) -> None:
    found, number = shown.effects, shown.correction.number
    state = record.load(tournament.pk)
    settled = settlement.settle(tournament, found.standings, pool=tournament.fee * len(state.entrants))
    version = record.append(tournament, *settlement.end_events(found.standings, settled), now=now)
    entries = {entry.number: entry for entry in tournament.entries.standing()}
    changed = [repayment.Repaid(entries[one.entry], one.was, one.now) for one in found.prizes]
    market = outrights.locked_on(tournament)
    paid_too = [] if market is None or shown.outright is None else ledger.accounts_to_resettle(market)
    if changed:
        repayment.pay_again(
            tournament, changed, number=number, event=version, actor=actor, now=now, paid_too=paid_too
        )
    repayment.correct(tournament.pk, found.standings, settled.awards, number=number)
    if shown.outright is not None:
        outrights.correct(
            tournament_id=tournament.pk,
            winners=found.winners,
            reason=f"{repayment.REASON}: {number}",
            actor=f"player:{actor.pk}",
            now=now,
        )


# --- documents ---------------------------------------------------------------------------------------


class TournamentCorrectionEvidence(TypedDict):
    version: int
    hash: str


class TournamentCorrection(CorrectionBase):
    version: Annotated[int, "the version of its event"]
    at: str
    game: Uuid
    reason: str
    by: Uuid
    evidence: TournamentCorrectionEvidence | None


class TournamentCorrections(TypedDict):
    results: list[TournamentCorrection]


def made(tournament: Tournament) -> list[TournamentCorrection]:
    """Return the corrections in the order in which they were made."""
    if not record.load(tournament.pk).corrections:
        return []
    return [
        cast("TournamentCorrection", {**event.data, "version": event.version, "at": event.at})
        for event in store.read(tournament.pk)
        if event.type == "result-corrected"
    ]


class PlacedOutput(TypedDict):
    place: int
    totals: list[int]


class ChangedStandingOutput(TypedDict):
    entry: int
    was: PlacedOutput
    would_be: PlacedOutput


class ChangedPairingOutput(TypedDict):
    round: int
    was: CorrectedPairingOutput
    would_be: Annotated[CorrectedPairingOutput | None, "null: the round would not exist"]


class PrizeOutput(TypedDict):
    entry: int
    was: Annotated[int, "pence"]
    would_be: Annotated[int, "pence"]


class BetChangedOutput(TypedDict):
    bet: Uuid
    runner: str
    stake: Annotated[int, "pence"]
    was: Annotated[int, "pence that the bet returned"]
    would_be: Annotated[int, "pence"]


class TournamentCorrectionPreview(TypedDict):
    token: str
    version: Annotated[int, "of the tournament's last event; the next event invalidates the token"]
    correction: CorrectionBase
    standings: Annotated[list[ChangedStandingOutput], "entrants whose standing changes"]
    pairings: Annotated[
        list[ChangedPairingOutput],
        "rounds that the engine would have paired otherwise; they stay as they are",
    ]
    prizes: Annotated[list[PrizeOutput], "for a finished tournament, the prizes that change"]
    prizes_now: Annotated[
        list[PrizeOutput], "for a running tournament, the prizes that would change if it ended now"
    ]
    outright: Annotated[
        list[BetChangedOutput] | None, "bets on the winner that change; null: no market is affected"
    ]
    ratings_stay: Annotated[bool, "true: the table changed ratings, which stay as they are"]


def _prize(one: Prize) -> PrizeOutput:
    return {"entry": one.entry, "was": one.was, "would_be": one.now}


def previewed(shown: Preview) -> TournamentCorrectionPreview:
    found = shown.effects
    return {
        "token": shown.token,
        "version": shown.version,
        "correction": shown.correction.document(),
        "standings": [
            {"entry": one.now.entry, "was": _placed(one.was), "would_be": _placed(one.now)}
            for one in found.moved
        ],
        "pairings": [
            {
                "round": one.was.round,
                "was": pairing_document(one.was),
                "would_be": None if one.would_be is None else pairing_document(one.would_be),
            }
            for one in found.pairings
        ],
        "prizes": [_prize(one) for one in found.prizes],
        "prizes_now": [_prize(one) for one in shown.prizes_now if one.was != one.now],
        "outright": None
        if shown.outright is None
        else [
            {
                "bet": str(one.bet),
                "runner": one.runner,
                "stake": one.stake,
                "was": one.was,
                "would_be": one.now,
            }
            for one in shown.outright
        ],
        "ratings_stay": shown.rated,
    }


def _placed(standing: Standing) -> PlacedOutput:
    return {"place": standing.place, "totals": list(standing.totals)}
