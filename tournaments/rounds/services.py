"""The life of a round: pairing, dealing, scoring, and closing. Every step is idempotent.

A round is paired completely (tables, seats, and the ids of its games) before the first game is created. The games
are created in chunks, each in a transaction with its event, by any worker that finds some missing. If the games of
a table are a match, only the first is created then, and each other when the one before it has ended.
"""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from eventstore.chain import format_at
from eventstore.months import dated
from games import selectors, state
from games import services as games
from games.models import GameRecord
from games.models import Status as GameStatus
from games.rules import MatchRules, fairness
from games.rules import get as get_rules
from games.rules.scoring import Outcome
from games.services import TournamentRef
from tournaments import formats, ratings, record, schedules
from tournaments.betting import meetings
from tournaments.formats import checker, history, pairing_review
from tournaments.formats.protocol import Pairing, Snapshot
from tournaments.formats.scoring import game_scores
from tournaments.formats.sizes import CannotBeSeated
from tournaments.models import (
    Ended,
    Entry,
    Round,
    RoundState,
    Score,
    Seat,
    SecretSeed,
    Status,
    Table,
    TableGame,
    Tournament,
)
from tournaments.rounds import manual_pairing, stalls, steps
from tournaments.rounds.stalls import FaultyPairing, GameNotEnding

CHUNK = 50
"""The number of games created, ended, or voided in one transaction."""


# --- opening -------------------------------------------------------------------------------------------


def open_round(*, tournament_id: UUID, number: int, now: datetime) -> bool:
    """Seat and deal at most one chunk of a round's games. Returns whether more remain."""
    tournament = record.locked(tournament_id)
    if tournament.status != Status.RUNNING:
        return False
    round = tournament.played_rounds.filter(number=number).first()
    if round is None:
        if tournament.paused or _has_been_decided(tournament):
            return False
        round = _create_round(tournament, number, now)
        if round is None:
            return False
    if round.state != RoundState.OPENING:
        return False
    planned = TableGame.objects.of_round(round).select_related("table")
    if _match_rules(tournament) is not None:
        planned = planned.filter(number=1)
    # All games are seated before any is dealt: see TableGame.
    if chunk := list(planned.unseated()[:CHUNK]):
        _seat(tournament, round, chunk, now)
        return True
    if formats.get(tournament.format).on_bets:
        meetings.take_bets(tournament, round, now)
        steps.let_bots_bet(tournament, number, due=now)
    elif chunk := list(planned.undealt()[:CHUNK]):
        _deal(tournament, round, chunk, now)
        return True
    _open(tournament, round, now)
    return False


def _has_been_decided(tournament: Tournament) -> bool:
    """Return whether a correction has ended the tournament after the round was scheduled."""
    return bool(record.load(tournament.pk).corrections) and record.is_played_out(tournament)


class _Chosen(NamedTuple):
    pairing: Pairing
    known: Snapshot
    algorithm: str
    is_manual: bool


def _choose_pairing(tournament: Tournament, number: int, now: datetime) -> _Chosen | None:
    """Return the organizer's manual pairing, or the engine's.

    Returns None if it is not possible; then the tournament is stalled.
    """
    form, state = formats.get(tournament.format), record.load(tournament.pk)
    manual = manual_pairing.recorded_pairing(state, number)
    if manual is not None:
        if faults := manual_pairing.current_faults(form, state, manual):
            manual_pairing.stall_for_pairing(tournament, manual, faults, now=now)
            return None
        known = checker.before(state.snapshot(), number)
        return _Chosen(manual, known, pairing_review.ALGORITHM, is_manual=True)
    try:
        pairing, known = _pair(tournament, number)
    except CannotBeSeated as error:
        # Another attempt would fail in the same way.
        trouble = stalls.describe_no_seating(state, number, error)
        stalls.stall(tournament_id=tournament.pk, trouble=trouble, now=now)
        return None
    return _Chosen(pairing, known, form.algorithm(known), is_manual=False)


