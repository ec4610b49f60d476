"""The state of a tournament, folded from its events.

Draft: `created`, `terms-changed`, and `deleted`, which is the last event. Then `published`, `entered`, `checked-in`,
`withdrawn`, `not-checked-in`, `entries-closed`, `round-paired`, `games-dealt`, `round-opened`, `no-show`,
`round-closed`, `retired`, `disqualified`, `stalled`, `result-corrected`, `paused`, `resumed`, `role-given`,
`role-taken`, `standings`, `prizes`, then `finished`; or `cancelled` followed by `seed-revealed`. A correction after the
end is followed by new `standings` and `prizes`. Pairing constraints: `kept-apart`, `brought-together`,
`pair-released`. Manual pairings: `round-laid-out`, which may be repeated until the round begins, and `layout-dropped`.
Rounds ahead of their time: `round-called` and `round-ended`.
Races: `betting-opened`, with `games-dealt` after the betting. Games: `game-suspended`, `game-resumed`, and
`game-replaced` by a continuation (`goes_on`) or a redeal. Waiting list: `waitlisted`, `admitted` (followed by
`entered`), `waiting-ended`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from tournaments.formats import constraints as pairs
from tournaments.formats import corrected_results, protocol
from tournaments.formats.constraints import APART, TOGETHER, Constraint
from tournaments.formats.corrected_results import Superseded
from tournaments.formats.protocol import (
    TOTAL,
    Count,
    Measure,
    Pairing,
    RedealtDeals,
    Relaxed,
    Result,
    Snapshot,
    Stage,
    Table,
)

Data = Mapping[str, Any]

TERMS = frozenset({"created", "terms-changed"})
"""The types of the events that have all terms."""


class UnknownEvent(ValueError):
    """An event of an unknown type. Its effect must not be guessed."""


@dataclass(frozen=True, slots=True)
class Entrant:
    entry: int
    player: str
    first: int = 1
    last: int | None = None
    """The last round that they play; None to the end."""
    disqualified: bool = False
    bot: bool = False
    strategy: str = ""
    """The strategy of a bot, if one was requested; otherwise the default."""


@dataclass(frozen=True, slots=True)
class History:
    """The state after the events so far. `round` is the last round opened, `closed` the last one closed."""

    status: str = "none"
    format: str = ""
    rules: str = ""
    rounds: int = 0
    games: int = 0
    measures: tuple[Measure, ...] = ()
    sizes: tuple[int, ...] = (1,)
    preferred: int = 1
    through: int = 1
    count: Count = TOTAL
    columns: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    bank: int = 0
    """Everyone's play money at the start, in pence; 0 in other formats."""
    rated: bool = False
    """Whether its tables change ratings who meet there."""
    ratings: Mapping[int, int] = field(default_factory=dict)
    """The rating at the start or at entry, in whole points by entry; 0 without a rating."""
    seeding: tuple[int, ...] = ()
    """Entries, the strongest first; empty until entries are closed."""
    played: tuple[Pairing, ...] = ()
    commitment: str | None = None
    client_seeds: Mapping[int, str] = field(default_factory=dict)
    """By entry, in entry order, of those entered when entries closed; empty until then."""
    entropy: str | None = None
    lot_key: str | None = None
    seed: str | None = None
    entrants: tuple[Entrant, ...] = ()
    round: int = 0
    closed: int = 0
    results: tuple[Result, ...] = ()
    stalled: str | None = None
    trouble: Mapping[str, Any] = field(default_factory=dict)
    """The cause, code, reason, and round of the last `stalled` event."""
    paused: str | None = None
    cancelled: str | None = None
    """The reason of the cancellation."""
    awards: Mapping[int, int] = field(default_factory=dict)
    constraints: tuple[Constraint, ...] = ()
    corrections: int = 0
    superseded: tuple[Superseded, ...] = ()
    redealt: RedealtDeals = field(default_factory=dict)

    @property
    def next_round(self) -> int:
        """The first round that is not paired yet."""
        return self.played[-1].round + 1 if self.played else 1

    def snapshot(self) -> Snapshot:
        return Snapshot(
            entrants=tuple(self._entrants()),
            rounds=self.rounds,
            games=self.games,
            measures=self.measures,
            results=self.results,
            played=self.played,
            sizes=self.sizes,
            preferred=self.preferred,
            through=self.through,
            count=self.count,
            columns=self.columns,
            apart=pairs.in_force(self.constraints, APART, self.next_round),
            together=pairs.in_force(self.constraints, TOGETHER, self.next_round),
            stages=self.stages,
            bank=self.bank,
            lot=self.lot_key or "",
            constraints=self.constraints,
            superseded=self.superseded,
        )

    def _entrants(self) -> Iterable[protocol.Entrant]:
        # Late entrants are seeded behind the field of the start.
        seeded_then = set(self.seeding)
        late = (entrant.entry for entrant in self.entrants if entrant.entry not in seeded_then)
        order = (*self.seeding, *late)
        seeded = {entry: seed for seed, entry in enumerate(order, start=1)}
        for entrant in self.entrants:
            yield protocol.Entrant(
                entrant.entry,
                seeded[entrant.entry],
                rating=self.ratings.get(entrant.entry, 0),
                first=entrant.first,
                last=entrant.last,
                disqualified=entrant.disqualified,
            )


