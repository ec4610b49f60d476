"""A meeting: all entrants bet equal play money on a card of races, and the largest bank wins."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from games import services as games
from games import state
from ledger import services as ledger
from ledger.betting import settlements
from ledger.betting.models import Bet, MarketStatus
from ledger.reconciliation.services import reconcile_all
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.meetings import BANK, MEETING, banks, bet, market, open_race, race, run_race
from tests.tournaments.playing import (
    FEE,
    NOW,
    enter,
    later,
    promotion,
    replayed,
    rich,
    score,
    standings,
    start,
    status_of,
)
from tournaments import record, services
from tournaments.betting import meetings
from tournaments.entries import registration
from tournaments.errors import BadTerms, NoBots
from tournaments.formats import corrections
from tournaments.formats.corrections import NotCorrectable
from tournaments.models import Status, Tournament
from tournaments.prizes import settlement
from tournaments.report import proofs
from tournaments.rounds import selectors as round_selectors
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def ann() -> Player:
    return known("ann", new=rich)


@pytest.fixture
def bob() -> Player:
    return known("bob", new=rich)


@shared
def running() -> Tournament:
    """A meeting of two races and two people at its first race; ann is entry 1."""
    tournament = publish(known("olga", Role.ORGANIZER), **MEETING)
    enter(tournament, known("ann", new=rich), known("bob", new=rich))
    start(tournament)
    return tournament


def events(tournament: Tournament, type: str) -> list[dict[str, Any]]:
    return [event.data for event in store.read(tournament.pk) if event.type == type]


def finish(tournament: Tournament) -> Tournament:
    for number in range(1, tournament.rounds + 1):
        open_race(tournament, number)
        run_race(tournament, number)
    run_due(later(3600))
    assert status_of(tournament) == Status.FINISHED, tournament.stalled
    return tournament


def test_a_meeting_of_people_and_bots_is_run_to_its_end(published: Publish, ann: Player, bob: Player):
    promotion()
    tournament = published(**{**MEETING, "fee": FEE, "prizes": (10_000,)}, fill_to=5)
    enter(tournament, ann, bob)
    start(tournament)
    assert market(tournament, 1).status == MarketStatus.OPEN
    assert state.load(race(tournament, 1).game)[1].status == "open", "not dealt while bets are taken"
    have = banks(tournament)
    assert have[1] == have[2] == BANK
    assert all(have[number] < BANK for number in (3, 4, 5)), "the bots have bet"

    bet(tournament, 1, ann, "H", 400)
    bet(tournament, 1, bob, "S", 1000, client_seed="bob's")
    run_race(tournament, 1)
    assert market(tournament, 1).status == MarketStatus.SETTLED
    assert sum(banks(tournament).values()) == 5 * BANK
    [event] = events(tournament, "round-closed")
    assert {row["entry"]: row["after"] for row in event["banks"]} == banks(tournament)
    finish(tournament)
    assert set(banks(tournament).values()) == {0}, "nothing is left of it"

    shown = round_selectors.standings(tournament, None)
    assert [measure["name"] for measure in shown["measures"]] == ["bank", "ahead", "best"]
    totals = [one["totals"] for one in shown["standings"]]
    assert sum(bank for bank, _, _ in totals) == 5 * BANK
    assert totals == sorted(totals, reverse=True)
    assert shown["standings"][0]["prize"] == 5 * FEE
    assert (replayed(tournament).difference, replayed(tournament).deals) == (None, 2)
    assert [one.fault for one in proofs(tournament)] == ["", ""]
    assert reconcile_all(replay=True).differences == []


def test_the_deal_depends_on_the_client_seeds_of_the_bets(running: Tournament, ann: Player):
    bet(running, 1, ann, "C", 10, client_seed="ann's own")
    run_race(running, 1)
    dealt = next(event for event in store.read(race(running, 1).game) if event.type == "dealt")
    assert dealt.data == {"bet_seeds": ["ann's own"]}


def test_the_bettor_on_the_winner_takes_the_pool_and_the_arithmetic_shows_it(
    running: Tournament, ann: Player, bob: Player
):
    for suit in "CDHS":
        bet(running, 1, ann, suit, 10)
        bet(running, 1, bob, suit, 30)
    bet(running, 1, bob, "C", 500)
    run_race(running, 1)
    winner = state.load(race(running, 1).game)[1].outcome["winner"]
    staked, pool = {1: 40, 2: 620}, 660
    on_winner = 10 + 30 + (500 if winner == "C" else 0)
    returned = sum(one.returned for one in Bet.objects.filter(player=ann.pk))
    assert abs(returned - pool * 10 / on_winner) < 1
    breakdown = round_selectors.arithmetic(running, 1)["columns"][0]
    assert [(part["what"], part["amount"], part["round"]) for part in breakdown["parts"]] == [
        ("at the start", BANK, None),
        ("staked", -staked[1], 1),
        ("returned", returned, 1),
    ]
    assert breakdown["value"] == BANK - staked[1] + returned == banks(running)[1]


def test_standings_as_of_the_event_before_a_race_exclude_it(running: Tournament, ann: Player):
    bet(running, 1, ann, "C", 500)
    before = record.head(running).version
    bet(running, 1, ann, "D", 500)
    run_race(running, 1)
    at_first = round_selectors.standings(running, None, at=before)["standings"]
    assert [one["totals"] for one in at_first] == [[BANK, 0, 0]] * 2


def test_a_race_that_is_called_off_refunds_every_bet(running: Tournament, ann: Player, bob: Player):
    bet(running, 1, ann, "C", 700)
    bet(running, 1, bob, "D", 100)
    games.void_game(game_id=race(running, 1).game, reason="the track is flooded", now=NOW)
    run_race(running, 1)
    assert banks(running) == {1: BANK, 2: BANK}
    assert events(running, "round-closed")[0]["results"][0]["ended"] == "void"
    finish(running)
    assert replayed(running).difference is None


def test_a_race_with_a_voided_market_has_no_result(running: Tournament, ann: Player, bob: Player):
    bet(running, 1, ann, "C", 700)
    bet(running, 1, bob, "D", 100)
    ledger.void_market(market=market(running, 1), reason="a leak", actor="player:adam", at=NOW)
    run_race(running, 1)
    assert banks(running) == {1: BANK, 2: BANK}
    assert events(running, "round-closed")[0]["results"][0]["score"] == [700, 700]
    finish(running)
    assert replayed(running).difference is None


def test_a_cancellation_between_races_refunds_everything(published: Publish, ann: Player, bob: Player):
    tournament = published(**{**MEETING, "fee": FEE})
    enter(tournament, ann, bob)
    start(tournament)
    bet(tournament, 1, ann, "C", 700)
    bet(tournament, 1, bob, "D", 300)
    run_race(tournament, 1)
    open_race(tournament, 2)
    last = next(one for one, left in banks(tournament).items() if left)
    bet(tournament, 2, ann if last == 1 else bob, "H", 50)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="storm", now=later(300))
    run_due(later(300))
    assert market(tournament, 2).status == MarketStatus.VOID
    assert set(banks(tournament).values()) == {0}
    assert record.load(tournament.pk).seed is not None
    assert not reconcile_all(replay=True).differences


def test_a_cancellation_during_a_race_refunds_its_bets(running: Tournament, ann: Player, bob: Player):
    bet(running, 1, ann, "C", 700)
    bet(running, 1, bob, "D", 300)
    run_due(later(60))
    assert state.load(race(running, 1).game)[1].status == "active"
    services.cancel(tournament_id=running.pk, actor=None, reason="storm", now=later(61))
    run_due(later(61))
    assert {one.status for one in Bet.objects.all()} == {"refunded"}
    assert set(banks(running).values()) == {0}


def test_a_meeting_cancelled_before_the_start_has_no_play_money(published: Publish, ann: Player):
    tournament = published(**MEETING)
    enter(tournament, ann)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="storm", now=NOW)
    run_due(NOW)
    assert banks(tournament) == {}


def test_a_withdrawal_keeps_the_bank_and_the_bets_and_a_disqualified_entrant_is_last(
    published: Publish, ann: Player, bob: Player
):
    tournament = published(**MEETING)
    enter(tournament, ann, bob, rich("eve"))
    start(tournament)
    bet(tournament, 1, ann, "C", 700)
    bet(tournament, 1, bob, "D", 300)
    services.withdraw(tournament_id=tournament.pk, player=ann, now=NOW)
    registration.disqualify(
        tournament_id=tournament.pk, number=3, actor=tournament.organizer, reason="collusion", now=NOW
    )
    run_race(tournament, 1)
    kept = banks(tournament)[1]
    finish(tournament)
    assert record.load(tournament.pk).played[1].tables[0].seats == (2,)
    ranked = standings(tournament)
    assert [one["totals"][0] for one in ranked if one["entry"] == 1] == [kept]
    assert (ranked[-1]["entry"], ranked[-1]["disqualified"]) == (3, True)
    assert replayed(tournament).difference is None


def test_without_entrants_the_rounds_continue_without_races(running: Tournament, ann: Player, bob: Player):
    for player in (ann, bob):
        services.withdraw(tournament_id=running.pk, player=player, now=NOW)
    run_race(running, 1)
    run_due(later(3600))
    run_due(later(7200))
    assert status_of(running) == Status.FINISHED
    assert record.load(running.pk).played[1].tables == ()


def test_a_repeated_start_of_a_race_takes_effect_once(running: Tournament, ann: Player):
    bet(running, 1, ann, "C", 10)
    run_due(later(60))
    version = state.load(race(running, 1).game)[1].version
    for _ in range(2):
        assert not rounds.close_round(tournament_id=running.pk, number=1, now=later(60))
    assert state.load(race(running, 1).game)[1].version == version
    assert len(events(running, "games-dealt")) == 1


def test_many_bets_are_paid_by_a_job_before_the_round_is_closed(
    running: Tournament, ann: Player, bob: Player, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(settlements, "BETS_SETTLED_AT_ONCE", 1)
    for _ in range(3):
        bet(running, 1, ann, "C", 100)
        bet(running, 1, bob, "D", 100)
    run_due(later(60))
    while games.draw(game_id=race(running, 1).game, now=later(61)):
        pass
    assert market(running, 1).status == MarketStatus.SETTLING
    with pytest.raises(meetings.StillPaid):
        score(race(running, 1).game, later(61))
    services.cancel(tournament_id=running.pk, actor=None, reason="storm", now=later(61))
    with pytest.raises(meetings.StillPaid):
        settlement.clear(tournament_id=running.pk, now=later(61))
    for seconds in range(62, 700, 30):
        run_due(later(seconds), strict=False)
    assert market(running, 1).status == MarketStatus.SETTLED
    assert record.load(running.pk).seed is not None
    assert set(banks(running).values()) == {0}


def test_a_round_closes_although_the_end_of_its_race_was_missed(
    running: Tournament, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(rounds, "games_ended", lambda **_: None)
    run_race(running, 1)
    assert race(running, 1).table.round.closed_at is not None


def test_an_unscored_race_is_scored_when_the_round_closes(running: Tournament):
    run_due(later(60))
    while games.draw(game_id=race(running, 1).game, now=later(61)):
        pass
    rounds.close_round(tournament_id=running.pk, number=1, now=later(62))
    assert race(running, 1).table.round.closed_at == later(62)


def test_anyone_may_watch_the_race(running: Tournament, stranger: Player, api: Any):
    run_due(later(60))
    for viewer in (None, stranger):
        shown = api(viewer).get(f"/api/v1/games/{race(running, 1).game}/")
        assert (shown.status_code, shown.json()["status"]) == (200, "active")


def test_results_that_do_not_follow_from_the_bets_are_found(
    running: Tournament, ann: Player, bob: Player, monkeypatch: pytest.MonkeyPatch
):
    """The replay finds banks that do not add up; reconciliation finds the others."""
    bet(running, 1, ann, "C", 300)
    bet(running, 1, bob, "D", 300)
    honest = meetings.scores

    def swapped(one: Any) -> Any:
        (ann, hers), (bob, his) = honest(one)
        return [(ann, (hers[0] + 5, hers[1])), (bob, (max(0, his[0] - 5), his[1]))]

    with transaction.atomic():
        monkeypatch.setattr(meetings, "scores", swapped)
        run_race(running, 1)
        found = [one.what for one in reconcile_all().differences]
        assert any(what.startswith("returns and stakes of the bets on race") for what in found)
        transaction.set_rollback(True)
    record.cache.clear()
    state.cache.clear()


def test_results_of_a_meeting_cannot_be_corrected(running: Tournament):
    run_race(running, 1)
    with pytest.raises(NotCorrectable):
        corrections.correction(record.load(running.pk), corrections.Game(1, 1), corrections.Void())


def test_impossible_terms_and_bots_of_a_meeting_are_refused(published: Publish, subtests: pytest.Subtests):
    for changes, field in [
        ({"bank": 0}, "bank"),
        ({"bank": 10**9 + 1}, "bank"),
        ({"rules": "ace-race", "config": {}}, "rules"),
        ({"seats": 2}, "seats"),
        ({"sizes": (2,)}, "sizes"),
        ({"games": 2}, "games"),
        ({"rounds": 0}, "rounds"),
        ({"late_until": 2}, "late_until"),
        ({"no_show_seconds": 10}, "no_show_seconds"),
        ({"rated": True}, "rated"),
        ({"tie_breaks": ("points",)}, "tie_breaks"),
        ({"format": "swiss"}, "rules"),
    ]:
        with subtests.test(changes=changes, field=field):
            with pytest.raises(BadTerms) as refused:
                published(**{**MEETING, **changes})
            assert refused.value.extra["field"] == field
    with pytest.raises(BadTerms, match="bank"):
        published(bank=100)
    with pytest.raises(NoBots, match="psychic"):
        services.enter_bots(tournament_id=published(**MEETING).pk, strategies=["psychic"], now=NOW)
