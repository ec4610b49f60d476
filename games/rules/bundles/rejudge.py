"""Judges a recorded game again: computes what had to be appended at each event, and compares."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from eventstore.chain import canonical, format_at, parse_at
from games.rules import buy_in
from games.rules import table as tables
from games.rules.buy_in import NoBuyIn
from games.rules.fairness import BadSeed, GameKey
from games.rules.protocol import Fact, UnknownGame
from games.rules.refusals import ConfigError, Refused
from games.rules.registry import get
from games.rules.table import NoParent, Table, read_parent

_OF_THE_TABLE = ("created", "seated", "left", "voided")
"""Events whose data is checked as a whole; a move's data is its move and its facts."""


class Wrong(Exception):
    """An event that could not have been; `check` is the name of the check that fails."""

    def __init__(self, check: str, why: str) -> None:
        super().__init__(why)
        self.check = check
        self.why = why


class Sealed(Exception):
    """The deal is not shown and cannot be worked out: nothing after it can be judged."""


class Rejudge:
    """The state of one recorded game as it is stepped through.

    Without a server seed (the game is still on) the recorded packs are taken as dealt, once they are seen to
    be whole packs; so are the orders of cards that were shuffled again.
    """

    def __init__(self, game: Mapping[str, Any]) -> None:
        self.game = game
        self.server_seed = None if game["server_seed"] is None else bytes.fromhex(game["server_seed"])
        self.key: GameKey | None = None
        self.some_key: GameKey | None = None
        """The game's, or one that shuffles in its place where the game's is not shown."""
        self.table: Table | None = None
        self.due: tuple[Fact, ...] = ()
        """Events that must follow at once."""
        self.time_limit: str | None = None
        """The moment from which nothing more is played, where the rules set one."""

    def step(self, event: Mapping[str, Any], written: bytes) -> None:
        """One event; `written` is its data in canonical form. Raises Wrong, Sealed."""
        type, data = event["type"], event["data"]
        try:
            facts = self.due or self._expected(event)
        except Refused as refused:
            of_a_move = "move" in data and refused.code != "unknown-move"
            raise Wrong("moves" if of_a_move else "events", f"`{type}` is refused: {refused}") from refused
        except (BadSeed, ConfigError, UnknownGame, NoBuyIn, NoParent) as error:
            raise Wrong("events", str(error)) from error
        self._compare(facts[0], event, written)
        if type == "dealt":
            self.time_limit = _time_limit(self.table, event["at"])
        self.due = facts[1:]
        self.table = tables.evolve(self.table, type, event["seat"], data, event["private"])

    def _expected(self, event: Mapping[str, Any]) -> tuple[Fact, ...]:
        type, data, table = event["type"], event["data"], self.table
        if table is None:
            return (self._created(type, data),)
        if table.ended:
            raise Wrong("events", f"`{type}` follows the end")
        if self.time_limit is not None:
            self._require_in_time(event, self.time_limit)
        if "move" in data and type != "expired":
            move = data["move"] if event["private"] is None else whole_move(event)
            if isinstance(move, dict) and move.get("type") != type:
                table.game.check_form(move)
                raise Wrong("moves", f"a move of type `{move['type']}` stands in an event of type `{type}`")
            return tables.decide(table, event["seat"], move, self.some_key)
        if type == "seated":
            suited = {"suit": str} if "suit" in data else {}
            _typed(data, seat=int, player=str, client_seed=str, **suited)
            return (
                tables.seat(
                    table,
                    data["seat"],
                    player=data["player"],
                    seed=data["client_seed"],
                    suit=data.get("suit"),
                ),
            )
        if type == "left":
            _typed(data, seat=int)
            return (tables.leave(table, data["seat"]),)
        if type == "dealt":
            return (self._dealt(table, event),)
        if type == "expired":
            seat = data.get("seat")
            return tables.expire(table, seat if isinstance(seat, int) else None, self.some_key)
        if type == "voided":
            _typed(data, reason=str)
            return (tables.void(table, reason=data["reason"]),)
        if type == "finished":
            raise Wrong("events", "`finished`, but the game is not over")
        raise Wrong("events", f"`{type}` is no event that may stand here")

    def _require_in_time(self, event: Mapping[str, Any], limit: str) -> None:
        """Check that moves are earlier than the time limit, and that the server did not end the game before it."""
        type, data, at = event["type"], event["data"], event["at"]
        if "move" in data and at >= limit:
            raise Wrong("moves", f"`{type}` at {at} is too late: the time limit is {limit}")
        if type == "expired" and "move" not in data and at < limit:
            raise Wrong("events", f"`{type}` at {at} is too early: the time limit is {limit}")

    def _created(self, type: str, data: Mapping[str, Any]) -> Fact:
        """The stream must begin with what the bundle says of its game; a config may leave defaults unsaid."""
        if type != "created":
            raise Wrong("events", f"the stream begins with `{type}`, not with `created`")
        rules = get(self.game["rules"], self.game["rules_version"])
        fact = tables.create(
            rules,
            rules.parse_config(self.game["config"]),
            commitment=self.game["commitment"],
            buy_in=buy_in.read(data["buy_in"], rules, self.game["config"]) if "buy_in" in data else None,
            parent=read_parent(data["parent"]) if "parent" in data else None,
        )
        return fact._replace(data={**fact.data, "config": self.game["config"]})

    def _dealt(self, table: Table, event: Mapping[str, Any]) -> Fact:
        bets = event["data"].get("bet_seeds")
        if bets is not None and not isinstance(bets, list):
            raise Wrong("deal", "`bet_seeds` is not a list")
        seeds = [table.seats[seat].client_seed for seat in sorted(table.seats)]
        if self.server_seed is not None:
            self.key = self.some_key = GameKey(self.server_seed, seeds, bets)
            return tables.deal(table, self.key)
        self.some_key = GameKey(bytes(32), seeds, bets)
        some_deal = tables.deal(table, self.some_key)
        if event["private"] is None:
            raise Sealed
        if not _same_packs(some_deal.private, event["private"]):
            raise Wrong("deal", "the packs are not whole packs")
        return some_deal._replace(private=event["private"])

    def _compare(self, fact: Fact, event: Mapping[str, Any], written: bytes) -> None:
        type = event["type"]
        if type != fact.type:
            raise Wrong("events", f"`{type}` stands where `{fact.type}` must")
        if event["seat"] != fact.seat:
            raise Wrong("moves" if "move" in fact.data else "events", f"the seat must be {fact.seat}")
        if written != (due := canonical(fact.data)):
            raise Wrong(_check_of(type), f"`{type}` must have the data {due.decode()[:400]}")
        if fact.private is not None or event["private"] is not None or event["seal"] is not None:
            self._compare_private(fact, event)

    def _compare_private(self, fact: Fact, event: Mapping[str, Any]) -> None:
        private, seal = event["private"], event["seal"]
        if fact.private is None:
            raise Wrong("seals", f"`{event['type']}` has nothing to seal")
        if private is None or seal is None:
            raise Wrong("seals", f"`{event['type']}` must be sealed, and opened here")
        if not same(private, fact.private if self.key else _in_the_shown_order(fact.private, private)):
            raise Wrong(_check_of(event["type"]), "what was sealed is not what the seeds and moves give")
        if self.key and seal != self.key.seal(self.game["id"], event["version"], private):
            raise Wrong("seals", "the seal does not fit what is shown")


