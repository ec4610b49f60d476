"""Check-in: in its period, once, by the entrant; absent entrants are removed and refunded."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import Player
from core.triggers import removed
from eventstore import store
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.outrights import open_outright
from tests.tournaments.playing import FEE, enter, later, play_round, promotion, rich, status_of, types
from tests.tournaments.test_api import Api, at, refused
from tournaments import record, services
from tournaments.entries import check_in
from tournaments.errors import BadTerms, CheckInClosed, NotEntered, WrongStatus
from tournaments.models import Entry, Status, Tournament

pytestmark = pytest.mark.django_db
TIMES = {"opens_at": later(3600), "check_in_seconds": 600}


def come(tournament: Tournament, player: Player, seconds: int = 3000) -> Entry:
    return check_in.check_in(tournament_id=tournament.pk, player=player, now=later(seconds))


def field(tournament: Tournament) -> list[int]:
    return [one.entry for one in record.load(tournament.pk).entrants]


def test_entrants_who_have_not_checked_in_are_removed_and_refunded(published: Publish):
    tournament = published(**TIMES)
    people = [rich(name) for name in ("cid", "dan", "eva", "flo")]
    enter(tournament, *people)
    market = open_outright(tournament)
    come(tournament, people[0])
    come(tournament, people[2], 3599)
    run_due(later(3600))
    assert status_of(tournament) == Status.RUNNING
    assert field(tournament) == [1, 3]
    assert [available(f"player:{each.pk}") for each in people] == [9_500, 10_000, 9_500, 10_000]
    assert available(tournament.subject, "escrow") == 2 * FEE
    [event] = [one for one in store.read(tournament.pk) if one.type == "not-checked-in"]
    assert event.data == {"entries": [2, 4]}
    gone = market.runners.filter(withdrawn_at__isnull=False).values_list("name", flat=True)
    assert sorted(gone) == ["entry 2", "entry 4"]
    for round in (1, 2):
        play_round(tournament, round, now=later(3600))
    assert status_of(tournament) == Status.FINISHED


def test_with_too_few_checked_in_the_tournament_is_cancelled_and_all_are_refunded(published: Publish):
    tournament = published(**TIMES)
    people = [rich(name) for name in ("cid", "dan")]
    enter(tournament, *people)
    come(tournament, people[0])
    run_due(later(3600))
    assert status_of(tournament) == Status.CANCELLED
    assert [available(f"player:{each.pk}") for each in people] == [10_000, 10_000]


def test_bots_take_the_places_of_absent_entrants(published: Publish):
    promotion()
    tournament = published(fill_to=3, **TIMES)
    people = [rich(name) for name in ("cid", "dan")]
    enter(tournament, *people)
    come(tournament, people[0])
    run_due(later(3600))
    assert field(tournament) == [1, 3, 4]
    assert available(tournament.subject, "escrow") == 3 * FEE


def test_check_in_is_possible_once_in_its_period(published: Publish):
    tournament, cid = published(**TIMES), rich("cid")
    enter(tournament, cid, rich("dan"))
    with pytest.raises(CheckInClosed):
        come(tournament, cid, 2999)
    with pytest.raises(NotEntered):
        come(tournament, rich("eva"))
    first = come(tournament, cid, 3000).checked_in_at
    assert come(tournament, cid, 3100).checked_in_at == first
    assert types(tournament).count("checked-in") == 1
    without = published()
    enter(without, cid)
    with pytest.raises(CheckInClosed):
        come(without, cid)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=later(3000))
    with pytest.raises(CheckInClosed):
        come(tournament, cid)


def test_entering_during_check_in_checks_in_and_an_earlier_return_does_not(published: Publish):
    tournament = published(**TIMES)
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid)
    services.enter(tournament_id=tournament.pk, player=dan, client_seed="", now=later(3200))
    assert store.read(tournament.pk)[-1].data["checked_in"] is True
    assert [entry.checked_in_at for entry in tournament.entries.standing()] == [None, later(3200)]
    come(tournament, cid)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=later(3000))
    enter(tournament, cid)
    assert tournament.entries.get(player=cid).checked_in_at is None


def test_a_start_before_the_check_in_is_refused(published: Publish):
    tournament = published(**TIMES)
    people = [rich(name) for name in ("cid", "dan")]
    enter(tournament, *people)
    with pytest.raises(WrongStatus):
        services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=later(2999))
    assert field(tournament) == [1, 2]
    for each in people:
        come(tournament, each)
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=later(3100))
    assert field(tournament) == [1, 2]


def test_players_check_in_themselves_over_rest(api: Api, published: Publish, player: Player, rival: Player):
    soon = timezone.now() + timedelta(seconds=300)
    tournament = published(fee=0, opens_at=soon, check_in_seconds=200)
    api(player).post(at(tournament, "entries"), {})
    refused(api(player).post(at(tournament, "check-in")), 409, "check-in-closed")
    with removed("tournaments_tournament"):  # The terms of a published tournament cannot be changed.
        Tournament.objects.filter(pk=tournament.pk).update(check_in_seconds=400)
    refused(api(rival).post(at(tournament, "check-in")), 409, "not-entered")
    refused(api(player).post(at(tournament, "check-in"), {"entry": 1}), 400, "invalid-input")
    assert api(None).get(at(tournament, "entries")).json()["results"][0]["checked_in"] is False
    assert api(player).post(at(tournament, "check-in")).json()["checked_in"] is True
    assert api(None).get(at(tournament)).json()["check_in_seconds"] == 400


def test_check_in_requires_a_scheduled_start(published: Publish):
    for seconds in (60, -1):
        with pytest.raises(BadTerms) as refusal:
            published(check_in_seconds=seconds)
        assert refusal.value.extra["field"] == "check_in_seconds"
