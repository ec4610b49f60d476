"""A tournament's events replayed: whether every pairing, deal, standing and prize follows from what came before it.

Nothing but the events is needed. What a game was worth stands in them as a fact; that it is one, the games' own bundles
prove.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from eventstore.chain import chain_fault
from games import rules as games
from games.rules import fairness
from tournaments import formats
from tournaments.formats import checker, history, layouts, meeting, prizes, scoring
from tournaments.formats.anew import further_deal
from tournaments.formats.corrected import worth
from tournaments.formats.corrections import PLAYED
from tournaments.formats.history import History
from tournaments.formats.protocol import Pairing
from tournaments.formats.tiebreaks import lot

Event = Mapping[str, Any]
Data = Mapping[str, Any]

UNREADABLE = (LookupError, ValueError, TypeError, AttributeError)
"""What events that no tournament has appended may raise when they are read."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first event that does not follow: `told` by it, `found` when it was derived again."""

    version: int
    what: str
    told: Any = None
    found: Any = None

    def document(self) -> dict[str, Any]:
        return {"version": self.version, "what": self.what, "told": self.told, "found": self.found}


@dataclass(frozen=True, slots=True)
class Replayed:
    """How many of each were derived again, and where the record first disagrees (None: nowhere)."""

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
class Claim:
    """Something that an event tells, and what it must be."""

    what: str
    told: Any
    found: Any


class DealtGame(NamedTuple):
    """The game at a place of a table. `after` is the game of its match that it follows: id and outcome."""

    game: str
    config: Data
    after: Data | None


Dealt = dict[tuple[int, int, int], DealtGame]
"""By round, table and number."""


def replay(tournament: str, events: Sequence[Event]) -> Replayed:
    """`events` in their published form, from the first; `tournament` is the id that they are chained to."""
    try:
        broken = chain_fault([dict(event) for event in events], stream=tournament)
    except UNREADABLE as error:
        broken = (0, f"these are no events: {error}")
    if broken is not None:
        return _told(History(), 0, {}, Difference(*broken))
    state, derived = History(), dict.fromkeys(("pairings", "deals", "standings", "prizes"), 0)
    terms: Data = {}
    dealt: Dealt = {}
    for number, event in enumerate(events):
        type, data = event["type"], event["data"]
        try:
            terms = data if type == "created" else terms
            if (due := _due(state, events[max(0, number - 2) : number])) not in ("", type):
                return _told(state, number, derived, Difference(event["version"], _UNSETTLED, type, due))
            for claim in _claims(state, terms, dealt, type, data):
                if claim.told != claim.found:
                    found = Difference(event["version"], claim.what, claim.told, claim.found)
                    return _told(state, number, derived, found)
            state = history.evolve(state, type, data)
            _note_dealt(dealt, terms, type, data)
        except UNREADABLE as error:
            found = Difference(event["version"], f"the event cannot be replayed: {error}")
            return _told(state, number, derived, found)
        _count(derived, type, data)
    if due := _due(state, events):
        return _told(state, len(events), derived, Difference(events[-1]["version"], _UNSETTLED, None, due))
    return _told(state, len(events), derived, None)


_UNSETTLED = "standings and prizes that follow a correction after the end"


def _due(state: History, events: Sequence[Event]) -> str:
    """What must come next; empty where anything may. What was corrected after the end is ranked and paid anew."""
    if state.status != "finished":
        return ""
    last = [event["type"] for event in events[-2:]]
    if last[-1:] == ["result-corrected"]:
        return "standings"
    return "prizes" if last == ["result-corrected", "standings"] else ""


def _told(state: History, events: int, derived: Mapping[str, int], difference: Difference | None) -> Replayed:
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


def _note_dealt(dealt: Dealt, terms: Data, type: str, data: Data) -> None:
    if type == "games-dealt":
        for one in data["games"]:
            game = DealtGame(one["game"], one.get("config", terms["config"]), one.get("after"))
            dealt[data["round"], one["table"], one["number"]] = game
    elif type == "game-replaced":
        key = data["round"], data["table"], data["number"]
        dealt[key] = dealt[key]._replace(game=data["game"])


def _claims(state: History, terms: Data, dealt: Dealt, type: str, data: Data) -> Iterator[Claim]:
    """What an event tells that follows from what was known before it."""
    match type:
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
            yield Claim("the standings", data["standings"], [one.document() for one in ranked])
        case "prizes":
            yield from _of_prizes(state, terms, data)
        case "finished" | "seed-revealed":
            shown = fairness.commitment(bytes.fromhex(data["seed"]))
            yield Claim("the seed that was committed to", shown, state.commitment)
            if state.entropy is not None:
                key = fairness.lot_key(bytes.fromhex(data["seed"]), state.entropy)
                yield Claim("the key that the lots were drawn from", state.lot_key, key)


