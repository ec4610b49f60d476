"""Who asks something of the ledger over REST: by what right, in whose name, under which key."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from api.errors import InvalidInput
from api.idempotency import command
from ledger.models import OwnerKind


class MayKeepBooks(BasePermission):
    """Staff with the permission that the view names in `may`, by method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        needed = view.may.get(request.method)
        return needed is not None and request.user.has_perm(needed)


def own_id(request: Request) -> UUID:
    id = request.user.pk
    assert isinstance(id, UUID)
    return id


def actor(request: Request) -> str:
    return f"{OwnerKind.PLAYER}:{own_id(request)}"


def decided(request: Request) -> dict[str, Any]:
    """Who decides, and that it is now."""
    return {"actor": actor(request), "at": timezone.now()}


def command_key(request: Request) -> str:
    """A client's key names its actor (see `api.idempotency.command`), so it can meet nobody else's."""
    return f"client:{command(request).id}"


def plain_text(given: str) -> str:
    if "\0" in given or len(given) > 100:
        raise InvalidInput("A name in the address is at most 100 characters, none of them NUL.")
    return given
