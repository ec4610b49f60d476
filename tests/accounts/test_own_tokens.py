"""A player sees what is signed in under their name, and ends any one of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import Player
from accounts.services import issue_token

pytestmark = pytest.mark.django_db
TOKENS = "/api/v1/tokens/"


def bearing(token: str) -> Any:
    return {"headers": {"Authorization": f"Bearer {token}"}}


def test_one_token_ends_and_the_others_stay(player: Player, rival: Player) -> None:
    client = Client()
    (_, here), (phone, lost), (others, foreign) = (
        issue_token(player=player, name="here"),
        issue_token(player=player, name="phone"),
        issue_token(player=rival, name="phone"),
    )
    listed = client.get(TOKENS, **bearing(here)).json()
    assert {token["name"] for token in listed} == {"here", "phone"}
    assert client.delete(f"{TOKENS}{others.token_key}/", **bearing(here)).status_code == 404
    assert client.get(TOKENS, **bearing(foreign)).status_code == 200
    assert client.delete(f"{TOKENS}{phone.token_key}/", **bearing(here)).status_code == 204
    assert client.get(TOKENS, **bearing(lost)).status_code == 401
    assert [token["name"] for token in client.get(TOKENS, **bearing(here)).json()] == ["here"]
    assert client.delete(f"{TOKENS}{phone.token_key}/", **bearing(here)).status_code == 404