def _of_the_start(state: History, terms: Data, data: Data) -> Iterator[Claim]:
    entries = [one.entry for one in state.entrants]
    # Each entrant knows their own; no event publishes a client seed before this one.
    seeds = [fairness.client_seed(seed) for seed in data["client_seeds"]]
    yield Claim("the entries", data["entries"], entries)
    yield Claim("the number of client seeds", len(seeds), len(entries))
    yield Claim("the entropy", data["entropy"], fairness.entropy(seeds))
    if "rounds" in data:
        form = formats.get(state.format)
        rounds = form.rounds(len(entries), asked=terms["rounds"], snapshot=state.snapshot())
        yield Claim("the number of rounds", data["rounds"], rounds)
    if "seeding" in data and terms.get("seeding") in ("entry", "lot"):
        drawn = sorted(entries, key=lambda entry: lot(data["lot_key"], "seeding", entry))
        yield Claim("the seeding", data["seeding"], drawn if terms["seeding"] == "lot" else entries)


def _of_a_pairing(state: History, data: Data) -> Iterator[Claim]:
    form, known = formats.get(state.format), state.snapshot()
    if "algorithm" in data:
        yield Claim("the algorithm that paired the round", data["algorithm"], form.algorithm(known))
        yield Claim("what the round was paired from", data["known"], known.fingerprint())
    pairing = form.pair(known, data["round"])
    yield Claim("the pairing", _paired(data), history.paired(pairing))
    yield Claim("the checker's verdict", [one.what for one in checker.check(form, known, pairing)], [])


def _of_a_layout(state: History, data: Data) -> Iterator[Claim]:
    """What somebody has laid out is a fact; what spoke against it then, and what the engine's was, follows."""
    form, known = formats.get(state.format), checker.before(state.snapshot(), data["round"])
    yield Claim("the algorithm that would have paired the round", data["algorithm"], form.algorithm(known))
    yield Claim("what the round would have been paired from", data["known"], known.fingerprint())
    pairing = layouts.layout(known, data["round"], data["tables"], data["byes"])
    yield Claim("the layout", _paired(data), history.paired(pairing))
    yield Claim("the checker's verdict", list(layouts.faults(form, known, pairing)), [])
    engine = layouts.of_the_engine(form, known, data["round"])
    found = history.paired(engine) if engine else None
    told = {"round": data["round"], **data["engine"]} if data["engine"] else None
    yield Claim("the pairing of the engine", told, found)
    warned = [one.document() for one in layouts.cautions(known, pairing, engine)]
    yield Claim("the warnings", data["warnings"], warned)


def _paired(data: Data) -> Data:
    """What an event tells of the pairing itself."""
    told = ("round", "tables", "byes", "relaxed", "going_on")
    return {name: data[name] for name in told if name in data}


def _of_deals(state: History, data: Data) -> Iterator[Claim]:
    pairing = _pairing(state, data["round"])
    form, seats = formats.get(state.format), {table.number: list(table.seats) for table in pairing.tables}
    for told in data["games"]:
        table, number = told["table"], told["number"]
        where = f"of game {number} at table {table} of round {pairing.round}"
        deal = form.deal(tables=len(seats), game=number, table=table)
        yield Claim(f"the deal {where}", told["deal"], deal)
        yield Claim(f"the seats {where}", told["entries"], seats[table])


def _of_matches(state: History, dealt: Dealt, data: Data) -> Iterator[Claim]:
    """Of a match the first game has the tournament's config; the config of each other follows from the game before it
    at the table, or from the one that had replaced that by then (RULEBOOK 5)."""
    rules = games.get(state.rules).match_rules
    for one in data["games"]:
        table, number = one["table"], one["number"]
        where = f"of game {number} at table {table} of round {data['round']}"
        if rules is None or number == 1:
            follows = {name: one[name] for name in ("config", "after") if name in one}
            yield Claim(f"what the config follows from {where}", follows, {})
            continue
        before, after = dealt[data["round"], table, number - 1], one["after"]
        yield Claim(f"the game before it {where}", after["game"], before.game)
        config = rules.config_after(before.config, after["outcome"])
        yield Claim(f"the config {where}", one["config"], config)


