"""Test audits of suspended, continued, and redealt games."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from accounts.models import Player
from audit.services import audit_installation, audit_tournament
from core import triggers
from games import services
from games.models import GameRecord, Suspension
from games.suspensions import continuation
from games.suspensions import services as suspension
from tests.audit.conftest import found
from tests.conftest import NOW, person
from tests.due_jobs import run_due
from tests.games.tables import dealt
from tests.tournaments.playing import SEED, enter, games_of, later, rich, start, terms
from tests.tournaments.test_replacements import SWISS, again
from tournaments import services as tournaments
from tournaments.models import TableGame, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WHY = "the lights are out"
HOUR = timedelta(hours=1)

RoundOfTwo = tuple[Tournament, TableGame, TableGame]


def continued_game(player: Player, *, ended: bool = True) -> tuple[GameRecord, GameRecord]:
    game = dealt("vegas-solitaire", [player], now=NOW)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOW)
    suspension.suspend(game.pk, by=None, reason=WHY, now=NOW)
    child = continuation.continue_from(game.pk, version=3, reason=WHY, now=NOW + HOUR)
    if ended:
        services.play(game_id=child.pk, player=player, move={"type": "collect"}, now=NOW + HOUR)
    return game, child


@pytest.fixture
def round_of_two() -> RoundOfTwo:
    """Return a tournament with a continued game and a redealt game."""
    draft = tournaments.create(
        organizer=person("olga"), terms=terms(**{**SWISS, "prizes": (10_000,)}), now=NOW
    )
    tournament = tournaments.publish(tournament_id=draft.pk, actor=draft.organizer, now=NOW, seed=SEED)
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva", "fay")))
    start(tournament)
    first, second = games_of(tournament, 1)
    suspension.suspend(first.game, by=None, reason=WHY, now=later(60))
    continuation.continue_from(first.game, version=4, reason=WHY, now=later(60))
    services.void_game(game_id=second.game, reason=WHY, now=later(60))
    continuation.redeal(second.game, reason=WHY, now=later(60))
    return tournament, first, second


@pytest.mark.parametrize("ended", [False, True])
def test_continued_game_passes(player: Player, ended: bool) -> None:
    continued_game(player, ended=ended)
    assert found(audit_installation()) == set()


def test_suspended_game_passes(player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=NOW)
    suspension.suspend(game.pk, by=None, reason=WHY, now=NOW)
    assert found(audit_installation()) == set()
    suspension.resume(game.pk, by=None, reason=WHY, now=NOW)
    assert found(audit_installation()) == set()


def test_changed_suspension_or_credit_is_found(player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=NOW)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOW)
    for begins in (NOW, NOW + 3 * HOUR):
        suspension.suspend(game.pk, by=None, reason=WHY, now=begins)
        suspension.resume(game.pk, by=None, reason=WHY, now=begins + HOUR)
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOW + 4 * HOUR)
    suspension.suspend(game.pk, by=None, reason=WHY, now=NOW + 4 * HOUR)
    child = continuation.continue_from(game.pk, version=5, reason=WHY, now=NOW + 5 * HOUR)
    assert [GameRecord.objects.get(pk=one).given_back for one in (game.pk, child.pk)] == [2 * HOUR, 2 * HOUR]
    assert found(audit_installation()) == set()

    of_the_game, of_both = f"game:{game.pk}", {f"game:{game.pk}", f"game:{child.pk}"}
    first = Suspension.objects.filter(game=game).order_by("since")[:1].get()
    for change, subjects in (
        (lambda: GameRecord.objects.filter(pk=game.pk).update(given_back=HOUR), {of_the_game}),
        (lambda: GameRecord.objects.filter(pk=child.pk).update(given_back=HOUR), {f"game:{child.pk}"}),
        (lambda: Suspension.objects.filter(pk=first.pk).update(since=NOW - HOUR), of_both),
        (lambda: Suspension.objects.filter(pk=first.pk).update(lifted_at=NOW + 2 * HOUR), of_both),
    ):
        with triggers.removed("games_gamerecord", "games_suspension"), transaction.atomic():
            change()
            result = found(audit_installation())
            transaction.set_rollback(True)
        alongside = {(part, check, subject) for part, check, subject, _ in result if part != "database"}
        assert alongside == {("suspensions", "record", subject) for subject in subjects}


@pytest.mark.parametrize("change", [{"parent_version": 2}, {"parent": None, "parent_version": None}])
def test_changed_parent_is_found(player: Player, change: dict[str, None]) -> None:
    _, child = continued_game(player)
    GameRecord.objects.filter(pk=child.pk).update(**change)
    assert [(check, subject) for _, check, subject, _ in found(audit_installation())] == [
        ("record", f"game:{child.pk}")
    ]


def test_tournament_with_replaced_games_passes(round_of_two: RoundOfTwo) -> None:
    tournament, first, second = round_of_two
    assert audit_tournament(tournament.pk).faults == []
    run_due(later(600))
    run_due(later(660))
    assert again(first).ended
    assert again(second).ended
    assert found(audit_installation()) == set()


def test_changed_replacement_is_found(round_of_two: RoundOfTwo) -> None:
    tournament, first, _ = round_of_two
    TableGame.objects.filter(pk=first.pk).update(game=first.game)
    assert {fault.check for fault in audit_tournament(tournament.pk).faults} == {"deals"}
