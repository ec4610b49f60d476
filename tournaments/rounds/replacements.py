"""The tournament's part when a game is suspended, resumed, continued, or dealt again.

The current game has its place at the table: same round, number, and players. The tournament's stream names the
replaced game, which is void or does not count.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.models import Player
from accounts.roles import lacks_second_factor
from games import hooks, services
from games.errors import NotRedealable
from games.models import GameRecord
from games.rules import fairness
from tournaments import access, formats, record
from tournaments.formats.protocol import further_deal
from tournaments.models import RoundState, Score, SecretSeed, Status, TableGame, Tournament
from tournaments.rounds import steps
from tournaments.rounds.services import new_game_id, reference, time_lost


class Tables(hooks.GameOwner):
    """The tables of tournaments."""

    def may_rule(self, player: Player, game: GameRecord) -> bool:
        if game.tournament is None or lacks_second_factor(player):
            return False
        return access.may_rule(player, Tournament.objects.get(pk=game.tournament))

    def naming(self, viewer: Player, tournaments: Collection[UUID]) -> Collection[UUID]:
        return access.naming(viewer, tournaments)

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

    def redeal_place(self, game: GameRecord) -> services.Place:
        """Put a redeal in the game's place. Raises NotRedealable."""
        one = TableGame.objects.filter(game=game.pk).select_related("table__round__tournament").first()
        if one is None:
            raise NotRedealable("Another game has replaced it at the table.")
        round, tournament = one.table.round, one.table.round.tournament
        if round.state != RoundState.OPEN or tournament.status != Status.RUNNING:
            raise NotRedealable("Its round is over: correct the result instead.")
        form = formats.get(tournament.format)
        if form.on_bets:
            raise NotRedealable("The race has bets: correct its market instead.")
        one.deal = further_deal(
            form,
            record.load(tournament.pk).redealt,
            round=round.number,
            table=one.table.number,
            tables=round.tables.count(),
            games=tournament.games,
        )
        seed = bytes(SecretSeed.objects.get(tournament=tournament).seed)
        strategies = {each.entry: each.strategy for each in record.load(tournament.pk).entrants}
        seats = one.table.seats.select_related("entry").order_by("index")
        return services.Place(
            game=new_game_id(
                seed,
                tournament,
                round.number,
                table=one.table.number,
                game=f"deal {one.deal}",
                now=game.created_at,
            ),
            server_seed=fairness.tournament_server_seed(seed, round=round.number, deal=one.deal),
            tournament=reference(tournament, round, one),
            sitters=[
                services.Sitter(
                    seat.entry.player_id,
                    bot=strategies[seat.entry.number],
                    shown_as=seat.entry.shown_as,
                )
                for seat in seats
            ],
        )

    def redealt(
        self, game: GameRecord, redeal: GameRecord, *, by: Player | None, reason: str, now: datetime
    ) -> None:
        one = _at(game)
        assert redeal.deal is not None
        Score.objects.filter(table_game=one).delete()
        TableGame.objects.filter(pk=one.pk).update(
            game=redeal.pk, deal=redeal.deal, seated_at=now, dealt_at=now, ended_at=None, ended=""
        )
        absent = one.table.seats.filter(forfeited_at__isnull=False).values_list("index", flat=True)
        services.forfeit_seats(game_ids=[redeal.pk], seats=absent)
        _replaced(one, game, redeal, deal=redeal.deal, by=by, reason=reason, now=now)


def register() -> None:
    hooks.register_owner(Tables())


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
        # The version is left out. The game's stream shows it when the deal is public.
        goes_on=by_game.parent_version is not None,
        entries=list(entries),
    )
    _close_later(one, by_game, version)


def _tell(one: TableGame, type: str, by: Player | None, reason: str, now: datetime, **more: Any) -> int:
    data = {
        "round": one.table.round.number,
        "table": one.table.number,
        "number": one.number,
        "deal": one.deal,
        "game": str(one.game),
        "by": None if by is None else str(by.pk),
        "reason": reason,
        **more,
    }
    return record.append(_tournament(one), (type, data), now=now)


def _tournament(one: TableGame) -> Tournament:
    return one.table.round.tournament


def _close_later(one: TableGame, game: GameRecord, version: int) -> None:
    """Check the round again when the time that the game has lost is made up."""
    round = one.table.round
    if round.state == RoundState.OPEN and round.closes_at is not None:
        due = round.closes_at + time_lost(game, one.table)
        steps.close_round(_tournament(one), round, due=due, why=f"after:{version}")
