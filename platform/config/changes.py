"""The change feed: the public events of all games and tournaments, in one order, for integrators.

A page reads a bounded number of events in the order of `eventstore.store.read_all` and leaves out what a spectator may
not see. The cursor is encrypted: the place in that order would show how much happens in hidden games.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from functools import cache
from typing import Annotated, TypedDict
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from eventstore import store
from eventstore.store import EventOutput, Position
from games.access import visible_games
from rest.budgets import BudgetedView
from rest.documents import Url, Uuid, one_of
from rest.pagination import BadCursor, query, whole_number
from rest.schema import describe
from rest.scopes import Scope
from tournaments.access import visible_tournaments

SCANNED = 500
"""The most events that one page reads, including those that it leaves out."""

MOST, DEFAULT = 200, 50
NOW = "now"
_PURPOSE = b"changes"


class PublicEventOutput(TypedDict):
    kind: Annotated[str, one_of(["game", "tournament"])]
    id: Annotated[Uuid, "the game or tournament"]
    event: EventOutput


class PublicEventsOutput(TypedDict):
    results: list[PublicEventOutput]
    next: Annotated[Url, "the page after this one; also after an empty page"]
    more: Annotated[bool, "whether the next page can be read at once"]


class Changes(BudgetedView):
    permission_classes = [IsAuthenticated]
    budget = "history"

    @describe(
        "changes_list",
        "List the public events of all games and tournaments in one order",
        scope=Scope.READ,
        response=PublicEventsOutput,
        parameters=[
            OpenApiParameter(
                "after",
                str,
                description="From `next` of the previous page. Without it: from the beginning. `now`: no event that"
                " exists already.",
            ),
            OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MOST, "default": DEFAULT}),
        ],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "after", "limit")
        limit = whole_number(wanted.get("limit", str(DEFAULT)), "limit", least=1, most=MOST)
        after = _position(wanted.get("after", ""))
        results, last, more = page(after, limit)
        address = request.build_absolute_uri(request.get_full_path())
        shown: PublicEventsOutput = {
            "results": results,
            "next": replace_query_param(address, "after", cursor(last)),
            "more": more,
        }
        return Response(shown)


def page(after: Position | None, limit: int) -> tuple[list[PublicEventOutput], Position, bool]:
    """Up to `limit` public events after a position, the position to continue after, and whether more may follow."""
    rows = store.read_all(after=after, limit=SCANNED)
    # Permissions are read after the events, so that no event of a game is shown that was hidden before it.
    kinds = _public({event.stream for _, event in rows})
    found: list[PublicEventOutput] = []
    last = after or store.BEGINNING
    for position, event in rows:
        if len(found) == limit:
            return found, last, True
        last = position
        if event.stream in kinds:
            found.append({"kind": kinds[event.stream], "id": str(event.stream), "event": event.public()})
    return found, last, len(rows) == SCANNED


def _public(streams: set[UUID]) -> dict[UUID, str]:
    """The kind of each of the streams that a spectator may see."""
    games = visible_games(None).filter(pk__in=streams).values_list("pk", flat=True)
    tournaments = visible_tournaments(None).filter(pk__in=streams).values_list("pk", flat=True)
    return dict.fromkeys(games, "game") | dict.fromkeys(tournaments, "tournament")


# --- cursors -------------------------------------------------------------------------------------------


def cursor(position: Position) -> str:
    sealed = _cipher().encrypt(struct.pack(">qqq", *position), [_PURPOSE])
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def _position(text: str) -> Position | None:
    """The position of a cursor; None for the beginning. Raises BadCursor."""
    if not text:
        return None
    if text == NOW:
        return store.last_position()
    try:
        sealed = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        return Position(*struct.unpack(">qqq", _cipher().decrypt(sealed, [_PURPOSE])))
    except (ValueError, InvalidTag, binascii.Error, struct.error):
        raise BadCursor(f"after: use `next` of the previous page unchanged, or {NOW}.") from None


@cache
def _cipher() -> AESSIV:
    """Deterministic encryption, so that a position has one cursor."""
    return AESSIV(hashlib.sha512(_PURPOSE + settings.SECRET_KEY.encode()).digest())
