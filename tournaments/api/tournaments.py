"""REST endpoints of tournaments."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID, uuid4

from django.db.models import QuerySet
from django.http import HttpResponse
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
from ledger.callers import command_key
from rest.budgets import BudgetedView
from rest.conditional import IF_NONE_MATCH, NOT_MODIFIED, document, if_match
from rest.documents import Uuid, one_of
from rest.fields import NothingInput, StrictChoiceField, StrictSerializer, StrictUUIDField, checked
from rest.idempotency import idempotent
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import Scope
from staff.actions import AlreadyDone, perform, resource_key
from tournaments import access, drafts, models, roles, selectors, services
from tournaments.actions import commands
from tournaments.actions.entries import GiveRole, TakeRole
from tournaments.api.serializers import (
    ReasonInput,
    StartInput,
)
from tournaments.drafts import FormatsOutput, TermsPreviewInput, TermsPreviewOutput
from tournaments.models import Entry, StaffRole, Status, Tournament
from tournaments.selectors import TournamentLine, TournamentOutput
from tournaments.staff.draft import DraftTournament
from tournaments.terms import Terms, TermsInput, copied, terms_of

SEARCHED = 1000
"""A search by name reads the newest tournaments up to this number, because no index finds a text within a name, and
`mine` as many entries.
"""


def _shown(request: Request, tournament_id: UUID, *, status: int = status.HTTP_200_OK) -> Response:
    tournament = access.visible(request.user, tournament_id)
    return Response(selectors.document(tournament, request.user, now=timezone.now()), status=status)


class Tournaments(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    ordering = ("-created_at", "-id")

    @describe(
        "tournaments_list",
        "List tournaments, newest first",
        scope=Scope.READ,
        response=list[TournamentLine],
        parameters=[
            OpenApiParameter("status", OpenApiTypes.STR, enum=Status.values),
            OpenApiParameter("rules", OpenApiTypes.STR, description="The game that is played."),
            OpenApiParameter("free", OpenApiTypes.BOOL, description="Only those without an entry fee."),
            OpenApiParameter(
                "mine",
                OpenApiTypes.BOOL,
                description=f"Only those of the caller's newest {SEARCHED:,} entries.",
            ),
            OpenApiParameter(
                "search",
                OpenApiTypes.STR,
                description=f"What the name contains, among the newest {SEARCHED:,} of the others.",
            ),
        ],
    )
    def get(self, request: Request) -> Response:
        return self.page_with(_filtered(request), selectors.lines)

    @describe(
        "tournaments_create",
        "Create a draft of a tournament (organizers)",
        scope=Scope.ORGANIZE,
        request=TermsInput,
        response=TournamentOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        access.require_organizer(me(request))
        return _drafted(request, terms_of(checked(TermsInput, request)))


def _drafted(request: Request, terms: Terms) -> Response:
    """Create a draft, and return the response about it."""
    action = DraftTournament.open(me(request))
    created, _ = perform(action, {"terms": terms, "key": uuid4()}, key=command_key(request))
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
        own = Entry.objects.standing().filter(player=request.user.pk).order_by("-pk")
        # As values: SQLite would compare each tournament with a subquery, newest first.
        found = found.filter(pk__in=list(own.values_list("tournament", flat=True)[:SEARCHED]))
    if "search" in wanted:
        newest = found.order_by("-created_at", "-id").values_list("pk", "name")[:SEARCHED]
        text = wanted["search"].casefold()
        found = found.filter(pk__in=[pk for pk, name in newest if text in name.casefold()])
    return found


def _status(text: str) -> str:
    if text not in Status.values:
        raise serializers.ValidationError({"status": [f"One of {', '.join(Status.values)}."]})
    return text


class TermsPreview(BudgetedView):
    budget = "previews"

    @describe(
        "tournaments_preview",
        "Preview terms: faults, timetable, and prizes (organizers)",
        scope=Scope.ORGANIZE,
        request=TermsPreviewInput,
        response=TermsPreviewOutput,
    )
    def post(self, request: Request) -> Response:
        access.require_organizer(me(request))
        return Response(drafts.preview(request.data, now=timezone.now()))


class Formats(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_formats_list",
        "List the formats of tournaments, each with its games",
        scope=Scope.READ,
        response=FormatsOutput,
    )
    def get(self, request: Request) -> Response:
        return Response({"results": drafts.catalogue()})


class TournamentView(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournaments_get",
        "Get a tournament with its progress",
        scope=Scope.READ,
        response=TournamentOutput,
        also=NOT_MODIFIED,
        parameters=[IF_NONE_MATCH],
    )
    def get(self, request: Request, tournament_id: UUID) -> HttpResponse:
        return document(request, _shown(request, tournament_id).data)

    @describe(
        "tournaments_update",
        "Replace the terms of a draft (organizer)",
        scope=Scope.ORGANIZE,
        request=TermsInput,
        response=TournamentOutput,
        parameters=[
            OpenApiParameter(
                "If-Match",
                str,
                OpenApiParameter.HEADER,
                description="Refuse the change (412) unless the draft is at this `version`.",
            )
        ],
    )
    def put(self, request: Request, tournament_id: UUID) -> Response:
        organizer, tournament = me(request), access.managed(request.user, tournament_id)
        services.change(
            tournament_id=tournament.pk,
            actor=organizer,
            terms=terms_of(checked(TermsInput, request)),
            version=if_match(request),
            now=timezone.now(),
        )
        return _shown(request, tournament_id)

    @describe("tournaments_delete", "Delete a draft (organizer)", scope=Scope.ORGANIZE, status=204)
    def delete(self, request: Request, tournament_id: UUID) -> Response:
        action = commands.DeleteDraft.open(me(request), tournament_id)
        with suppress(AlreadyDone):
            perform(action, {}, key=resource_key(action, action.row.subject, {}))
        return Response(status=204)


class Duplicate(APIView):
    @describe(
        "tournaments_duplicate",
        "Create a draft with the terms of another tournament (organizers)",
        scope=Scope.ORGANIZE,
        request=NothingInput,
        response=TournamentOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        access.require_organizer(me(request))
        checked(NothingInput, request)
        return _drafted(request, copied(tournament, now=timezone.now()))


def _command(
    action: type[commands.Command], summary: str, takes: type[StrictSerializer] = NothingInput
) -> type[APIView]:
    """Return a view that runs a command and responds with the tournament afterwards."""
    [operation] = action.operations

    class Command(APIView):
        @describe(operation, summary, scope=Scope.ORGANIZE, request=takes, response=TournamentOutput)
        @idempotent
        def post(self, request: Request, tournament_id: UUID, **located: int) -> Response:
            command = action.open(me(request), tournament_id, **located)
            perform(command, checked(takes, request), key=command_key(request))
            return _shown(request, tournament_id)

    return Command


Publish = _command(commands.Publish, "Publish a draft: commit to the seed and open the entries (organizer)")
Start = _command(
    commands.Start, "Start a tournament: close the entries and open the first round (organizer)", StartInput
)
Cancel = _command(commands.Cancel, "Cancel a tournament and refund its fees (organizer)", ReasonInput)
Pause = _command(
    commands.Pause, "Pause a tournament: no further round opens (organizer, judges)", ReasonInput
)
Resume = _command(
    commands.Resume, "Resume a tournament: end a pause, or retry a failed step (organizer, judges)"
)
OpenRound = _command(
    commands.OpenRound, "Open the next round now instead of at its time (organizer)", ReasonInput
)
CloseRound = _command(
    commands.CloseRound, "End the time of an open round now, and close it (organizer)", ReasonInput
)


@extend_schema_serializer(component_name="TournamentRoleInput")
class RoleInput(StrictSerializer):
    player = StrictUUIDField()
    role = StrictChoiceField(choices=StaffRole.choices)


class TournamentRole(TypedDict):
    player: Uuid
    name: Annotated[str | None, "null unless the viewer has signed in"]
    role: Annotated[str, one_of(StaffRole)]
    granted_at: datetime


class TournamentRoles(TypedDict):
    results: list[TournamentRole]


def _role(role: models.TournamentRole, viewer: access.Viewer) -> TournamentRole:
    return {
        "player": str(role.player_id),
        "name": name_for(viewer, role.player),
        "role": role.role,
        "granted_at": role.given_at,
    }


class Roles(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_roles_list",
        "List the judges and helpers of a tournament",
        scope=Scope.READ,
        response=TournamentRoles,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": [_role(one, request.user) for one in roles.roles_in(tournament)]})

    @describe(
        "tournament_roles_create",
        "Give a person a role in a tournament (organizer)",
        scope=Scope.ORGANIZE,
        request=RoleInput,
        response=TournamentRole,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        action = GiveRole.open(me(request), tournament_id)
        role, _ = perform(action, checked(RoleInput, request), key=command_key(request))
        where = reverse("tournament-role", args=[tournament_id, role.player_id])
        return Response(_role(role, request.user), status=201, headers={"Location": where})


class RoleView(APIView):
    @describe(
        "tournament_roles_delete", "Take a role from a person (organizer)", scope=Scope.ORGANIZE, status=204
    )
    def delete(self, request: Request, tournament_id: UUID, player_id: UUID) -> Response:
        action = TakeRole.open(me(request), tournament_id, player=player_id)
        data = {"player": player_id}
        with suppress(AlreadyDone):
            perform(action, data, key=resource_key(action, action.row.subject, data))
        return Response(status=204)
