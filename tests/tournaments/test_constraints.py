"""Uniqueness and consistency of tournament rows, enforced by both databases."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from accounts.roles import Role
from tests.conftest import known
from tests.databases import shared
from tests.tournaments.conftest import publish
from tests.tournaments.playing import NOW, enter, games_of, play_round, rich, start
from tournaments.models import Award, Entry, Round, Score, Seat, SecretSeed, Table, TableGame, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@shared
def running() -> Tournament:
    tournament = publish(known("olga", Role.ORGANIZER), rounds=1)
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    return tournament


def refused(make) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        make()


def test_entries_rounds_tables_seats_and_games_are_unique(running: Tournament):
    first, second = running.entries.all()
    refused(lambda: Entry.objects.create(tournament=running, entered_at=NOW, player=first.player, number=9))
    refused(lambda: Entry.objects.filter(pk=second.pk).update(number=first.number))
    round = running.played_rounds.get()
    refused(lambda: Round.objects.create(tournament=running, number=1))
    other = Table.objects.create(round=round, number=99)
    refused(lambda: Seat.objects.create(round=round, table=other, entry=first, index=0))
    one, two = games_of(running, 1)
    seat = one.table.seats.get()
    stranger = Entry.objects.create(tournament=running, player=rich("eva"), number=9, entered_at=NOW)
    refused(lambda: Table.objects.create(round=one.table.round, number=one.table.number))
    refused(lambda: Seat.objects.create(round=seat.round, table=one.table, entry=stranger, index=seat.index))
    refused(lambda: TableGame.objects.create(table=one.table, number=one.number, deal=1))
    refused(lambda: TableGame.objects.filter(pk=two.pk).update(game=one.game))


def test_scores_and_awards_are_unique_and_an_award_cannot_change(running: Tournament):
    play_round(running, 1)
    score, award = Score.objects.first(), Award.objects.first()
    refused(lambda: Score.objects.create(table_game=score.table_game, entry=score.entry, measures=[9]))
    refused(lambda: Award.objects.create(entry=award.entry, place=1, amount=5))
    _untouchable("tournaments_award", "amount = 5")


def test_the_seed_is_unique_and_cannot_change(running: Tournament):
    refused(lambda: SecretSeed.objects.create(tournament=running, seed=bytes(32)))
    _untouchable("tournaments_secretseed", "seed = seed")


def _untouchable(table: str, change: str) -> None:
    for sql in (f"UPDATE {table} SET {change}", f"DELETE FROM {table}"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)


def test_the_columns_of_a_tournament_match_its_status(running: Tournament, subtests: pytest.Subtests):
    for change in [
        {"status": "paused"},
        {"status": "finished"},
        {"status": "draft"},
        {"status": "published"},
        {"commitment": None},
        {"entropy": None},
        {"ended_at": NOW},
        {"rounds": 0},
        {"games": 0},
        {"capacity": 1},
        {"fewest": 1},
        {"fill_to": 21},
        {"fee": -1},
        {"rake": 10_000},
    ]:
        with subtests.test(change=change):
            refused(lambda change=change: Tournament.objects.filter(pk=running.pk).update(**change))


def test_the_columns_of_rounds_and_games_match_their_state(running: Tournament):
    round = Round.objects.filter(tournament=running)
    for change in (
        {"state": "closed"},
        {"state": "opening"},
        {"closed_at": NOW + timedelta(1)},
        {"closes_at": None},
        {"state": "lost"},
        {"number": 0},
    ):
        refused(lambda change=change: round.update(**change))
    one = TableGame.objects.filter(pk=games_of(running, 1)[0].pk)
    for change in ({"ended": "finished"}, {"ended_at": NOW}, {"number": 0}, {"deal": 0}, {"seated_at": None}):
        refused(lambda change=change: one.update(**change))
