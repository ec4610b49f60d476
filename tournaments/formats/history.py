"""A tournament as its events tell it: `fold` them and there is nothing else to know.

Events: `created`, `published`, `entered`, `checked-in`, `withdrawn`, `not-checked-in`, `entries-closed`,
`round-paired`, `games-dealt`, `round-opened`, `no-show`, `round-closed`, `retired`, `disqualified`, `stalled`,
`result-corrected`, `paused`, `resumed`, `role-given`, `role-taken`, `standings`, `prizes`, then `finished`; or
`cancelled`, and after it `seed-revealed`. A correction after the end is followed by `standings` and `prizes` anew.
Said of pairs of entries: `kept-apart`, `brought-together`, `pair-released`. Of a round that is not left to the engine:
`round-laid-out`, which may come again until the round is begun, and `layout-dropped`. Of a race: `betting-opened`, and
its `games-dealt` comes when that is over. Of a game: `game-suspended`, `game-resumed`, and `game-replaced` by one that
goes on from it (`goes_on`), or by a new deal. Of who waits for a place: `waitlisted`, `admitted` (and then
`entered`), `waiting-ended`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from tournaments.formats import corrected, protocol
from tournaments.formats import wishes as pairs
from tournaments.formats.anew import Anew
from tournaments.formats.corrected import Superseded
from tournaments.formats.protocol import TOTAL, Count, Measure, Pairing, Relaxed, Result, Snapshot, Table
from tournaments.formats.stage import Stage
from tournaments.formats.wishes import APART, TOGETHER, Wish

Data = Mapping[str, Any]


class UnknownEvent(ValueError):
    """A consumer that does not know an event's type must not guess what it did."""


@dataclass(frozen=True, slots=True)
class Entrant:
    entry: int
    player: str
    first: int = 1
    last: int | None = None
    """The round after which they left; None for who plays to the end."""
    disqualified: bool = False
    bot: bool = False
    strategy: str = ""
    """Of a bot, if one was asked for; otherwise the usual one."""


@dataclass(frozen=True, slots=True)
class History:
    """What has happened so far. `round` is the last one opened, `closed` the last one closed."""

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
    """Play money of everybody at the start, in pence; 0 where none is bet."""
    rated: bool = False
    """Whether its tables change the ratings of people who meet there."""
    ratings: Mapping[int, int] = field(default_factory=dict)
    """By entry, the rating at the start (or when they entered, if later) in whole points; none counts 0."""
    seeding: tuple[int, ...] = ()
    """Entries, the strongest first; empty until the entries are closed."""
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
    """Why it is stalled, as the event told it: cause, code, reason, round."""
    paused: str | None = None
    awards: Mapping[int, int] = field(default_factory=dict)
    wishes: tuple[Wish, ...] = ()
    corrections: int = 0
    superseded: tuple[Superseded, ...] = ()
    anew: Anew = field(default_factory=dict)

    @property
    def next_round(self) -> int:
        """The first that has not been laid out."""
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
            apart=pairs.in_force(self.wishes, APART, self.next_round),
            together=pairs.in_force(self.wishes, TOGETHER, self.next_round),
            stages=self.stages,
            bank=self.bank,
            lot=self.lot_key or "",
            wishes=self.wishes,
            superseded=self.superseded,
        )

    def _entrants(self) -> Iterable[protocol.Entrant]:
        # Who enters late comes behind everybody who was there when the field was seeded.
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
    """The history with one more event. Raises UnknownEvent."""
    match type:
        case "created":
            return replace(
                history,
                status="draft",
                format=data["format"],
                rules=data["rules"],
                rounds=data["rounds"],
                games=data["games"],
                measures=tuple(Measure(**measure) for measure in data["measures"]),
                # Tournaments made before there were tables of several seats say nothing of them.
                sizes=tuple(data.get("sizes", (1,))),
                preferred=data.get("seats", 1),
                through=data.get("through", 1),
                count=data.get("count", TOTAL),
                columns=tuple(data.get("tie_breaks", ())),
                stages=tuple(Stage(**stage) for stage in data.get("stages", ())),
                bank=data.get("bank", 0),
                rated=data.get("rated", False),
            )
        case "published":
            return replace(history, status="published", commitment=data["commitment"])
        case "entered":
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
        case "withdrawn":
            staying = tuple(one for one in history.entrants if one.entry != data["entry"])
            return replace(history, entrants=staying)
        case "not-checked-in":
            staying = tuple(one for one in history.entrants if one.entry not in data["entries"])
            return replace(history, entrants=staying)
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
            laid_out = replace(_pairing(data), by_hand=True)
            return replace(history, played=(*_without(history, data["round"]), laid_out))
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
        # Who did not come is told again by the results of the round.
        case "waitlisted" | "admitted" | "waiting-ended":
            return history
        case (
            "checked-in"
            | "betting-opened"
            | "games-dealt"
            | "game-suspended"
            | "game-resumed"
            | "no-show"
            | "standings"
            | "role-given"
            | "role-taken"
        ):
            return history
        case "game-replaced":
            if data["goes_on"]:
                return history
            anew = {**history.anew, (data["round"], data["table"], data["number"]): data["deal"]}
            return replace(history, anew=anew)
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
            return _wished(history, Wish(APART, _two(data), data["from"]))
        case "brought-together":
            return _wished(history, Wish(TOGETHER, _two(data), data["round"], data["round"]))
        case "pair-released":
            left = pairs.released(history.wishes, data["what"], _two(data), data["from"])
            return replace(history, wishes=left)
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
            return replace(history, status="cancelled", stalled=None, paused=None)
        case "seed-revealed":
            return replace(history, seed=data["seed"])
    raise UnknownEvent(f"no event {type!r} is known in a tournament")


def _without(history: History, round: int) -> tuple[Pairing, ...]:
    return tuple(one for one in history.played if one.round != round)


def _corrected(history: History, data: Data) -> History:
    game, now = (data["round"], data["table"], data["deal"]), corrected.told(data)
    was = corrected.replaced(history.results, game, now, number=data["number"], until=_last_paired(history))
    return replace(
        history,
        results=corrected.corrected(history.results, game, now),
        corrections=data["number"],
        superseded=(*history.superseded, *was),
    )


def _last_paired(history: History) -> int:
    """The last round that an engine laid out: one that was laid out by hand nobody pairs again."""
    return max((one.round for one in history.played if not one.by_hand), default=0)


def _wished(history: History, wish: Wish) -> History:
    return replace(history, wishes=(*history.wishes, wish))


def _two(data: Data) -> pairs.Two:
    one, other = data["entries"]
    return one, other


def _disqualified(entrants: Iterable[Entrant], data: Data) -> Iterable[Entrant]:
    """Before the start (`after` null) who is disqualified is gone, afterwards ranked behind the others."""
    for one in entrants:
        if one.entry != data["entry"]:
            yield one
        elif data["after"] is not None:
            yield replace(one, last=data["after"], disqualified=True)


def paired(pairing: Pairing) -> dict[str, Any]:
    """A pairing as its event tells it; who goes on, only in the round with which a stage begins."""
    told = {
        "round": pairing.round,
        "tables": [list(table.seats) for table in pairing.tables],
        "byes": list(pairing.byes),
        "relaxed": [{"what": one.what, "entries": list(one.entries)} for one in pairing.relaxed],
    }
    return {**told, "going_on": list(pairing.going_on)} if pairing.going_on else told


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
