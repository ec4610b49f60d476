"""Which games are archived: only those whose game, money, disputes, match, and tournament are over."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.utils import timezone

from accounts.models import Player
from disputes import services as disputes
from eventstore.models import ArchivedStream, ArchivePack, Event, Stream
from games import archive, services
from games.models import GameRecord
from tests.archive.conftest import DAYS, archived, forget, sign
from tests.games.conftest import NOON
from tests.games.test_every_game_over_rest import Played
from tests.ledger.locks import assert_locked_in_order
from tests.tampering import tamper

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def due(now: datetime) -> set[UUID]:
    return {game.pk for game in archive.due(now=now)}


def test_a_game_is_due_after_the_days_of_the_setting(finished: Played, later: datetime) -> None:
    ended = GameRecord.objects.get(pk=finished.id).ended_at
    assert ended is not None
    after = timedelta(days=DAYS)
    assert finished.id not in due(ended + after)
    assert finished.id in due(ended + after + timedelta(seconds=1))


def test_nothing_is_archived_by_default(finished: Played, later: datetime, settings: Any) -> None:
    settings.RACECARD_ARCHIVE_AFTER = 0
    sign()
    assert archive.run_due(now=later).streams == 0
    with pytest.raises(ValueError, match="RACECARD_ARCHIVE_AFTER"):
        archive.run(now=later)


def test_a_game_in_play_stays(vegas: Callable[..., GameRecord], player: Player, later: datetime) -> None:
    game = vegas(player)
    assert game.pk not in due(later)


def test_a_disputed_game_stays(finished: Played, player: Player, later: datetime) -> None:
    assert finished.id in due(later)
    disputes.open_dispute(game_id=finished.id, actor=player, version=2, claim="wrong", now=timezone.now())
    assert finished.id not in due(later)
    archived(later)
    assert Event.objects.filter(stream=finished.id).exists()


@pytest.mark.postgres
def test_dispute_and_archive_lock_the_events_before_the_game(
    finished: Played, player: Player, later: datetime, subtests: pytest.Subtests
) -> None:
    sign()
    rows = [Stream.objects.get(pk=finished.id), GameRecord.objects.get(pk=finished.id)]

    def dispute() -> None:
        disputes.open_dispute(game_id=finished.id, actor=player, version=2, claim="wrong", now=timezone.now())

    assert_locked_in_order({"dispute": dispute, "archive": lambda: archive.run(now=later)}, rows, subtests)


def test_a_game_with_money_to_settle_stays(
    staked: Callable[..., Any], player: Player, later: datetime
) -> None:
    game, _ = staked(player)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    assert game.pk in due(later)
    tamper("UPDATE ledger_account SET credits = credits + 1 WHERE kind = 'game' AND key = %s", str(game.pk))
    assert game.pk not in due(later)


def test_a_game_of_a_tournament_that_has_not_ended_stays(finished: Played, later: datetime) -> None:
    assert finished.id in due(later)
    tournament = uuid4()
    tamper(
        'UPDATE games_gamerecord SET tournament = %s, "round" = 1, deal = 1, hints = %s WHERE id = %s',
        key(tournament),
        False,
        key(finished.id),
    )
    assert finished.id not in due(later)


def test_a_restored_game_stays_as_long_as_a_new_one(finished: Played, later: datetime) -> None:
    archived(later)
    archive.restore(game_id=finished.id, now=later)
    assert finished.id not in due(later)
    assert finished.id in due(later + timedelta(days=DAYS, seconds=1))
    forget()
    archived(later + timedelta(days=DAYS, seconds=1))
    assert ArchivedStream.objects.filter(stream=finished.id).exists()


def test_the_job_writes_small_packs_once_a_day(
    finished: Played, play: Callable[[str], Played], later: datetime
) -> None:
    sign()
    assert archive.run_due(now=later).packs == 1
    play("vegas-solitaire")
    sign()
    assert archive.run_due(now=later + timedelta(hours=2)).packs == 0
    assert archive.run_due(now=later + timedelta(days=1, hours=1)).packs == 1
    assert ArchivePack.objects.count() == 2


def test_a_game_with_a_changed_event_stays(finished: Played, later: datetime) -> None:
    sign()
    tamper(
        "UPDATE eventstore_event SET hash = %s WHERE stream_id = %s AND version = 2",
        "f" * 64,
        key(finished.id),
    )
    archived(later)
    assert not ArchivedStream.objects.filter(stream=finished.id).exists()
    assert Event.objects.filter(stream=finished.id).exists()


def test_the_setting_is_checked(settings: Any) -> None:
    settings.RACECARD_ARCHIVE_AFTER = settings.RACECARD_DISPUTE_DAYS + settings.RACECARD_APPEAL_DAYS
    with pytest.raises(SystemCheckError, match="can be disputed"):
        call_command("check")


def key(id: UUID) -> Any:
    return id.hex if connection.vendor == "sqlite" else id
