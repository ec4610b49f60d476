"""Errors of commands on games, and how the API reports the refusals of the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from core.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    PreconditionFailed,
    Problem,
    TooManyRequests,
    register_problem,
)
from games.rules import BadSeed, ConfigError, Refused, UnknownGame
from games.rules.refusals import FORM_CODES
from games.rules.table import Unfoldable


class RefusedMove(Problem):
    """A refusal of the rules: its code, the ruling that the move breaks, and the ground, each with key and text."""

    title = "The rules do not allow that"

    def __init__(self, refused: Refused) -> None:
        ground = refused.ground
        super().__init__(
            refused.fact or refused.rule,
            rule=refused.rule,
            ruling=refused.ruling.key,
            fact=refused.fact,
            ground=None if ground is None else {"key": ground.key, "values": dict(ground.values)},
        )
        self.code = refused.code


class MalformedMove(RefusedMove, InvalidInput):
    """A move with the wrong form."""


class IllegalMove(RefusedMove, Conflict):
    """A move that the rules do not allow now."""


def refused_move(refused: Refused) -> RefusedMove:
    return MalformedMove(refused) if refused.code in FORM_CODES else IllegalMove(refused)


class ChallengeRefused(Conflict):
    code = "challenge-refused"
    title = "This player does not take this challenge"


class ChallengeOver(Conflict):
    code = "challenge-over"
    title = "This challenge is no longer open"


class TooManyChallenges(Conflict):
    code = "too-many-challenges"
    title = "You have as many open challenges as a player may have"


class ChallengeTable(Conflict):
    code = "challenge-table"
    title = "The seats of this table are for the players of a challenge"


class InvalidConfig(InvalidInput):
    code = "invalid-config"
    title = "The game cannot be played with this config"


class InvalidClientSeed(InvalidInput):
    code = "invalid-client-seed"
    title = "Invalid client seed"


class UnknownRules(InvalidInput):
    code = "unknown-rules"
    title = "Unknown game"


class InvalidTable(InvalidInput):
    code = "invalid-table"
    title = "The table cannot be set up like this"


class TooManyTables(TooManyRequests):
    code = "too-many-tables"
    title = "This player has as many tables open as allowed"


class StakeNeedsSession(InvalidInput):
    code = "stake-needs-session"
    title = "A stake needs a stake table, and your own open play session if you name one; stake 0 plays without money"


class StakeNotOffered(Conflict):
    code = "stake-not-offered"
    title = "No open stake table offers this stake at this win rate"


class AlreadySeated(Conflict):
    code = "already-seated"
    title = "You already have a seat in this game"


class SeatsTaken(Conflict):
    code = "seats-taken"
    title = "Every seat of this game is taken"


class SeatRefused(Forbidden):
    code = "seat-refused"
    title = "You cannot sit down at this table; choose another one"


class NoRematch(Conflict):
    """The detail says why."""

    code = "no-rematch"
    title = "This game has no rematch"


class SeatsOpen(Conflict):
    code = "seats-open"
    title = "The deal is made when every seat is taken"


class NotSeated(Forbidden):
    code = "not-seated"
    title = "Only players of this game may do that"


class SeatForfeited(Forbidden):
    code = "seat-forfeited"
    title = "This seat is forfeited; the server plays it"


class OwnSessionOnly(Forbidden):
    code = "own-session-only"
    title = "Only the player who put up the stake may sit in this game"


class TournamentTable(Conflict):
    code = "tournament-table"
    title = "The tournament seats and starts its own games"


class NotStarted(Conflict):
    code = "not-started"
    title = "The cards have not been dealt"


class GameSuspended(Conflict):
    code = "game-suspended"
    title = "The game is suspended: no moves and no clocks until it is resumed or voided"


class NotSuspended(Conflict):
    code = "not-suspended"
    title = "The game is not suspended"


class NotInPlay(Conflict):
    code = "not-in-play"
    title = "Only a running game can be suspended"


class NotContinuable(Conflict):
    """The detail says why, and what is possible instead."""

    code = "not-continuable"
    title = "The game cannot be continued from that version"


class NotRedealable(Conflict):
    """The detail says why, and what is possible instead."""

    code = "not-redealable"
    title = "This game cannot be redealt"


class NoHints(NotFound):
    code = "no-hints"
    title = "There are no hints for this game"


class NoHintNow(Conflict):
    code = "no-hint-now"
    title = "A hint is for the player who is to act"


class HintsOff(Forbidden):
    code = "hints-off"
    title = "This table is played without hints"


class GameInPlay(Conflict):
    code = "game-in-play"
    title = "This is shown when the game has ended"


class DealInPlay(Conflict):
    code = "deal-in-play"
    title = "Other games with this deal are running; it is disclosed when the last one ends"


class EarlyAccessUsed(Forbidden):
    code = "early-access-used"
    title = "Players with early access to a running game may not take part in it or in its tournament"


class NoOdds(NotFound):
    code = "no-odds"
    title = "Only races of Racing Aces that are not void have odds"


class NoRaceMarket(Conflict):
    code = "no-race-market"
    title = "Bets are taken on public races of Racing Aces outside of tournaments"


class RaceHasMarket(Conflict):
    code = "race-has-market"
    title = "This race already has a market"


class RaceBegun(Conflict):
    code = "race-begun"
    title = "The race has started or is void; a market must be opened before the deal"


class NoMarket(NotFound):
    code = "no-market"
    title = "No market was opened on this game"


class HistoryDamaged(Conflict):
    code = "history-damaged"
    title = "The stored events of this game have been changed and cannot be read; its verification says where"


class StaleVersion(PreconditionFailed):
    """`If-Match` named an earlier version.

    `events` are the next events as the caller may see them. `next` is the address of further events, or null.
    """

    code = "stale-version"
    title = "The game has moved on since that version"

    def __init__(
        self, game_id: UUID, *, expected: int, actual: int, events: Sequence[Mapping[str, Any]]
    ) -> None:
        seen = events[-1]["version"] if events else actual
        super().__init__(
            f"The game is at version {actual}, not {expected}.",
            expected=expected,
            version=actual,
            events=events,
            next=None if seen >= actual else f"/api/v1/games/{game_id}/events/?after={seen}",
        )


register_problem(Refused, refused_move)
register_problem(ConfigError, lambda error: InvalidConfig(str(error), field=error.field))
register_problem(Unfoldable, lambda error: HistoryDamaged())
register_problem(BadSeed, lambda error: InvalidClientSeed(str(error)))
register_problem(UnknownGame, lambda error: UnknownRules(str(error)))
