"""Keyset pagination: a page continues after the last row seen, regardless of rows added or removed since."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import orjson
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import Model, Q, QuerySet
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from core.errors import InvalidInput

Row = TypeVar("Row", bound=Model)


class Partial(list[Any]):
    """Rows of a search that may end early: it continues after the row with the values `last`; None: nothing follows."""

    last: list[Any] | None = None


class BadCursor(InvalidInput):
    code = "bad-cursor"
    title = "This cursor is not one that the server gave for this list"


class Cursor(BasePagination):
    """`{"results": […], "next": address or null}`; `?limit=` 1 to `most`, default 50.

    `ordering` names fields of the model, the last of them unique; a view may set its own `ordering`.
    """

    ordering: Sequence[str] = ("-pk",)
    page_size = 50
    most = 200
    limit_param = "limit"
    cursor_param = "cursor"

    def paginate_queryset(self, queryset: QuerySet[Any], request: Request, view: Any = None) -> list[Any]:  # type: ignore[override]
        order = tuple(getattr(view, "ordering", None) or self.ordering)
        return self.paginate(
            lambda behind, most: list(queryset.filter(behind).order_by(*order)[:most]),
            queryset.model,
            order,
            request,
        )

    def paginate(
        self,
        fetch: Callable[[Q, int], list[Any]],
        model: type[Model],
        order: Sequence[str],
        request: Request,
    ) -> list[Any]:
        """One page of what `fetch(behind, most)` returns: the first rows in `order` that satisfy `behind`."""

        def behind(last: list[Any] | None, most: int) -> list[Any]:
            return fetch(Q() if last is None else _behind(order, last), most)

        return self.paginate_after(behind, model, order, request)

    def paginate_after(
        self,
        fetch: Callable[[list[Any] | None, int], list[Any]],
        model: type[Model],
        order: Sequence[str],
        request: Request,
    ) -> list[Any]:
        """One page of what `fetch(last, most)` returns after the row with the values `last` in `order`.

        `model` has fields of these names, which parse the cursor. `fetch` may return a `Partial`.
        """
        limit, last = self._limit(request), None
        if text := request.query_params.get(self.cursor_param):
            last = _decode(text, order, model)
        rows = fetch(last, limit + 1)
        self.next: str | None = None
        until = rows.last if isinstance(rows, Partial) else None
        if len(rows) > limit:
            del rows[limit:]
            until = [_value(rows[-1], name) for name in order]
        if until is not None:
            cursor = _encode(until)
            address = request.build_absolute_uri(request.get_full_path())
            self.next = replace_query_param(address, self.cursor_param, cursor)
        return rows

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.next})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {
                "results": schema,
                "next": {"type": ["string", "null"], "format": "uri"},
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [
            {
                "name": self.cursor_param,
                "in": "query",
                "required": False,
                "description": "The cursor of the next page, from `next` of the previous page.",
                "schema": {"type": "string"},
            },
            {
                "name": self.limit_param,
                "in": "query",
                "required": False,
                "schema": {"type": "integer", "minimum": 1, "maximum": self.most, "default": self.page_size},
            },
        ]

    def _limit(self, request: Request) -> int:
        text = request.query_params.get(self.limit_param)
        if text is None:
            return self.page_size
        return whole_number(text, self.limit_param, least=1, most=self.most)


# A view with pages. (A docstring would describe every operation of its subclasses.)
class PagedView(APIView):
    pagination_class = Cursor
    ordering: Sequence[str]

    def page(self, rows: QuerySet[Row], document: Callable[[Row], Any]) -> Response:
        """Return the requested page of `rows`, each as its document."""
        return self.page_with(rows, lambda found: [document(row) for row in found])

    def page_with(self, rows: QuerySet[Row], documents: Callable[[list[Row]], list[Any]]) -> Response:
        """Return the requested page of `rows`, with the documents of all of them."""
        pages = self.pagination_class()
        found = pages.paginate_queryset(rows, self.request, view=self)
        return pages.get_paginated_response(documents(found))


def whole_number(text: str, name: str, *, least: int, most: int) -> int:
    """An integer from the query string. Raises InvalidInput with the name of the parameter."""
    if not (text.isascii() and text.isdigit() and len(text) <= 16) or not least <= int(text) <= most:
        raise InvalidInput(f"{name}: a whole number from {least} to {most} is needed.")
    return int(text)


def _encode(values: list[Any]) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(values, default=str)).decode().rstrip("=")


def _decode(text: str, order: Sequence[str], model: type[Model]) -> list[Any]:
    try:
        values = orjson.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (binascii.Error, ValueError):
        raise BadCursor() from None
    if not isinstance(values, list) or len(values) != len(order):
        raise BadCursor()
    return [_of_field(model, name, value) for name, value in zip(order, values, strict=True)]


def _of_field(model: type[Model], name: str, value: Any) -> Any:
    name = name.lstrip("-")
    if not isinstance(value, str | int) or isinstance(value, bool) or "\0" in str(value):
        raise BadCursor()
    try:
        field = model._meta.pk if name == "pk" else model._meta.get_field(name)
        assert field is not None
        found = field.to_python(value)  # type: ignore[union-attr]
        field.run_validators(found)  # type: ignore[union-attr]
        return _moment(found) if isinstance(found, datetime) else found
    except (ValidationError, FieldDoesNotExist, ValueError, TypeError, OverflowError):
        raise BadCursor() from None


def _moment(at: datetime) -> datetime:
    """A time in UTC. Raises BadCursor without a zone, OverflowError for an impossible date."""
    if at.tzinfo is None:
        raise BadCursor()
    return at.astimezone(UTC)


def _behind(order: Sequence[str], values: list[Any]) -> Q:
    """Rows after `values`: greater in the first field, or equal there and greater in the next, and so on.

    The bound of the first field follows from the rest. SQLite starts at it in the index, and would otherwise read all
    rows that the reader has seen.
    """
    first = order[0]
    bound = Q(**{f"{first.lstrip('-')}__{'lte' if first.startswith('-') else 'gte'}": values[0]})
    behind = Q()
    equal = Q()
    for name, value in zip(order, values, strict=True):
        field = name.lstrip("-")
        behind |= equal & Q(**{f"{field}__{'lt' if name.startswith('-') else 'gt'}": value})
        equal &= Q(**{field: value})
    return bound & behind


def _value(row: Any, name: str) -> Any:
    return getattr(row, name.lstrip("-"))


PAGE = (Cursor.cursor_param, Cursor.limit_param)
"""The parameters of every list."""


def query(request: Request, *known: str) -> dict[str, str]:
    """The query's parameters, each known and given at most once. Raises InvalidInput."""
    found = {}
    for name, values in request.query_params.lists():
        if name not in known:
            raise InvalidInput(f"{name[:40]}: unknown parameter. Known here: {', '.join(known) or 'none'}.")
        if len(values) != 1 or "\0" in values[0]:
            raise InvalidInput(f"{name}: once, please.")
        found[name] = values[0]
    return found


def choice(given: dict[str, str], name: str, among: Collection[str]) -> str | None:
    """Return the value of a parameter with a few values; None without one. Raises InvalidInput."""
    wanted = given.get(name)
    if wanted is not None and wanted not in among:
        raise InvalidInput(f"{name}: one of {', '.join(among)} is needed.")
    return wanted
