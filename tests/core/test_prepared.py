"""A row that is found by a prepared statement is the row that the ORM finds."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import models

from accounts.models import Player, Token
from accounts.services import issue_token
from core.prepared import Prepared
from games.models import GameRecord
from tests.conftest import NOW
from tests.games.tables import dealt

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def fields(row: models.Model | None) -> dict[str, Any]:
    assert row is not None
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_by_its_key(player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=NOW)
    found = Prepared(GameRecord, "id").find(game.pk)
    assert fields(found) == fields(GameRecord.objects.get(pk=game.pk))


def test_with_the_row_that_it_refers_to(player: Player, django_assert_num_queries: Any) -> None:
    token, _ = issue_token(player=player)
    with django_assert_num_queries(1):
        found = Prepared(Token, "digest", related="player").find(token.digest)
        assert found is not None
        assert fields(found.player) == fields(player)
    assert fields(found) == fields(Token.objects.get(pk=token.pk))


def test_empty() -> None:
    assert Prepared(GameRecord, "id").find(uuid4()) is None
