"""A tournament's transfers are derived from its events: fees, refunds, and prizes by standings ranked again."""

from __future__ import annotations

import pytest
from django.db import transaction

from accounts.roles import Role
from eventstore import store
from ledger.reconciliation.models import Difference
from ledger.reconciliation.services import reconcile_all
from tests.conftest import known
from tests.databases import shared
from tests.tampering import tamper
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, enter, play_round, rich, start, status_of
from tournaments import services
from tournaments.models import Status, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.slow]


class _Undone(Exception):
    pass


def found_after(sql: str) -> list[Difference]:
    try:
        with transaction.atomic():
            tamper(sql)
            found = reconcile_all().differences
            raise _Undone
    except _Undone:
        return found


@shared
def finished() -> Tournament:
    tournament = publish(known("olga", Role.ORGANIZER), rounds=1, fill_to=3, rake=500)
    players = [rich("cid"), rich("dan")]
    enter(tournament, *players)
    services.withdraw(tournament_id=tournament.pk, player=players[0], now=NOW)
    enter(tournament, players[0])
    start(tournament)
    play_round(tournament, 1)
    assert status_of(tournament) == Status.FINISHED
    return tournament


def test_a_correct_tournament_is_counted(finished: Tournament) -> None:
    report = reconcile_all()
    assert report.ok
    assert [each.number for each in report.checked if each.what == "tournament money"] == [1]


def test_a_cancelled_tournament_has_refunded_every_fee(published: Publish) -> None:
    tournament = published(rounds=1)
    enter(tournament, rich("cid"), rich("dan"))
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    assert reconcile_all().ok


def test_a_fee_that_was_not_paid_in_full_is_found(finished: Tournament) -> None:
    found = found_after("UPDATE ledger_transfer SET amount = amount - 1 WHERE key LIKE '%:fee:2'")
    [fee] = [each for each in found if each.what == "tournament money"]
    assert (fee.subject, fee.derived) == (finished.subject, 1000 if fee.recorded == 999 else 500)
    assert fee.event is not None


def test_a_prize_that_does_not_follow_from_the_standings_is_found(finished: Tournament) -> None:
    found = found_after("UPDATE ledger_transfer SET amount = amount + 1 WHERE reason = 'prize'")
    prizes = [each for each in found if each.what == "tournament money"]
    assert len(prizes) == 3
    [message] = {event.version for event in store.read(finished.pk) if event.type == "prizes"}
    assert {each.event for each in prizes} == {message}


def test_a_raised_award_is_found(finished: Tournament) -> None:
    found = found_after("UPDATE tournaments_award SET amount = amount + 1 WHERE place = 1")
    assert {each.what.rpartition(" ")[0] for each in found} == {"the stored award of entry"}
