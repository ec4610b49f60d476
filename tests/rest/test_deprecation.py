"""A deprecated operation works, and says when it ends."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import path
from drf_spectacular.generators import SchemaGenerator
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rest.deprecation import Deprecation
from rest.schema import describe
from rest.scopes import ANY_CALLER

OLD = Deprecation(since=date(2026, 12, 1), sunset=date(2027, 6, 30), see="/docs/api/#deprecation")


class Piles(APIView):
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []

    @describe("piles_read", "A pile", scope=ANY_CALLER, response=dict[str, int], deprecated=OLD)
    def get(self, request: Request) -> Response:
        return Response({"cards": 3})

    @describe("piles_make", "Another pile", scope=ANY_CALLER, response=dict[str, int])
    def post(self, request: Request) -> Response:
        return Response({"cards": 4})


urlpatterns = [path("api/v1/piles/", Piles.as_view())]


@override_settings(ROOT_URLCONF=__name__)
def test_the_response_says_when_the_operation_ends() -> None:
    answer = Client().get("/api/v1/piles/")
    assert (answer.status_code, answer.json()) == (200, {"cards": 3})
    assert answer["Deprecation"] == "@1796083200"
    assert answer["Sunset"] == "Wed, 30 Jun 2027 00:00:00 GMT"
    assert answer["Link"] == '</docs/api/#deprecation>; rel="deprecation"; type="text/html"'
    assert not {"Deprecation", "Sunset", "Link"} & set(Client().post("/api/v1/piles/").headers)


def test_the_description_says_so_too() -> None:
    generator: Any = SchemaGenerator(patterns=urlpatterns)  # type: ignore[no-untyped-call]
    operations = generator.get_schema(request=None, public=True)["paths"]["/api/v1/piles/"]
    assert operations["get"]["deprecated"] is True
    assert "Deprecated since 2026-12-01; it ends on 2027-06-30." in operations["get"]["description"]
    assert "deprecated" not in operations["post"]


def test_an_operation_is_not_ended_early() -> None:
    with pytest.raises(ValueError, match="183 days"):
        Deprecation(since=date(2026, 12, 1), sunset=date(2027, 1, 1), see="/")
