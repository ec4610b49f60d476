"""A bundle has, if requested, the proof that a checkpoint covers its game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from config import checkpoints
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.inclusion import Trusted
from games import services
from games.models import GameRecord
from games.rules.bundles.verification import verify
from tests.games.conftest import NOON
from tests.waiting import wait_until_final

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
Api = Callable[[Player | None], Any]


@pytest.fixture(autouse=True)
def own_key(settings: Any, tmp_path: Any) -> None:
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"
    settings.DATA = tmp_path


def sign() -> int:
    wait_until_final()
    checkpoints.make_and_publish(NOON)
    last = checkpoint.latest()
    assert last is not None
    return last.number


def test_the_bundle_of_a_finished_game_has_its_proof(
    api: Api, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    address = f"/api/v1/games/{game.pk}/bundle/"
    before = sign()
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    refused = api(player).get(f"{address}?proof=1")
    assert (refused.status_code, refused.json()["code"]) == (409, "not-covered-yet")
    covering = sign()
    services.play(game_id=vegas(player).pk, player=player, move={"type": "collect"}, now=NOON)
    later = sign()

    plain = api(player).get(address).json()
    assert "checkpoint" not in plain
    assert api(player).get(f"{address}?proof=false").json() == plain
    proven = api(player).get(f"{address}?proof=1").json()
    assert list(proven) == [*plain, "checkpoint"]
    assert {key: value for key, value in proven.items() if key != "checkpoint"} == plain
    expected = (covering, len(plain["events"]))
    assert (proven["checkpoint"]["number"], proven["checkpoint"]["version"]) == expected
    assert verify(proven, Trusted(keys=(checkpoint.public_key(),))).checks["checkpoint"] == "passed"

    for kept, held in ((before, "following"), (covering, "fast"), (later, "fast")):
        answer = api(player).get(f"{address}?proof=1&known={kept}").json()
        known = checkpoint.parse(api(None).get(f"/api/v1/checkpoints/{kept}/").json())
        report = verify(answer, Trusted(known=(known,)))
        assert report.ok, report.faults
        assert report.checks["known"] == "passed"
        assert report.proof is not None
        assert report.proof.held == held

    for query in ("known=1", "proof=yes", "proof=1&known=0", "proof=1&known=99", "proof=1&known=x"):
        assert api(player).get(f"{address}?{query}").status_code == 400, query


def test_an_early_bundle_is_proven_up_to_the_events_that_a_checkpoint_covers(
    api: Api, auditor: Player, player: Player, vegas: Callable[..., GameRecord]
) -> None:
    game = vegas(player)
    number = sign()
    services.play(game_id=game.pk, player=player, move={"type": "draw"}, now=NOON)
    refused = api(player).get(f"/api/v1/games/{game.pk}/bundle/?proof=1")
    assert (refused.status_code, refused.json()["code"]) == (409, "game-in-play")
    shown = api(auditor).get(f"/api/v1/games/{game.pk}/bundle/?proof=1").json()
    expected = (number, len(shown["events"]) - 1)
    assert (shown["checkpoint"]["number"], shown["checkpoint"]["version"]) == expected
    report = verify(shown, Trusted(keys=(checkpoint.public_key(),)))
    assert report.ok, report.faults
    assert report.checks["checkpoint"] == "passed"
