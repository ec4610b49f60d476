"""Documents of rounds: tables, results, brackets, standings, and stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q

from accounts.models import NameShown
from core.errors import NoSuchVersion, NotFound
from eventstore import store
from eventstore.chain import format_at
from eventstore.models import Event, Stream
from games.rules.scoring import MeasureOutput
from rest.documents import Uuid, one_of
from tournaments import formats, record
from tournaments.access import Names, Viewer
from tournaments.formats import history, staged
from tournaments.formats.bracket import Match, Side, Slot, Source, State, drawn
from tournaments.formats.history import History
from tournaments.formats.pairing import stages
from tournaments.formats.protocol import (
    RELAXATIONS,
    Pairing,
    Part,
    Relaxed,
    Result,
    Standing,
    StandingLine,
)
from tournaments.formats.scoring import prizes
from tournaments.models import Entry, Round, RoundState, Score, Seat, Status, Table, TableGame, Tournament


@dataclass(frozen=True, slots=True)
class RoundResults:
    """The results of a round; empty until it is closed."""

    closed: bool
    known: dict[tuple[int, int, int], Result]
    corrections: dict[tuple[int, int], int]
    absent: frozenset[tuple[int, int]] = frozenset()

    def of(self, table: int, deal: int, entry: int) -> Result | None:
        return self.known.get((table, deal, entry))

    def correction(self, table: int, deal: int) -> int | None:
        """Return the number of the last correction of a game."""
        return self.corrections.get((table, deal))

    def has_forfeited(self, table: int, seat: Seat) -> bool:
        return (table, seat.entry.number) in self.absent


def results_of(tournament: Tournament, round: Round) -> RoundResults:
    if round.state != RoundState.CLOSED:
        return RoundResults(False, {}, {})
    known = record.load(tournament.pk).snapshot()
    own = [result for result in known.results if result.round == round.number]
    return RoundResults(
        True,
        {(one.table, one.deal, one.entry): one for one in own},
        {
            (table, deal): number
            for (played, table, deal), number in known.correction_numbers().items()
            if played == round.number
        },
        frozenset((one.table, one.entry) for one in own if one.ended == "forfeit"),
    )


RunningScore = Annotated[
    int | None,
    "in an open round, the first measure over the games at the table that have ended; null before the first has "
    "ended, and where tables share deals",
]


def running_scores(round: Round | None) -> dict[tuple[int, int], int]:
    """Return the first measure of the ended games of an open round, by table and entry; empty if tables share deals."""
    if round is None or round.state != RoundState.OPEN or _shares_deals(round):
        return {}
    found: dict[tuple[int, int], int] = {}
    scores = Score.objects.filter(table_game__table__round=round)
    for table, entry, measures in scores.values_list(
        "table_game__table__number", "entry__number", "measures"
    ):
        found[table, entry] = found.get((table, entry), 0) + measures[0]
    return found


# --- bracket -----------------------------------------------------------------------------------------


ShownAs = Annotated[str, one_of(NameShown)]
"""To whom a name is shown."""


class BracketSourceOutput(TypedDict):
    match: Annotated[int | None, "null: the table of `round` depends on results"]
    won: Annotated[bool, "whether the winner or the loser comes"]
    round: Annotated[int | None, "larger tables"]
    place: Annotated[int | None, "larger tables: the place there; null: a bye"]


def _source(source: Source) -> BracketSourceOutput:
    return {"match": source.match, "won": source.won, "round": source.round, "place": source.place}


class BracketSlotOutput(TypedDict):
    entry: Annotated[int | None, "null: not known yet; without a source, the slot stays empty"]
    player: Uuid | None
    name: Annotated[str | None, "null if the viewer may not see it"]
    shown_as: ShownAs | None
    seed: int | None
    has_left: Annotated[bool, "whether they have left the tournament"]
    source: BracketSourceOutput | None
    score: Annotated[int | None, "the first measure at the table; null until the round is closed"]
    running_score: RunningScore
    place: Annotated[int | None, "at a larger table that is closed"]
    lives: Annotated[int | None, "lives at the start of a larger table with two lives"]


class BracketGameOutput(TypedDict):
    number: int
    game: Uuid
    ended: str | None


class BracketMatch(TypedDict):
    number: Annotated[int, "from 1, through the whole bracket"]
    round: Annotated[int, "of the tournament"]
    side: Side
    state: State
    table: Annotated[int | None, "the table of the round; null if no one plays"]
    winner: Annotated[int | None, "an entry"]
    winner_to: Annotated[int | None, "the number of a match"]
    loser_to: Annotated[int | None, "the number of a match; null: the loser is eliminated"]
    through: Annotated[int, "how many advance, or keep their lives"]
    advancing: Annotated[list[int], "the entries that advance, the best first; empty until known"]
    slots: list[BracketSlotOutput]
    games: list[BracketGameOutput]


class BracketOutput(TypedDict):
    version: int
    measure: Annotated[str | None, "the measure of the scores"]
    matches: Annotated[list[BracketMatch], "empty without a bracket, and before it is drawn"]


def bracket(tournament: Tournament, viewer: Viewer) -> BracketOutput:
    """Return the bracket. It has no matches before the field is seeded, and in formats without one."""
    head, state = record.load_with_head(tournament.pk)
    version = head.version
    matches = drawn(tournament.format, state.snapshot()) if state.seeding else ()
    games = _games(tournament) if matches else {}
    drawn_in = {one for match in matches for slot in match.slots if (one := slot.entry) is not None}
    ids = {one.entry: one.player for one in state.entrants if one.entry in drawn_in}
    known, names = _by_player(tournament), Names(viewer, tournament)
    left = {one.entry for one in state.entrants if one.last is not None}
    being_played = tournament.played_rounds.filter(state=RoundState.OPEN).first() if matches else None
    running = running_scores(being_played)
    seeds = {entry: seed for seed, entry in enumerate(state.seeding, start=1)}

    def running_score(match: Match, slot: Slot) -> int | None:
        if being_played is None or match.round != being_played.number:
            return None
        return None if match.table is None or slot.entry is None else running.get((match.table, slot.entry))

    def slot_document(match: Match, slot: Slot) -> BracketSlotOutput:
        player = None if slot.entry is None else ids[slot.entry]
        entrant = None if player is None else known[UUID(player)]
        return {
            "entry": slot.entry,
            "player": player,
            "name": None if entrant is None else names.of(entrant),
            "shown_as": None if entrant is None else entrant.shown_as,
            "seed": None if slot.entry is None else seeds.get(slot.entry),
            "has_left": slot.entry in left,
            "source": None if slot.source is None else _source(slot.source),
            "score": slot.score,
            "running_score": running_score(match, slot),
            "place": slot.place,
            "lives": slot.lives,
        }

    return {
        "version": version,
        "measure": state.measures[0].name if state.measures else None,
        "matches": [
            {
                "number": match.number,
                "round": match.round,
                "side": match.side,
                "state": match.state,
                "table": match.table,
                "winner": match.winner,
                "winner_to": match.winner_to,
                "loser_to": match.loser_to,
                "through": match.through,
                "advancing": list(match.advancing),
                "slots": [slot_document(match, slot) for slot in match.slots],
                "games": games.get((match.round, match.table), []),
            }
            for match in matches
        ],
    }


def _by_player(tournament: Tournament) -> dict[UUID, Entry]:
    return {entry.player_id: entry for entry in tournament.entries.select_related("player")}


def _games(tournament: Tournament) -> dict[tuple[int, int | None], list[BracketGameOutput]]:
    """Return the dealt games by round and table."""
    dealt = TableGame.objects.filter(table__round__tournament=tournament, dealt_at__isnull=False)
    found: dict[tuple[int, int | None], list[BracketGameOutput]] = {}
    for one in dealt.select_related("table__round").order_by("number"):
        row: BracketGameOutput = {"number": one.number, "game": str(one.game), "ended": one.ended or None}
        found.setdefault((one.table.round.number, one.table.number), []).append(row)
    return found


class RoundCounts(TypedDict):
    games: int
    dealt: int
    ended: int


class RoundLine(RoundCounts):
    round: int
    stage: Annotated[int | None, "1 or 2 in the format `stages`"]
    state: Annotated[str, one_of(RoundState.values)]
    opened_at: datetime | None
    closes_at: datetime | None
    closed_at: datetime | None


def round_line(round: Round, where: StageMap) -> RoundLine:
    return {
        "round": round.number,
        "stage": where.stage(round.number),
        "state": round.state,
        "opened_at": round.opened_at,
        "closes_at": round.closes_at,
        "closed_at": round.closed_at,
        **counts(round),
    }


class RoundsOutput(TypedDict):
    results: list[RoundLine]


def rounds(tournament: Tournament) -> list[RoundLine]:
    where = stage_map(tournament)
    return [round_line(round, where) for round in tournament.played_rounds.all()]


class RelaxedOutput(TypedDict):
    what: Annotated[str, one_of(RELAXATIONS)]
    entries: list[int]


def _relaxed(one: Relaxed) -> RelaxedOutput:
    return {"what": one.what, "entries": list(one.entries)}


class CorrectedPairingOutput(TypedDict):
    tables: list[list[int]]
    byes: list[int]
    relaxed: list[RelaxedOutput]


def pairing_document(pairing: Pairing) -> CorrectedPairingOutput:
    return {
        "tables": [list(table.seats) for table in pairing.tables],
        "byes": list(pairing.byes),
        "relaxed": [_relaxed(one) for one in pairing.relaxed],
    }


class TournamentSeat(TypedDict):
    seat: int
    entry: int
    player: Uuid
    name: str | None
    forfeited: Annotated[bool, "did not come to the table"]
    running_score: RunningScore


class TableGameOutput(TypedDict):
    number: int
    deal: int
    game: Uuid | None
    ended: str | None
    scores: list[list[int]] | None
    correction: Annotated[int | None, "the number of the last correction of the game; null: not corrected"]


class TableOutput(TypedDict):
    table: int
    group: Annotated[int | None, "the group in the first stage, from 1"]
    seats: list[TournamentSeat]
    games: list[TableGameOutput]


class SittingOut(TypedDict):
    byes: Annotated[list[int], "entries with a bye"]
    relaxed: list[RelaxedOutput]
    qualified: Annotated[
        list[int],
        "the entrants of the stage that begins with this round, the strongest first; empty in other rounds",
    ]


class RoundOutput(RoundLine, SittingOut):
    progress: Annotated[ProgressOutput | None, "null once the round is closed"]
    algorithm: Annotated[
        str | None, "the engine that paired the round, with its version; `by-hand` for a manual pairing"
    ]
    known: Annotated[
        str | None, "SHA-256 of the snapshot from which it was paired (see the round-paired event)"
    ]
    tables: list[TableOutput]


def round_document(tournament: Tournament, number: int, viewer: Viewer, *, now: datetime) -> RoundOutput:
    """Return a round with its tables; scores appear once it is closed. Raises NotFound."""
    round = tournament.played_rounds.filter(number=number).first()
    if round is None:
        raise NotFound
    closed, where = round.state == RoundState.CLOSED, stage_map(tournament)
    results = results_of(tournament, round)
    running = running_scores(round)
    names = Names(viewer, tournament)
    tables = round.tables.prefetch_related("seats__entry__player", "games")
    return {
        **round_line(round, where),
        "progress": None if closed else of_round(round, now=now),
        "algorithm": round.algorithm or None,
        "known": round.known or None,
        **_sitting_out(tournament, round),
        "tables": [
            {
                "table": table.number,
                "group": where.group_at(number, table.seats.all()[0].entry.number),
                "seats": [
                    {
                        "seat": seat.index,
                        "entry": seat.entry.number,
                        "player": str(seat.entry.player_id),
                        "name": names.of(seat.entry),
                        "forfeited": results.has_forfeited(table.number, seat)
                        if closed
                        else seat.forfeited_at is not None,
                        "running_score": running.get((table.number, seat.entry.number)),
                    }
                    for seat in table.seats.all()
                ],
                "games": [_game_line(one, table, results) for one in table.games.all()],
            }
            for table in tables
        ],
    }


def _sitting_out(tournament: Tournament, round: Round) -> SittingOut:
    """Return the byes and the relaxations of the pairing."""
    paired = [one for one in record.load(tournament.pk).played if one.round == round.number]
    return {
        "byes": [entry for pairing in paired for entry in pairing.byes],
        "relaxed": [_relaxed(one) for pairing in paired for one in pairing.relaxed],
        "qualified": [entry for pairing in paired for entry in pairing.going_on],
    }


def _game_line(one: TableGame, table: Table, results: RoundResults) -> TableGameOutput:
    """Return one game; the scores are in the order of the seats."""
    found = [results.of(table.number, one.deal, seat.entry.number) for seat in table.seats.all()]
    return {
        "number": one.number,
        "deal": one.deal,
        "game": str(one.game) if one.dealt_at else None,
        "ended": one.ended or None,
        "scores": [list(result.score) for result in found if result is not None] if results.closed else None,
        "correction": results.correction(table.number, one.deal),
    }


def history_at(tournament: Tournament, at: int | None = None) -> tuple[int, History]:
    """Return the version `at` (default: the last) and the state at it. Raises NoSuchVersion."""
    if at is None:
        head, state = record.load_with_head(tournament.pk)
        return head.version, state
    events = store.read(tournament.pk, until=at)
    if not events or events[-1].version != at:
        raise NoSuchVersion
    return at, history.fold((event.type, event.data) for event in events)


class StandingOutput(StandingLine):
    stage: Annotated[int | None, "the stage reached, in the format `stages`"]
    group: Annotated[int | None, "the group in the first stage, from 1"]
    player: Uuid
    name: Annotated[str | None, "null if the viewer may not see it"]
    shown_as: ShownAs
    prize: Annotated[int | None, "pence; null until the end"]
    prize_now: Annotated[
        int | None,
        "pence for this place if the tournament ended now; null before a round is closed, and after the end",
    ]


class StandingsOutput(TypedDict):
    version: int
    status: str
    rounds_closed: int
    measures: list[MeasureOutput]
    standings: list[StandingOutput]


def standings(tournament: Tournament, viewer: Viewer, *, at: int | None = None) -> StandingsOutput:
    """Return the standings at an event. Only closed rounds count, so that a running round reveals nothing about its
    deal.

    Raises NoSuchVersion.
    """
    version, state = history_at(tournament, at)
    known, names = _by_player(tournament), Names(viewer, tournament)
    form, field = formats.get(tournament.format), state.snapshot()
    ranked = form.standings(field)
    players = {entrant.entry: entrant.player for entrant in state.entrants}
    where, present = StageMap(state), present_prizes(tournament, state, ranked)
    return {
        "version": version,
        "status": state.status,
        "rounds_closed": state.closed,
        "measures": [column.document() for column in form.columns(field)],
        "standings": [
            {
                **standing.document(),
                "stage": where.reached.get(standing.entry),
                "group": where.groups.get(standing.entry),
                "player": players[standing.entry],
                "name": names.of(entry := known[UUID(players[standing.entry])]),
                "shown_as": entry.shown_as,
                "prize": state.awards.get(standing.entry, 0) if state.status == Status.FINISHED else None,
                "prize_now": present.get(standing.entry),
            }
            for standing in ranked
        ],
    }


def present_prizes(tournament: Tournament, state: History, ranked: Sequence[Standing]) -> Mapping[int, int]:
    """Return what each entry would be paid, in pence, if a running tournament ended with these standings."""
    if state.status != Status.RUNNING or not state.closed or all(one.disqualified for one in ranked):
        return {}
    _, awards = prizes.divide(
        tournament.fee * len(state.entrants),
        rake=tournament.rake,
        basis_points=tournament.prizes,
        standings=ranked,
        amounts=tournament.amounts,
        guarantee=tournament.guarantee,
    )
    return awards


class PartOutput(TypedDict):
    what: str
    amount: int
    round: int | None
    opponents: list[int]


def _part(part: Part) -> PartOutput:
    return {
        "what": part.what,
        "amount": part.amount,
        "round": part.round,
        "opponents": list(part.opponents),
    }


class ColumnBreakdownOutput(MeasureOutput):
    value: int
    parts: list[PartOutput]


class StandingBreakdownOutput(TypedDict):
    version: int
    entry: int
    columns: list[ColumnBreakdownOutput]


def arithmetic(tournament: Tournament, entry: int, *, at: int | None = None) -> StandingBreakdownOutput:
    """Return the arithmetic of each column of an entrant's standing. Raises NotFound, NoSuchVersion."""
    version, state = history_at(tournament, at)
    form, field = formats.get(tournament.format), state.snapshot()
    if entry not in {entrant.entry for entrant in field.entrants}:
        raise NotFound
    reckoned = form.arithmetic(field)[entry]
    return {
        "version": version,
        "entry": entry,
        "columns": [
            {
                **column.document(),
                "value": reckoned[column.name].value,
                "parts": [_part(part) for part in reckoned[column.name].parts],
            }
            for column in form.columns(field)
        ],
    }


