"""Replay of a tournament's events: checks that every pairing, deal, standing, and prize follows from the events
before it.

Only the events are needed. The scores of games are taken as facts; the games' bundles prove them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from eventstore.chain import chain_fault
from games import rules as games
from games.rules import fairness
from tournaments import formats
from tournaments.formats import checker, history, meeting, pairing_review
from tournaments.formats.corrected_results import score_of
from tournaments.formats.corrections import PLAYED
from tournaments.formats.history import History
from tournaments.formats.protocol import Pairing, further_deal
from tournaments.formats.scoring import game_scores, prizes
from tournaments.formats.scoring.tiebreaks import lot

Event = Mapping[str, Any]
Data = Mapping[str, Any]

UNREADABLE = (LookupError, ValueError, TypeError, AttributeError)
"""The exceptions that foreign or damaged events may raise when they are read."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first event that does not follow: `recorded` in the event, `derived` from the earlier events."""

    version: int
    what: str
    recorded: Any = None
    derived: Any = None

    def document(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "what": self.what,
            "recorded": self.recorded,
            "derived": self.derived,
        }


@dataclass(frozen=True, slots=True)
class Replayed:
    """Counts of what was derived again, and the first difference (None: none)."""

    status: str
    events: int
    pairings: int
    deals: int
    standings: int
    prizes: int
    difference: Difference | None

    @property
    def ok(self) -> bool:
        return self.difference is None

    def document(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "status": self.status,
            "events": self.events,
            "pairings": self.pairings,
            "deals": self.deals,
            "standings": self.standings,
            "prizes": self.prizes,
            "difference": self.difference.document() if self.difference else None,
        }


@dataclass(frozen=True, slots=True)
class Expectation:
    """A member of an event, and the value that it must have."""

    what: str
    recorded: Any
    derived: Any


class DealtGame(NamedTuple):
    """A dealt game. `after` has the id and outcome of the preceding game of its match."""

    game: str
    config: Data
    after: Data | None


Dealt = dict[tuple[int, int, int], DealtGame]
"""By round, table, and number."""


def replay(tournament: str, events: Sequence[Event]) -> Replayed:
    """Replay `events`, in their published form from the first. `tournament` is the id to which they are chained."""
    try:
        broken = chain_fault([dict(event) for event in events], stream=tournament)
    except UNREADABLE as error:
        broken = (0, f"the events cannot be read: {error}")
    if broken is not None:
        return _replayed(History(), 0, {}, Difference(*broken))
    state, derived = History(), dict.fromkeys(("pairings", "deals", "standings", "prizes"), 0)
    terms: Data = {}
    dealt: Dealt = {}
    for number, event in enumerate(events):
        type, data = event["type"], event["data"]
        try:
            if (due := _due(state, events[max(0, number - 2) : number])) not in ("", type):
                return _replayed(state, number, derived, Difference(event["version"], _UNSETTLED, type, due))
            for expectation in _expectations(state, terms, dealt, type, data):
                if expectation.recorded != expectation.derived:
                    found = Difference(
                        event["version"], expectation.what, expectation.recorded, expectation.derived
                    )
                    return _replayed(state, number, derived, found)
            terms = data if type in history.TERMS else terms
            state = history.evolve(state, type, data)
            dealt |= dealt_games(dealt, terms, type, data)
        except UNREADABLE as error:
            found = Difference(event["version"], f"the event cannot be replayed: {error}")
            return _replayed(state, number, derived, found)
        _count(derived, type, data)
    if due := _due(state, events):
        return _replayed(
            state, len(events), derived, Difference(events[-1]["version"], _UNSETTLED, None, due)
        )
    return _replayed(state, len(events), derived, None)


_UNSETTLED = "new standings and prizes after a late correction"


def _due(state: History, events: Sequence[Event]) -> str:
    """Return the types of which one must come next; empty if any may. A late correction is followed by new
    standings and prizes.
    """
    if state.status != "finished":
        return ""
    last = [event["type"] for event in events[-2:]]
    if last[-1:] == ["result-corrected"]:
        return "standings"
    return "prizes" if last == ["result-corrected", "standings"] else ""


