"""An installed distribution with a game and a format."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from games import context, state
from games.money.stakes import register_staked_games
from games.rules import plugins, registry
from ledger import hooks
from ledger.stakes.tables import create_initial_tables
from tests import books
from tests.plugins.installing import install
from tournaments import formats
from tournaments.terms import declared_fields


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the distribution is installed."""
    return install(tmp_path_factory.mktemp("site"))


def _read_again() -> None:
    for remembered in (plugins._installed, registry.manifests, formats._formats, declared_fields):
        remembered.cache_clear()


@pytest.fixture(autouse=True)
def installed(site: Path) -> Iterator[None]:
    """What a process has that starts with the distribution on its path."""
    games, tables = dict(hooks._staked_games), dict(hooks._initial_tables)
    sys.path.append(str(site))
    _read_again()
    register_staked_games()
    yield
    sys.path.remove(str(site))
    _read_again()
    state.cache.clear()
    context.clear_cache()
    for registered, before in ((hooks._staked_games, games), (hooks._initial_tables, tables)):
        registered.clear()
        registered.update(before)


@pytest.fixture
def migrated(db: None) -> None:
    """What `migrate` adds to an installation with the distribution."""
    create_initial_tables(using="default")


@pytest.fixture(autouse=True)
def ledger_is_reconciled(installed: None, request: pytest.FixtureRequest) -> Iterator[None]:
    yield from books.reconciled(request)


@pytest.fixture
def with_plugin(site: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return `with_plugin(*arguments)`, which runs Python in a process with the distribution on its path."""
    root = Path(__file__).resolve().parents[2]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=root,
            env={"PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run
