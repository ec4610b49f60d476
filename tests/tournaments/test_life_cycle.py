"""The life cycle of a tournament from draft to prizes, and its events."""

from __future__ import annotations

from functools import partial

import pytest

from accounts.models import Player
from eventstore import store
from games.models import GameRecord
from ledger.selectors import reconcile, transfers_of, trial_balance
from tests.due_jobs import run_due
from tests.money import CURRENCY, available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    FEE,
    NOW,
    begin,
    enter,
    games_of,
    later,
    play_round,
    promotion,
    rich,
    start,
    status_of,
    terms,
    types,
)
from tournaments import services
from tournaments.errors import BadTerms, NoBots, SiteCannotStake, TooFewEntrants, WrongStatus
from tournaments.models import Award, Entry, RoundState, Status, Tournament
from tournaments.prizes import money
from tournaments.rounds import selectors as round_selectors

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def assert_books_balance(tournament: Tournament) -> None:
    assert available(tournament.subject, "escrow") == 0
    assert trial_balance(CURRENCY).total == 0
    assert list(reconcile()) == []


def test_two_people_play_two_rounds_and_the_better_is_paid(published: Publish):
    tournament = begin(published, "cid", "dan", prizes=(7000, 3000))
    play_round(tournament, 1)
    play_round(tournament, 2)

    assert status_of(tournament) == Status.FINISHED
    assert types(tournament) == [
        "created", "published", "entered", "entered", "entries-closed",
        "round-paired", "games-dealt", "round-opened", "round-closed",
        "round-paired", "games-dealt", "round-opened", "round-closed",
        "standings", "prizes", "finished",
    ]  # fmt: skip
    first, second = round_selectors.standings(tournament, None)["standings"]
    assert (first["prize"], second["prize"]) == (700, 300)
    assert available(f"player:{first['player']}") == 10_000 - FEE + 700
    assert available(f"player:{second['player']}") == 10_000 - FEE + 300
    assert [(award.place, award.amount) for award in Award.objects.all()] == [(1, 700), (2, 300)]
    assert_books_balance(tournament)


def test_bots_fill_the_field_and_play_it_to_the_end(published: Publish):
    promotion()
    tournament = begin(published, "cid", fill_to=4, games=2, rounds=1)
    play_round(tournament, 1)

    assert status_of(tournament) == Status.FINISHED
    assert Entry.objects.filter(bot=True).count() == 3
    standings = round_selectors.standings(tournament, None)["standings"]
    assert len(standings) == 4
    assert {standing["name"] for standing in standings} == {None, "Bot 1", "Bot 2", "Bot 3"}
    assert all(standing["games"] == 2 for standing in standings)
    assert sum(standing["prize"] for standing in standings) == 4 * FEE
    assert_books_balance(tournament)


def test_the_site_pays_the_fee_of_a_bot_and_receives_its_prize(published: Publish):
    promotion(2000)
    tournament = published(fill_to=3, rounds=1)
    start(tournament)
    assert status_of(tournament) == Status.FINISHED
    assert available("house", "promotion") == 2000
    assert_books_balance(tournament)


def test_play_money_for_bots_is_paid_in_when_needed(published: Publish):
    promotion(FEE)
    tournament = published(fill_to=3, rounds=1)
    start(tournament)
    [paid_in] = [row for row in transfers_of(tournament.subject) if row["debit"] == "house/external"]
    assert (paid_in["credit"], paid_in["amount"]) == ("house/promotion", 2 * FEE)
    assert available("house", "promotion") == 3 * FEE
    assert_books_balance(tournament)


def test_real_money_for_bots_must_be_available(published: Publish, monkeypatch):
    promotion(2 * FEE)
    tournament = published(fill_to=3)
    monkeypatch.setattr(money, "PLAY_MONEY", "none")
    before = store.head(tournament.pk)
    with pytest.raises(SiteCannotStake, match=f"{FEE / 100:.2f} play money are missing"):
        services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    assert store.head(tournament.pk) == before
    assert available("house", "promotion") == 2 * FEE
    assert not Player.objects.filter(is_bot=True).exists()


def test_a_scheduled_start_happens_at_its_time(published: Publish):
    tournament = published(opens_at=later(3600))
    enter(tournament, rich("cid"), rich("dan"))
    run_due(later(3599))
    assert status_of(tournament) == Status.PUBLISHED
    run_due(later(3600))
    assert status_of(tournament) == Status.RUNNING
    assert tournament.played_rounds.get().state == RoundState.OPEN


def test_a_scheduled_start_with_too_few_entrants_cancels_the_tournament(published: Publish):
    tournament = published(opens_at=later(60), fewest=3)
    person = rich("cid")
    enter(tournament, person)
    run_due(later(60))
    assert status_of(tournament) == Status.CANCELLED
    assert available(f"player:{person.pk}") == 10_000
    assert store.read(tournament.pk)[3].data["reason"].startswith("too few entrants")
    assert_books_balance(tournament)


def test_the_organizer_cannot_start_with_too_few(published: Publish):
    tournament = published(fewest=3)
    enter(tournament, rich("cid"), rich("dan"))
    with pytest.raises(TooFewEntrants, match="2 of at least 3"):
        services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=NOW)
    assert status_of(tournament) == Status.PUBLISHED


def test_the_next_round_opens_after_the_gap(published: Publish):
    tournament = begin(published, "cid", "dan", gap_seconds=300)
    play_round(tournament, 1)
    run_due(later(299))
    assert tournament.played_rounds.count() == 1
    run_due(later(300))
    assert [round.state for round in tournament.played_rounds.all()] == [RoundState.CLOSED, RoundState.OPEN]


def test_a_large_field_is_seated_before_any_game_is_dealt(published: Publish, monkeypatch):
    from tournaments.rounds import services as rounds

    monkeypatch.setattr(rounds, "CHUNK", 3)
    tournament = published(fee=0, fill_to=7, rounds=1)
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    dealt = []
    while rounds.open_round(tournament_id=tournament.pk, number=1, now=NOW):
        seated = sum(one.seated_at is not None for one in games_of(tournament, 1))
        dealt.append((seated, GameRecord.objects.filter(status="active").count()))
    assert dealt == [(3, 0), (6, 0), (7, 0), (7, 3), (7, 6), (7, 7)]


def test_a_finished_tournament_takes_no_further_step(published: Publish):
    tournament = published(fee=0, fill_to=2, rounds=1)
    start(tournament)
    assert trial_balance(CURRENCY).debits == 0, "it is free"
    command = {"tournament_id": tournament.pk, "actor": tournament.organizer, "now": NOW}
    for step in (services.publish, services.start, partial(services.cancel, reason="late")):
        with pytest.raises(WrongStatus, match="finished"):
            step(**command)


def test_a_start_in_the_past_cannot_be_published(organizer: Player):
    draft = services.create(organizer=organizer, terms=terms(opens_at=later(-1)), now=NOW)
    with pytest.raises(BadTerms, match="past"):
        services.publish(tournament_id=draft.pk, actor=organizer, now=NOW)


def test_a_tournament_of_a_game_without_bots_is_not_filled_with_bots(published: Publish, monkeypatch):
    from games import bots

    def none(slug: str, strategy: str) -> None:
        raise bots.UnknownBot(f"no bot {strategy} plays {slug}")

    monkeypatch.setattr(bots, "get", none)
    tournament = published(fill_to=2, fee=0)
    with pytest.raises(NoBots):
        services.start(tournament_id=tournament.pk, actor=None, now=NOW)
