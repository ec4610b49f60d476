"""Carrying out a ruling: from the result that stands to the one that the ruling makes.

Nothing of the game's own log is touched. Money is taken back and settled anew, a tournament's result corrected, a game
goes on from a version or is dealt anew, each by the services of its layer and all in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from disputes import holds, in_tournaments, money, outcomes, results, standing, states
from disputes.effects import Change, Document, Done, Effects
from disputes.errors import BadRemedy, CannotRejudge, NothingChanges
from disputes.models import Dispute, Ruling
from disputes.results import Result
from games import continuation, selectors_proof, services, state
from games.errors import GameInPlay
from games.models import GameRecord
from games.rules.protocol import ConfigError
from games.rules.readings import CannotReread
from ledger import since
from tournaments.corrections import Evidence

NEW_DEAL = "new-deal"
CONTINUED = "continued"
CALLED_OFF = "called-off"


def carry_out(ruling: Ruling, *, now: datetime) -> Done:
    """In the caller's transaction, with the dispute locked.

    Raises BadRemedy, NothingChanges, GameInPlay, DealInPlay, CannotRejudge, MatchInPlay, NotSuspended, NoSuchVersion,
    NotContinuable, NotDealtAnew, and what correcting a tournament's result or settling money anew raises.
    """
    dispute = ruling.dispute
    game = GameRecord.objects.select_related("match").get(pk=dispute.game_id)
    was = standing.of(game.pk)
    if ruling.remedy == states.DISMISSED:
        becomes = was if ruling.instance == 1 else _without_first(dispute, was)
        if becomes == was:
            return Done(Effects(was.document(), was.document()))
        return _settle(ruling, game, was, becomes, now)
    _require_no_replay(dispute, ruling)
    if ruling.remedy == states.REPLAY:
        return _replay(ruling, game, was, now)
    if not game.ended:
        if ruling.remedy == states.VOID:
            return _call_off(ruling, game, was, now)
        raise GameInPlay(
            "Its result is ruled on when there is one: suspend it, let it go on, or call it off."
        )
    becomes = _result(ruling, game)
    if becomes == was or (was == results.AS_RECORDED and _is_recorded(becomes, game)):
        raise NothingChanges
    return _settle(ruling, game, was, becomes, now)


# --- results ---------------------------------------------------------------------------------------------


def _result(ruling: Ruling, game: GameRecord) -> Result:
    if ruling.remedy == states.VOID:
        return Result(results.VOID)
    if ruling.remedy == states.POINTS:
        if game.tournament is None:
            raise BadRemedy("There are points in tournaments alone.")
        return Result(results.POINTS, ruling.terms)
    return Result(results.CORRECTED, _outcome(ruling.terms, game))


def _outcome(terms: Mapping[str, Any], game: GameRecord) -> dict[str, Any]:
    try:
        if "outcome" in terms:
            return outcomes.decided(state.load(game.pk)[1], terms["outcome"])
        return outcomes.judged_again(selectors_proof.bundle(game, None), terms["options"])
    except (outcomes.CannotDecide, ConfigError) as error:
        raise BadRemedy(str(error)) from None
    except CannotReread as error:
        raise CannotRejudge(str(error), otherwise=None) from None
    except outcomes.NoResult as error:
        raise CannotRejudge(str(error), otherwise=error.otherwise) from None


def _is_recorded(result: Result, game: GameRecord) -> bool:
    if result.kind == results.VOID:
        return game.outcome is None
    return result.kind == results.CORRECTED and result.value == game.outcome


def _without_first(dispute: Dispute, was: Result) -> Result:
    """What the game was before the first ruling; a game that was played anew by it stays played."""
    first = dispute.rulings.filter(state=states.STANDING).first()
    if first is None or first.remedy == states.REPLAY or _called_off(first):
        return was
    return standing.of(dispute.game_id, without=dispute)


def _called_off(ruling: Ruling) -> bool:
    """Whether it ended a game that was still on, which then has no other result to go back to."""
    return bool(ruling.effects.get("plays") == CALLED_OFF)


def _require_no_replay(dispute: Dispute, ruling: Ruling) -> None:
    first = dispute.rulings.filter(state=states.STANDING).first()
    if ruling.instance > 1 and first is not None and (first.remedy == states.REPLAY or _called_off(first)):
        raise BadRemedy(
            "What was called off or is played anew by the first ruling stays so: dismiss the appeal, and rule on the "
            "new game where that is disputed."
        )


# --- what follows ----------------------------------------------------------------------------------------


def _settle(ruling: Ruling, game: GameRecord, was: Result, becomes: Result, now: datetime) -> Done:
    before = since.mark()
    caused: list[Document] = []
    tournament: Document | None = None
    count = 0
    later: list[Change] = []
    if game.tournament is not None:
        tournament, corrected = in_tournaments.correct(
            game, becomes, reason=_why(ruling), evidence=_evidence(ruling), actor=ruling.auditor, now=now
        )
        caused.append(corrected)
    else:
        count, later = money.paid_later(game, becomes)
        caused += _settle_money(ruling, game, becomes, now)
    changes = [Change(*one) for one in since.changes(before)]
    return Done(
        Effects(was.document(), becomes.document(), _merged(changes, later), tournament, None, count), caused
    )


def _settle_money(ruling: Ruling, game: GameRecord, becomes: Result, now: datetime) -> list[Document]:
    holds.alone(game)
    money.lock(game)
    # What is held could not be taken back, and would be lent instead.
    holds.let_go(game, now=now)
    by = f"player:{ruling.auditor_id}"
    return list(money.settle_anew(game, becomes, reason=_why(ruling), actor=by, at=now))


def _replay(ruling: Ruling, game: GameRecord, was: Result, now: datetime) -> Done:
    """Of a suspended game from a version on; of one that has ended by a new deal, for which it is void."""
    if not game.ended:
        if "version" not in ruling.terms:
            raise BadRemedy("A game that is not over goes on from a `version`.")
        before = since.mark()
        child = continuation.continue_from(
            game.pk, version=ruling.terms["version"], reason=_why(ruling), now=now, by=ruling.auditor
        )
        changes = [Change(*one) for one in since.changes(before)]
        effects = Effects(was.document(), was.document(), _merged(changes, []), None, CONTINUED)
        return Done(effects, [], child.pk)
    if ruling.terms:
        raise BadRemedy("A game that has ended does not go on; it is dealt anew, from the beginning.")
    before = since.mark()
    caused: list[Document] = []
    becomes = Result(results.VOID)
    if game.tournament is None and was != becomes and game.outcome is not None:
        caused = _settle_money(ruling, game, becomes, now)
    child = continuation.deal_anew(game.pk, reason=_why(ruling), now=now, by=ruling.auditor)
    changes = [Change(*one) for one in since.changes(before)]
    return Done(
        Effects(was.document(), becomes.document(), _merged(changes, []), None, NEW_DEAL), caused, child.pk
    )


def _call_off(ruling: Ruling, game: GameRecord, was: Result, now: datetime) -> Done:
    """Of a game that is still on: it ends void, and its money goes back by that end itself."""
    before = since.mark()
    services.void_game(game_id=game.pk, reason=_why(ruling), now=now, by=ruling.auditor)
    changes = [Change(*one) for one in since.changes(before)]
    becomes = Result(results.VOID)
    return Done(Effects(was.document(), becomes.document(), _merged(changes, []), None, CALLED_OFF))


def _why(ruling: Ruling) -> str:
    """As books and tournaments say it, which others read: the ruling's own words stand with the dispute."""
    return f"ruling {ruling.number} on dispute {ruling.dispute_id}"


def _evidence(ruling: Ruling) -> Evidence:
    claimed = ruling.evidence[0]
    return Evidence(claimed["version"], claimed["hash"])


def _merged(changes: list[Change], more: list[Change]) -> list[Change]:
    sums: dict[tuple[str, str], int] = {}
    for one in [*changes, *more]:
        sums[one.owner, one.currency] = sums.get((one.owner, one.currency), 0) + one.amount
    return [Change(*who, amount) for who, amount in sorted(sums.items()) if amount]
