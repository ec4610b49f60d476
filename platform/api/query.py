"""The parameters of an address: each known to the endpoint and given once, like the fields of a body."""

from __future__ import annotations

from rest_framework.request import Request

from api.errors import InvalidInput
from api.pagination import Cursor

PAGE = (Cursor.cursor_param, Cursor.limit_param)
"""What every list takes."""


def query(request: Request, *known: str) -> dict[str, str]:
    """The query's parameters, each at most once and none unknown. Raises InvalidInput."""
    found = {}
    for name, values in request.query_params.lists():
        if name not in known:
            raise InvalidInput(f"{name[:40]}: unknown parameter. Known here: {', '.join(known) or 'none'}.")
        if len(values) != 1 or "\0" in values[0]:
            raise InvalidInput(f"{name}: once, please.")
        found[name] = values[0]
    return found