def fold(events: Iterable[tuple[str, Data]], history: History | None = None) -> History:
    return reduce(lambda state, event: evolve(state, *event), events, history or History())


def evolve(history: History, type: str, data: Data) -> History:
    """Return the state after one more event. Raises UnknownEvent."""
    match type:
        case "created" | "terms-changed":
            return _with_terms(history, data)
        case "deleted":
            return replace(history, status="deleted")
        case "published":
            return replace(history, status="published", commitment=data["commitment"])
        case "entered":
            return _entered(history, data)
        case "withdrawn":
            return _removed(history, [data["entry"]])
        case "not-checked-in":
            return _removed(history, data["entries"])
        case "entries-closed":
            return replace(
                history,
                status="running",
                client_seeds=dict(zip(data["entries"], data["client_seeds"], strict=True)),
                entropy=data["entropy"],
                lot_key=data["lot_key"],
                rounds=data.get("rounds", history.rounds),
                seeding=tuple(data.get("seeding", ())),
                ratings={row["entry"]: row["rating"] for row in data.get("ratings", ())},
            )
        case "round-paired":
            return replace(history, played=(*history.played, _pairing(data)))
        case "round-laid-out":
            manual = replace(_pairing(data), by_hand=True)
            return replace(history, played=(*_without(history, data["round"]), manual))
        case "layout-dropped":
            return replace(history, played=_without(history, data["round"]))
        case "retired":
            gone = (
                replace(one, last=data["after"]) if one.entry == data["entry"] else one
                for one in history.entrants
            )
            return replace(history, entrants=tuple(gone))
        case "disqualified":
            return replace(history, entrants=tuple(_disqualified(history.entrants, data)))
        case (
            "waitlisted"
            | "admitted"
            | "waiting-ended"
            | "checked-in"
            | "betting-opened"
            | "games-dealt"
            | "game-suspended"
            | "game-resumed"
            | "no-show"  # the results of the round name the absent entrants again
            | "round-called"
            | "round-ended"
            | "standings"
            | "role-given"
            | "role-taken"
        ):
            return history
        case "game-replaced":
            if data["goes_on"]:
                return history
            redealt = {**history.redealt, (data["round"], data["table"], data["number"]): data["deal"]}
            return replace(history, redealt=redealt)
        case "round-opened":
            return replace(history, round=data["round"])
        case "round-closed":
            return replace(
                history,
                closed=data["round"],
                results=(*history.results, *_results(data)),
            )
        case "result-corrected":
            return _corrected(history, data)
        case "kept-apart":
            return _constrained(history, Constraint(APART, _two(data), data["from"]))
        case "brought-together":
            return _constrained(history, Constraint(TOGETHER, _two(data), data["round"], data["round"]))
        case "pair-released":
            left = pairs.released(history.constraints, data["what"], _two(data), data["from"])
            return replace(history, constraints=left)
        case "stalled":
            return replace(history, stalled=data["reason"], trouble=data)
        case "resumed":
            return replace(history, stalled=None, trouble={}, paused=None)
        case "paused":
            return replace(history, paused=data["reason"])
        case "prizes":
            return replace(history, awards={award["entry"]: award["amount"] for award in data["awards"]})
        case "finished":
            return replace(history, status="finished", seed=data["seed"], stalled=None)
        case "cancelled":
            return replace(history, status="cancelled", stalled=None, paused=None, cancelled=data["reason"])
        case "seed-revealed":
            return replace(history, seed=data["seed"])
    raise UnknownEvent(f"no event {type!r} is known in a tournament")


