"""A round, from its tables to its scores. Every step may come twice, late, or be cut off, and does its work once.

A round is laid out whole (tables, seats, and the ids that its games will have) before the first game is made; the games
are made in chunks, each with its event in a transaction of its own, by whoever finds some that are still missing.
Where the games of a table are a match, only the first is made then, and each other when the one before it has ended.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from eventstore.chain import format_at
from games import services as games
from games import state
from games.models import GameRecord
from games.rules import MatchRules, fairness
from games.rules import get as get_rules
from games.services import TournamentRef
from tournaments import (
    by_hand,
    calendar,
    formats,
    halts,
    help,
    interruptions,
    meetings,
    ratings,
    record,
    schedules,
)
from tournaments.formats import checker, history, layouts, scoring
from tournaments.formats.protocol import Pairing, Snapshot
from tournaments.formats.sizes import CannotBeSeated
from tournaments.help import FaultyPairing, GoesOn
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

CHUNK = 50
"""Games made, ended or voided in one transaction."""


# --- opening -------------------------------------------------------------------------------------------


def open_round(*, tournament_id: UUID, number: int, now: datetime) -> bool:
    """Seat and deal the games of a round, at most a chunk of them; whether more remains to be done."""
    tournament = record.locked(tournament_id)
    if tournament.status != Status.RUNNING:
        return False
    round = tournament.played_rounds.filter(number=number).first()
    if round is None:
        if tournament.paused or _has_been_decided(tournament):
            return False
        round = _lay_out(tournament, number, now)
        if round is None:
            return False
    if round.state != RoundState.OPENING:
        return False
    planned = TableGame.objects.of_round(round).select_related("table")
    if _match_rules(tournament) is not None:
        planned = planned.filter(number=1)
    # All are seated before any is dealt: see TableGame.
    if chunk := list(planned.unseated()[:CHUNK]):
        _seat(tournament, round, chunk, now)
        return True
    if formats.get(tournament.format).on_bets:
        meetings.take_bets(tournament, round, now)
        calendar.let_bots_bet(tournament, number, due=now)
    elif chunk := list(planned.undealt()[:CHUNK]):
        _deal(tournament, round, chunk, now)
        return True
    _open(tournament, round, now)
    return False


def _has_been_decided(tournament: Tournament) -> bool:
    """Whether a correction has brought the end after the next round was asked for."""
    return bool(record.load(tournament.pk).corrections) and record.is_played_out(tournament)


def _lay_out(tournament: Tournament, number: int, now: datetime) -> Round | None:
    """Who sits where, and which game is played with which deal. The unique keys forbid anything twice.

    As the organizer has laid it out, or as the engine does. None where the organizer's does not hold any more, or the
    engine finds no way: then the organizer has been called.
    """
    form, state = formats.get(tournament.format), record.load(tournament.pk)
    laid_out = by_hand.laid_out(state, number)
    if laid_out is None:
        try:
            pairing, known = _pair(tournament, number)
        except CannotBeSeated as error:
            # To try it again would come to the same.
            trouble = help.of_no_seating(state, number, error)
            halts.stall(tournament_id=tournament.pk, trouble=trouble, now=now)
            return None
        algorithm = form.algorithm(known)
    else:
        if faults := by_hand.broken(form, state, laid_out):
            by_hand.ask_anew(tournament, laid_out, faults, now=now)
            return None
        pairing, known, algorithm = laid_out, checker.before(state.snapshot(), number), layouts.ALGORITHM
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
    if laid_out is None:
        told = {**history.paired(pairing), "algorithm": round.algorithm, "known": round.known}
        record.append(tournament, ("round-paired", told), now=now)
    seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
    TableGame.objects.bulk_create(
        TableGame(
            table=table,
            number=game,
            game=new_game_id(seed, tournament, number, table=table.number, game=game),
            deal=form.deal(tables=len(tables), game=game, table=table.number),
        )
        for table in tables
        for game in range(1, tournament.games + 1)
    )
    return round


def new_game_id(seed: bytes, tournament: Tournament, round: int, *, table: int, game: int | str) -> UUID:
    """Nobody's to guess while the seed is secret, and the same whenever the round is laid out: the bots' chance too
    follows from it, so a tournament of bots goes the same way again."""
    label = f"{tournament.pk}|round|{round}|table|{table}|game|{game}|id"
    return UUID(bytes=hmac.digest(seed, label.encode(), "sha256")[:16], version=4)


def _pair(tournament: Tournament, number: int) -> tuple[Pairing, Snapshot]:
    """A round's pairing, judged by the checker, and what it was made from. Raises CannotBeSeated, FaultyPairing."""
    known = record.load(tournament.pk).snapshot()
    form = formats.get(tournament.format)
    pairing = form.pair(known, number)
    if faults := checker.check(form, known, pairing):
        raise FaultyPairing("; ".join(fault.what for fault in faults))
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
    """Make games and seat their players, with the entropy in every seat; `config` instead of the tournament's."""
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
                games.Sitter(entry.player_id, bot=strategies[entry.number])
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
    """Who sits at each table (by its key), from seat 0."""
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
        # A race hides nothing from anybody, and its deal is made when nobody can bet any more.
        deal_group="" if form.on_bets else f"{tournament.pk}:{round.number}:{sharers}",
        commitment=tournament.commitment,
        entropy=tournament.entropy,
        ended_job=calendar.GAME_ENDED,
    )


