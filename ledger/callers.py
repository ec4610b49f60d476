"""What the views of the ledger share: permission, actor, and key of the caller, and views of staff actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.urls import reverse
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import InvalidInput
from ledger.core.models import player_owner
from rest.fast_path import ApiRequest
from rest.fields import StrictSerializer, checked
from rest.idempotency import command, idempotent
from rest.schema import describe
from rest.scopes import Scope, Scopes
from staff.actions import StaffAction, perform


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


def action_view(
    action: type[StaffAction[Any]],
    summary: str,
    *,
    scope: Scope | Scopes = Scope.ADMINISTRATOR,
    takes: type[StrictSerializer],
    response: type,
    document: Callable[[Any], Any],
    status: int = 200,
    address: str = "",
) -> type[APIView]:
    """Return a view that performs a staff action on the row that the address names.

    It answers with the document of what the action made, and with its address by the name `address`, if given.
    """
    [operation] = action.operations

    class ActionView(StaffView):
        may: ClassVar = {"POST": action.permission}

        @describe(operation, summary, scope=scope, request=takes, response=response, status=status)
        @idempotent
        def post(self, request: Request, **named: Any) -> Response:
            [row] = named.values()
            made, _ = perform(
                action.open(request.user, row), checked(takes, request), key=command_key(request)
            )
            headers = {"Location": reverse(address, args=[made.pk])} if address else None
            return Response(document(made), status=status, headers=headers)

    return ActionView


def own_id(request: ApiRequest) -> UUID:
    id = request.user.pk
    assert isinstance(id, UUID)
    return id


def actor(request: ApiRequest) -> str:
    return player_owner(own_id(request))


def command_key(request: ApiRequest) -> str:
    """Return the command key, which contains the client, so that keys of two clients never collide."""
    return f"client:{command(request).id}"


def plain_text(given: str) -> str:
    if "\0" in given or len(given) > 100:
        raise InvalidInput("A name in the address is at most 100 characters, none of them NUL.")
    return given
