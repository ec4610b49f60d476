"""Parts that the REST views of games share: parameters, the caller, and request metadata."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from accounts.models import Player
from core.errors import InvalidInput
from games import access
from games.models import EARLY_ACCESS_REASON_LENGTH, GameRecord
from rest import idempotency
from rest.fast_path import ApiRequest

INVITE = OpenApiParameter("invite", str, description="The invitation from the link to a private game.")
CLIENT_TIME = OpenApiParameter(
    idempotency.CLIENT_TIME,
    # Not of the format date-time: the generator of the Python client leaves out operations with such a header.
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="When the client sent the request, by its own clock (RFC 3339). Stored as evidence only.",
)

LOOK_REASON = OpenApiParameter(
    "reason",
    str,
    description=f"The recorded reason for an auditor's early access: at most {EARLY_ACCESS_REASON_LENGTH} characters.",
)


def flag(value: str | None, name: str) -> bool:
    if value not in (None, "true", "false"):
        raise InvalidInput(f"{name}: true or false.")
    return value == "true"


def reason_of(wanted: dict[str, str]) -> str:
    """Return the reason given for early access. Raises InvalidInput."""
    reason = wanted.get("reason", "").strip()
    if len(reason) > EARLY_ACCESS_REASON_LENGTH:
        raise InvalidInput(f"reason: at most {EARLY_ACCESS_REASON_LENGTH} characters.")
    return reason


def visible_game(request: ApiRequest, game_id: UUID, *, invite: str = "") -> GameRecord:
    return access.visible_game(request.user, game_id, invite=invite, now=timezone.now())


def me(request: ApiRequest) -> Player:
    assert isinstance(request.user, Player)
    return request.user
