"""Check the projections and the games of a tournament against its stream.

The projections are terms, entries, roles, rounds, tables, seats, scores, and awards. The games are compared by deal,
table, config, and the results that they gave.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count

from eventstore import store
from eventstore.chain import format_at
from eventstore.models import Event
from eventstore.store import StoredEvent
from games.models import GameRecord, RevealedSeed
from games.models import Seat as GameSeat
from games.rules import fairness
from tournaments.betting import meetings
from tournaments.corrections import repayment
from tournaments.formats import corrected_results
from tournaments.formats.corrections import PLAYED
from tournaments.formats.history import TERMS, History
from tournaments.formats.protocol import Pairing, Result
from tournaments.formats.replay import Dealt, DealtGame, dealt_games
from tournaments.formats.scoring import game_scores
from tournaments.models import Entry, Round, RoundState, Score, Seat, SecretSeed, TableGame, Tournament

Found = Iterator[str]

Absent = defaultdict[int, list[dict[str, Any]]]


def faults(row: Tournament, known: History, events: Sequence[StoredEvent]) -> Found:
    """Yield the differences between the projections of a tournament and its stream."""
    yield from _of_the_terms(row, _terms(events))
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


def _difference(what: str, stored: Any, recorded: Any) -> Found:
    if stored != recorded:
        yield f"{what} is {stored}, by the stream {recorded}"


def _terms(events: Sequence[StoredEvent]) -> dict[str, Any]:
    """Return the terms of the last event that has them, with the organizer of the first."""
    last = [event.data for event in events if event.type in TERMS][-1]
    terms = {name: value for name, value in last.items() if name not in ("by", "changed")}
    return {**terms, "organizer": events[0].data["organizer"]}


def _of_the_terms(row: Tournament, terms: dict[str, Any]) -> Found:
    """Compare the terms. The number of rounds is fixed by a later event."""
    for name, recorded in terms.items():
        if name in ("measures", "rounds"):
            continue
        if name in ("organizer", "seeded_by"):
            id = getattr(row, f"{name}_id")
            yield from _difference(name, None if id is None else str(id), recorded)
        elif name == "opens_at":
            yield from _difference(name, format_at(row.opens_at) if row.opens_at else None, recorded)
        else:
            yield from _difference(name, getattr(row, name), recorded)


def _of_the_state(row: Tournament, known: History) -> Found:
    yield from _difference("status", row.status, known.status)
    yield from _difference("commitment", row.commitment, known.commitment)
    yield from _difference("entropy", row.entropy, known.entropy)
    yield from _difference("rounds", row.rounds, known.rounds)
    revealed = RevealedSeed.objects.filter(pk=row.pk).values_list("seed", flat=True).first()
    yield from _difference(
        "the revealed seed", None if revealed is None else bytes(revealed).hex(), known.seed
    )


def _of_entries(row: Tournament, known: History) -> Found:
    stored = {
        entry.number: (
            str(entry.player_id),
            entry.bot,
            entry.first,
            entry.retired_after,
            entry.disqualified_at is not None,
        )
        for entry in Entry.objects.standing().filter(tournament=row)
    }
    recorded = {
        one.entry: (one.player, one.bot, one.first, one.last, one.disqualified) for one in known.entrants
    }
    for number in sorted(stored.keys() | recorded.keys()):
        yield from _difference(f"entry {number}", stored.get(number), recorded.get(number))
    given = Entry.objects.filter(tournament=row, number__in=known.client_seeds)
    yield from _difference(
        "the client seeds", dict(given.values_list("number", "client_seed")), known.client_seeds
    )


def _of_roles(row: Tournament, events: Sequence[StoredEvent]) -> Found:
    """Compare the roles of the tournament with those that were given and not taken."""
    recorded: dict[str, str] = {}
    for event in events:
        if event.type == "role-given":
            recorded[event.data["player"]] = event.data["role"]
        elif event.type == "role-taken":
            del recorded[event.data["player"]]
    given = {str(player): role for player, role in row.roles.values_list("player", "role")}
    for player in sorted(recorded.keys() | given.keys()):
        yield from _difference(f"the role of player {player}", given.get(player), recorded.get(player))


def _of_rounds(rounds: Sequence[Round], known: History) -> Found:
    started = [pairing.round for pairing in known.played if pairing.round <= max(known.round, 0)]
    missing = set(started) - {round.number for round in rounds}
    for number in sorted(missing):
        yield f"round {number} has no record"
    paired = {pairing.round for pairing in known.played}
    for round in rounds:
        if round.number not in paired:
            yield f"round {round.number} was never paired, by the stream"
        expected = RoundState.OPENING
        if round.number <= known.closed:
            expected = RoundState.CLOSED
        elif round.number <= known.round:
            expected = RoundState.OPEN
        yield from _difference(f"the state of round {round.number}", round.state, expected.value)


def _absent(events: Sequence[StoredEvent]) -> Absent:
    """Return the data of no-show events by round."""
    absent: Absent = defaultdict(list)
    for event in events:
        if event.type == "no-show":
            absent[event.data["round"]].append(event.data)
    return absent


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
        yield from _difference(f"the seating of table {number} {where}", seats, _seats(pairing, number))
    yield from _difference(f"the list of byes {where}", sorted(byes), sorted(pairing.byes))
    recorded = {(one["table"], one["entry"]) for one in absent[round.number]}
    yield from _difference(f"the set of no-shows {where}", forfeited, recorded)


def _of_forfeits(round: Round, absent: Absent) -> Found:
    """Compare the forfeited seats of the games with the no-shows at their tables."""
    recorded: dict[int, set[int]] = defaultdict(set)
    for one in absent[round.number]:
        recorded[one["table"]].add(one["seat"])
    seated = TableGame.objects.filter(table__round=round, seated_at__isnull=False)
    games = dict(seated.values_list("game", "table__number"))
    stored: dict[UUID, set[int]] = defaultdict(set)
    for game, seat in GameSeat.objects.filter(game__in=games, forfeited=True).values_list("game", "seat"):
        stored[game].add(seat)
    for game, table in sorted(games.items(), key=lambda one: (one[1], str(one[0]))):
        yield from _difference(f"the seats forfeited in game {game}", stored[game], recorded[table])


def _seats(pairing: Pairing, number: int) -> list[int]:
    return next((list(table.seats) for table in pairing.tables if table.number == number), [])


def _of_scores(round: Round, known: History) -> Found:
    """Compare the scores of the games with the results of the round."""
    first = known.snapshot().original_results()
    recorded = {}
    for result in known.results:
        if result.round == round.number:
            then = first.get(corrected_results.key(result), result)
            recorded[then.table, then.deal, then.entry] = list(then.score)
    rows = Score.objects.filter(table_game__table__round=round).values_list(
        "table_game__table__number", "table_game__deal", "entry__number", "measures"
    )
    stored = {(table, deal, entry): measures for table, deal, entry, measures in rows}
    for key in sorted(recorded.keys() | stored.keys()):
        table, deal, entry = key
        where = f"the score of entry {entry} at table {table} with deal {deal} of round {round.number}"
        yield from _difference(where, stored.get(key), recorded.get(key))


def _of_awards(row: Tournament, known: History, events: Sequence[StoredEvent]) -> Found:
    """Compare the awards with the last standings and prizes."""
    if known.status != "finished":
        return
    last = next(event for event in reversed(events) if event.type == "standings")
    places = {one["entry"]: one["place"] for one in last.data["standings"]}
    stored = repayment.of(row.pk)
    for entry in sorted(places.keys() | stored.keys()):
        won = stored.get(entry)
        yield from _difference(
            f"the award of entry {entry}",
            None if won is None else (won.place, won.amount),
            (places.get(entry), known.awards.get(entry, 0)),
        )


# --- games -----------------------------------------------------------------------------------------------

NO_MOVES = ("created", "seated", "left", "dealt", "finished", "voided", "expired")
"""The event types that are not moves. `expired` may contain a move."""


def seed_faults(row: Tournament, known: History) -> Found:
    """Yield the faults of the seed: its commitment, its publication, the lots, and the deals derived from it."""
    if known.commitment is None:
        return
    secret = SecretSeed.objects.filter(pk=row.pk).values_list("seed", flat=True).first()
    if secret is None:
        yield "the seed is missing"
        return
    seed = bytes(secret)
    if fairness.commitment(seed) != known.commitment:
        yield "the seed does not match its commitment"
        return
    if known.seed is not None and known.seed != seed.hex():
        yield "the revealed seed differs from the stored one"
    if known.entropy is not None and known.lot_key != fairness.lot_key(seed, known.entropy):
        yield "the lot key is not derived from the seed and the entropy"
    for game in GameRecord.objects.filter(tournament=row.pk).order_by("pk").iterator():
        assert game.round is not None
        assert game.deal is not None
        derived = fairness.tournament_server_seed(seed, round=game.round, deal=game.deal)
        if fairness.commitment(derived) != game.commitment:
            yield f"game {game.pk} does not have deal {game.deal} of round {game.round}"


def deal_faults(row: Tournament, known: History, events: Sequence[StoredEvent]) -> Found:
    """Yield the games that differ from their table, their deal, the terms, or the previous game of their match."""
    recorded = {
        (event.data["round"], game["table"], game["number"]): (game["game"], game["deal"])
        for event in events
        if event.type == "games-dealt"
        for game in event.data["games"]
    }
    replaced = set()
    for event in events:
        if event.type == "game-replaced":
            at = event.data["round"], event.data["table"], event.data["number"]
            if recorded.get(at, ("",))[0] != event.data["replaces"]:
                yield f"game {event.data['replaces']} is replaced, but the game at {at} is {recorded.get(at)}"
            recorded[at] = event.data["game"], event.data["deal"]
            replaced.add(UUID(event.data["replaces"]))
    placed: dict[UUID, tuple[int, int]] = {}
    dealt = {}
    for one in TableGame.objects.filter(table__round__tournament=row).select_related("table__round"):
        placed[one.game] = one.table.round.number, one.deal
        if one.dealt_at is not None:
            dealt[one.table.round.number, one.table.number, one.number] = str(one.game), one.deal
    for key in sorted(recorded.keys() | dealt.keys()):
        if recorded.get(key) != dealt.get(key):
            round, table, number = key
            yield (
                f"game {number} at table {table} of round {round} is {dealt.get(key)}, "
                f"by the stream {recorded.get(key)}"
            )
    yield from _table_faults(row, known, placed, replaced)
    yield from _config_faults(row, events)


def _table_faults(
    row: Tournament, known: History, placed: dict[UUID, tuple[int, int]], replaced: set[UUID]
) -> Found:
    expected = (known.commitment or "", known.entropy or "")
    made = set()
    for game in GameRecord.objects.filter(tournament=row.pk).order_by("pk").iterator():
        made.add(game.pk)
        if game.pk in replaced:
            if (game.tournament_commitment, game.entropy) != expected or not game.ended:
                yield f"game {game.pk} was replaced, but its commitment, entropy, or end differs from the stream"
        elif game.pk not in placed:
            yield f"game {game.pk} has no table"
        elif (game.round, game.deal) != placed[game.pk]:
            yield f"game {game.pk} has round and deal {(game.round, game.deal)}, but its table has {placed[game.pk]}"
        elif (game.tournament_commitment, game.entropy) != expected:
            yield f"game {game.pk} has another commitment or entropy than the stream"


def _config_faults(row: Tournament, events: Sequence[StoredEvent]) -> Found:
    """Yield the games whose config differs from the tournament's, or in a match from the one in the stream.

    The config of a later game of a match follows from the outcome of the previous one.
    """
    dealt: Dealt = {}
    games: dict[str, DealtGame] = {}
    for event in events:
        found = dealt_games(dealt, {"config": row.config}, event.type, event.data)
        dealt |= found
        games |= {one.game: one for one in found.values()}
    outcomes = {one.after["game"]: one.after["outcome"] for one in games.values() if one.after is not None}
    records = GameRecord.objects.filter(tournament=row.pk).order_by("pk")
    for key, config, outcome in records.values_list("pk", "config", "outcome").iterator():
        expected = games[str(key)].config if str(key) in games else row.config
        if config != expected:
            yield f"the config of game {key} is {config}, by the stream {expected}"
        if outcome != outcomes.get(str(key), outcome):
            yield f"the outcome of game {key} is {outcome}, but the next game is based on {outcomes[str(key)]}"


# --- results ---------------------------------------------------------------------------------------


def worth_faults(row: Tournament, known: History) -> Found:
    """Yield the uncorrected results that do not follow from the outcome of their game."""
    first = known.snapshot().original_results()
    own: dict[int, list[Result]] = defaultdict(list)
    for result in known.results:
        recorded = first.get(corrected_results.key(result), result)
        if recorded.ended in PLAYED:
            own[recorded.round].append(recorded)
    for number, results in sorted(own.items()):
        yield from _round_faults(row, known, number, results)


def _round_faults(row: Tournament, known: History, number: int, results: Iterable[Result]) -> Found:
    here = TableGame.objects.filter(table__round__tournament=row, table__round__number=number)
    games = {(one.table.number, one.deal): one for one in here.select_related("table")}
    scores = _Scores(row, [one.game for one in games.values()])
    [seats] = [
        {table.number: {entry: seat for seat, entry in enumerate(table.seats)} for table in pairing.tables}
        for pairing in known.played
        if pairing.round == number
    ]
    for result in results:
        one = games.get((result.table, result.deal))
        if one is None:
            yield f"the result has no game at table {result.table} of round {number}"
            continue
        expected = scores.of(one, seats[result.table][result.entry], result.entry)
        if list(result.score) != expected:
            yield (
                f"entry {result.entry} has {list(result.score)} from game {one.game} of round {number}, "
                f"but the game gives {expected}"
            )


class _Scores:
    """The scores that the games of a round give by their outcomes."""

    def __init__(self, row: Tournament, games: Sequence[UUID]) -> None:
        self.scoring = game_scores.get(row.rules)
        self.outcomes: dict[UUID, Any] = dict(
            GameRecord.objects.filter(pk__in=games).values_list("pk", "outcome")
        )
        self.moves = Counter() if self.scoring.on_bets else _moves(games)
        self._bets: dict[UUID, dict[int, list[int]]] = {}

    def of(self, one: TableGame, seat: int, entry: int) -> list[int] | None:
        if self.scoring.on_bets:
            if one.game not in self._bets:
                self._bets[one.game] = {who.number: list(score) for who, score in meetings.scores(one)}
            return self._bets[one.game].get(entry)
        if one.game not in self.outcomes:
            return None
        return list(self.scoring.score(self.outcomes[one.game], seat=seat, moves=self.moves[one.game]))


def _moves(games: Sequence[UUID]) -> Counter[UUID]:
    """Return the number of moves in each game, including those of the server."""
    counted: Counter[UUID] = Counter()
    made = Event.objects.filter(stream__in=games).exclude(type__in=NO_MOVES).order_by()
    for game, number in made.values_list("stream").annotate(Count("version")):
        counted[game] += number
    for game, events in store.outline(list(games), ("expired",)).items():
        counted[game] += sum("move" in data for _, _, data in events)
    counted.update(store.archived_events(games, without=NO_MOVES))
    return counted
