"""REST endpoints of entries, check-in, the waiting list, and disqualification."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from games.api import me
from ledger.callers import command_key
from rest.fields import NothingInput, checked
from rest.idempotency import idempotent
from rest.pagination import PAGE, PagedView, query
from rest.schema import describe
from rest.scopes import Scope
from staff.actions import perform
from tournaments import access, selectors
from tournaments.actions import entries as actions
from tournaments.api.serializers import (
    EntryInput,
    ReasonInput,
)
from tournaments.entries import check_in, registration, waiting
from tournaments.entries.waiting import OwnWaitingOutput
from tournaments.models import Waiting
from tournaments.rounds import selectors as round_selectors
from tournaments.selectors import EntryOutput, WaitingLineOutput


class Line(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_waiting_list",
        "List the players on the waiting list in order",
        scope=Scope.READ,
        response=WaitingLineOutput,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        return Response({"results": selectors.line_documents(tournament, request.user)})

    @describe("tournament_waiting_leave", "Leave the waiting list", scope=Scope.ENTER, status=204)
    def delete(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        waiting.leave(tournament_id=tournament_id, player=me(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class WaitingCheckIn(APIView):
    @describe(
        "tournament_waiting_check_in",
        "Check in while waiting, to replace an absent entrant at the start",
        scope=Scope.ENTER,
        request=NothingInput,
        response=OwnWaitingOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        checked(NothingInput, request)
        waits = waiting.check_in_waiting(tournament_id=tournament_id, player=me(request), now=timezone.now())
        return Response(waiting.document(waits))


# --- disqualification --------------------------------------------------------------------------------


class Disqualify(APIView):
    @describe(
        "tournament_entries_disqualify",
        "Disqualify an entrant: refunded before the start, without a prize afterwards (organizer, judges)",
        scope=Scope.ORGANIZE,
        request=ReasonInput,
        response=EntryOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID, entry: int) -> Response:
        action = actions.Disqualify.open(me(request), tournament_id, number=entry)
        ruled, _ = perform(action, checked(ReasonInput, request), key=command_key(request))
        return Response(selectors.entry_document(ruled, request.user))


class Entries(PagedView):
    permission_classes = [IsAuthenticatedOrReadOnly]
    ordering = ("number",)

    @describe(
        "tournament_entries_list",
        "List the entries in the order of entry",
        scope=Scope.READ,
        response=list[EntryOutput],
        parameters=[
            OpenApiParameter(
                "search", OpenApiTypes.STR, description="Text that the name contains; requires sign-in."
            ),
        ],
        filters=False,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = access.visible(request.user, tournament_id)
        called = query(request, "search", *PAGE).get("search", "")
        if called and not request.user.is_authenticated:
            raise NotAuthenticated("Searching by name requires sign-in.")
        where, names = round_selectors.stage_map(tournament), access.Names(request.user, tournament)
        return self.page(
            selectors.entries(tournament, request.user, called=called),
            lambda entry: selectors.entry_document(entry, request.user, where=where, names=names),
        )

    @describe(
        "tournament_entries_create",
        "Enter a tournament: pay the fee and contribute a client seed",
        scope=Scope.ENTER,
        request=EntryInput,
        response=EntryOutput,
        status=201,
        also={
            202: (
                OwnWaitingOutput,
                "The tournament is full: the caller is on the waiting list and pays on admission",
            )
        },
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        given = checked(EntryInput, request)
        entry = registration.enter_or_wait(
            tournament_id=tournament_id,
            player=me(request),
            client_seed=given["client_seed"],
            shown_as=given["shown_as"],
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
        "Withdraw from a tournament; before the start the fee is refunded",
        scope=Scope.ENTER,
        status=204,
    )
    def delete(self, request: Request, tournament_id: UUID) -> Response:
        access.visible(request.user, tournament_id)
        registration.withdraw(tournament_id=tournament_id, player=me(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class CheckIn(APIView):
    @describe(
        "tournament_entries_check_in",
        "Check in before the start",
        scope=Scope.ENTER,
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
        "Check in another entrant (organizer, judges, helpers)",
        scope=Scope.ORGANIZE,
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