def _deal(
    tournament: Tournament, round: Round, chunk: Sequence[TableGame], now: datetime, **follows: Any
) -> None:
    """`follows` goes into the event with each game: what the next of a match follows from."""
    games.deal_tables(games=[one.game for one in chunk], now=now)
    TableGame.objects.filter(pk__in=[one.pk for one in chunk]).update(dealt_at=now)
    seated = _seated(chunk)
    told = [
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
    record.append(tournament, ("games-dealt", {"round": round.number, "games": told}), now=now)


def _deal_next(tournament: Tournament, round: Round, table: Table, now: datetime) -> None:
    """Deal the next game of a match, unless a game of the table is still being played. The tournament is locked.

    Its config follows from the present game of the number before it: the dealer moves on and the winner is carried over
    (RULEBOOK 5); after a void game both stay the same. A new deal that replaces that game later does not change it.
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
    """The clock of the round starts when the last of the games that it opens with has been dealt."""
    round.state = RoundState.OPEN
    round.opened_at = now
    round.closes_at = now + timedelta(seconds=tournament.round_seconds)
    round.save(update_fields=["state", "opened_at", "closes_at"])
    told = {
        "round": round.number,
        "tables": round.tables.count(),
        "closes_at": format_at(round.closes_at),
    }
    record.append(tournament, ("round-opened", told), now=now)
    calendar.close_round(tournament, round, due=round.closes_at, why="time")
    if tournament.no_show_seconds:
        look = now + timedelta(seconds=tournament.no_show_seconds)
        calendar.watch(tournament, round, due=look)
    _close_if_all_ended(tournament, round, now)


# --- scores --------------------------------------------------------------------------------------------


def game_ended(*, game_id: UUID, now: datetime) -> None:
    """Score a game that is over and deal the next of its match; with the last one the round is closed."""
    one = TableGame.objects.filter(game=game_id).select_related("table__round__tournament").first()
    if one is None or one.ended_at is not None:
        return
    tournament = one.table.round.tournament
    has_next = _match_rules(tournament) is not None and one.table.games.unseated().exists()
    if has_next:
        # Every caller that locks both locks the tournament before the round.
        tournament = record.locked(tournament.pk)
    # Of the games that end together each waits here, so that the last of them sees all the others.
    round = Round.objects.select_for_update().get(pk=one.table.round_id)
    _score(one, Ended.FINISHED, now)
    if has_next and tournament.status == Status.RUNNING:
        _deal_next(tournament, round, one.table, now)
    _close_if_all_ended(tournament, round, now)


def _close_if_all_ended(tournament: Tournament, round: Round, now: datetime) -> None:
    if round.state == RoundState.OPEN and not TableGame.objects.of_round(round).running().exists():
        calendar.close_round(tournament, round, due=now, why="played")


def _score(one: TableGame, ended: Ended, now: datetime) -> None:
    """Write down what a game was worth, once: the first to come is right. A void game is worth nothing.

    Raises StillPaid.
    """
    _, table = state.load(one.game)
    how = Ended.VOID if table.status == "void" else ended
    counted = scoring.get(table.game.slug)
    worth = (
        meetings.scores(one)
        if counted.on_bets
        else [
            (seat.entry, counted.score(table.outcome, seat=seat.index, moves=table.moves))
            for seat in Seat.objects.filter(table=one.table_id).select_related("entry")
        ]
    )
    # Another game may have replaced it meanwhile.
    claimed = TableGame.objects.filter(pk=one.pk, game=one.game, ended_at=None).update(
        ended_at=now, ended=how
    )
    if not claimed:
        return
    Score.objects.bulk_create(
        Score(table_game=one, entry=entry, measures=list(measures)) for entry, measures in worth
    )


# --- closing -------------------------------------------------------------------------------------------


def close_round(*, tournament_id: UUID, number: int, now: datetime) -> bool:
    """End what is still being played when time is up, then close the round; whether more remains to be ended.

    Called before time with games still running it does nothing: the last of them or the clock will call again.
    """
    tournament = record.locked(tournament_id)
    round = Round.objects.select_for_update().filter(tournament=tournament, number=number).first()
    if tournament.status != Status.RUNNING or round is None or round.state != RoundState.OPEN:
        return False
    running = TableGame.objects.of_round(round).running()
    assert round.closes_at is not None
    bet_on = formats.get(tournament.format).on_bets
    # For those that were suspended there is a job of its own, which looks at the round again.
    due = running.exclude(game__in=interruptions.not_yet_up(round, now))
    if now >= round.closes_at:
        for one in due.select_related("table__round")[:CHUNK]:
            if bet_on:
                _run(tournament, one, now)
            else:
                _collect(one, now)
                _deal_next(tournament, round, one.table, now)
    if running.exists():
        # The draws of a race that is off are jobs of their own.
        return now >= round.closes_at and not bet_on and due.exists()
    _close(tournament, round, now)
    return False


def _run(tournament: Tournament, one: TableGame, now: datetime) -> None:
    """The time for betting is up: the race is off, or over already."""
    if meetings.is_settled(one):
        _score(one, Ended.FINISHED, now)
    else:
        meetings.off(tournament, one, now)


def _collect(one: TableGame, now: datetime) -> None:
    """Time is up: the server plays for the absent until the game is over, and it scores what it has."""
    _, table = state.load(one.game)
    how = Ended.FINISHED if table.ended else Ended.EXPIRED
    while not table.ended:
        games.expire_game(game_id=one.game, now=now)
        before, (_, table) = table.version, state.load(one.game)
        if table.version == before:
            raise GoesOn(f"game {one.number} of table {one.table.number} goes on though its time is up")
    _score(one, how, now)


def _close(tournament: Tournament, round: Round, now: datetime) -> None:
    round.state = RoundState.CLOSED
    round.closed_at = now
    round.save(update_fields=["state", "closed_at"])
    results = list(_results(round))
    told: dict[str, Any] = {
        "round": round.number,
        "results": results,
        **meetings.counted(tournament, results),
    }
    rated = ratings.claim(tournament, told)
    if rated is not None:
        told["rated"] = rated.number
    version = record.append(tournament, ("round-closed", told), now=now)
    if rated is not None:
        ratings.apply(tournament, rated, version=version, now=now)
    if not record.is_played_out(tournament):
        following = round.number + 1
        calendar.open_round(tournament, following, due=schedules.next_opens(tournament, following, after=now))
    else:
        calendar.finish(tournament, due=now)


def _results(round: Round) -> Iterator[dict[str, Any]]:
    """Of a round of ten thousand players too: plain rows, read once."""
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
