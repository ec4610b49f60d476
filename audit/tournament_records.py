"""The records beside a tournament's stream held against it: terms, entries, rounds, tables, seats, scores, awards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from eventstore.chain import format_at
from eventstore.store import StoredEvent
from games.models import RevealedSeed
from games.models import Seat as GameSeat
from tournaments import awards
from tournaments.formats import corrected
from tournaments.formats.history import History
from tournaments.formats.protocol import Pairing
from tournaments.models import Entry, Round, RoundState, Score, Seat, TableGame, Tournament

Found = Iterator[str]

Absent = defaultdict[int, list[dict[str, Any]]]


def faults(row: Tournament, known: History, events: Sequence[StoredEvent]) -> Found:
    """In what the records say something else than the stream does."""
    yield from _of_the_terms(row, events[0].data)
    yield from _of_the_state(row, known)
    yield from _of_entries(row, known)
    yield from _of_roles(row, events)
    rounds = list(Round.objects.filter(tournament=row).order_by("number"))
    yield from _of_rounds(rounds, known)
    absent = _absent(events)
    for round in rounds:
        yield from _of_seats(round, known, absent)
        yield from _of_forfeits(round, absent)
        if round.number <= known.closed:
            yield from _of_scores(round, known)
    yield from _of_awards(row, known, events)


def _differs(what: str, beside: Any, told: Any) -> Found:
    if beside != told:
        yield f"{what} is {beside}, by the stream {told}"


def _of_the_terms(row: Tournament, created: dict[str, Any]) -> Found:
    """The terms never change; what the format made of the number of rounds is told later."""
    for name, told in created.items():
        if name in ("measures", "rounds"):
            continue
        if name in ("organizer", "seeded_by"):
            id = getattr(row, f"{name}_id")
            yield from _differs(name, None if id is None else str(id), told)
        elif name == "opens_at":
            yield from _differs(name, format_at(row.opens_at) if row.opens_at else None, told)
        else:
            yield from _differs(name, getattr(row, name), told)


def _of_the_state(row: Tournament, known: History) -> Found:
    yield from _differs("status", row.status, known.status)
    yield from _differs("commitment", row.commitment, known.commitment)
    yield from _differs("entropy", row.entropy, known.entropy)
    yield from _differs("rounds", row.rounds, known.rounds)
    shown = RevealedSeed.objects.filter(pk=row.pk).values_list("seed", flat=True).first()
    yield from _differs("the seed shown", None if shown is None else bytes(shown).hex(), known.seed)


def _of_entries(row: Tournament, known: History) -> Found:
    standing = {
        entry.number: (
            str(entry.player_id),
            entry.bot,
            entry.first,
            entry.retired_after,
            entry.disqualified_at is not None,
        )
        for entry in Entry.objects.standing().filter(tournament=row)
    }
    told = {one.entry: (one.player, one.bot, one.first, one.last, one.disqualified) for one in known.entrants}
    for number in sorted(standing.keys() | told.keys()):
        yield from _differs(f"entry {number}", standing.get(number), told.get(number))
    given = Entry.objects.filter(tournament=row, number__in=known.client_seeds)
    yield from _differs(
        "the client seeds", dict(given.values_list("number", "client_seed")), known.client_seeds
    )


def _of_roles(row: Tournament, events: Sequence[StoredEvent]) -> Found:
    """Who rules and who helps was given that, and it was not taken away."""
    told: dict[str, str] = {}
    for event in events:
        if event.type == "role-given":
            told[event.data["player"]] = event.data["role"]
        elif event.type == "role-taken":
            del told[event.data["player"]]
    given = {str(player): role for player, role in row.roles.values_list("player", "role")}
    for player in sorted(told.keys() | given.keys()):
        yield from _differs(f"the role of player {player}", given.get(player), told.get(player))


def _of_rounds(rounds: Sequence[Round], known: History) -> Found:
    begun = [pairing.round for pairing in known.played if pairing.round <= max(known.round, 0)]
    missing = set(begun) - {round.number for round in rounds}
    for number in sorted(missing):
        yield f"round {number} has no record"
    laid_out = {pairing.round for pairing in known.played}
    for round in rounds:
        if round.number not in laid_out:
            yield f"round {round.number} was never laid out, by the stream"
        due = RoundState.OPENING
        if round.number <= known.closed:
            due = RoundState.CLOSED
        elif round.number <= known.round:
            due = RoundState.OPEN
        yield from _differs(f"the state of round {round.number}", round.state, due.value)


def _absent(events: Sequence[StoredEvent]) -> Absent:
    """By round, what is told of everybody who did not come."""
    told: Absent = defaultdict(list)
    for event in events:
        if event.type == "no-show":
            told[event.data["round"]].append(event.data)
    return told


def _of_seats(round: Round, known: History, absent: Absent) -> Found:
    pairing = next((one for one in known.played if one.round == round.number), None)
    if pairing is None:
        return
    tables: dict[int, dict[int, int]] = defaultdict(dict)
    byes: list[int] = []
    forfeited: set[tuple[int, int]] = set()
    rows = Seat.objects.filter(round=round).values_list(
        "table__number", "index", "entry__number", "forfeited_at"
    )
    for table, index, entry, forfeited_at in rows:
        if table is None:
            byes.append(entry)
        else:
            tables[table][index] = entry
        if forfeited_at is not None:
            forfeited.add((table, entry))
    where = f"of round {round.number}"
    for number in sorted(tables.keys() | {table.number for table in pairing.tables}):
        seats = [entry for _, entry in sorted(tables.get(number, {}).items())]
        yield from _differs(f"who sits at table {number} {where}", seats, _seats(pairing, number))
    yield from _differs(f"who sits out {where}", sorted(byes), sorted(pairing.byes))
    told = {(one["table"], one["entry"]) for one in absent[round.number]}
    yield from _differs(f"who did not come {where}", forfeited, told)


def _of_forfeits(round: Round, absent: Absent) -> Found:
    """In the games of a table the server plays for who did not come to it, and takes a move from everybody else."""
    told: dict[int, set[int]] = defaultdict(set)
    for one in absent[round.number]:
        told[one["table"]].add(one["seat"])
    seated = TableGame.objects.filter(table__round=round, seated_at__isnull=False)
    games = dict(seated.values_list("game", "table__number"))
    kept: dict[UUID, set[int]] = defaultdict(set)
    for game, seat in GameSeat.objects.filter(game__in=games, forfeited=True).values_list("game", "seat"):
        kept[game].add(seat)
    for game, table in sorted(games.items(), key=lambda one: (one[1], str(one[0]))):
        yield from _differs(f"the seats forfeited in game {game}", kept[game], told[table])


def _seats(pairing: Pairing, number: int) -> list[int]:
    return next((list(table.seats) for table in pairing.tables if table.number == number), [])


def _of_scores(round: Round, known: History) -> Found:
    """What was written down when the games ended is what the round was closed with."""
    first = corrected.first_told(known.snapshot())
    told = {}
    for result in known.results:
        if result.round == round.number:
            then = first.get(corrected.key(result), result)
            told[then.table, then.deal, then.entry] = list(then.score)
    rows = Score.objects.filter(table_game__table__round=round).values_list(
        "table_game__table__number", "table_game__deal", "entry__number", "measures"
    )
    written = {(table, deal, entry): measures for table, deal, entry, measures in rows}
    for key in sorted(told.keys() | written.keys()):
        table, deal, entry = key
        where = f"the score of entry {entry} at table {table} with deal {deal} of round {round.number}"
        yield from _differs(where, written.get(key), told.get(key))


def _of_awards(row: Tournament, known: History, events: Sequence[StoredEvent]) -> Found:
    """Places and prizes as the last standings and prizes tell them."""
    if known.status != "finished":
        return
    last = next(event for event in reversed(events) if event.type == "standings")
    places = {one["entry"]: one["place"] for one in last.data["standings"]}
    kept = awards.of(row.pk)
    for entry in sorted(places.keys() | kept.keys()):
        won = kept.get(entry)
        yield from _differs(
            f"the award of entry {entry}",
            None if won is None else (won.place, won.amount),
            (places.get(entry), known.awards.get(entry, 0)),
        )
