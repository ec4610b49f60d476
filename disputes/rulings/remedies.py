"""Apply the remedy of a ruling: change the effective result of a game to the one that the ruling decides.

The game's events are not touched. In one transaction the remedy reverses and resettles money, corrects a tournament
result, continues a game from a version, or deals a new game, each through the services of its package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.models import Player
from disputes import money, results, states
from disputes.errors import BadRemedy, CannotRejudge, NothingChanges
from disputes.models import Ruling
from disputes.results import AppliedRemedy, Document, Effects, Result
from games import services, state
from games.errors import GameInPlay
from games.models import GameRecord
from games.rules.bundles import readings
from games.rules.bundles.readings import CannotReread
from games.rules.manifest import CannotDecide, Ended
from games.rules.refusals import ConfigError
from games.rules.registry import manifest
from games.selectors import bundle as bundle_of
from ledger.selectors import BalanceChange, balance_changes, newest_position
from tournaments import record
from tournaments.corrections import services as corrections
from tournaments.corrections.services import CorrectionRequest, Evidence
from tournaments.errors import NoSuchResult
from tournaments.formats import corrected_results
from tournaments.formats.corrected_results import EntrantScore
from tournaments.formats.corrections import Forfeited, Game, Scored, Swapped, Void, Way
from tournaments.formats.history import History
from tournaments.formats.scoring import game_scores
from tournaments.models import Seat, TableGame

NEW_DEAL = "new-deal"
CONTINUED = "continued"
CALLED_OFF = "called-off"

Outcome = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Applied:
    """What a remedy has done, apart from the changes of balances, which the ledger knows."""

    becomes: Result
    caused: Sequence[Document] = ()
    tournament: Document | None = None
    plays: str | None = None
    game: UUID | None = None
    """The game played next."""
    bets: int = 0
    later: Sequence[BalanceChange] = ()
    """What the bets that a job settles will change."""


def apply(ruling: Ruling, *, now: datetime) -> AppliedRemedy:
    """Apply the remedy of a ruling in the caller's transaction. The caller has locked the dispute.

    Raises BadRemedy, NothingChanges, GameInPlay, DealInPlay, CannotRejudge, MatchInPlay, NotSuspended, NoSuchVersion,
    NotContinuable, NotRedealable, and the errors of tournament corrections and of resettling.
    """
    game = GameRecord.objects.select_related("match").get(pk=ruling.dispute.game_id)
    was, before = results.effective(game.pk), newest_position()
    done = _apply(ruling, game, was, now)
    changes = [*balance_changes(before), *done.later]
    effects = Effects(
        was.document(), done.becomes.document(), _merged(changes), done.tournament, done.plays, done.bets
    )
    return AppliedRemedy(effects, done.caused, done.game)


def _apply(ruling: Ruling, game: GameRecord, was: Result, now: datetime) -> _Applied:
    first = ruling.dispute.rulings.filter(state=states.STANDING).first() if ruling.instance > 1 else None
    if ruling.remedy == states.DISMISSED:
        becomes = was
        if first is not None and not _was_played_on(first):
            becomes = results.effective(game.pk, without=ruling.dispute)
        return _Applied(was) if becomes == was else _settle(ruling, game, becomes, now)
    if first is not None and _was_played_on(first):
        raise BadRemedy(
            "The first ruling called the game off or had it replayed, which cannot be undone: dismiss the appeal, and "
            "dispute the new game if necessary."
        )
    if ruling.remedy == states.REPLAY:
        return _replay(ruling, game, was, now)
    if not game.ended:
        if ruling.remedy == states.VOID:
            # The end of the game refunds its money.
            services.void_game(game_id=game.pk, reason=_why(ruling), now=now, by=ruling.auditor)
            return _Applied(Result(results.VOID), plays=CALLED_OFF)
        raise GameInPlay("The game has no result yet: suspend it, resume it, or void it.")
    becomes = _result(ruling, game)
    if becomes == was or (was == results.AS_RECORDED and _is_recorded(becomes, game)):
        raise NothingChanges
    return _settle(ruling, game, becomes, now)


def _was_played_on(ruling: Ruling) -> bool:
    """Return whether the ruling called the game off or had it replayed, which no other result can undo."""
    return ruling.remedy == states.REPLAY or ruling.effects.get("plays") == CALLED_OFF


# --- results ---------------------------------------------------------------------------------------------


def _result(ruling: Ruling, game: GameRecord) -> Result:
    if ruling.remedy == states.VOID:
        return Result(results.VOID)
    if ruling.remedy == states.POINTS:
        if game.tournament is None:
            raise BadRemedy("Only a tournament game has points to adjust.")
        return Result(results.POINTS, ruling.terms)
    try:
        if "outcome" in ruling.terms:
            return Result(results.CORRECTED, _decided(game, ruling.terms["outcome"]))
        return Result(results.CORRECTED, _judged_again(game, ruling.terms["options"]))
    except (CannotDecide, ConfigError) as error:
        raise BadRemedy(str(error)) from None


def _decided(game: GameRecord, decision: Outcome) -> dict[str, Any]:
    """Return the complete outcome of an ended game from the decided part. Raises CannotDecide.

    The rest is derived, so that an outcome cannot contradict itself.
    """
    _, table = state.load(game.pk)
    decide = manifest(table.game.slug).decided
    if decide is None:
        raise CannotDecide(f"No ruling can decide an outcome of {table.game.name}: replay or void the game.")
    return decide(Ended(table.config, len(table.seats), table.outcome), decision)


def _judged_again(game: GameRecord, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome of the recorded moves under these options. Raises CannotRejudge, ConfigError."""
    bundle = bundle_of(game, None)
    try:
        reading = readings.reread(bundle, options)
        outcome = readings.outcome_under(bundle, reading)
    except CannotReread as error:
        raise CannotRejudge(str(error), otherwise=None) from None
    if outcome is None:
        raise CannotRejudge(
            "Under these options the game would have continued differently.",
            otherwise=reading.document()["otherwise"],
        )
    return outcome


