"""REST of tournaments: who may do what is `access`, what happens is `services`."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers, status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.fields import StrictSerializer, checked
from api.idempotency import idempotent
from api.pagination import Cursor
from api.query import PAGE, query
from api.schema import describe
from games import rules
from games.api import flag, me
from tournaments import access, check_in, selectors, services, waiting, whereabouts
from tournaments.models import Entry, Status, Tournament
from tournaments.models_waiting import Waiting
from tournaments.serializers import (
    EntryInput,
    EntryOutput,
    NothingInput,
    OwnWaitingOutput,
    ReasonInput,
    StartInput,
    TournamentLine,
    TournamentOutput,
)
from tournaments.serializers_terms import TermsInput, terms_of


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
        "Tournaments, newest first",
        response=TournamentLine(many=True),
        parameters=[
            OpenApiParameter("status", OpenApiTypes.STR, enum=Status.values),
            OpenApiParameter("rules", OpenApiTypes.STR, description="The game that is played."),
            OpenApiParameter("free", OpenApiTypes.BOOL, description="Only those without an entry fee."),
            OpenApiParameter("mine", OpenApiTypes.BOOL, description="Only those the caller has entered."),
            OpenApiParameter("search", OpenApiTypes.STR, description="What the name contains."),
            OpenApiParameter(
                "cursor",
                OpenApiTypes.STR,
                description="Where to go on; taken from `next` of the page before.",
            ),
            OpenApiParameter("limit", OpenApiTypes.INT),
        ],
    )
    def get(self, request: Request) -> Response:
        pages = NewestFirst()
        page = pages.paginate_queryset(_filtered(request), request, self)
        return pages.get_paginated_response(selectors.lines(page))

    @describe(
        "tournaments_create",
        "Draft a tournament (organizers)",
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

    @describe("tournaments_get", "A tournament and how far it has come", response=TournamentOutput)
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
    """What the organizer of a tournament has done with it; answers the tournament as it is then."""

    class Command(APIView):
        @describe(operation, summary, request=takes, response=TournamentOutput)
        @idempotent
        def post(self, request: Request, tournament_id: UUID) -> Response:
            may(request.user, tournament_id)
            given = checked(takes, request)
            service(tournament_id=tournament_id, actor=me(request), now=timezone.now(), **given)
            return _shown(request, tournament_id)

    return Command


Publish = _command("tournaments_publish", "Commit to the seed and open the entries", services.publish)
Start = _command(
    "tournaments_start", "Close the entries and open the first round", services.start, takes=StartInput
)
Cancel = _command(
    "tournaments_cancel", "Call it off and give the fees back", services.cancel, takes=ReasonInput
)
Pause = _command(
    "tournaments_pause",
    "Open no further round until it is resumed (organizer, judges)",
    services.pause,
    takes=ReasonInput,
    may=access.ruled,
)
Resume = _command(
    "tournaments_resume",
    "End a pause, or have the step that failed tried again (organizer, judges)",
    services.resume,
    may=access.ruled,
)


class EntryOrder(Cursor):
    ordering = ("number",)


class Entries(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    pagination_class = EntryOrder

    @describe(
        "tournament_entries_list",
        "Who has entered, in entry order",
        response=EntryOutput(many=True),
        parameters=[
            OpenApiParameter(
                "search", OpenApiTypes.STR, description="What the name contains; for who has signed in."
            ),
            *Cursor().get_schema_operation_parameters(None),
        ],
        filters=False,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        called = query(request, "search", *PAGE).get("search", "")
        if called and not request.user.is_authenticated:
            raise NotAuthenticated("Names are for those who have signed in.")
        pages = EntryOrder()
        page = pages.paginate_queryset(selectors.entries(tournament, called=called), request, self)
        where = whereabouts.of(tournament)
        return pages.get_paginated_response(
            [selectors.entry_document(entry, request.user, where=where) for entry in page]
        )

    @describe(
        "tournament_entries_create",
        "Enter, pay the fee, and contribute to the deals",
        request=EntryInput,
        response=EntryOutput,
        status=201,
        also={
            202: (OwnWaitingOutput, "All places are taken: the caller waits for one, and pays when admitted")
        },
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        given = checked(EntryInput, request)
        entry = services.enter_or_wait(
            tournament_id=tournament_id,
            player=me(request),
            client_seed=given["client_seed"],
            now=timezone.now(),
        )
        if isinstance(entry, Waiting):
            return Response(waiting.document(entry), status=status.HTTP_202_ACCEPTED)
        return Response(
            selectors.entry_document(entry, request.user),
            status=status.HTTP_201_CREATED,
            headers={"Location": reverse("api-tournament", args=[tournament_id])},
        )

    @describe(
        "tournament_entries_withdraw",
        "Leave; before the start the fee comes back",
        status=204,
    )
    def delete(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        services.withdraw(tournament_id=tournament_id, player=me(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class CheckIn(APIView):
    @describe(
        "tournament_entries_check_in",
        "Say that one is there, in the time before the start",
        request=NothingInput,
        response=EntryOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        checked(NothingInput, request)
        entry = check_in.check_in(tournament_id=tournament_id, player=me(request), now=timezone.now())
        return Response(selectors.entry_document(entry, request.user))


class CheckInOther(APIView):
    @describe(
        "tournament_entries_check_in_other",
        "Say that somebody else is there (organizer, judges, helpers)",
        request=NothingInput,
        response=EntryOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID, entry: int) -> Response:
        access.assisted(request.user, tournament_id)
        checked(NothingInput, request)
        there = check_in.check_in_other(
            tournament_id=tournament_id, number=entry, actor=me(request), now=timezone.now()
        )
        return Response(selectors.entry_document(there, request.user))
