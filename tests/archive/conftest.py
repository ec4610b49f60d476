"""Games of all kinds that can be archived, an archive in a temporary folder, and all that readers can ask of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from accounts.models import Player
from config.archive import archive_storage
from eventstore.checkpoints import service as checkpoint
from eventstore.packs import reading
from games import archive, context, state
from tests.due_jobs import run_due
from tests.games.conftest import cashed_in, classic, race, staked, vegas  # noqa: F401
from tests.games.test_every_game_over_rest import LIMIT, SIZES, Played, body
from tests.waiting import wait_until_final

DAYS = 30


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    """The folder of the archive."""
    settings.RACECARD_CHECKPOINT_KEY = tmp_path / "checkpoint.key"
    settings.RACECARD_ARCHIVE_AFTER = DAYS
    found = tmp_path / "archive"
    settings.STORAGES = django_settings.STORAGES | {"archive": archive_storage(str(found))}
    forget()
    return found


@pytest.fixture
def later() -> datetime:
    """A time at which the games of a test may be archived."""
    return timezone.now() + timedelta(days=DAYS + 1)


@pytest.fixture
def play(api: Any, player: Player, rival: Player, stranger: Player) -> Callable[[str], Played]:
    """Return a function that plays some moves of a game over REST, and ends it by its limit."""

    def played(slug: str) -> Played:
        game = Played(api, [player, rival], stranger, body(slug, SIZES[slug][0] or 1, None))
        for _ in range(3):
            if not game.play():
                break
        if game.table().status == "active":
            run_due(game.moment + timedelta(seconds=LIMIT))
        assert game.table().status == "finished"
        return game

    return played


@pytest.fixture
def finished(play: Callable[[str], Played]) -> Played:
    """A game that can be archived. Another stream has the newest event, which always stays."""
    game = play("vegas-solitaire")
    play("vegas-solitaire")
    return game


def sign() -> None:
    """Sign checkpoints until they cover everything."""
    wait_until_final()
    while checkpoint.make(timezone.now()):
        pass


def forget() -> None:
    """Empty the caches of this process, so that the next read asks the store."""
    state.cache.clear()
    context.clear_cache()
    reading.forget()


def archived(now: datetime, **more: Any) -> Any:
    """Sign checkpoints, and archive what is due into one pack."""
    sign()
    done = archive.run(now=now, **more)
    forget()
    return done


def packs(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.pack.zst"))


def addresses(game: Played, last: int) -> Iterator[str]:
    """Yield every address of a game that reads its events."""
    yield game.path
    for after in (0, 2, last - 1, last):
        yield f"{game.path}events/?after={after}&limit=5"
    yield f"{game.path}bundle/"
    yield f"{game.path}bundle/?proof=1"
    yield f"{game.path}verification/"
    yield f"{game.path}evidence/"
    yield f"{game.path}evidence/?after=3&limit=2"
    yield f"{game.path}evidence/refused/"
    for at in (1, last // 2, last):
        yield f"{game.path}evidence/{at}/"
        yield f"{game.path}replay/?at={at}"
        yield f"{game.path}replay/?at={at}&seat=0"
        yield f"{game.path}replay/?at={at}&all=true"
        yield f"{game.path}evidence/received/?at={at}&seat=0"
    yield f"{game.path}recording/"
    yield f"{game.path}recording/?all=true"
    yield f"{game.path}recording/?seat=0&after=2&limit=3"
    yield "/api/v1/games/"
    yield "/api/v1/games/?mine=1&status=finished"
