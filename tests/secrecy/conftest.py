from __future__ import annotations

import pytest

from tests.secrecy.visits import warmed
from tests.security.world import World


@pytest.fixture
def world(db: None) -> World:
    warmed()
    return World()
