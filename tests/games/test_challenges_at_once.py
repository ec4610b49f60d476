"""Answers to a challenge and requests for opponents at the same moment: each table has one outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from core.errors import Problem
from eventstore import store
from games import services
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
    # An answer shows the challenge as it is by then: others may have accepted it meanwhile.
    assert "accepted" in answers
    assert set(answers) <= {"accepted", "open"}
    assert GameRecord.objects.get(pk=made.game_id).status == Status.ACTIVE
    assert Seat.objects.filter(game=made.game_id).count() == 4
    assert [event.type for event in store.read(made.game_id)].count("dealt") == 1


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


def asking(player: Player, seats: int = 2) -> Callable[[], GameRecord]:
    return partial(services.pair, player=player, rules="ace-race", config={}, seats=seats, now=timezone.now())


def test_two_players_who_ask_at_once_end_at_one_table(player: Player, rival: Player) -> None:
    for number in range(1, ROUNDS + 1):
        one, other = at_once(asking(player), asking(rival))
        assert one.pk == other.pk
        assert GameRecord.objects.filter(status=Status.ACTIVE).count() == number
        assert Seat.objects.filter(game=one.pk).count() == 2
    assert GameRecord.objects.count() == ROUNDS


def test_five_players_who_ask_at_once_fill_two_tables_and_one_waits() -> None:
    people = [person(name) for name in ("bea", "cid", "dan", "fay", "gil")]
    found = at_once(*(asking(who) for who in people))
    assert sorted(Counter(game.pk for game in found).values()) == [1, 2, 2]
    assert sorted(GameRecord.objects.values_list("status", flat=True)) == ["active", "active", "open"]


def test_a_player_who_asks_twice_at_once_sits_at_one_table(player: Player) -> None:
    found = at_once(*(asking(player) for _ in range(ROUNDS)))
    assert len({game.pk for game in found}) == 1
    assert Seat.objects.count() == 1


def test_a_seat_that_is_taken_meanwhile_is_not_lost(player: Player, rival: Player, stranger: Player) -> None:
    waiting = asking(player)()
    sit = partial(services.take_seat, game=waiting, player=stranger, client_seed="", now=timezone.now())
    found, taken = at_once(asking(rival), sit)
    assert isinstance(found, GameRecord), found
    assert Seat.objects.filter(game=waiting).count() == 2
    assert (found.pk == waiting.pk) == isinstance(taken, Exception)
    assert Seat.objects.filter(player=rival).count() == 1
