"""A finished game judged under another reading of the rulebook: where it would have continued differently.

Only options can be read otherwise: the config keys that decide a ruling. Everything else of a config was agreed upon
and is what the game was; the deal does not depend on any option. The moves are those that were made. The first event
that could not stand as it does under the other reading is where the two games part; what came after it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from games.rules import table as tables
from games.rules.bundles.rejudge import same, whole_move
from games.rules.bundles.verification import verify
from games.rules.fairness import GameKey
from games.rules.protocol import Fact, Game
from games.rules.refusals import Refused
from games.rules.registry import get, options
from games.rules.table import Table

How = Literal["refused", "facts", "ends-earlier", "goes-on", "outcome"]

HOW: dict[How, str] = {
    "refused": "the move would have been refused",
    "facts": "the move would have revealed or settled something else",
    "ends-earlier": "the game would have ended with this move",
    "goes-on": "the game would have continued",
    "outcome": "the outcome would have been different",
}


class CannotReread(ValueError):
    """The bundle does not prove a finished game, or the change is to no option."""


@dataclass(frozen=True, slots=True)
class Otherwise:
    """The first event that differs under the other reading."""

    version: int
    how: How
    move: dict[str, Any] | None
    recorded: Any
    """The recorded facts, outcome, or type of the event."""
    instead: Any
    """The same under the other reading; for a refusal its code, rule, and fact."""


@dataclass(frozen=True, slots=True)
class Reading:
    game: str
    config: dict[str, Any]
    """The config of the game."""
    changed: dict[str, Any]
    events: int
    otherwise: Otherwise | None
    """None if every event is the same under both readings."""
    choice: int | None
    """The first event before which a seat to act would have had other moves."""

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "game": self.game,
            "config": self.config,
            "changed": self.changed,
            "events": self.events,
            "same": self.otherwise is None,
            "choice": self.choice,
            "otherwise": None,
        }
        if found := self.otherwise:
            document["otherwise"] = {
                "version": found.version,
                "how": found.how,
                "why": HOW[found.how],
                "move": found.move,
                "recorded": found.recorded,
                "instead": found.instead,
            }
        return document


def reread(bundle: Mapping[str, Any], changes: Mapping[str, Any]) -> Reading:
    """Judge the game of a bundle with some options changed.

    Raises CannotReread, and ConfigError where an option cannot have the value.
    """
    report = verify(bundle)
    if not report.ok:
        where = "" if report.version is None else f"event {report.version}: "
        raise CannotReread(f"the bundle does not prove its game: {where}{report.why}")
    if not report.ended:
        raise CannotReread("the game is not over: its seed and its hidden cards are not shown yet")
    about = bundle["game"]
    game = get(about["rules"], about["rules_version"])
    config = _changed(game, about["config"], changes)
    _require_suits(game, config, about["seats"])
    key = _key(about, bundle["events"])
    otherwise, choice = _compare(game, config, key, bundle["events"])
    return Reading(
        game=about["id"],
        config=dict(about["config"]),
        changed=dict(changes),
        events=len(bundle["events"]),
        otherwise=otherwise,
        choice=choice,
    )


def outcome_under(bundle: Mapping[str, Any], reading: Reading) -> dict[str, Any] | None:
    """Return the outcome of the bundle's moves under a reading; None if the game would not end."""
    found = reading.otherwise
    events = bundle["events"]
    if found is None or found.how in ("outcome", "ends-earlier"):
        outcome: dict[str, Any] = bundle["outcome"] if found is None else found.instead
        return outcome
    last = len(events) - 1
    if found.how != "facts" or found.version != last:
        return None
    # Only the last move tells something else: a pay table does.
    about = bundle["game"]
    game = get(about["rules"], about["rules_version"])
    config = _changed(game, about["config"], reading.changed)
    table: Table | None = None
    for event in events[: last - 1]:
        fact = _as_recorded(event)
        if table is None:
            fact = tables.create(game, config, commitment=event["data"]["commitment"])
        table = tables.evolve(table, fact.type, fact.seat, fact.data, fact.private)
    assert table is not None
    facts = _next(table, events[last - 1], (), _key(about, events))
    if isinstance(facts, Otherwise) or facts[-1].type != "finished":
        return None
    ends: dict[str, Any] = facts[-1].data["outcome"]
    return ends


