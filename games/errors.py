"""What a caller can do wrong around a game, and what the API says of the rules' own refusals."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.errors import Conflict, Forbidden, InvalidInput, Problem, register_problem
from games.rules import BadSeed, ConfigError, Refused, UnknownGame
from games.rules.refusals import FORM_CODES
from games.rules.table import Unfoldable


class RefusedMove(Problem):
    """A refusal of the rules: code, the ruling that is broken and on what ground, each by its key and in words."""

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
        self.status = 400 if refused.code in FORM_CODES else 409


class InvalidConfig(InvalidInput):
    code = "invalid-config"
    title = "The game cannot be played with this config"


class InvalidClientSeed(InvalidInput):
    code = "invalid-client-seed"
    title = "This is no client seed"


class UnknownRules(InvalidInput):
    code = "unknown-rules"
    title = "No game of that name is played here"


class InvalidTable(InvalidInput):
    code = "invalid-table"
    title = "The table cannot be set up like this"


class StakeNeedsSession(InvalidInput):
    code = "stake-needs-session"
    title = "A stake needs a play session and a stake table; stake 0 plays without money"


class StakeNotOffered(Conflict):
    code = "stake-not-offered"
    title = "No open stake table offers this stake at this win rate"


class AlreadySeated(Conflict):
    code = "already-seated"
    title = "You sit in this game already"


class SeatsTaken(Conflict):
    code = "seats-taken"
    title = "Every seat of this game is taken"


class SeatsOpen(Conflict):
    code = "seats-open"
    title = "The deal is made when every seat is taken"


class NotSeated(Forbidden):
    code = "not-seated"
    title = "Only who sits in this game can do that"


class SeatForfeited(Forbidden):
    code = "seat-forfeited"
    title = "Who did not come in time has forfeited the table; the server plays on in this seat"


class OwnSessionOnly(Forbidden):
    code = "own-session-only"
    title = "Only who put up the stake can sit in this game"


class TournamentTable(Conflict):
    code = "tournament-table"
    title = "The tournament seats and starts its own games"


class NotStarted(Conflict):
    code = "not-started"
    title = "The cards have not been dealt"


class GameSuspended(Conflict):
    code = "game-suspended"
    title = "The game is suspended: nobody moves and no clock runs until it is resumed or called off"


class NotSuspended(Conflict):
    code = "not-suspended"
    title = "The game is not suspended"


class NotInPlay(Conflict):
    code = "not-in-play"
    title = "Only a game that has been dealt and is not over can be suspended"


class NotContinuable(Conflict):
    """The detail says why, and what can be done instead."""

    code = "not-continuable"
    title = "The game cannot go on as a new one from there"


class NotDealtAnew(Conflict):
    """The detail says why, and what can be done instead."""

    code = "not-dealt-anew"
    title = "This game cannot be given a new deal"


class NoHints(Problem):
    status = 404
    code = "no-hints"
    title = "There are no hints for this game; the solitaires have them"


class HintsOff(Forbidden):
    code = "hints-off"
    title = "This table is played without hints"


class GameInPlay(Conflict):
    code = "game-in-play"
    title = "This is shown when the game has ended"


class DealInPlay(Conflict):
    code = "deal-in-play"
    title = "Other games are still being played with this deal; it is opened when the last has ended"


class LookedEarly(Forbidden):
    code = "looked-early"
    title = "Who has looked into a running game can take no part in it or in its tournament"


class Contended(Conflict):
    code = "contended"
    title = "Others were faster each time; try again"


class NoSuchVersion(Problem):
    status = 404
    code = "no-such-version"
    title = "The game has no event of that version"


class NoOdds(Problem):
    status = 404
    code = "no-odds"
    title = "Only a race of Racing Aces that has not been called off has odds"


class NoRaceMarket(Conflict):
    code = "no-race-market"
    title = "Bets are taken on public races of Racing Aces outside of tournaments"


class RaceHasMarket(Conflict):
    code = "race-has-market"
    title = "This race has a market; there is one to a race"


class RaceBegun(Conflict):
    code = "race-begun"
    title = "The race has begun or was called off; a market is opened before the deal"


class NoMarket(Problem):
    status = 404
    code = "no-market"
    title = "No market was opened on this game"


class HistoryDamaged(Conflict):
    code = "history-damaged"
    title = "What is recorded of this game has been changed and tells no game any more; its verification says where"


class StaleVersion(Problem):
    """`If-Match` named a version that the game has left. `events` are the next after it, as the caller may see them;
    `next` is the address of those that follow, null if these are all.
    """

    status = 412
    code = "stale-version"
    title = "The game has moved on since that version"

    def __init__(self, game_id: UUID, *, expected: int, actual: int, events: list[dict[str, Any]]) -> None:
        seen = events[-1]["version"] if events else actual
        super().__init__(
            f"The game is at version {actual}, not {expected}.",
            expected=expected,
            version=actual,
            events=events,
            next=None if seen >= actual else f"/api/v1/games/{game_id}/events/?after={seen}",
        )


register_problem(Refused, RefusedMove)
register_problem(ConfigError, lambda error: InvalidConfig(str(error), field=error.field))
register_problem(Unfoldable, lambda error: HistoryDamaged())
register_problem(BadSeed, lambda error: InvalidClientSeed(str(error)))
register_problem(UnknownGame, lambda error: UnknownRules(str(error)))