def _create_round(tournament: Tournament, number: int, now: datetime) -> Round | None:
    """Store the tables, seats, and games of a round; unique keys prevent duplicates.

    Returns None if no pairing is possible.
    """
    chosen = _choose_pairing(tournament, number, now)
    if chosen is None:
        return None
    form, (pairing, known, algorithm, is_manual) = formats.get(tournament.format), chosen
    entries = {entry.number: entry for entry in tournament.entries.standing()}
    round = Round.objects.create(
        tournament=tournament, number=number, algorithm=algorithm, known=known.fingerprint()
    )
    tables = Table.objects.bulk_create([Table(round=round, number=table.number) for table in pairing.tables])
    Seat.objects.bulk_create(
        Seat(round=round, table=table, entry=entries[entry], index=index)
        for table, planned in zip(tables, pairing.tables, strict=True)
        for index, entry in enumerate(planned.seats)
    )
    Seat.objects.bulk_create(
        Seat(round=round, table=None, entry=entries[entry], index=0) for entry in pairing.byes
    )
    if not is_manual:
        data = {**history.paired(pairing), "algorithm": round.algorithm, "known": round.known}
        record.append(tournament, ("round-paired", data), now=now)
    seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
    TableGame.objects.bulk_create(
        TableGame(
            table=table,
            number=game,
            game=new_game_id(seed, tournament, number, table=table.number, game=game, now=now),
            deal=form.deal(tables=len(tables), game=game, table=table.number),
        )
        for table in tables
        for game in range(1, tournament.games + 1)
    )
    return round


def new_game_id(
    seed: bytes, tournament: Tournament, round: int, *, table: int, game: int | str, now: datetime
) -> UUID:
    """Return the id of a game: secret while the seed is, and the same on each attempt in a month.

    Bots derive their random choices from what does not depend on the month, so a tournament of bots is reproducible.
    """
    label = f"{tournament.pk}|round|{round}|table|{table}|game|{game}|id"
    return dated(UUID(bytes=hmac.digest(seed, label.encode(), "sha256")[:16], version=4), now)


def _pair(tournament: Tournament, number: int) -> tuple[Pairing, Snapshot]:
    """Return a round's checked pairing and its snapshot. Raises CannotBeSeated, FaultyPairing."""
    known = record.load(tournament.pk).snapshot()
    form = formats.get(tournament.format)
    pairing = form.pair(known, number)
    if faults := checker.check(form, known, pairing):
        raise FaultyPairing("; ".join(fault.why for fault in faults))
    return pairing, known


def _match_rules(tournament: Tournament) -> MatchRules | None:
    return get_rules(tournament.rules).match_rules


def _seat(
    tournament: Tournament,
    round: Round,
    chunk: Sequence[TableGame],
    now: datetime,
    *,
    config: Mapping[str, Any] | None = None,
) -> None:
    """Create games and seat their players, with the entropy in every seat. `config` replaces the tournament's."""
    seated = _seated(chunk)
    bet_on = formats.get(tournament.format).on_bets
    strategies = {one.entry: one.strategy for one in record.load(tournament.pk).entrants}
    seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
    places = [
        games.Place(
            game=one.game,
            server_seed=fairness.tournament_server_seed(seed, round=round.number, deal=one.deal),
            tournament=reference(tournament, round, one),
            sitters=[
                games.Sitter(entry.player_id, bot=strategies[entry.number], shown_as=entry.shown_as)
                for entry in ([] if bet_on else seated[one.table_id])
            ],
        )
        for one in chunk
    ]
    games.seat_tables(
        rules=tournament.rules,
        config=tournament.config if config is None else config,
        draw_every=meetings.DRAW_EVERY if bet_on else None,
        places=places,
        now=now,
    )
    TableGame.objects.filter(pk__in=[one.pk for one in chunk]).update(seated_at=now)


def _seated(chunk: Sequence[TableGame]) -> dict[int, list[Entry]]:
    """Return the entries at each table (by its key), from seat 0."""
    seated: dict[int, list[Entry]] = {one.table_id: [] for one in chunk}
    seats = Seat.objects.filter(table__in=seated).select_related("entry").order_by("table", "index")
    for seat in seats:
        assert seat.table_id is not None
        seated[seat.table_id].append(seat.entry)
    return seated