def _with_terms(history: History, data: Data) -> History:
    return replace(
        history,
        status="draft",
        format=data["format"],
        rules=data["rules"],
        rounds=data["rounds"],
        games=data["games"],
        measures=tuple(Measure(**measure) for measure in data["measures"]),
        # Tournaments from before tables of several seats have no such members.
        sizes=tuple(data.get("sizes", (1,))),
        preferred=data.get("seats", 1),
        through=data.get("through", 1),
        count=data.get("count", TOTAL),
        columns=tuple(data.get("tie_breaks", ())),
        stages=tuple(Stage(**stage) for stage in data.get("stages", ())),
        bank=data.get("bank", 0),
        rated=data.get("rated", False),
    )


def _entered(history: History, data: Data) -> History:
    entrant = Entrant(
        data["entry"],
        data["player"],
        data.get("first", 1),
        bot=data.get("bot", False),
        strategy=data.get("strategy", ""),
    )
    rated = {entrant.entry: data["rating"]["rating"]} if "rating" in data else {}
    return replace(
        history,
        entrants=(*history.entrants, entrant),
        ratings={**history.ratings, **rated} if rated else history.ratings,
    )


def _removed(history: History, entries: Collection[int]) -> History:
    return replace(history, entrants=tuple(one for one in history.entrants if one.entry not in entries))


def _without(history: History, round: int) -> tuple[Pairing, ...]:
    return tuple(one for one in history.played if one.round != round)


def _corrected(history: History, data: Data) -> History:
    game, now = (data["round"], data["table"], data["deal"]), corrected_results.new_scores(data)
    was = corrected_results.replaced(
        history.results, game, now, number=data["number"], until=_last_paired(history)
    )
    return replace(
        history,
        results=corrected_results.corrected(history.results, game, now),
        corrections=data["number"],
        superseded=(*history.superseded, *was),
    )


def _last_paired(history: History) -> int:
    """Return the last round that an engine paired; manual pairings are not paired again."""
    return max((one.round for one in history.played if not one.by_hand), default=0)


def _constrained(history: History, constraint: Constraint) -> History:
    return replace(history, constraints=(*history.constraints, constraint))


def _two(data: Data) -> pairs.Two:
    one, other = data["entries"]
    return one, other


def _disqualified(entrants: Iterable[Entrant], data: Data) -> Iterable[Entrant]:
    """Apply a disqualification: before the start (`after` null) the entrant is removed, afterwards ranked last."""
    for one in entrants:
        if one.entry != data["entry"]:
            yield one
        elif data["after"] is not None:
            yield replace(one, last=data["after"], disqualified=True)


def paired(pairing: Pairing) -> dict[str, Any]:
    """Return the data of a pairing's event. Only the first round of a stage lists its entrants."""
    members = {
        "round": pairing.round,
        "tables": [list(table.seats) for table in pairing.tables],
        "byes": list(pairing.byes),
        "relaxed": [{"what": one.what, "entries": list(one.entries)} for one in pairing.relaxed],
    }
    return {**members, "going_on": list(pairing.going_on)} if pairing.going_on else members


def _pairing(data: Data) -> Pairing:
    return Pairing(
        round=data["round"],
        tables=tuple(Table(number, tuple(seats)) for number, seats in enumerate(data["tables"], start=1)),
        byes=tuple(data["byes"]),
        relaxed=tuple(Relaxed(one["what"], tuple(one["entries"])) for one in data["relaxed"]),
        going_on=tuple(data.get("going_on", ())),
    )


def _results(data: Data) -> Iterable[Result]:
    for row in data["results"]:
        yield Result(
            round=data["round"],
            table=row["table"],
            deal=row["deal"],
            entry=row["entry"],
            ended=row["ended"],
            score=tuple(row["score"]),
        )
