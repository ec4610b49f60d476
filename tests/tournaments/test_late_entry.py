"""Late entry into a Swiss: up to a set round, for the fee, and without influence on the deals."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from games.rules import fairness
from ledger.errors import InsufficientFunds
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.ledger.betting.markets import bet
from tests.money import available
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.outrights import gained, open_outright, winners_of
from tests.tournaments.playing import FEE, NOW, begin, enter, later, rich, start, status_of
from tests.tournaments.test_api import Api, at, refused
from tournaments import formats, record, selectors, services
from tournaments.entries import registration
from tournaments.errors import AlreadyEntered, BadTerms, BetsOnRivals, EntriesClosed, TournamentFull
from tournaments.formats.checker import check_all
from tournaments.models import Entry, Status, Tournament
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SWISS: dict[str, Any] = {
    "format": "swiss",
    "rules": "ace-race",
    "config": {},
    "rounds": 3,
    "prizes": (10_000,),
    "late_until": 2,
    "gap_seconds": 100,
}


begun = partial(begin, **SWISS)


@shared
def tournament() -> Tournament:
    return begun(partial(publish, known("olga", Role.ORGANIZER)), "cid", "dan")


def play_out(tournament: Tournament) -> None:
    for round in range(1, 4):
        run_due(later(700 * round))
        run_due(later(700 * round + 100))
    assert status_of(tournament) == Status.FINISHED
    state = record.load(tournament.pk).snapshot()
    assert check_all(formats.get("swiss"), state) == ()


def rounds_of(tournament: Tournament, entry: int) -> list[int]:
    return [
        one.round
        for one in record.load(tournament.pk).played
        if entry in one.byes or any(entry in table.seats for table in one.tables)
    ]


def test_a_late_entrant_plays_from_the_next_round_and_pays_into_the_pool(published: Publish):
    tournament = begun(published, "cid", "dan", "eva")
    flo = rich("flo")
    enter(tournament, flo)
    assert available(tournament.subject, "escrow") == 4 * FEE
    event = store.read(tournament.pk)[-1]
    assert (event.type, event.data["entry"], event.data["first"]) == ("entered", 4, 2)
    with pytest.raises(AlreadyEntered):
        enter(tournament, flo)
    play_out(tournament)
    assert rounds_of(tournament, 4) == [2, 3]
    standings = round_selectors.standings(tournament, None)["standings"]
    assert len(standings) == 4
    assert sum(one["prize"] for one in standings) == 4 * FEE
    parts = round_selectors.arithmetic(tournament, 4)["columns"][0]["parts"]
    assert sum(part["amount"] for part in parts if part["round"] == 1) == 0
    assert record.load(tournament.pk).snapshot().entrants[-1].seeding == 4


def test_no_entry_after_the_last_late_round_is_paired(tournament: Tournament):
    run_due(later(600))
    enter(tournament, rich("eva"))
    rounds.open_round(tournament_id=tournament.pk, number=2, now=later(700))
    assert rounds_of(tournament, 3) == [2]
    with pytest.raises(EntriesClosed):
        enter(tournament, rich("flo"))
    run_due(later(700))
    play_out(tournament)
    with pytest.raises(EntriesClosed):
        enter(tournament, rich("gus"))


def test_the_client_seed_of_a_late_entrant_is_used_in_no_deal(tournament: Tournament):
    tournament.refresh_from_db()
    before = selectors.document(tournament, None, now=NOW)["fairness"]
    enter(tournament, rich("eva"))
    document = selectors.document(tournament, None, now=NOW)["fairness"]
    assert document == before
    assert document["entropy"] == fairness.entropy(document["client_seeds"])


def test_a_late_entry_requires_a_free_place_and_the_fee(published: Publish):
    tournament = begun(published, "cid", "dan", capacity=3)
    with pytest.raises(InsufficientFunds):
        enter(tournament, rich("poor", FEE - 1))
    enter(tournament, rich("eva"))
    with pytest.raises(TournamentFull):
        enter(tournament, rich("flo"))


def test_a_late_entrant_who_withdraws_before_playing_is_not_refunded(tournament: Tournament):
    eva = rich("eva")
    enter(tournament, eva)
    services.withdraw(tournament_id=tournament.pk, player=eva, now=NOW)
    play_out(tournament)
    assert rounds_of(tournament, 3) == []
    assert available(f"player:{eva.pk}") == 10_000 - FEE
    assert len(round_selectors.standings(tournament, None)["standings"]) == 3


def test_a_player_who_withdrew_before_the_start_may_enter_late(published: Publish):
    tournament = published(**SWISS)
    people = [rich(name) for name in ("cid", "dan", "eva")]
    enter(tournament, *people)
    services.withdraw(tournament_id=tournament.pk, player=people[2], now=NOW)
    start(tournament)
    enter(tournament, people[2])
    entry = Entry.objects.get(tournament=tournament, player=people[2])
    assert (entry.number, entry.first) == (4, 2)
    play_out(tournament)
    assert rounds_of(tournament, 4) == [2, 3]


def test_a_cancellation_refunds_late_entrants_too(tournament: Tournament):
    eva = rich("eva")
    enter(tournament, eva)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    assert available(f"player:{eva.pk}") == 10_000


def test_a_late_entrant_is_no_selection_and_all_lose_if_they_win(published: Publish):
    tournament = published(**SWISS)
    people = [rich(name) for name in ("cid", "dan")]
    enter(tournament, *people)
    market = open_outright(tournament)
    bets = [bet(market, f"entry {number}", 300) for number in (1, 2)]
    start(tournament)
    enter(tournament, rich("eva"))
    assert [runner.name for runner in market.runners.all()] == ["entry 1", "entry 2"]
    for number in (1, 2):
        registration.disqualify(
            tournament_id=tournament.pk, number=number, actor=tournament.organizer, reason="x", now=NOW
        )
    play_out(tournament)
    run_due(later(5000))
    assert winners_of(tournament) == ["entry 3"]
    assert status_of(market) == "settled"
    assert [gained(one) for one in bets] == [0, 0]


def test_a_player_with_a_bet_on_another_entrant_cannot_enter_late(published: Publish):
    tournament = published(**SWISS)
    enter(tournament, rich("cid"), rich("dan"))
    market, eva = open_outright(tournament), rich("eva")
    bet(market, "entry 1", 300, eva.pk)
    start(tournament)
    with pytest.raises(BetsOnRivals):
        enter(tournament, eva)


def test_over_rest(api: Api, published: Publish, player: Player):
    tournament = begun(published, "cid", "dan", fee=0)
    assert api(None).get(at(tournament)).json()["late_until"] == 2
    entered = api(player).post(at(tournament, "entries"), {"client_seed": "late"})
    assert (entered.status_code, entered.json()["first"]) == (201, 2)
    closed = begun(published, "eva", "flo", fee=0, late_until=0)
    refused(api(player).post(at(closed, "entries"), {}), 409, "entries-closed")


def test_impossible_terms_of_late_entry_are_refused(published: Publish):
    bracket = {"rounds": 0}
    for changes in (
        *({"late_until": until} for until in (-1, 1, 4)),
        *({"format": format, **bracket} for format in ("round-robin", "knockout")),
    ):
        with pytest.raises(BadTerms) as refusal:
            published(**{**SWISS, **changes})
        assert refusal.value.extra["field"] == "late_until"