def _is_recorded(result: Result, game: GameRecord) -> bool:
    if result.kind == results.VOID:
        return game.outcome is None
    return result.kind == results.CORRECTED and result.value == game.outcome


# --- settlement and play -----------------------------------------------------------------------------------


def _settle(ruling: Ruling, game: GameRecord, becomes: Result, now: datetime) -> _Applied:
    if game.tournament is not None:
        tournament, corrected = _correct(
            game, becomes, reason=_why(ruling), evidence=_evidence(ruling), actor=ruling.auditor, now=now
        )
        return _Applied(becomes, [corrected], tournament)
    count, later = money.deferred_bets(game, becomes)
    return _Applied(becomes, _resettle(ruling, game, becomes, now), bets=count, later=later)


def _resettle(ruling: Ruling, game: GameRecord, becomes: Result, now: datetime) -> list[Document]:
    by = f"player:{ruling.auditor_id}"
    return money.resettle(game, becomes, reason=_why(ruling), actor=by, at=now)


def _replay(ruling: Ruling, game: GameRecord, was: Result, now: datetime) -> _Applied:
    """Continue a suspended game from a version, or void an ended game and deal a new one."""
    if not game.ended:
        if "version" not in ruling.terms:
            raise BadRemedy("A game in play is continued from a `version`.")
        child = services.continue_from(
            game.pk, version=ruling.terms["version"], reason=_why(ruling), now=now, by=ruling.auditor
        )
        return _Applied(was, plays=CONTINUED, game=child.pk)
    if ruling.terms:
        raise BadRemedy(
            "A game that has ended cannot be continued; it is replayed with a new deal and has no terms."
        )
    caused: list[Document] = []
    becomes = Result(results.VOID)
    if game.tournament is None and was != becomes and game.outcome is not None:
        caused = _resettle(ruling, game, becomes, now)
    child = services.redeal(game.pk, reason=_why(ruling), now=now, by=ruling.auditor)
    return _Applied(becomes, caused, plays=NEW_DEAL, game=child.pk)


