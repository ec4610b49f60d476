"""Cancellation: fees are refunded, running games voided, and the seed revealed."""

from __future__ import annotations

import pytest

from accounts.models import Player
from eventstore import store
from games.evidence.proof import bundle
from games.models import GameRecord
from games.rules.bundles.verification import verify
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    NOW,
    SEED,
    begin,
    enter,
    entrants,
    games_of,
    later,
    play,
    play_round,
    rich,
    terms,
)
from tournaments import record, services
from tournaments.actions.base import rehearsed
from tournaments.models import Status

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def cancel(tournament) -> None:
    services.cancel(tournament_id=tournament.pk, actor=tournament.organizer, reason="flood", now=NOW)
    run_due(NOW)
    tournament.refresh_from_db()


def test_a_cancellation_before_the_start_refunds_all_entrants(published: Publish):
    tournament = published()
    cid, dan, eva = rich("cid"), rich("dan"), rich("eva")
    enter(tournament, cid, dan, eva)
    services.withdraw(tournament_id=tournament.pk, player=dan, now=NOW)
    preview = rehearsed(tournament, lambda: cancel(tournament))
    assert preview.facts == [("Transfers: cancelled", "2, 10.00 play money in total")]
    cancel(tournament)
    assert [available(f"player:{each.pk}") for each in (cid, dan, eva)] == [10_000] * 3
    assert available(tournament.subject, "escrow") == 0
    assert tournament.status == Status.CANCELLED
    cancelled, revealed = store.read(tournament.pk)[-2:]
    assert (cancelled.type, cancelled.data["reason"]) == ("cancelled", "flood")
    assert (revealed.type, revealed.data) == ("seed-revealed", {"seed": SEED.hex()})


def test_a_cancellation_during_a_round_voids_its_games_and_their_bundles_verify(published: Publish):
    tournament = begin(published, "cid", "dan", "eva")
    cid, dan, eva = entrants(tournament)
    play_round(tournament, 1)
    played, *_ = games_of(tournament, 2)
    play(played, cid)
    cancel(tournament)
    statuses = [GameRecord.objects.get(pk=one.game).status for one in games_of(tournament, 2)]
    assert statuses == ["finished", "void", "void"]
    assert [one.ended for one in games_of(tournament, 2)] == ["finished", "void", "void"]
    for game in GameRecord.objects.filter(tournament=tournament.pk):
        document = bundle(game, cid)
        assert document["game"]["tournament"]["seed"] == SEED.hex()
        assert verify(document).ok
    assert [available(f"player:{each.pk}") for each in (cid, dan, eva)] == [10_000] * 3


def test_games_that_are_seated_but_not_dealt_are_voided_too(published: Publish):
    from tournaments.rounds import services as rounds

    tournament = published(fee=0)
    enter(tournament, rich("cid"), rich("dan"))
    services.start(tournament_id=tournament.pk, actor=None, now=NOW)
    assert rounds.open_round(tournament_id=tournament.pk, number=1, now=NOW)
    assert set(GameRecord.objects.values_list("status", flat=True)) == {"open"}
    cancel(tournament)
    assert set(GameRecord.objects.values_list("status", flat=True)) == {"void"}
    assert record.load(tournament.pk).seed == SEED.hex()


def test_jobs_scheduled_before_the_cancellation_have_no_effect(published: Publish):
    tournament = published(opens_at=later(60))
    enter(tournament, rich("cid"), rich("dan"))
    cancel(tournament)
    before = store.head(tournament.pk)
    run_due(later(100_000))
    assert store.head(tournament.pk) == before
    assert not GameRecord.objects.exists()


def test_a_cancelled_draft_reveals_no_seed(organizer: Player):
    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    cancel(draft)
    assert [event.type for event in store.read(draft.pk)] == ["created", "cancelled"]
