"""What a tournament does when a game of its is suspended, resumed, goes on as another, or is dealt anew.

The game that is played now stands in its place at the table: same round, same number, same people. What it replaced is
told by the tournament's stream, and is void or counts for nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.models import Player
from accounts.roles import needs_enrolment
from games import places, services
from games.errors import NotDealtAnew
from games.models import GameRecord
from games.rules import fairness
from tournaments import access, calendar, formats, interruptions, record
from tournaments.formats.anew import further_deal
from tournaments.models import RoundState, Score, SecretSeed, Status, TableGame, Tournament
from tournaments.rounds import new_game_id, reference


class Tables:
    """The tables of tournaments, as `games.places` speaks to them."""

    def may_rule(self, player: Player, game: GameRecord) -> bool:
        if game.tournament is None or needs_enrolment(player):
            return False
        return access.may_rule(player, Tournament.objects.get(pk=game.tournament))

    def lock(self, tournament: UUID) -> None:
        record.locked(tournament)

    def suspended(self, game: GameRecord, *, by: Player | None, reason: str, now: datetime) -> None:
        one = _at(game)
        _tell(one, "game-suspended", by, reason, now)

    def resumed(
        self, game: GameRecord, *, lost: timedelta, by: Player | None, reason: str, now: datetime
    ) -> None:
        one = _at(game)
        version = _tell(one, "game-resumed", by, reason, now)
        _close_later(one, game, version)

    def continued(
        self, parent: GameRecord, child: GameRecord, *, by: Player | None, reason: str, now: datetime
    ) -> None:
        one = _at(parent)
        TableGame.objects.filter(pk=one.pk).update(game=child.pk)
        _replaced(one, parent, child, deal=one.deal, by=by, reason=reason, now=now)

    def place_anew(self, game: GameRecord) -> services.Place:
        """Raises NotDealtAnew."""
        one = TableGame.objects.filter(game=game.pk).select_related("table__round__tournament").first()
        if one is None:
            raise NotDealtAnew("Another game has replaced it at its table.")
        round, tournament = one.table.round, one.table.round.tournament
        if round.state != RoundState.OPEN or tournament.status != Status.RUNNING:
            raise NotDealtAnew("Its round is over: correct the result of the game, or adjust points.")
        form = formats.get(tournament.format)
        if form.on_bets:
            raise NotDealtAnew("Bets were made on the race: they are ruled on where they were made.")
        one.deal = further_deal(
            form,
            record.load(tournament.pk).anew,
            round=round.number,
            table=one.table.number,
            tables=round.tables.count(),
            games=tournament.games,
        )
        seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
        strategies = {each.entry: each.strategy for each in record.load(tournament.pk).entrants}
        seats = one.table.seats.select_related("entry").order_by("index")
        return services.Place(
            game=new_game_id(seed, tournament, round.number, table=one.table.number, game=f"deal {one.deal}"),
            server_seed=fairness.tournament_server_seed(seed, round=round.number, deal=one.deal),
            tournament=reference(tournament, round, one),
            sitters=[
                services.Sitter(seat.entry.player_id, bot=strategies[seat.entry.number]) for seat in seats
            ],
        )

    def dealt_anew(
        self, game: GameRecord, anew: GameRecord, *, by: Player | None, reason: str, now: datetime
    ) -> None:
        one = _at(game)
        assert anew.deal is not None
        Score.objects.filter(table_game=one).delete()
        TableGame.objects.filter(pk=one.pk).update(
            game=anew.pk, deal=anew.deal, seated_at=now, dealt_at=now, ended_at=None, ended=""
        )
        absent = one.table.seats.filter(forfeited_at__isnull=False).values_list("index", flat=True)
        services.forfeit_seats(game_ids=[anew.pk], seats=absent)
        _replaced(one, game, anew, deal=anew.deal, by=by, reason=reason, now=now)


def register() -> None:
    places.register_keeper(Tables())


def _at(game: GameRecord) -> TableGame:
    return TableGame.objects.select_related("table__round__tournament").get(game=game.pk)


def _replaced(
    one: TableGame,
    game: GameRecord,
    by_game: GameRecord,
    *,
    deal: int,
    by: Player | None,
    reason: str,
    now: datetime,
) -> None:
    entries = one.table.seats.order_by("index").values_list("entry__number", flat=True)
    version = _tell(
        one,
        "game-replaced",
        by,
        reason,
        now,
        deal=deal,
        game=str(by_game.pk),
        replaces=str(game.pk),
        # Not from which version: how far it had come is told by its own stream, when the deal is played out.
        goes_on=by_game.parent_version is not None,
        entries=list(entries),
    )
    _close_later(one, by_game, version)


def _tell(one: TableGame, type: str, by: Player | None, reason: str, now: datetime, **more: Any) -> int:
    told = {
        "round": one.table.round.number,
        "table": one.table.number,
        "number": one.number,
        "deal": one.deal,
        "game": str(one.game),
        "by": None if by is None else str(by.pk),
        "reason": reason,
        **more,
    }
    return record.append(_tournament(one), (type, told), now=now)


def _tournament(one: TableGame) -> Tournament:
    return one.table.round.tournament


def _close_later(one: TableGame, game: GameRecord, version: int) -> None:
    """Have the round looked at when the time that the game has lost is made up for."""
    round = one.table.round
    if round.state == RoundState.OPEN and round.closes_at is not None:
        due = round.closes_at + interruptions.time_lost(game, one.table)
        calendar.close_round(_tournament(one), round, due=due, why=f"after:{version}")
