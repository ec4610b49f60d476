"""Rounds of one game that close concurrently are rated one after the other."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import transaction

from tests.concurrency import at_once
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import enter, later, rich, start
from tournaments import ratings
from tournaments.models import RatedGame, Rating, RatingChange
from tournaments.rounds import services as rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_three_tournaments_of_the_same_players_close_concurrently(published: Publish) -> None:
    people = [rich(name) for name in ("cid", "dan")]
    terms = {"format": "swiss", "rules": "ace-race", "config": {}, "prizes": (10_000,), "rounds": 2}
    tournaments = [published(**terms) for _ in range(3)]
    for one in tournaments:
        enter(one, *people)
        start(one)
    close = [
        partial(transaction.atomic(rounds.close_round), tournament_id=one.pk, number=1, now=later(600))
        for one in tournaments
    ]
    answers = at_once(*close, *close)
    assert answers == [False] * 6
    assert RatedGame.objects.get().rounds == 3
    assert RatingChange.objects.count() == 6
    assert set(Rating.objects.values_list("tables", flat=True)) == {3}
    assert list(ratings.differences()) == []
