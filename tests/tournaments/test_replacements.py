"""Suspended, continued, and redealt games of a tournament; the round waits for them."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from core.errors import NotFound
from eventstore import store
from games import access, selectors, services, state
from games.errors import GameSuspended, NotRedealable
from games.models import GameRecord
from games.rules import fairness
from games.rules.bundles.verification import verify
from games.suspensions import continuation
from games.suspensions import services as suspension
from tests.conftest import known
from tests.databases import shared
from tests.due_jobs import run_due
from tests.money import available
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, SEED, begin, games_of, later, play, status_of, types
from tournaments import record
from tournaments import services as tournaments
from tournaments.formats import history
from tournaments.formats.replay import _of_a_replacement, replay
from tournaments.models import Ended, Round, RoundState, Score, Status, TableGame, Tournament
from tournaments.report import proofs

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WHY = "the lights are out"
ONE_ROUND: dict[str, Any] = {"rounds": 1, "prizes": (10_000,)}
SWISS: dict[str, Any] = {"format": "swiss", "rules": "ace-race", "config": {}, **ONE_ROUND}
MINUTE = 60
ROUND = 600


begun = partial(begin, **ONE_ROUND)


@shared
def tournament() -> Tournament:
    return begun(partial(publish, known("olga", Role.ORGANIZER)), "cid", "dan")


def stop(one: TableGame, at: int = 0) -> None:
    suspension.suspend(one.game, by=None, reason=WHY, now=later(at))


def continue_game(one: TableGame, at: int = 0) -> GameRecord:
    return suspension.resume(one.game, by=None, reason=WHY, now=later(at))


def again(one: TableGame) -> TableGame:
    return TableGame.objects.select_related("table__round").get(pk=one.pk)


def player_of(one: TableGame) -> Player:
    [seat] = one.table.seats.select_related("entry__player")
    return seat.entry.player


def round_of(tournament: Tournament) -> Round:
    return tournament.played_rounds.get(number=1)


def assert_proven(tournament: Tournament) -> None:
    """Check that the tournament has finished, its replay has no fault, and its games verify."""
    assert status_of(tournament) == Status.FINISHED
    assert available(tournament.subject, "escrow") == 0
    replayed = replay(str(tournament.pk), [event.public() for event in store.read(tournament.pk)])
    assert replayed.difference is None
    assert [proof.fault for proof in proofs(tournament)] == [""] * TableGame.objects.filter(
        table__round__tournament=tournament
    ).count()


def test_a_round_waits_for_a_suspended_game_until_it_is_cancelled(tournament: Tournament) -> None:
    first, second = games_of(tournament, 1)
    stop(first, MINUTE)
    run_due(later(ROUND))
    assert again(second).ended == Ended.EXPIRED
    assert again(first).ended == ""
    assert round_of(tournament).state == RoundState.OPEN
    tournaments.cancel(tournament_id=tournament.pk, actor=None, reason="a test", now=later(ROUND))
    run_due(later(ROUND))
    assert state.load(first.game)[1].status == "void"


def test_the_time_of_a_suspension_is_added_to_the_round(tournament: Tournament) -> None:
    """Suspended after one minute for ten minutes, the game has the nine minutes that the round had left."""
    first, _ = games_of(tournament, 1)
    stop(first, MINUTE)
    run_due(later(ROUND))
    continue_game(first, MINUTE + ROUND)
    run_due(later(2 * ROUND - 1))
    assert again(first).ended == ""
    run_due(later(2 * ROUND))
    assert again(first).ended == Ended.EXPIRED
    assert_proven(tournament)
    assert [type for type in types(tournament) if type.startswith("game-")] == [
        "game-suspended",
        "game-resumed",
    ]


def test_a_voided_game_does_not_block_the_round(tournament: Tournament) -> None:
    first, _ = games_of(tournament, 1)
    stop(first, MINUTE)
    run_due(later(ROUND))
    services.void_game(game_id=first.game, reason="no one can play there", now=later(ROUND))
    run_due(later(ROUND))
    assert again(first).ended == Ended.VOID
    assert_proven(tournament)


def test_a_suspended_game_has_no_forfeits(published: Publish) -> None:
    tournament = begun(published, "cid", "dan", **SWISS, no_show_seconds=MINUTE)
    [one] = games_of(tournament, 1)
    stop(one, 10)
    run_due(later(5 * MINUTE))
    assert not one.table.seats.filter(forfeited_at__isnull=False).exists()
    continue_game(one, 5 * MINUTE)
    run_due(later(6 * MINUTE - 1))
    assert not one.table.seats.filter(forfeited_at__isnull=False).exists()
    run_due(later(7 * MINUTE))
    assert one.table.seats.filter(forfeited_at__isnull=False).exists()


def test_the_continued_game_takes_the_parents_place(tournament: Tournament) -> None:
    first, second = games_of(tournament, 1)
    player = player_of(first)
    move = state.load(first.game)[1].legal_moves(0)[0]
    services.play(game_id=first.game, player=player, move=move, now=NOW)
    stop(first, MINUTE)
    child = continuation.continue_from(first.game, version=3, reason=WHY, now=later(2 * MINUTE))
    now = again(first)
    assert (now.game, now.deal, now.ended) == (child.pk, first.deal, "")
    run_due(later(2 * MINUTE))
    assert again(first).ended == ""  # the end of the parent game is no result
    play(now, player, now=later(3 * MINUTE))
    play(second, player_of(second), now=later(3 * MINUTE))
    run_due(later(3 * MINUTE))
    assert_proven(tournament)
    [message] = [event.data for event in store.read(tournament.pk) if event.type == "game-replaced"]
    assert message["replaces"] == str(first.game)
    assert (message["game"], message["goes_on"], message["deal"]) == (str(child.pk), True, first.deal)
    assert "version" not in message  # its length is revealed after the deal has been played
    parent = GameRecord.objects.get(pk=first.game)
    assert verify(selectors.bundle(parent, None)).ok


def test_parent_and_continued_game_are_hidden_from_other_entrants(tournament: Tournament) -> None:
    """All tables share the deal, so the void parent is as hidden as the running games."""
    first, second = games_of(tournament, 1)
    stop(first, MINUTE)
    child = continuation.continue_from(first.game, version=3, reason=WHY, now=later(MINUTE))
    play(second, player_of(second), now=later(2 * MINUTE))
    for viewer in (player_of(second), tournament.organizer, None):
        for game in (first.game, child.pk):
            with pytest.raises(NotFound):
                access.visible_game(viewer, game)
    assert child.deal_group == GameRecord.objects.get(pk=second.game).deal_group


def test_a_continued_game_of_racing_demons_has_the_remaining_time_of_the_round(published: Publish) -> None:
    demons = {**SWISS, "rules": "racing-demons", "config": {"pace": "turns", "time_limit": 300}}
    tournament = begun(published, "cid", "dan", **demons)
    [one] = games_of(tournament, 1)
    stop(one, MINUTE)
    child = continue_game(one, MINUTE + ROUND)
    assert again(one).game == child.pk
    run_due(later(ROUND + MINUTE + 240 - 1))
    assert again(one).ended == ""
    run_due(later(ROUND + 300))
    run_due(later(2 * ROUND))
    assert again(one).ended == Ended.FINISHED
    assert_proven(tournament)


def test_a_redeal_is_a_further_game_of_the_round(published: Publish) -> None:
    """RULEBOOK 1: where all share the deal, d = game, and a replacement counts as a further game of the round."""
    tournament = begun(published, "cid", "dan", games=2)
    first = next(one for one in games_of(tournament, 1) if one.table.number == 1 and one.number == 1)
    play(first, player_of(first), now=later(MINUTE))
    run_due(later(MINUTE))
    assert Score.objects.filter(table_game=first).exists()
    redealt = continuation.redeal(first.game, reason=WHY, now=later(2 * MINUTE))
    now = again(first)
    assert (now.game, now.deal, now.ended) == (redealt.pk, 3, "")
    assert not Score.objects.filter(table_game=first).exists()
    seed = fairness.tournament_server_seed(SEED, round=1, deal=3)
    assert redealt.commitment == fairness.commitment(seed)
    play(now, player_of(first), now=later(3 * MINUTE))
    run_due(later(3 * MINUTE))
    run_due(later(3 * ROUND))
    assert_proven(tournament)
    assert {result.deal for result in record.load(tournament.pk).results} == {1, 2, 3}


def test_a_redeal_is_a_further_game_of_its_table(published: Publish) -> None:
    """RULEBOOK 1: d = tables × (game − 1) + table."""
    tournament = begun(published, "cid", "dan", "eva", "fay", **SWISS)
    one = next(one for one in games_of(tournament, 1) if one.table.number == 2)
    services.void_game(game_id=one.game, reason="a card was missing", now=NOW)
    continuation.redeal(one.game, reason=WHY, now=later(MINUTE))
    assert again(one).deal == 2 * (2 - 1) + 2
    services.void_game(game_id=again(one).game, reason="and another", now=later(MINUTE))
    continuation.redeal(again(one).game, reason=WHY, now=later(2 * MINUTE))
    assert again(one).deal == 2 * (3 - 1) + 2
    run_due(later(ROUND))
    assert again(one).ended == ""  # it has the full time of a round from its deal
    run_due(later(2 * ROUND))
    assert_proven(tournament)


def test_a_redeal_of_a_running_game_or_after_the_round_is_refused(tournament: Tournament) -> None:
    first, _ = games_of(tournament, 1)
    with pytest.raises(NotRedealable, match="has not ended"):
        continuation.redeal(first.game, reason=WHY, now=NOW)
    stop(first)
    with pytest.raises(GameSuspended):
        services.expire_game(game_id=first.game, now=NOW)
    continue_game(first)
    run_due(later(ROUND))
    with pytest.raises(NotRedealable, match="correct the result"):
        continuation.redeal(first.game, reason=WHY, now=later(ROUND))


def test_a_replay_finds_a_redeal_with_a_wrong_number(published: Publish) -> None:
    tournament = begun(published, "cid", "dan", "eva", "fay", **SWISS)
    one = games_of(tournament, 1)[0]
    services.void_game(game_id=one.game, reason="a card was missing", now=NOW)
    continuation.redeal(one.game, reason=WHY, now=NOW + timedelta(seconds=1))
    [event] = [event for event in store.read(tournament.pk) if event.type == "game-replaced"]
    before = store.read(tournament.pk, until=event.version - 1)
    known = history.fold((each.type, each.data) for each in before)
    assert all(claim.recorded == claim.derived for claim in _of_a_replacement(known, event.data))
    wrong = {**event.data, "deal": event.data["deal"] + 2}
    assert any(claim.recorded != claim.derived for claim in _of_a_replacement(known, wrong))
