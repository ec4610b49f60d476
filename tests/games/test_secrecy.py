"""The server seed is never shown early. `tests/secrecy/` tests hidden cards."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client as WebClient

from accounts.models import Player
from games import context, state
from games.models import GameRecord, GameSecret
from tests.games.conftest import SEED

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]


def test_the_server_seed_is_nowhere_before_the_end(
    api: Api,
    player: Player,
    rival: Player,
    auditor: Player,
    administrator: Player,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    client = api(player)
    opened = client.post("/api/v1/games/", {"rules": "vegas-solitaire", "config": {"draw": 1, "stake": 0}})
    game = opened["Location"]
    result = [opened.content]
    result.append(client.post(f"{game}seats/", {}).content)
    result.append(client.post(f"{game}start/", {}).content)
    result += [
        client.post(f"{game}moves/", {"move": {"type": kind}}).content for kind in ("draw", "fly", "recycle")
    ]
    tails = ["", "events/", "replay/", "replay/?all=true", "legal-moves/", "verification/", "bundle/"]
    for who in (player, rival, auditor, administrator, None):
        result += [api(who).get(f"{game}{tail}").content for tail in tails]
        result.append(api(who).get("/api/v1/games/").content)
    secret = GameSecret.objects.get()
    root = Player.objects.create_superuser("root", password="root")
    web = WebClient()
    web.force_login(root)
    page = f"/admin/games/gamerecord/{secret.pk}/"
    result += [
        web.get(path).content for path in ("/admin/games/gamerecord/", f"{page}change/", f"{page}verify/")
    ]
    result += [repr(secret).encode(), str(secret).encode()]
    out, err = capfd.readouterr()
    result += [caplog.text.encode(), out.encode(), err.encode()]

    seed = bytes(secret.server_seed)
    for content in result:
        assert seed not in content
        assert seed.hex().encode() not in content.lower()

    client.post(f"{game}moves/", {"move": {"type": "collect"}})
    assert api(rival).get(game).json()["fairness"]["server_seed"] == seed.hex()
    assert api(rival).get(f"{game}bundle/").json()["game"]["server_seed"] == seed.hex()


def test_printed_objects_contain_no_seed(player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    about = context.of(game.pk, state.load(game.pk)[1])
    for text in (repr(about), str(about), repr(about.key)):
        assert SEED.hex() not in text
        assert repr(SEED) not in text
