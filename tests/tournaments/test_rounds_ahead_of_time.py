"""The organizer opens the next round, or ends the time of an open round, ahead of time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from ledger.errors import InterestedParty
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.tournaments.conftest import publish
from tests.tournaments.playing import enter, games_of, later, play_round, rich, start, status_of, types
from tests.tournaments.test_api import Api, at, refused
from tournaments import services
from tournaments.errors import PreviewStale, RoundNotNext, RoundNotOpen, WrongStatus
from tournaments.models import RoundState, Status, Tournament
from tournaments.rounds import timing

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

GAP = 300


@shared
def tournament() -> Tournament:
    made = publish(known("olga", Role.ORGANIZER), gap_seconds=GAP)
    enter(made, rich("cid"), rich("dan"))
    start(made)
    made.refresh_from_db()
    return made


def call(what: str, tournament: Tournament, number: int, seconds: int = 0) -> Tournament:
    return getattr(timing, what)(
        tournament_id=tournament.pk,
        number=number,
        actor=tournament.organizer,
        reason="the hall closes at ten",
        now=later(seconds),
    )


def numbers(tournament: Tournament) -> list[tuple[int, str]]:
    return list(tournament.played_rounds.values_list("number", "state"))


def test_the_next_round_opens_before_the_end_of_the_break(tournament: Tournament) -> None:
    play_round(tournament, 1)
    run_due(later(1))
    assert timing.waiting_round(tournament) == 2
    call("open_now", tournament, 2, seconds=1)
    run_due(later(1))
    assert numbers(tournament) == [(1, RoundState.CLOSED), (2, RoundState.OPEN)]
    said = next(event for event in store.read(tournament.pk) if event.type == "round-called")
    assert said.data == {
        "round": 2,
        "reason": "the hall closes at ten",
        "by": str(tournament.organizer_id),
    }
    run_due(later(GAP + 2))  # the job of the planned time finds it open
    assert types(tournament).count("round-opened") == 2


def test_only_a_round_that_waits_is_opened(tournament: Tournament) -> None:
    for number in (1, 2, 3):
        with pytest.raises(RoundNotNext):  # round 1 is played
            call("open_now", tournament, number)
    play_round(tournament, 1)
    run_due(later(1))
    for number in (1, 3):
        with pytest.raises(RoundNotNext):
            call("open_now", tournament, number, seconds=1)


def test_a_paused_tournament_opens_no_round(tournament: Tournament) -> None:
    play_round(tournament, 1)
    run_due(later(1))
    order = {"tournament_id": tournament.pk, "actor": tournament.organizer, "now": later(1)}
    services.pause(**order, reason="a fire alarm")
    with pytest.raises(WrongStatus, match="paused"):
        call("open_now", tournament, 2, seconds=1)
    services.resume(**order)
    call("open_now", tournament, 2, seconds=1)
    run_due(later(1))
    assert (2, RoundState.OPEN) in numbers(tournament)


def test_a_closed_round_scores_what_its_games_have(tournament: Tournament) -> None:
    assert timing.open_round(tournament).number == 1
    call("close_now", tournament, 1, seconds=5)
    with pytest.raises(RoundNotOpen):  # its time has ended
        call("close_now", tournament, 1, seconds=5)
    run_due(later(5))
    assert numbers(tournament) == [(1, RoundState.CLOSED)]
    assert {one.ended for one in games_of(tournament, 1)} == {"expired"}
    assert types(tournament).count("round-ended") == 1
    call("open_now", tournament, 2, seconds=6)
    run_due(later(6))
    play_round(tournament, 2, now=later(6))
    assert status_of(tournament) == Status.FINISHED


def test_only_the_open_round_is_closed(tournament: Tournament) -> None:
    for number in (2, 7):
        with pytest.raises(RoundNotOpen):
            call("close_now", tournament, number)


def test_people_who_take_part_do_neither(tournament: Tournament) -> None:
    entrant = Player.objects.get(username="cid")
    for what in (timing.open_now, timing.close_now):
        with pytest.raises(InterestedParty):
            what(tournament_id=tournament.pk, number=1, actor=entrant, reason="I lead", now=later(0))


def test_over_rest_both_take_a_reason(tournament: Tournament, api: Api) -> None:
    client, reason = api(tournament.organizer), {"reason": "all are here"}
    tournament.played_rounds.update(closes_at=timezone.now() + timedelta(hours=1))
    refused(client.post(at(tournament, "rounds", 1, "open"), reason), 409, "round-not-next")
    refused(client.post(at(tournament, "rounds", 1, "close"), {}), 400, "invalid-input")
    assert client.post(at(tournament, "rounds", 1, "close"), reason).status_code == 200
    refused(client.post(at(tournament, "rounds", 1, "close"), reason), 409, "round-not-open")


def page(client: Any, name: str, tournament: Tournament, **sent: str) -> Any:
    """Return the staff page of a command after its form was sent."""
    client.force_login(tournament.organizer, backend="accounts.roles.PlayerBackend")
    address = reverse(f"admin:tournament_{name}", args=[tournament.pk])
    return client.post(address, {"reason": "all are here", "key": uuid4().hex} | sent, follow=True)


@pytest.mark.parametrize("name", ["close_round", pytest.param("open_round", marks=pytest.mark.nightly)])
def test_a_preview_of_another_round_is_not_confirmed(client: Any, tournament: Tournament, name: str) -> None:
    if name == "open_round":
        play_round(tournament, 1)
        run_due(later(1))
    tournament.played_rounds.update(closes_at=timezone.now() + timedelta(hours=1))
    shown = page(client, name, tournament).context["form"].data.dict()
    if name == "open_round":
        call("open_now", tournament, 2, seconds=1)
        run_due(later(1))
        play_round(tournament, 2, now=later(1))
    else:
        play_round(tournament, 1)
        run_due(later(1))
        call("open_now", tournament, 2, seconds=1)
    run_due(later(2))
    before = types(tournament)
    confirmed = page(client, name, tournament, **shown, confirmed="yes")
    assert confirmed.context["form"].non_field_errors() == [PreviewStale.title]
    assert types(tournament) == before