def _time_limit(table: Table | None, dealt_at: str) -> str | None:
    limit = None if table is None else table.game.time_limit(table.config)
    if limit is None:
        return None
    try:
        return format_at(parse_at(dealt_at) + timedelta(seconds=limit))
    except OverflowError:
        # Later than any moment that can be written.
        return None


def same(one: object, other: object) -> bool:
    """Equality as JSON has it: 1, 1.0 and true are three values."""
    return one == other and canonical(one) == canonical(other)


def _typed(data: Mapping[str, Any], **types: type) -> None:
    if data.keys() != types.keys() or any(type(data[key]) is not wanted for key, wanted in types.items()):
        raise Wrong(
            "events", f"its data must be {', '.join(f'{key}: {t.__name__}' for key, t in types.items())}"
        )


def _same_packs(one: Any, other: Any) -> bool:
    """Return whether both are packs of the same cards under the same labels, in any order."""
    try:
        return same(
            {label: sorted(pack) for label, pack in one["packs"].items()},
            {label: sorted(pack) for label, pack in other["packs"].items()},
        ) and other.keys() == {"packs"}
    except (KeyError, TypeError, AttributeError, RecursionError):
        return False


def whole_move(event: Mapping[str, Any]) -> Any:
    """The move with what only some may see of it; that the event shows no more and no less is compared later."""
    private = event["private"]
    return private["move"] if isinstance(private, dict) and "move" in private else event["data"]["move"]


def _in_the_shown_order(expected: Mapping[str, Any], shown: Any) -> Mapping[str, Any]:
    """Return the expected event with reshuffled cards in the recorded order, if they are the same cards."""
    try:
        facts, order = expected["facts"], shown["facts"]["order"]
        if sorted(facts["order"]) == sorted(order):
            return {**expected, "facts": {**facts, "order": order}}
    except (KeyError, TypeError):
        pass
    return expected


def _check_of(type: str) -> str:
    if type in _OF_THE_TABLE:
        return "events"
    return {"dealt": "deal", "finished": "outcome"}.get(type, "facts")