def _replayed(
    state: History, events: int, derived: Mapping[str, int], difference: Difference | None
) -> Replayed:
    counted = {name: derived.get(name, 0) for name in ("pairings", "deals", "standings", "prizes")}
    return Replayed(status=state.status, events=events, **counted, difference=difference)


def _count(derived: dict[str, int], type: str, data: Data) -> None:
    match type:
        case "round-paired" | "round-laid-out":
            derived["pairings"] += 1
        case "games-dealt":
            derived["deals"] += len(data["games"])
        case "standings":
            derived["standings"] += len(data["standings"])
        case "prizes":
            derived["prizes"] += len(data["awards"])


def dealt_games(dealt: Dealt, terms: Data, type: str, data: Data) -> Dealt:
    """Return the games that an event deals, or with which it replaces a dealt game."""
    if type == "games-dealt":
        return {
            (data["round"], one["table"], one["number"]): DealtGame(
                one["game"], one.get("config", terms["config"]), one.get("after")
            )
            for one in data["games"]
        }
    if type == "game-replaced":
        key = data["round"], data["table"], data["number"]
        return {key: dealt[key]._replace(game=data["game"])}
    return {}


_WORDS = frozenset({"name", "description"})
"""Terms that no event has, since they may be offensive."""

_NO_TERM = frozenset({"rules_version", "measures", "by", "changed"})
"""The members of `terms-changed` that follow from the terms, or are none."""


def _expectations(state: History, terms: Data, dealt: Dealt, type: str, data: Data) -> Iterator[Expectation]:
    """Yield the members of an event that follow from what was known before it."""
    match type:
        case "terms-changed":
            yield Expectation("that it was a draft", state.status, "draft")
            changed = {name for name in data if name not in _NO_TERM and data[name] != terms.get(name, [])}
            yield Expectation("the changed terms", sorted({*data["changed"]} - _WORDS), sorted(changed))
        case "published" | "deleted":
            yield Expectation("that it was a draft", state.status, "draft")
        case "entries-closed":
            yield from _of_the_start(state, terms, data)
        case "round-paired":
            yield from _of_a_pairing(state, data)
        case "round-laid-out":
            yield from _of_a_layout(state, data)
        case "games-dealt":
            yield from _of_deals(state, data)
            yield from _of_matches(state, dealt, data)
        case "round-closed":
            yield from _of_results(state, data)
            yield from _of_outcomes(state, dealt, data)
        case "game-replaced":
            yield from _of_a_replacement(state, data)
        case "result-corrected":
            yield from _of_a_correction(state, data)
        case "standings":
            ranked = formats.get(state.format).standings(state.snapshot())
            yield Expectation("the standings", data["standings"], [one.document() for one in ranked])
        case "prizes":
            yield from _of_prizes(state, terms, data)
        case "finished" | "seed-revealed":
            shown = fairness.commitment(bytes.fromhex(data["seed"]))
            yield Expectation("the seed that was committed to", shown, state.commitment)
            if state.entropy is not None:
                key = fairness.lot_key(bytes.fromhex(data["seed"]), state.entropy)
                yield Expectation("the key that the lots were drawn from", state.lot_key, key)


def _of_the_start(state: History, terms: Data, data: Data) -> Iterator[Expectation]:
    entries = [one.entry for one in state.entrants]
    # Entrants know their own client seeds; no event publishes one before this.
    seeds = [fairness.client_seed(seed) for seed in data["client_seeds"]]
    yield Expectation("the entries", data["entries"], entries)
    yield Expectation("the number of client seeds", len(seeds), len(entries))
    yield Expectation("the entropy", data["entropy"], fairness.entropy(seeds))
    if "rounds" in data:
        form = formats.get(state.format)
        rounds = form.rounds(len(entries), asked=terms["rounds"], snapshot=state.snapshot())
        yield Expectation("the number of rounds", data["rounds"], rounds)
    if "seeding" in data and terms.get("seeding") in ("entry", "lot"):
        drawn = sorted(entries, key=lambda entry: lot(data["lot_key"], "seeding", entry))
        yield Expectation("the seeding", data["seeding"], drawn if terms["seeding"] == "lot" else entries)