@dataclass(frozen=True)
class StageMap:
    """The stages and groups of a tournament at `history`. There are no groups before the start."""

    history: History

    @property
    def _known(self) -> bool:
        return bool(self.history.stages and self.history.seeding)

    @cached_property
    def groups(self) -> Mapping[int, int]:
        """The group of each entry, from 1; empty without groups."""
        return stages.group_of(self.history.snapshot()) if self._known else {}

    @cached_property
    def reached(self) -> Mapping[int, int]:
        """The stage that each entry has reached, from 1."""
        return staged.reached(self.history.snapshot()) if self._known else {}

    @cached_property
    def _first_rounds(self) -> int:
        return stages.first_rounds(self.history.snapshot())

    def stage(self, round: int) -> int | None:
        if not self._known:
            return None
        return 1 if round <= self._first_rounds else 2

    def group_at(self, round: int, entry: int) -> int | None:
        """Return the group of a table at which the entrant sits in that round."""
        return self.groups.get(entry) if self.stage(round) == 1 else None


def stage_map(tournament: Tournament) -> StageMap:
    """Return the current stages and groups."""
    return StageMap(record.load(tournament.pk)) if tournament.stages else StageMap(History())


LATELY = timedelta(minutes=5)
"""The interval whose moves are counted."""

NO_MOVES = ("created", "seated", "left", "dealt", "expired", "finished", "voided")
"""Events of a game that are not moves."""


