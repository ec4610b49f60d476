"""Disqualification: a refund before the start; afterwards the last place and no prize."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Player
from core.errors import NotFound
from eventstore import store
from tests.due_jobs import run_due
from tests.ledger.betting.markets import bet
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.outrights import gained, open_outright, winners_of
from tests.tournaments.playing import (
    FEE,
    NOW,
    begin,
    enter,
    entrants,
    later,
    play_round,
    rich,
    standings,
    start,
    terms,
)
from tests.tournaments.test_api import Api, at, refused
from tournaments import formats, record, services
from tournaments.entries import registration
from tournaments.errors import AlreadyDisqualified, Disqualified, LastEntrant, NotEntered, WrongStatus
from tournaments.formats.checker import check_all
from tournaments.models import Award, Entry, Seat, Status, Tournament
from tournaments.rounds import selectors as round_selectors

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SWISS = {"format": "swiss", "rules": "ace-race", "config": {}}


def rule(tournament: Tournament, number: int) -> Entry:
    return registration.disqualify(
        tournament_id=tournament.pk,
        number=number,
        actor=tournament.organizer,
        reason="two accounts",
        now=NOW,
    )


def places(tournament: Tournament) -> list[tuple[int, int, bool, int | None]]:
    return [(one["place"], one["entry"], one["disqualified"], one["prize"]) for one in standings(tournament)]


def finished(tournament: Tournament) -> bool:
    tournament.refresh_from_db()
    return tournament.status == Status.FINISHED


def test_before_the_start_fee_and_bets_are_refunded_and_the_entrant_cannot_return(published: Publish):
    tournament = published(rounds=1)
    cid, dan, eva = (rich(name) for name in ("cid", "dan", "eva"))
    enter(tournament, cid, dan, eva)
    placed = bet(open_outright(tournament), "entry 2", 300)
    rule(tournament, 2)
    event = store.read(tournament.pk)[-1]
    assert (event.type, event.data) == (
        "disqualified",
        {
            "entry": 2,
            "player": str(dan.pk),
            "after": None,
            "reason": "two accounts",
            "by": str(tournament.organizer_id),
        },
    )
    assert available(f"player:{dan.pk}") == 10_000
    assert available(tournament.subject, "escrow") == 2 * FEE
    assert [one.entry for one in record.load(tournament.pk).entrants] == [1, 3]
    with pytest.raises(Disqualified):
        enter(tournament, dan)
    with pytest.raises(NotEntered):
        services.withdraw(tournament_id=tournament.pk, player=dan, now=NOW)
    with pytest.raises(AlreadyDisqualified):
        rule(tournament, 2)
    start(tournament)
    assert [seat.entry.number for seat in _seats(tournament)] == [1, 3]
    play_round(tournament, 1)
    assert finished(tournament)
    assert gained(placed) == 0
    with pytest.raises(WrongStatus):
        rule(tournament, 1)


def test_only_a_standing_entrant_of_a_published_tournament_is_disqualified(
    published: Publish, organizer: Player
):
    tournament, cid, dan = published(), rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    with pytest.raises(NotFound):
        rule(tournament, 1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.filter(tournament=tournament, number=2).update(disqualified_at=NOW)
    services.cancel(tournament_id=tournament.pk, actor=organizer, reason="fog", now=NOW)
    for other in (tournament, services.create(organizer=organizer, terms=terms(), now=NOW)):
        with pytest.raises(WrongStatus):
            rule(other, 2)


def test_the_others_divide_the_pool_when_the_best_is_disqualified(published: Publish):
    tournament = begin(published, "cid", "dan", "eva", prizes=(7000, 3000), rake=1000)
    people = entrants(tournament)
    play_round(tournament, 1)
    best = places(tournament)[0][1]
    # Round 2 has been paired, so its entrants play it.
    assert rule(tournament, best).retired_after == 2
    play_round(tournament, 2)
    assert finished(tournament)
    ranked = places(tournament)
    assert [(place, out) for place, _, out, _ in ranked][-1] == (3, True)
    assert ranked[-1][1] == best
    assert [prize for *_, prize in ranked] == [945, 405, 0], "70 and 30 per cent of 1350"
    assert [(one.place, one.entry.number, one.amount) for one in Award.objects.all()] == [
        (place, entry, prize) for place, entry, _, prize in ranked
    ]
    assert available(f"player:{people[best - 1].pk}") == 10_000 - FEE
    assert available(tournament.subject, "escrow") == 0


def test_bets_on_the_entrant_that_moves_up_to_first_win(published: Publish):
    tournament = published(rounds=1)
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva")))
    market = open_outright(tournament)
    bets = {number: bet(market, f"entry {number}", 300) for number in (1, 2, 3)}
    start(tournament)
    rule(tournament, 3)
    play_round(tournament, 1)
    assert finished(tournament)
    assert "entry 3" not in winners_of(tournament)
    won = {number for number, one in bets.items() if gained(one) > 0}
    assert {f"entry {number}" for number in won} == set(winners_of(tournament))


def test_a_disqualified_entrant_plays_no_further_rounds_and_played_games_count(published: Publish):
    tournament = begin(published, "cid", "dan", "eva", "flo", rounds=2, prizes=(10_000,), **SWISS)
    people = entrants(tournament)
    rule(tournament, 4)
    with pytest.raises(AlreadyDisqualified):
        rule(tournament, 4)
    services.withdraw(tournament_id=tournament.pk, player=people[0], now=NOW)
    run_due(later(600))
    assert rule(tournament, 1).retired_after == 1, "who has left can be disqualified too"
    run_due(later(1200))
    assert finished(tournament)
    state = record.load(tournament.pk).snapshot()
    assert [{entry for table in one.tables for entry in table.seats} for one in state.played] == [
        {1, 2, 3, 4},
        {2, 3},
    ]
    assert all(4 not in one.byes for one in state.played)
    assert check_all(formats.get("swiss"), state) == ()
    assert [place[:3] for place in places(tournament)[-2:]] == [(3, 1, True), (3, 4, True)]
    [met] = [one for one in state.played[0].tables if 4 in one.seats]
    [opponent] = {*met.seats} - {4}
    points = round_selectors.arithmetic(tournament, opponent)["columns"][0]
    assert {part["round"] for part in points["parts"]} >= {1}


def test_two_disqualified_entrants_share_the_last_place(published: Publish):
    tournament = begin(published, "cid", "dan", "eva", rounds=1, prizes=(10_000,))
    for number in (3, 1):
        rule(tournament, number)
    with pytest.raises(LastEntrant):
        rule(tournament, 2)
    play_round(tournament, 1)
    assert finished(tournament)
    assert places(tournament) == [(1, 2, False, 3 * FEE), (2, 1, True, 0), (2, 3, True, 0)]


def test_a_tournament_of_two_ends_when_one_is_disqualified(published: Publish):
    tournament = begin(published, "cid", "dan", rounds=2, prizes=(10_000,), **SWISS)
    rule(tournament, 1)
    for seconds in (600, 1200):
        run_due(later(seconds))
    assert finished(tournament)
    assert places(tournament) == [(1, 2, False, 2 * FEE), (2, 1, True, 0)]


def test_entrants_are_disqualified_over_rest(api: Api, published: Publish, organizer: Player):
    tournament, client = published(), api(organizer)
    enter(tournament, rich("cid"), rich("dan"))
    body, before = {"reason": "two accounts"}, store.head(tournament.pk)
    path = at(tournament, "entries", 1, "disqualify")
    refused(client.post(at(tournament, "entries", 9, "disqualify"), body), 404, "not-found")
    for wrong in ({}, {"reason": ""}, {"reason": "x" * 201}, {"reason": 5}, {**body, "entry": 2}):
        refused(client.post(path, wrong), 400, "invalid-input")
    assert store.head(tournament.pk) == before
    document = client.post(path, body, key="one").json()
    assert (document["entry"], document["disqualified"], document["retired_after"]) == (1, True, None)
    assert client.post(path, body, key="one").json() == document
    refused(client.post(path, body), 409, "already-disqualified")


def _seats(tournament: Tournament):
    return Seat.objects.filter(round__tournament=tournament).select_related("entry").order_by("entry__number")