def _of_a_pairing(state: History, data: Data) -> Iterator[Expectation]:
    form, known = formats.get(state.format), state.snapshot()
    if "algorithm" in data:
        yield Expectation("the engine that paired the round", data["algorithm"], form.algorithm(known))
        yield Expectation("the snapshot of the pairing", data["known"], known.fingerprint())
    pairing = form.pair(known, data["round"])
    yield Expectation("the pairing", _paired(data), history.paired(pairing))
    yield Expectation("the checker's verdict", [one.why for one in checker.check(form, known, pairing)], [])


def _of_a_layout(state: History, data: Data) -> Iterator[Expectation]:
    """Yield the expectations of a manual pairing. The pairing itself is a fact."""
    form, known = formats.get(state.format), checker.before(state.snapshot(), data["round"])
    yield Expectation("the engine of the round", data["algorithm"], form.algorithm(known))
    yield Expectation("the snapshot of the pairing", data["known"], known.fingerprint())
    pairing = pairing_review.layout(known, data["round"], data["tables"], data["byes"])
    yield Expectation("the manual pairing", _paired(data), history.paired(pairing))
    yield Expectation("the checker's verdict", list(pairing_review.faults(form, known, pairing)), [])
    engine = pairing_review.of_the_engine(form, known, data["round"])
    found = history.paired(engine) if engine else None
    recorded = {"round": data["round"], **data["engine"]} if data["engine"] else None
    yield Expectation("the pairing of the engine", recorded, found)
    warned = [one.document() for one in pairing_review.cautions(known, pairing, engine)]
    yield Expectation("the warnings", data["warnings"], warned)


def _paired(data: Data) -> Data:
    """Return the members of an event that `history.paired` writes."""
    recorded = ("round", "tables", "byes", "relaxed", "going_on")
    return {name: data[name] for name in recorded if name in data}


def _of_deals(state: History, data: Data) -> Iterator[Expectation]:
    pairing = _pairing(state, data["round"])
    form, seats = formats.get(state.format), {table.number: list(table.seats) for table in pairing.tables}
    for recorded in data["games"]:
        table, number = recorded["table"], recorded["number"]
        where = f"of game {number} at table {table} of round {pairing.round}"
        deal = form.deal(tables=len(seats), game=number, table=table)
        yield Expectation(f"the deal {where}", recorded["deal"], deal)
        yield Expectation(f"the seats {where}", recorded["entries"], seats[table])


def _of_matches(state: History, dealt: Dealt, data: Data) -> Iterator[Expectation]:
    """Yield the expectations of a match.

    The first game has the tournament's config. Each other config follows from the game before it at the table, or
    from the one that had replaced it by then (RULEBOOK 5).
    """
    rules = games.get(state.rules).match_rules
    for one in data["games"]:
        table, number = one["table"], one["number"]
        where = f"of game {number} at table {table} of round {data['round']}"
        if rules is None or number == 1:
            follows = {name: one[name] for name in ("config", "after") if name in one}
            yield Expectation(f"what the config follows from {where}", follows, {})
            continue
        before, after = dealt[data["round"], table, number - 1], one["after"]
        yield Expectation(f"the game before it {where}", after["game"], before.game)
        config = rules.config_after(before.config, after["outcome"])
        yield Expectation(f"the config {where}", one["config"], config)


def _of_outcomes(state: History, dealt: Dealt, data: Data) -> Iterator[Expectation]:
    """Yield the outcomes from which next games of a match followed; they must agree with the results."""
    followed = {one.after["game"]: one.after["outcome"] for one in dealt.values() if one.after is not None}
    seats = {table.number: table.seats for table in _pairing(state, data["round"]).tables}
    for row in data["results"]:
        if row["game"] in followed:
            # Games that are played in matches do not count moves.
            seat = seats[row["table"]].index(row["entry"])
            score = game_scores.get(state.rules).score(followed[row["game"]], seat=seat, moves=0)
            where = f"of entry {row['entry']} at table {row['table']} of round {data['round']}"
            yield Expectation(f"the score {where}", row["score"], list(score))


