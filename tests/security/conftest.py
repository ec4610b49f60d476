from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction

from tests.security.world import World


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """The house of a module: nothing that its tests do there stays, and nothing of it when they are over.

    Its tests are marked `django_db`, as every test for which the database has to be made.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield World()
        transaction.set_rollback(True)
