"""Pages by keyset: nothing twice, nothing missed, and a made-up cursor is refused."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts.models import Player
from core.errors import InvalidInput
from rest.pagination import BadCursor, Cursor
from staff.actions import record_action
from staff.models import ActionRecord
from tests.conftest import NOW

pytestmark = pytest.mark.django_db


class Newest:
    ordering = ("action", "-id")


def page(address: str) -> tuple[list[ActionRecord], str | None]:
    request = APIView().initialize_request(APIRequestFactory().get(address))
    pages = Cursor()
    rows = pages.paginate_queryset(ActionRecord.objects.all(), request, Newest())
    return rows, pages.get_paginated_response(rows).data["next"]


def test_every_row_comes_once_though_rows_are_added_meanwhile() -> None:
    for number in range(10):
        record_action(actor=None, action=f"a{number % 3}", at=NOW)
    expected = list(ActionRecord.objects.order_by("action", "-id").values_list("pk", flat=True))
    seen, address = [], "/?limit=3"
    while address:
        rows, address = page(address)
        seen += [row.pk for row in rows]
        record_action(actor=None, action="a0", at=NOW)  # sorts before what is still to come
    assert [pk for pk in seen if pk in expected] == expected
    assert len(seen) == len(set(seen))


def cursor(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


def test_a_cursor_of_ones_own_making(subtests: pytest.Subtests) -> None:
    for text in [
        "%00",
        "nothing",
        "=",
        "!!!!",
        cursor([]),
        cursor(["a1"]),
        cursor(["a1", "x"]),
        cursor(["a1", 10**30]),
        cursor(["a1", True]),
        cursor(["\0", 1]),
        cursor([{}, 1]),
        cursor({"a": 1}),
    ]:
        with subtests.test(text=text), pytest.raises(BadCursor):
            page(f"/?cursor={text}")


def test_a_limit_out_of_bounds(subtests: pytest.Subtests) -> None:
    for limit in ["0", "201", "-1", "x", "", "1e3", "９", "9" * 30]:
        with subtests.test(limit=limit), pytest.raises(InvalidInput):
            page(f"/?limit={limit}")


@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00+14:00",  # before the calendar begins, in UTC
        "9999-12-31T23:59:59-14:00",
        "2026-03-01T12:00:00",
        "2026-03-01",
        "yesterday",
    ],
)
def test_a_cursor_at_no_moment_of_the_calendar(api: Callable[[Player | None], Any], moment: str) -> None:
    made_up = cursor([moment, str(uuid.uuid4())])
    for lists in ("games", "tournaments"):
        answer = api(None).get(f"/api/v1/{lists}/", {"cursor": made_up})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad-cursor")