def _of_outcomes(state: History, dealt: Dealt, data: Data) -> Iterator[Claim]:
    """The outcome that the next game of a match follows from is the one that the game has its result from."""
    followed = {one.after["game"]: one.after["outcome"] for one in dealt.values() if one.after is not None}
    seats = {table.number: table.seats for table in _pairing(state, data["round"]).tables}
    for row in data["results"]:
        if row["game"] in followed:
            # No game that is played in matches counts moves.
            seat = seats[row["table"]].index(row["entry"])
            score = scoring.get(state.rules).score(followed[row["game"]], seat=seat, moves=0)
            where = f"of entry {row['entry']} at table {row['table']} of round {data['round']}"
            yield Claim(f"the score {where}", row["score"], list(score))


def _of_a_replacement(state: History, data: Data) -> Iterator[Claim]:
    """A game that goes on keeps its deal; a new deal is that of a further game of its table."""
    pairing = _pairing(state, data["round"])
    form, seats = formats.get(state.format), {table.number: list(table.seats) for table in pairing.tables}
    round, table, number = pairing.round, data["table"], data["number"]
    where = f"of game {number} at table {table} of round {round}"
    first = form.deal(tables=len(seats), game=number, table=table)
    deal = state.anew.get((round, table, number), first)
    if not data["goes_on"]:
        deal = further_deal(form, state.anew, round=round, table=table, tables=len(seats), games=state.games)
    yield Claim(f"that round {round} was open", (state.round, state.closed), (round, round - 1))
    yield Claim(f"the deal {where}, replaced", data["deal"], deal)
    yield Claim(f"the seats {where}, replaced", data["entries"], seats[table])


def _of_results(state: History, data: Data) -> Iterator[Claim]:
    """Everybody who was seated has a result for each deal of the table, and nobody else has one."""
    pairing = _pairing(state, data["round"])
    form, tables = formats.get(state.format), pairing.tables
    played = sorted(
        [
            table.number,
            state.anew.get((pairing.round, table.number, game))
            or form.deal(tables=len(tables), game=game, table=table.number),
            entry,
        ]
        for table in tables
        for game in range(1, state.games + 1)
        for entry in table.seats
    )
    told = sorted([row["table"], row["deal"], row["entry"]] for row in data["results"])
    yield Claim(f"who has results of round {pairing.round}", told, played)
    if form.on_bets:
        counted = meeting.counted(state.snapshot(), data["results"])
        yield Claim(f"the banks of round {pairing.round}", data["banks"], counted)
        yield Claim(f"what is wrong with the banks of round {pairing.round}", meeting.faults(counted), [])


def _of_a_correction(state: History, data: Data) -> Iterator[Claim]:
    """It corrects what the game was worth until then, for everybody who sat there, and changes something."""
    where = f"of table {data['table']} of round {data['round']}"
    yield Claim("the number of the correction", data["number"], state.corrections + 1)
    yield Claim(f"that round {data['round']} had been closed", data["round"] <= state.closed, True)
    known = {
        one.entry: worth(one).document()
        for one in state.results
        if (one.round, one.table, one.deal) == (data["round"], data["table"], data["deal"])
    }
    yield Claim(
        f"what the game {where} was worth", {row["entry"]: row["was"] for row in data["results"]}, known
    )
    now = {row["entry"]: row["is"] for row in data["results"]}
    yield Claim(f"that the game {where} is worth something else", now != known, True)
    scores = [tuple(one["score"]) for one in now.values() if one["ended"] in PLAYED]
    yield Claim(f"that the game {where} can be worth that", scoring.impossible(state.rules, scores), "")


def _pairing(state: History, round: int) -> Pairing:
    [found] = [one for one in state.played if one.round == round]
    return found


def _of_prizes(state: History, terms: Data, data: Data) -> Iterator[Claim]:
    yield Claim("the pool", data["pool"], terms["fee"] * len(state.entrants))
    standings = formats.get(state.format).standings(state.snapshot())
    # Tournaments made before prizes were guaranteed or fixed say nothing of either.
    guarantee = terms.get("guarantee", 0)
    overlay = prizes.overlay(data["pool"], rake=terms["rake"], guarantee=guarantee)
    yield Claim("what the house adds", data.get("overlay", 0), overlay)
    rake, awards = prizes.divide(
        data["pool"],
        rake=terms["rake"],
        basis_points=terms["prizes"],
        standings=standings,
        amounts=terms.get("amounts", ()),
        guarantee=guarantee,
    )
    yield Claim("the rake", data["rake"], rake)
    found = [
        {"entry": one.entry, "place": one.place, "amount": awards[one.entry]}
        for one in standings
        if awards[one.entry]
    ]
    yield Claim("the prizes", data["awards"], found)
