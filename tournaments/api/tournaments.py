"""REST endpoints of tournaments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import name_for
from games import rules
from games.api import flag, me
from rest.fields import StrictChoiceField, StrictSerializer, StrictUUIDField, checked
from rest.idempotency import idempotent
from rest.pagination import PAGE, Cursor, query
from rest.schema import describe
from tournaments import access, roles, selectors, services
from tournaments.api.serializers import (
    NothingInput,
    ReasonInput,
    StartInput,
    TournamentLine,
    TournamentOutput,
)
from tournaments.api.terms import TermsInput, terms_of
from tournaments.models import Entry, StaffRole, Status, Tournament, TournamentRole


def _shown(request: Request, tournament_id: UUID, *, status: int = status.HTTP_200_OK) -> Response:
    tournament = access.visible(request.user, tournament_id)
    return Response(selectors.document(tournament, request.user, now=timezone.now()), status=status)


class NewestFirst(Cursor):
    ordering = ("-created_at", "-id")


class Tournaments(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    pagination_class = NewestFirst

    @describe(
        "tournaments_list",
        "List tournaments, newest first",
        response=TournamentLine(many=True),
        parameters=[
            OpenApiParameter("status", OpenApiTypes.STR, enum=Status.values),
            OpenApiParameter("rules", OpenApiTypes.STR, description="The game that is played."),
            OpenApiParameter("free", OpenApiTypes.BOOL, description="Only those without an entry fee."),
            OpenApiParameter("mine", OpenApiTypes.BOOL, description="Only those the caller has entered."),
            OpenApiParameter("search", OpenApiTypes.STR, description="What the name contains."),
            *NewestFirst().get_schema_operation_parameters(None),
        ],
    )
    def get(self, request: Request) -> Response:
        pages = NewestFirst()
        page = pages.paginate_queryset(_filtered(request), request, self)
        return pages.get_paginated_response(selectors.lines(page))

    @describe(
        "tournaments_create",
        "Create a draft of a tournament (organizers)",
        request=TermsInput,
        response=TournamentOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        organizer = me(request)
        access.require_organizer(organizer)
        terms = terms_of(checked(TermsInput, request))
        created = services.create(organizer=organizer, terms=terms, now=timezone.now())
        response = _shown(request, created.pk, status=status.HTTP_201_CREATED)
        response["Location"] = reverse("api-tournament", args=[created.pk])
        return response


def _filtered(request: Request) -> QuerySet[Tournament]:
    wanted = query(request, "status", "rules", "free", "mine", "search", *PAGE)
    found = access.visible_tournaments(request.user)
    if "status" in wanted:
        found = found.filter(status=_status(wanted["status"]))
    if "rules" in wanted:
        found = found.filter(rules=rules.get(wanted["rules"]).slug)
    if flag(wanted.get("free"), "free"):
        found = found.filter(fee=0)
    if flag(wanted.get("mine"), "mine"):
        own = Entry.objects.standing().filter(player=request.user.pk).values("tournament")
        found = found.filter(pk__in=own)
    if "search" in wanted:
        found = found.filter(name__icontains=wanted["search"])
    return found


def _status(text: str) -> str:
    if text not in Status.values:
        raise serializers.ValidationError({"status": [f"One of {', '.join(Status.values)}."]})
    return text


class TournamentView(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("tournaments_get", "Get a tournament with its progress", response=TournamentOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        return _shown(request, tournament_id)


def _command(
    operation: str,
    summary: str,
    service: Callable[..., Tournament],
    *,
    takes: type[StrictSerializer] = NothingInput,
    may: Callable[[access.Viewer, UUID], Tournament] = access.managed,
) -> type[APIView]:
    """Return a view that runs a command and responds with the tournament afterwards."""

    class Command(APIView):
        @describe(operation, summary, request=takes, response=TournamentOutput)
        @idempotent
        def post(self, request: Request, tournament_id: UUID) -> Response:
            may(request.user, tournament_id)
            given = checked(takes, request)
            service(tournament_id=tournament_id, actor=me(request), now=timezone.now(), **given)
            return _shown(request, tournament_id)

    return Command


Publish = _command(
    "tournaments_publish",
    "Publish a draft: commit to the seed and open the entries (organizer)",
    services.publish,
)
Start = _command(
    "tournaments_start",
    "Start a tournament: close the entries and open the first round (organizer)",
    services.start,
    takes=StartInput,
)
Cancel = _command(
    "tournaments_cancel",
    "Cancel a tournament and refund its fees (organizer)",
    services.cancel,
    takes=ReasonInput,
)
Pause = _command(
    "tournaments_pause",
    "Pause a tournament: no further round opens (organizer, judges)",
    services.pause,
    takes=ReasonInput,
    may=access.ruled,
)
Resume = _command(
    "tournaments_resume",
    "Resume a tournament: end a pause, or retry a failed step (organizer, judges)",
    services.resume,
    may=access.ruled,
)


@extend_schema_serializer(component_name="TournamentRoleInput")
class RoleInput(StrictSerializer):
    player = StrictUUIDField()
    role = StrictChoiceField(choices=StaffRole.choices)


@extend_schema_serializer(component_name="TournamentRole")
class RoleOutput(serializers.Serializer[Any]):
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null unless the viewer has signed in")
    role = serializers.ChoiceField(choices=StaffRole.choices)
    granted_at = serializers.DateTimeField()


@extend_schema_serializer(component_name="TournamentRoles")
class RolesOutput(serializers.Serializer[Any]):
    results = RoleOutput(many=True)


# --- views -------------------------------------------------------------------------------------------


class Roles(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("tournament_roles_list", "List the judges and helpers of a tournament", response=RolesOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": [_document(one, request) for one in roles.roles_in(tournament)]})

    @describe(
        "tournament_roles_create",
        "Give a person a role in a tournament (organizer)",
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
            role=StaffRole(given["role"]),
            actor=me(request),
            now=timezone.now(),
        )
        where = reverse("tournament-role", args=[tournament_id, role.player_id])
        return Response(_document(role, request), status=201, headers={"Location": where})


class RoleView(APIView):
    @describe("tournament_roles_delete", "Take a role from a person (organizer)", status=204)
    def delete(self, request: Request, tournament_id: UUID, player_id: UUID) -> Response:
        access.managed(request.user, tournament_id)
        roles.take(tournament_id=tournament_id, player_id=player_id, actor=me(request), now=timezone.now())
        return Response(status=204)


def _document(role: TournamentRole, request: Request) -> dict[str, Any]:
    return {
        "player": str(role.player_id),
        "name": name_for(request.user, role.player),
        "role": role.role,
        "granted_at": role.given_at,
    }