def _of_a_replacement(state: History, data: Data) -> Iterator[Expectation]:
    """Yield the expectations of a replacement: a continuation keeps its deal, and a redeal is a further game."""
    pairing = _pairing(state, data["round"])
    form, seats = formats.get(state.format), {table.number: list(table.seats) for table in pairing.tables}
    round, table, number = pairing.round, data["table"], data["number"]
    where = f"of game {number} at table {table} of round {round}"
    first = form.deal(tables=len(seats), game=number, table=table)
    deal = state.redealt.get((round, table, number), first)
    if not data["goes_on"]:
        deal = further_deal(
            form, state.redealt, round=round, table=table, tables=len(seats), games=state.games
        )
    yield Expectation(f"that round {round} was open", (state.round, state.closed), (round, round - 1))
    yield Expectation(f"the deal {where}, replaced", data["deal"], deal)
    yield Expectation(f"the seats {where}, replaced", data["entries"], seats[table])


def _of_results(state: History, data: Data) -> Iterator[Expectation]:
    """Yield the expectations of results: exactly one for each seated entrant and deal of the table."""
    pairing = _pairing(state, data["round"])
    form, tables = formats.get(state.format), pairing.tables
    played = sorted(
        [
            table.number,
            state.redealt.get((pairing.round, table.number, game))
            or form.deal(tables=len(tables), game=game, table=table.number),
            entry,
        ]
        for table in tables
        for game in range(1, state.games + 1)
        for entry in table.seats
    )
    recorded = sorted([row["table"], row["deal"], row["entry"]] for row in data["results"])
    yield Expectation(f"the entries with results of round {pairing.round}", recorded, played)
    if form.on_bets:
        counted = meeting.counted(state.snapshot(), data["results"])
        yield Expectation(f"the banks of round {pairing.round}", data["banks"], counted)
        yield Expectation(f"the faults of the banks of round {pairing.round}", meeting.faults(counted), [])


def _of_a_correction(state: History, data: Data) -> Iterator[Expectation]:
    """Yield the expectations of a correction: it replaces the known scores of everyone at the table, and changes
    something.
    """
    where = f"of table {data['table']} of round {data['round']}"
    yield Expectation("the number of the correction", data["number"], state.corrections + 1)
    yield Expectation(f"that round {data['round']} had been closed", data["round"] <= state.closed, True)
    known = {
        one.entry: score_of(one).document()
        for one in state.results
        if (one.round, one.table, one.deal) == (data["round"], data["table"], data["deal"])
    }
    yield Expectation(
        f"the earlier score of the game {where}", {row["entry"]: row["was"] for row in data["results"]}, known
    )
    now = {row["entry"]: row["is"] for row in data["results"]}
    yield Expectation(f"a different score of the game {where}", now != known, True)
    scores = [tuple(one["score"]) for one in now.values() if one["ended"] in PLAYED]
    yield Expectation(
        f"a possible score of the game {where}", game_scores.impossible(state.rules, scores), ""
    )


def _pairing(state: History, round: int) -> Pairing:
    [found] = [one for one in state.played if one.round == round]
    return found


def _of_prizes(state: History, terms: Data, data: Data) -> Iterator[Expectation]:
    yield Expectation("the pool", data["pool"], terms["fee"] * len(state.entrants))
    standings = formats.get(state.format).standings(state.snapshot())
    # Tournaments from before guaranteed or fixed prizes have neither.
    guarantee = terms.get("guarantee", 0)
    overlay = prizes.overlay(data["pool"], rake=terms["rake"], guarantee=guarantee)
    yield Expectation("what the bank adds", data.get("overlay", 0), overlay)
    rake, awards = prizes.divide(
        data["pool"],
        rake=terms["rake"],
        basis_points=terms["prizes"],
        standings=standings,
        amounts=terms.get("amounts", ()),
        guarantee=guarantee,
    )
    yield Expectation("the rake", data["rake"], rake)
    found = [
        {"entry": one.entry, "place": one.place, "amount": awards[one.entry]}
        for one in standings
        if awards[one.entry]
    ]
    yield Expectation("the prizes", data["awards"], found)