def _changed(game: Game, config: Mapping[str, Any], changes: Mapping[str, Any]) -> Any:
    known = options(game)
    for key in changes:
        if key not in known:
            names = ", ".join(known) or "none"
            raise CannotReread(f"`{key}` is no option of {game.name}; its options are {names}")
    return game.parse_config({**config, **changes})


def _require_suits(game: Game, config: Any, seats: list[dict[str, Any]]) -> None:
    if game.seats_of_a_suit(config, len(seats)) and any("suit" not in seat for seat in seats):
        raise CannotReread(f"no seat of this game of {game.name} has a suit")


def _key(about: Mapping[str, Any], events: list[dict[str, Any]]) -> GameKey:
    bets = next((event["data"].get("bet_seeds") for event in events if event["type"] == "dealt"), None)
    seeds = [seat["client_seed"] for seat in about["seats"]]
    return GameKey(bytes.fromhex(about["server_seed"]), seeds, bets)


def _compare(
    game: Game, config: Any, key: GameKey, events: list[dict[str, Any]]
) -> tuple[Otherwise | None, int | None]:
    """Both games side by side: the recorded one, and the same moves under the other reading."""
    played: Table | None = None
    reread: Table | None = None
    due: tuple[Fact, ...] = ()
    choice: int | None = None
    for event in events:
        if reread is None or played is None or event["type"] in ("seated", "left", "dealt", "voided"):
            fact = _as_recorded(event)
            if reread is None:
                fact = tables.create(game, config, commitment=event["data"]["commitment"])
        else:
            if choice is None and not due and _choices(played) != _choices(reread):
                choice = event["version"]
            found = _next(reread, event, due, key)
            if isinstance(found, Otherwise):
                return found, choice
            fact, *rest = found
            due = tuple(rest)
            if parting := _parting(event, fact, due, events):
                return parting, choice
        played = tables.evolve(played, event["type"], event["seat"], event["data"], event["private"])
        reread = tables.evolve(reread, fact.type, fact.seat, fact.data, fact.private)
    return None, choice


def _as_recorded(event: Mapping[str, Any]) -> Fact:
    return Fact(event["type"], event["seat"], event["data"], event["private"])


def _next(
    table: Table, event: Mapping[str, Any], due: tuple[Fact, ...], key: GameKey
) -> tuple[Fact, ...] | Otherwise:
    """Return the event that the other reading requires."""
    if due:
        return due
    data = event["data"]
    try:
        if event["type"] == "expired":
            return tables.expire(table, data["seat"], key)
        return tables.decide(table, event["seat"], whole_move(event), key)
    except Refused as refused:
        refusal = {"code": refused.code, "rule": refused.rule, "fact": refused.fact}
        return _at(event, "refused", _facts(event), refusal)


def _parting(
    event: Mapping[str, Any], fact: Fact, due: tuple[Fact, ...], events: list[dict[str, Any]]
) -> Otherwise | None:
    """Describe how the two events differ; the end of the game comes first."""
    if fact.type == "finished" == event["type"]:
        if same(event["data"], fact.data):
            return None
        return _at(event, "outcome", event["data"]["outcome"], fact.data["outcome"])
    following = events[event["version"]] if event["version"] < len(events) else None
    ended = following["data"]["outcome"] if following and following["type"] == "finished" else None
    ends = due[0].data["outcome"] if due and due[0].type == "finished" else None
    if ends is not None and ended is None:
        return _at(event, "ends-earlier", None, ends)
    if ended is not None and ends is None:
        return _at(event, "goes-on", ended, None)
    if same(event["data"], fact.data) and same(event["private"], fact.private):
        return None
    return _at(event, "facts", _facts(event), (fact.private or fact.data).get("facts"))


def _facts(event: Mapping[str, Any]) -> Any:
    """All of them: the game is over and nothing in it is hidden any more."""
    return (event["private"] or event["data"]).get("facts")


def _at(event: Mapping[str, Any], how: How, recorded: Any, instead: Any) -> Otherwise:
    move = whole_move(event) if "move" in event["data"] else None
    return Otherwise(event["version"], how, move, recorded, instead)


def _choices(table: Table) -> list[tuple[int | None, list[dict[str, Any]]]]:
    waiting: list[int] = table.to_act()
    return [(seat, table.legal_moves(seat)) for seat in waiting]
