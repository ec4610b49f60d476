"""Tokens and bots that are made while their owner is suspended, or together."""

from __future__ import annotations

from contextlib import suppress

import pytest
from django.utils import timezone

from accounts import bots
from accounts.models import Player, Token
from accounts.services import issue_token, suspend
from core.errors import Problem
from tests.concurrency import at_once
from tests.conftest import person

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 4


def make(owner: Player) -> None:
    with suppress(Problem):
        bots.create(owner=owner, name="Bot", owner_only=False, now=timezone.now())


def test_a_suspension_leaves_no_token_of_a_bot() -> None:
    for number in range(ROUNDS):
        owner = person(f"owner{number}")
        bot = bots.create(owner=owner, name="Bot", owner_only=False, now=timezone.now())

        def issue(bot: Player = bot) -> None:
            with suppress(Problem):
                issue_token(player=bot)

        def end(owner: Player = owner) -> None:
            suspend(player=owner, reason="rude")

        at_once(issue, end, issue)
        assert not Token.objects.filter(player=bot).exists()


def test_bots_made_at_once_do_not_exceed_the_bound(player: Player) -> None:
    at_once(*[lambda: make(player) for _ in range(bots.MOST_BOTS + 3)])
    assert bots.bots_of(player).count() == bots.MOST_BOTS
