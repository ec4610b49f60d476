"""Suspending and resuming over REST, by auditors and managers of a tournament who are not interested parties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from accounts.models import Player
from accounts.roles import Role
from games import early_access
from games.models import EarlyAccess, GameRecord
from tests.conftest import person
from tests.due_jobs import run_due
from tests.games.tables import dealt
from tests.money import cash, fund
from tests.tournaments.playing import NOW, SEED, enter, games_of, rich, terms
from tournaments import services as tournaments

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

Api = Callable[[Player | None], Any]
BODY = {"reason": "the lights are out"}


def path(game: Any, what: str) -> str:
    return f"/api/v1/games/{getattr(game, 'pk', game)}/{what}/"


def problem(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.fixture
def table(player: Player) -> GameRecord:
    return dealt("vegas-solitaire", [player], now=NOW, private=True)


def test_an_auditor_suspends_and_resumes_without_early_access(
    api: Api, player: Player, auditor: Player, table: GameRecord
) -> None:
    answer = api(auditor).post(path(table, "suspension"), BODY)
    assert answer.status_code == 201
    assert answer["Location"] == path(table, "suspension")
    assert answer.json()["by"] == str(auditor.pk)
    assert set(answer.json()) == {
        "game", "version", "since", "by", "reason", "lifted_at", "lifted", "lifted_by", "lifted_reason"
    }  # fmt: skip
    for move in ({"type": "draw"}, {"type": "flip", "column": 0}):
        assert problem(api(player).post(path(table, "moves"), {"move": move})) == (409, "game-suspended")
    assert api(player).get(path(table, "legal-moves")).json() == []
    assert problem(api(player).get(path(table, "hint"))) == (409, "game-suspended")
    resumed = api(auditor).post(path(table, "resumption"), {"reason": "they are on"})
    assert (resumed.status_code, resumed.json()) == (200, {"game": str(table.pk)})
    assert api(player).post(path(table, "moves"), {"move": {"type": "draw"}}).status_code == 201
    [result] = api(player).get(path(table, "suspension")).json()
    lifted = (result["reason"], result["lifted"], result["lifted_reason"])
    assert lifted == (BODY["reason"], "resumed", "they are on")
    assert not EarlyAccess.objects.exists()


def test_interested_parties_cannot_suspend_a_game(api: Api) -> None:
    eve = person("eve", Role.AUDITOR)
    game = dealt("vegas-solitaire", [eve], now=NOW)
    assert problem(api(eve).post(path(game, "suspension"), BODY)) == (403, "interested-party")
    assert problem(api(eve).post(path(game, "resumption"), BODY)) == (403, "interested-party")


def test_a_stranger_does_not_learn_of_a_suspended_private_game(
    api: Api, stranger: Player, auditor: Player, table: GameRecord
) -> None:
    before = api(stranger).post(path(table, "moves"), {"move": {"type": "draw"}})
    assert api(auditor).post(path(table, "suspension"), BODY).status_code == 201
    after = api(stranger).post(path(table, "moves"), {"move": {"type": "draw"}})
    assert problem(before) == problem(after) == (404, "not-found")


def test_a_suspension_requires_a_reason_and_only_a_suspended_game_is_resumed(
    api: Api, auditor: Player, table: GameRecord
) -> None:
    assert problem(api(auditor).post(path(table, "suspension"), {})) == (400, "invalid-input")
    assert problem(api(auditor).post(path(table, "resumption"), BODY)) == (409, "not-suspended")
    api(auditor).post(path(table, "suspension"), BODY)
    assert problem(api(auditor).post(path(table, "suspension"), BODY)) == (409, "game-suspended")


def game_of_tournament(organizer: Player, *people: Player) -> UUID:
    draft = tournaments.create(organizer=organizer, terms=terms(), now=NOW)
    tournament = tournaments.publish(tournament_id=draft.pk, actor=organizer, now=NOW, seed=SEED)
    enter(tournament, *people)
    tournaments.start(tournament_id=tournament.pk, actor=None, now=NOW)
    run_due(NOW)
    return games_of(tournament, 1)[0].game


def test_organizers_suspend_and_resume_the_games_of_their_tournaments(api: Api, organizer: Player) -> None:
    game = game_of_tournament(organizer, rich("cid"), rich("dan"))
    assert api(person("omar", Role.ORGANIZER)).post(path(game, "suspension"), BODY).status_code == 404
    assert api(organizer).get(path(game, "suspension")).status_code == 404  # the deal is still played
    assert api(organizer).post(path(game, "suspension"), BODY).status_code == 201
    assert api(organizer).post(path(game, "resumption"), BODY).status_code == 200


def test_an_organizer_who_plays_cannot_suspend_or_resume_a_game(api: Api, organizer: Player) -> None:
    fund(cash(organizer.pk), 10_000)
    game = game_of_tournament(organizer, rich("cid"), organizer)
    for what in ("suspension", "resumption"):
        assert problem(api(organizer).post(path(game, what), BODY)) == (403, "interested-party")
    assert early_access.has_interest(organizer, GameRecord.objects.get(pk=game))


def test_resuming_demons_returns_the_continued_game(
    api: Api, player: Player, rival: Player, auditor: Player
) -> None:
    game = dealt("racing-demons", [player, rival], now=NOW)
    api(auditor).post(path(game, "suspension"), BODY)
    going_on = api(auditor).post(path(game, "resumption"), BODY).json()["game"]
    assert going_on != str(game.pk)
    assert api(player).get(f"/api/v1/games/{game.pk}/").json()["replaced_by"] == going_on
    assert GameRecord.objects.get(pk=going_on).parent == game
