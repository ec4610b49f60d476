"""Answers to one challenge at the same moment: one of them counts, and the table agrees with the challenge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from core.errors import Problem
from games.challenges import services as challenges
from games.models import Challenge, DeclineReason, GameRecord, Invitation, Seat, Status
from games.services import expire_game
from tests.concurrency import at_once
from tests.conftest import person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

ROUNDS = 4


def a_challenge(challenger: Player, *opponents: Player) -> Challenge:
    return challenges.challenge(
        challenger=challenger,
        opponents=[str(one.pk) for one in opponents],
        rules="ace-race",
        config={},
        now=timezone.now(),
    )


def code(act: Callable[[], Any]) -> Callable[[], str]:
    """The act, which returns the status that it made, or the code of its refusal."""

    def run() -> str:
        try:
            return str(act().status)
        except Problem as problem:
            return problem.code

    return run


def accepting(made: Challenge, who: Player) -> Callable[[], str]:
    return code(lambda: challenges.accept(challenge_id=made.pk, player=who, now=timezone.now()))


def test_one_player_accepts_twice(player: Player, rival: Player) -> None:
    made = a_challenge(player, rival)
    answers = at_once(*[accepting(made, rival) for _ in range(ROUNDS)])
    assert sorted(set(answers)) in (["accepted"], ["accepted", "challenge-over"])
    assert Seat.objects.filter(game=made.game_id).count() == 2
    assert GameRecord.objects.get(pk=made.game_id).status == Status.ACTIVE


def test_all_accept_together_and_one_deal_is_made(player: Player) -> None:
    others = [person(name) for name in ("bea", "cid", "dan")]
    made = a_challenge(player, *others)
    answers = at_once(*[accepting(made, who) for who in others])
    assert sorted(answers) == ["accepted", "open", "open"]
    assert GameRecord.objects.get(pk=made.game_id).status == Status.ACTIVE


def ending(made: Challenge, how: str, player: Player, rival: Player) -> Callable[[], str]:
    now = timezone.now()
    if how == "withdraw":
        return code(lambda: challenges.withdraw(challenge_id=made.pk, player=player, now=now))
    if how == "decline":
        reason = DeclineReason.LATER
        return code(lambda: challenges.decline(challenge_id=made.pk, player=rival, reason=reason, now=now))
    return code(lambda: _expired(made))


@pytest.mark.parametrize("how", ["withdraw", "decline", "expire"])
def test_accepting_and_ending_at_once_have_one_winner(player: Player, rival: Player, how: str) -> None:
    for _ in range(ROUNDS):
        made = a_challenge(player, rival)
        answers = at_once(accepting(made, rival), ending(made, how, player, rival))
        assert all(isinstance(answer, str) for answer in answers), answers
        made.refresh_from_db()
        status = GameRecord.objects.get(pk=made.game_id).status
        assert (made.status == "accepted") == (status == Status.ACTIVE)
        assert (made.status != "accepted") == (status == Status.VOID)
        assert not Invitation.objects.filter(challenge=made, is_open=True).exists()


def _expired(made: Challenge) -> Challenge:
    challenges.expire(challenge_id=made.pk, now=timezone.now())
    made.refresh_from_db()
    return made


def test_challenges_at_once_do_not_exceed_the_bound(player: Player, rival: Player, settings: Any) -> None:
    settings.OPEN_CHALLENGES_PER_PLAYER = 2
    answers = at_once(*[code(lambda: a_challenge(player, rival)) for _ in range(2 * ROUNDS)])
    assert sorted(answers) == ["open"] * 2 + ["too-many-challenges"] * (2 * ROUNDS - 2)


def test_players_who_challenge_each_other_do_not_wait_for_each_other(player: Player, rival: Player) -> None:
    answers = at_once(
        *[code(lambda: a_challenge(player, rival)) for _ in range(ROUNDS)],
        *[code(lambda: a_challenge(rival, player)) for _ in range(ROUNDS)],
    )
    assert set(answers) == {"open"}


def test_the_idle_limit_of_the_table_and_accepting_have_one_winner(player: Player, rival: Player) -> None:
    made = a_challenge(player, rival)
    accepted, idle = at_once(
        accepting(made, rival), lambda: expire_game(game_id=made.game_id, now=timezone.now(), seen=2)
    )
    assert (isinstance(accepted, str), idle) == (True, None)
    made.refresh_from_db()
    assert (accepted, made.status) in {("accepted", "accepted"), ("challenge-over", "expired")}