def reference(tournament: Tournament, round: Round, one: TableGame) -> TournamentRef:
    assert tournament.commitment is not None
    assert tournament.entropy is not None
    form = formats.get(tournament.format)
    sharers = form.sharers(deal=one.deal, table=one.table.number)
    return TournamentRef(
        id=tournament.pk,
        round=round.number,
        deal=one.deal,
        # A race hides nothing, and it is dealt when betting is closed.
        deal_group="" if form.on_bets else f"{tournament.pk}:{round.number}:{sharers}",
        commitment=tournament.commitment,
        entropy=tournament.entropy,
        ended_job=steps.GAME_ENDED,
    )


def _deal(
    tournament: Tournament, round: Round, chunk: Sequence[TableGame], now: datetime, **follows: Any
) -> None:
    """Deal games. `follows` is added to the event for each game: the game of the match that it follows from."""
    games.deal_tables(games=[one.game for one in chunk], now=now)
    TableGame.objects.filter(pk__in=[one.pk for one in chunk]).update(dealt_at=now)
    seated = _seated(chunk)
    data = [
        {
            "table": one.table.number,
            "number": one.number,
            "deal": one.deal,
            "game": str(one.game),
            "entries": [entry.number for entry in seated[one.table_id]],
            **follows,
        }
        for one in chunk
    ]
    record.append(tournament, ("games-dealt", {"round": round.number, "games": data}), now=now)


def _deal_next(tournament: Tournament, round: Round, table: Table, now: datetime) -> None:
    """Deal the next game of a match, unless a game of the table is in progress. The tournament is locked.

    Its config follows from the current game of the number before it: the dealer moves on and the winner is carried
    over (RULEBOOK 5); after a void game both stay the same. A later redeal of that game does not change it.
    """
    rules, one = _match_rules(tournament), table.games.unseated().first()
    if rules is None or one is None or table.games.running().exists():
        return
    before = GameRecord.objects.get(pk=table.games.get(number=one.number - 1).game)
    config = rules.config_after(before.config, before.outcome)
    _seat(tournament, round, [one], now, config=config)
    absent = table.seats.filter(forfeited_at__isnull=False).values_list("index", flat=True)
    games.forfeit_seats(game_ids=[one.game], seats=absent)
    after = {"game": str(before.pk), "outcome": before.outcome}
    _deal(tournament, round, [one], now, config=config, after=after)


def _open(tournament: Tournament, round: Round, now: datetime) -> None:
    """Open the round and start its clock, once its first games are dealt."""
    round.state = RoundState.OPEN
    round.opened_at = now
    round.closes_at = now + timedelta(seconds=tournament.round_seconds)
    round.save(update_fields=["state", "opened_at", "closes_at"])
    data = {
        "round": round.number,
        "tables": round.tables.count(),
        "closes_at": format_at(round.closes_at),
    }
    record.append(tournament, ("round-opened", data), now=now)
    steps.close_round(tournament, round, due=round.closes_at, why="time")
    if tournament.no_show_seconds:
        look = now + timedelta(seconds=tournament.no_show_seconds)
        steps.watch(tournament, round, due=look)
    _close_if_all_ended(tournament, round, now)


# --- scores --------------------------------------------------------------------------------------------


class Result(NamedTuple):
    """How a game of a table ended."""

    one: TableGame
    ended: Ended
    outcome: Outcome | None
    moves: int