class ProgressOutput(RoundCounts):
    round: int
    tables: int
    tables_done: Annotated[int, "tables whose games are all over"]
    moves_per_minute: Annotated[
        float | None,
        "average over the last five minutes; null before the round is open, and if tables share deals",
    ]
    estimated_end: Annotated[datetime | None, "estimated from the finished tables; null before the first"]


def progress(tournament: Tournament, *, now: datetime) -> ProgressOutput | None:
    """Return the progress of the round that is not closed yet; None between rounds."""
    round = tournament.played_rounds.exclude(state=RoundState.CLOSED).first()
    return None if round is None else of_round(round, now=now)


def of_round(round: Round, *, now: datetime) -> ProgressOutput:
    tables, done = _tables(round)
    return {
        "round": round.number,
        **counts(round),
        "tables": tables,
        "tables_done": done,
        "moves_per_minute": _moves_per_minute(round, now),
        "estimated_end": _estimated_end(round, tables=tables, done=done, now=now),
    }


def counts(round: Round) -> RoundCounts:
    """Return how many games of the round there are, have been dealt, and have ended."""
    found = TableGame.objects.filter(table__round=round).aggregate(
        games=Count("pk"),
        dealt=Count("pk", filter=Q(dealt_at__isnull=False)),
        ended=Count("pk", filter=Q(ended_at__isnull=False)),
    )
    return {"games": found["games"], "dealt": found["dealt"], "ended": found["ended"]}


