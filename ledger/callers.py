"""The caller of a request to the ledger's API: permission, actor, and command key."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.utils import timezone
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger.models import OwnerKind
from rest.fast_path import ApiRequest
from rest.idempotency import command


class MayKeepBooks(BasePermission):
    """Staff with the permission that the view's `may` names for the method."""

    def has_permission(self, request: Request, view: Any) -> bool:
        needed = view.may.get(request.method)
        return needed is not None and request.user.has_perm(needed)


# A view for staff. By default it only reads, for those who may see the ledger. (A docstring would describe every
# operation of its subclasses.)
class StaffView(APIView):
    permission_classes = [MayKeepBooks]
    may: ClassVar = {"GET": "ledger.view_ledger"}


def own_id(request: ApiRequest) -> UUID:
    id = request.user.pk
    assert isinstance(id, UUID)
    return id


def actor(request: ApiRequest) -> str:
    return f"{OwnerKind.PLAYER}:{own_id(request)}"


def decided(request: ApiRequest) -> dict[str, Any]:
    """Return the actor and the time of a decision."""
    return {"actor": actor(request), "at": timezone.now()}


def command_key(request: ApiRequest) -> str:
    """Return the command key, which contains the client, so that keys of two clients never collide."""
    return f"client:{command(request).id}"


def plain_text(given: str) -> str:
    if "\0" in given or len(given) > 100:
        raise InvalidInput("A name in the address is at most 100 characters, none of them NUL.")
    return given