def games_ended(*, tournament_id: UUID, number: int, moves: Mapping[UUID, int], now: datetime) -> None:
    """Score finished games of a round and deal the next of their matches. The last game closes the round.

    `moves` has the number of moves of each game. Raises StillPaid.
    """
    of_round = TableGame.objects.filter(table__round__tournament=tournament_id, table__round__number=number)
    tables = of_round.filter(game__in=moves).values("table")
    follow = set(of_round.unseated().filter(table__in=tables).values_list("table", flat=True))
    if follow:
        # All callers lock the tournament before the round.
        record.locked(tournament_id)
    # Games that end together wait here, so that the last one sees all the others.
    locked = Round.objects.select_for_update(of=("self",)).select_related("tournament")
    round = locked.get(tournament=tournament_id, number=number)
    tournament = round.tournament
    ended = of_round.select_for_update(of=("self",)).select_related("table")
    games = {one.game: one for one in ended.filter(game__in=moves, ended_at=None).order_by("table__number")}
    over = GameRecord.objects.filter(pk__in=games).values_list("pk", "status", "outcome")
    _score(
        tournament,
        [
            Result(games[game], _how(status, Ended.FINISHED), outcome, moves[game])
            for game, status, outcome in over
        ],
        now,
    )
    if tournament.status == Status.RUNNING:
        for one in games.values():
            if one.table_id in follow:
                _deal_next(tournament, round, one.table, now)
    _close_if_all_ended(tournament, round, now)


def _close_if_all_ended(tournament: Tournament, round: Round, now: datetime) -> None:
    if round.state == RoundState.OPEN and not TableGame.objects.of_round(round).running().exists():
        steps.close_round(tournament, round, due=now, why="played")


def _how(status: str, otherwise: Ended) -> Ended:
    return Ended.VOID if status == GameStatus.VOID else otherwise


def _score(tournament: Tournament, results: Sequence[Result], now: datetime) -> None:
    """Store the scores of games that have none. A void game scores nothing. Raises StillPaid."""
    counted = game_scores.get(tournament.rules)
    scores: list[Score] = []
    if counted.on_bets:
        for one, *_ in results:
            scores += [
                Score(table_game=one, entry=entry, measures=list(two)) for entry, two in meetings.scores(one)
            ]
    else:
        seats = defaultdict(list)
        at = Seat.objects.filter(table__in={result.one.table_id for result in results})
        for table, entry, seat in at.values_list("table", "entry", "index"):
            seats[table].append((entry, seat))
        for one, _, outcome, moves in results:
            for entry, seat in seats[one.table_id]:
                measures = counted.score(outcome, seat=seat, moves=moves)
                scores.append(Score(table_game=one, entry_id=entry, measures=list(measures)))
    for ended in {result.ended for result in results}:
        ids = [one.pk for one, how, *_ in results if how == ended]
        TableGame.objects.filter(pk__in=ids).update(ended_at=now, ended=ended)
    Score.objects.bulk_create(scores)


# --- closing -------------------------------------------------------------------------------------------


def close_round(*, tournament_id: UUID, number: int, now: datetime) -> bool:
    """End overdue games, then close the round. Returns whether more games must be ended.

    A call before the time limit with games in progress does nothing; the last game or the clock calls again.
    """
    tournament = record.locked(tournament_id)
    round = Round.objects.select_for_update().filter(tournament=tournament, number=number).first()
    if tournament.status != Status.RUNNING or round is None or round.state != RoundState.OPEN:
        return False
    running = TableGame.objects.of_round(round).running()
    assert round.closes_at is not None
    bet_on = formats.get(tournament.format).on_bets
    # Suspended games have a separate job, which checks the round again.
    due = running.exclude(game__in=games_with_time_left(round, now))
    if now >= round.closes_at:
        for one in due.select_for_update(of=("self",)).select_related("table__round")[:CHUNK]:
            if bet_on:
                _run(tournament, one, now)
            else:
                _collect(tournament, one, now)
                _deal_next(tournament, round, one.table, now)
    if running.exists():
        # The draws of a race in progress have separate jobs.
        return now >= round.closes_at and not bet_on and due.exists()
    _close(tournament, round, now)
    return False


def _run(tournament: Tournament, one: TableGame, now: datetime) -> None:
    """Start the race at the end of the betting, or score it if it is over."""
    if meetings.is_settled(one):
        _, table = state.load(one.game)
        _score(tournament, [Result(one, _how(table.status, Ended.FINISHED), table.outcome, table.moves)], now)
    else:
        meetings.start_race(tournament, one, now)