def _tables(round: Round) -> tuple[int, int]:
    """Return the number of tables, and of those tables whose games are all over."""
    unfinished = Exists(TableGame.objects.filter(table=OuterRef("pk"), ended_at=None))
    found = Table.objects.filter(round=round).aggregate(all=Count("pk"), done=Count("pk", filter=~unfinished))
    return found["all"], found["done"]


def _moves_per_minute(round: Round, now: datetime) -> float | None:
    """Return the moves per minute, over the interval or since the round opened; None before it is open.

    None also if tables share deals, since the rate of others would reveal something about the deal.
    """
    if round.state != RoundState.OPEN or round.opened_at is None or _shares_deals(round):
        return None
    since = max(round.opened_at, now - LATELY)
    minutes = (now - since).total_seconds() / 60
    if minutes <= 0:
        return None
    games = TableGame.objects.filter(table__round=round).values("game")
    # Only streams with recent events are read.
    lively = Stream.objects.filter(pk__in=games, head_at__gt=format_at(since)).values("pk")
    moves = Event.objects.filter(stream__in=lively, at__gt=format_at(since)).exclude(type__in=NO_MOVES)
    tenths = int(moves.count() / minutes * 10 + 0.5)
    return tenths / 10


def _shares_deals(round: Round) -> bool:
    """Return whether tables share deals. A race is one public deal."""
    form = formats.get(round.tournament.format)
    of_two_tables = {form.deal(tables=2, game=1, table=table) for table in (1, 2)}
    return len(of_two_tables) == 1 and not form.on_bets


def _estimated_end(round: Round, *, tables: int, done: int, now: datetime) -> datetime | None:
    """Return the end if the remaining tables take as long as the finished ones, at most the round's time limit.

    None before the round is open, and before a table is done.
    """
    if round.state != RoundState.OPEN or round.opened_at is None or not done:
        return None
    left = (now - round.opened_at) / done * (tables - done)
    assert round.closes_at is not None
    return min(now + left, max(round.closes_at, now))