def _why(ruling: Ruling) -> str:
    """Return the reason for ledger and tournament, which more people can read than the ruling's own reason."""
    return f"ruling {ruling.number} on dispute {ruling.dispute_id}"


def _evidence(ruling: Ruling) -> Evidence:
    claimed = ruling.evidence[0]
    return Evidence(claimed["version"], claimed["hash"])


def _merged(changes: Sequence[BalanceChange]) -> list[BalanceChange]:
    sums: dict[tuple[str, str], int] = {}
    for one in changes:
        sums[one.owner, one.currency] = sums.get((one.owner, one.currency), 0) + one.amount
    return [BalanceChange(*who, amount) for who, amount in sorted(sums.items()) if amount]


# --- tournaments -----------------------------------------------------------------------------------------

CORRECTION_FIELDS = ("correction", "standings", "pairings", "prizes", "outright", "ratings_stay")
"""The parts of a correction preview that a ruling's effects include. Token and version belong to the tournament."""


@dataclass(frozen=True, slots=True)
class AsRecorded:
    """The scores of the game before its first correction."""

    results: Mapping[int, EntrantScore]

    def __call__(self, state: History, known: Mapping[int, EntrantScore]) -> dict[int, EntrantScore]:
        return {entry: self.results[entry] for entry in known}


def _correct(
    game: GameRecord, result: Result, *, reason: str, evidence: Evidence, actor: Player, now: datetime
) -> tuple[Document, Document]:
    """Correct the game's result in its tournament. Return the changes and the entry of the correction.

    Raises NoSuchResult, and the errors of `tournaments.corrections.services.correct`.
    """
    assert game.tournament is not None
    one = TableGame.objects.select_related("table__round").filter(game=game.pk).first()
    if one is None:
        raise NoSuchResult("Another game has replaced this one at its table.")
    asked = CorrectionRequest(
        game=Game(one.table.round.number, one.table.number, one.number),
        way=_way(game, one, result),
        reason=reason,
        evidence=evidence,
    )
    # The token of the ruling covers the effects of the correction.
    done = corrections.correct(tournament_id=game.tournament, asked=asked, token=None, actor=actor, now=now)
    document: Mapping[str, Any] = corrections.previewed(done)
    subject = f"tournament:{game.tournament}"
    caused = {"kind": "tournament", "subject": subject, "number": done.correction.number}
    return {name: document[name] for name in CORRECTION_FIELDS}, caused


def _way(game: GameRecord, one: TableGame, result: Result) -> Way:
    if result.kind == results.VOID:
        return Void()
    if result.kind == results.POINTS:
        return _adjusted(result)
    if result.kind == results.CORRECTED:
        return Scored(_scores(game, one, result))
    return AsRecorded(_recorded_scores(game, one))


def _adjusted(result: Result) -> Way:
    terms = result.value
    if terms["way"] == "score":
        return Scored({row["entry"]: tuple(row["score"]) for row in terms["scores"]})
    return Forfeited(terms["entries"]) if terms["way"] == "forfeit" else Swapped(terms["entries"])


def _scores(game: GameRecord, one: TableGame, result: Result) -> dict[int, tuple[int, ...]]:
    """Return the score of each entry by the corrected outcome."""
    _, table = state.load(game.pk)
    counted = game_scores.get(game.rules)
    seats = Seat.objects.filter(table=one.table_id).select_related("entry")
    return {
        seat.entry.number: tuple(counted.score(result.value, seat=seat.index, moves=table.moves))
        for seat in seats
    }


def _recorded_scores(game: GameRecord, one: TableGame) -> dict[int, EntrantScore]:
    assert game.tournament is not None
    known = record.load(game.tournament)
    first = known.snapshot().original_results()
    return {
        result.entry: corrected_results.score_of(result)
        for result in (first.get(corrected_results.key(now), now) for now in known.results)
        if (result.round, result.table, result.deal) == (one.table.round.number, one.table.number, one.deal)
    }