def _collect(tournament: Tournament, one: TableGame, now: datetime) -> None:
    """End a game at the time limit: the server plays for absent seats, and the game scores what it has."""
    _, table = state.load(one.game)
    how = Ended.FINISHED if table.ended else Ended.EXPIRED
    while not table.ended:
        games.expire_game(game_id=one.game, now=now)
        before, (_, table) = table.version, state.load(one.game)
        if table.version == before:
            raise GameNotEnding(
                f"game {one.number} of table {one.table.number} continues though its time is up"
            )
    _score(tournament, [Result(one, _how(table.status, how), table.outcome, table.moves)], now)


def _close(tournament: Tournament, round: Round, now: datetime) -> None:
    round.state = RoundState.CLOSED
    round.closed_at = now
    round.save(update_fields=["state", "closed_at"])
    results = list(_results(round))
    data: dict[str, Any] = {
        "round": round.number,
        "results": results,
        **meetings.counted(tournament, results),
    }
    rated = ratings.claim(tournament, data)
    if rated is not None:
        data["rated"] = rated.number
    version = record.append(tournament, ("round-closed", data), now=now)
    if rated is not None:
        ratings.apply(tournament, rated, version=version, now=now)
    if not record.is_played_out(tournament):
        following = round.number + 1
        steps.open_round(tournament, following, due=schedules.next_opens(tournament, following, after=now))
    else:
        steps.finish(tournament, due=now)


def _results(round: Round) -> Iterator[dict[str, Any]]:
    """Yield the results of a round. Plain rows are read once, so that a round of ten thousand players is cheap."""
    absent = set(Seat.objects.filter(round=round, forfeited_at__isnull=False).values_list("table", "entry"))
    scores = (
        Score.objects.filter(table_game__table__round=round)
        .order_by("table_game__table__number", "table_game__number", "entry__number")
        .values_list(
            "table_game__table",
            "table_game__table__number",
            "table_game__deal",
            "table_game__game",
            "table_game__ended",
            "entry",
            "entry__number",
            "measures",
        )
    )
    for at, table, deal, game, ended, entry, number, measures in scores:
        yield {
            "table": table,
            "deal": deal,
            "game": str(game),
            "entry": number,
            "ended": "forfeit" if (at, entry) in absent else ended,
            "score": measures,
        }


def games_with_time_left(round: Round, now: datetime) -> set[UUID]:
    """Return the running games whose own time is not up: suspended ones, and those with lost time to make up for."""
    assert round.closes_at is not None
    running = TableGame.objects.of_round(round).running().order_by()
    if _in_matches(round):
        tables = _tables_with_time_left(round, round.closes_at, now)
        return set(running.filter(table__in=tables).values_list("game", flat=True))
    interrupted = GameRecord.objects.interrupted().filter(pk__in=running.values("game"))
    return {
        game.pk
        for game in interrupted
        if game.suspended_at is not None or now < round.closes_at + selectors.time_lost(game)
    }


def time_lost(game: GameRecord, table: Table) -> timedelta:
    """Return how much later than the round the time of a game at the table is up."""
    if not _in_matches(table.round):
        return selectors.time_lost(game)
    interrupted = GameRecord.objects.interrupted().filter(pk__in=table.games.values("game"))
    return sum(map(selectors.time_lost, interrupted), timedelta())


def _in_matches(round: Round) -> bool:
    return get_rules(round.tournament.rules).match_rules is not None


def _tables_with_time_left(round: Round, closes_at: datetime, now: datetime) -> set[int]:
    """Return the keys of tables with a suspended game, or with lost time that is not made up for."""
    games = TableGame.objects.of_round(round).order_by()
    selected = GameRecord.objects.interrupted().filter(pk__in=games.values("game"))
    interrupted = {game.pk: game for game in selected}
    lost: dict[int, timedelta] = defaultdict(timedelta)
    found = set()
    for table, game in games.filter(game__in=interrupted).values_list("table", "game"):
        lost[table] += selectors.time_lost(interrupted[game])
        if interrupted[game].suspended_at is not None:
            found.add(table)
    return found | {table for table, time in lost.items() if now < closes_at + time}
