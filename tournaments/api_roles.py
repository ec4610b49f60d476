"""REST of who helps the organizer of a tournament."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.names import name_for
from api.fields import checked
from api.idempotency import idempotent
from api.schema import describe
from games.api import me
from tournaments import access, roles
from tournaments.models_roles import Office, TournamentRole
from tournaments.serializers_roles import RoleInput, RoleOutput, RolesOutput


class Roles(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("tournament_roles_list", "Who judges and helps in a tournament", response=RolesOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": [_document(one, request) for one in roles.given_in(tournament)]})

    @describe(
        "tournament_roles_create",
        "Let somebody judge or help in a tournament (organizer)",
        request=RoleInput,
        response=RoleOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.managed(request.user, tournament_id)
        given = checked(RoleInput, request)
        role = roles.give(
            tournament_id=tournament_id,
            player_id=given["player"],
            role=Office(given["role"]),
            actor=me(request),
            now=timezone.now(),
        )
        where = reverse("tournament-role", args=[tournament_id, role.player_id])
        return Response(_document(role, request), status=201, headers={"Location": where})


class RoleView(APIView):
    @describe("tournament_roles_delete", "Take a role away (organizer)", status=204)
    def delete(self, request: Request, tournament_id: UUID, player_id: UUID) -> Response:
        access.managed(request.user, tournament_id)
        roles.take(tournament_id=tournament_id, player_id=player_id, actor=me(request), now=timezone.now())
        return Response(status=204)


def _document(role: TournamentRole, request: Request) -> dict[str, Any]:
    return {
        "player": str(role.player_id),
        "name": name_for(request.user, role.player),
        "role": role.role,
        "given_at": role.given_at,
    }
