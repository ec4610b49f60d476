"""What a seat may not see changes nothing that it is shown; the server seed is shown to nobody early."""

from __future__ import annotations

import json
import logging
import random
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction
from django.test import Client as WebClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.models import Player
from games import log, particulars, services, state
from games.models import GameRecord, GameSecret, Status
from games.rules import table as tables
from games.rules.cards import TEXT

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEED = bytes(range(32))
GAME = uuid.UUID("00000000-0000-4000-8000-00000000cafe")
MARKS = ("seal", "hash", "prev", "now")


class Undone(Exception):
    """Takes a world back."""


def world(
    player: Player, clients: list[Any], pack: list[str], choices: list[int]
) -> tuple[list[Any], set[str]]:
    """Everything that is shown while a game with this pack is played; and the cards that stayed hidden."""
    shown: list[Any] = []
    hidden: set[str] = set()
    state.cache.clear()
    particulars.forget()
    try:
        with transaction.atomic():
            deal(player, pack)
            for choice in choices:
                table = state.load(GAME)[1]
                # Not undo: what it puts back has been seen, and still would count as hidden.
                moves = [move for move in table.legal_moves(0) if move["type"] not in ("collect", "undo")]
                if not moves:
                    break
                move = moves[choice % len(moves)]
                played = services.play(game_id=GAME, player=player, move=move, now=NOON)
                shown.append((played.events, played.view, played.legal_moves))
            for client in clients:
                shown += looks(client)
            layout = state.load(GAME)[1].state.layout
            hidden = {TEXT[card] for card in layout.stock}
            for column, down in zip(layout.columns, layout.down, strict=True):
                hidden |= {TEXT[card] for card in column[:down]}
            raise Undone
    except Undone:
        return shown, hidden


def deal(player: Player, pack: list[str]) -> None:
    """A game dealt with a pack of the test's choosing."""
    game = services.create_game(
        rules="vegas-solitaire",
        config={"draw": 1, "stake": 0},
        seats=1,
        creator=player,
        server_seed=SEED,
        game_id=GAME,
        now=NOON,
    )
    services.take_seat(game=game, player=player, client_seed="ann", now=NOON)
    head, table = state.load(GAME)
    key = table.key(SEED)
    dealt = tables.deal(table, key)._replace(private={"packs": {"deck": pack}})
    log.append(GAME, head, [dealt], log.after(table, [dealt]), now=NOON, key=key)
    GameRecord.objects.filter(pk=GAME).update(status=Status.ACTIVE, started_at=NOON)


def looks(client: Any) -> list[Any]:
    game = f"/api/v1/games/{GAME}/"
    paths = ["", "legal-moves/", "events/", "replay/", "replay/?at=3", "verification/", "bundle/"]
    return [json.loads(client.get(f"{game}{path}").content) for path in paths]


def without_marks(shown: Any) -> str:
    """As bytes, but for what is keyed with the game's secret (a seal, the hashes over it), and the time of day."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items() if key not in MARKS}
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    return json.dumps(plain(shown))


@settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    choices=st.lists(st.integers(0, 60), min_size=1, max_size=10), chance=st.randoms(use_true_random=False)
)
def test_worlds_that_differ_in_hidden_cards_look_the_same(
    api: Api, player: Player, stranger: Player, choices: list[int], chance: random.Random
) -> None:
    clients = [api(player), api(stranger)]
    pack = list(TEXT[:52])
    chance.shuffle(pack)
    shown, hidden = world(player, clients, pack, choices)
    assert len(hidden) > 1
    places = [place for place, card in enumerate(pack) if card in hidden]
    other = list(pack)
    for place, source in zip(places, places[1:] + places[:1], strict=True):
        other[place] = pack[source]
    assert other != pack
    assert without_marks(world(player, clients, other, choices)[0]) == without_marks(shown)


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
    told = [opened.content]
    told.append(client.post(f"{game}seats/", {}).content)
    told.append(client.post(f"{game}start/", {}).content)
    told += [
        client.post(f"{game}moves/", {"move": {"type": kind}}).content for kind in ("draw", "fly", "recycle")
    ]
    tails = ["", "events/", "replay/", "replay/?all=true", "legal-moves/", "verification/", "bundle/"]
    for who in (player, rival, auditor, administrator, None):
        told += [api(who).get(f"{game}{tail}").content for tail in tails]
        told.append(api(who).get("/api/v1/games/").content)
    secret = GameSecret.objects.get()
    root = Player.objects.create_superuser("root", password="root")
    web = WebClient()
    web.force_login(root)
    page = f"/admin/games/gamerecord/{secret.pk}/"
    told += [
        web.get(path).content for path in ("/admin/games/gamerecord/", f"{page}change/", f"{page}verify/")
    ]
    told += [repr(secret).encode(), str(secret).encode()]
    out, err = capfd.readouterr()
    told += [caplog.text.encode(), out.encode(), err.encode()]

    seed = bytes(secret.server_seed)
    for content in told:
        assert seed not in content
        assert seed.hex().encode() not in content.lower()

    client.post(f"{game}moves/", {"move": {"type": "collect"}})
    assert api(rival).get(game).json()["fairness"]["server_seed"] == seed.hex()
    assert api(rival).get(f"{game}bundle/").json()["game"]["server_seed"] == seed.hex()


def test_a_particular_and_a_key_print_no_seed(player: Player, vegas: Callable[..., GameRecord]) -> None:
    game = vegas(player)
    about = particulars.of(game.pk, state.load(game.pk)[1])
    for text in (repr(about), str(about), repr(about.key)):
        assert SEED.hex() not in text
        assert repr(SEED) not in text
