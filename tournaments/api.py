"""REST of tournaments: who may see what is `selectors`, what happens is `services`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_serializer
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Player
from api.fields import (
    ObjectField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
)
from api.idempotency import idempotent
from api.pagination import Cursor, whole_number
from api.query import PAGE, query
from api.schema import describe
from eventstore.chain import LARGEST_INTEGER
from games.rules.fairness import CLIENT_SEED_LENGTH
from tournaments import formats, selectors, services
from tournaments.models import (
    BASIS_POINTS,
    LONGEST_ROUND,
    MOST_ENTRANTS,
    MOST_GAMES,
    MOST_ROUNDS,
    Status,
)
from tournaments.terms import Terms

# --- what is sent --------------------------------------------------------------------------------------


class StrictTimeField(serializers.DateTimeField):
    """ISO 8601 text with a zone."""

    default_error_messages = {"invalid": "A time with its zone is needed, such as 2026-03-01T19:30:00Z."}

    def to_internal_value(self, value: Any) -> Any:
        if not isinstance(value, str) or not (value.endswith("Z") or value[-6:-5] in ("+", "-")):
            self.fail("invalid", format="ISO 8601")
        return super().to_internal_value(value)


class TermsInput(StrictSerializer):
    name = StrictTextField(max_length=100)
    format = StrictChoiceField(choices=[known.slug for known in formats.catalogue()])
    rules = StrictTextField(max_length=40)
    config = ObjectField()
    rounds = StrictIntegerField(min=1, max=MOST_ROUNDS)
    games = StrictIntegerField(min=1, max=MOST_GAMES, required=False)
    opens_at = StrictTimeField(required=False, allow_null=True)
    round_seconds = StrictIntegerField(min=1, max=LONGEST_ROUND, required=False)
    gap_seconds = StrictIntegerField(min=0, max=LONGEST_ROUND, required=False)
    capacity = StrictIntegerField(min=2, max=MOST_ENTRANTS, required=False)
    fewest = StrictIntegerField(min=2, max=MOST_ENTRANTS, required=False)
    fill_to = StrictIntegerField(min=0, max=MOST_ENTRANTS, required=False)
    fee = StrictIntegerField(min=0, max=10**9, required=False)
    currency = StrictTextField(max_length=3, required=False)
    prizes = StrictListField(
        child=StrictIntegerField(min=1, max=BASIS_POINTS), min_length=1, max_length=1000, required=False
    )
    rake = StrictIntegerField(min=0, max=BASIS_POINTS - 1, required=False)


class NothingInput(StrictSerializer):
    pass


class ReasonInput(StrictSerializer):
    reason = StrictTextField(max_length=200)


class EntryInput(StrictSerializer):
    client_seed = StrictTextField(max_length=CLIENT_SEED_LENGTH, allow_blank=True, required=False, default="")


# --- what is answered (the selectors make these documents; here they are described) ---------------------


class TournamentLine(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    organizer = serializers.UUIDField()
    format = serializers.CharField()
    rules = serializers.CharField()
    status = serializers.ChoiceField(choices=Status.choices)
    rounds = serializers.IntegerField()
    games = serializers.IntegerField()
    capacity = serializers.IntegerField()
    entries = serializers.IntegerField()
    fee = serializers.IntegerField()
    currency = serializers.CharField()
    opens_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class MeasureOutput(serializers.Serializer[Any]):
    name = serializers.CharField()
    best = serializers.ChoiceField(choices=["most", "fewest"])
    meaning = serializers.CharField()


class EntryOutput(serializers.Serializer[Any]):
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null to those who have not signed in")
    kind = serializers.ChoiceField(choices=["human", "bot"])
    client_seed = serializers.CharField()
    entered_at = serializers.DateTimeField()


class OwnGameOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    table = serializers.IntegerField()
    number = serializers.IntegerField()
    game = serializers.UUIDField()
    ended = serializers.CharField(allow_null=True)


class OwnEntryOutput(EntryOutput):
    games = OwnGameOutput(many=True)


class TournamentFairness(serializers.Serializer[Any]):
    commitment = serializers.CharField(allow_null=True)
    entropy = serializers.CharField(allow_null=True)
    client_seeds = serializers.ListField(child=serializers.CharField(), allow_null=True)
    seed = serializers.CharField(allow_null=True, help_text="null until the tournament has ended")


class ProgressOutput(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    games = serializers.IntegerField()
    dealt = serializers.IntegerField()
    ended = serializers.IntegerField()


class TournamentOutput(TournamentLine):
    config = serializers.DictField()
    rules_version = serializers.IntegerField()
    fewest = serializers.IntegerField()
    fill_to = serializers.IntegerField()
    round_seconds = serializers.IntegerField()
    gap_seconds = serializers.IntegerField()
    prizes = serializers.ListField(child=serializers.IntegerField())
    rake = serializers.IntegerField()
    pool = serializers.IntegerField(help_text="pence in escrow now")
    measures = MeasureOutput(many=True)
    fairness = TournamentFairness()
    round = serializers.IntegerField(help_text="the last round opened; 0 before the first")
    progress = ProgressOutput(allow_null=True)
    stalled = serializers.CharField(allow_null=True, help_text="why the organizer is needed")
    version = serializers.IntegerField()
    hash = serializers.CharField()
    entry = OwnEntryOutput(allow_null=True)
    may_manage = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)


class RoundLine(serializers.Serializer[Any]):
    round = serializers.IntegerField()
    state = serializers.ChoiceField(choices=["opening", "open", "closed"])
    opened_at = serializers.DateTimeField(allow_null=True)
    closes_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    games = serializers.IntegerField()
    dealt = serializers.IntegerField()
    ended = serializers.IntegerField()


@extend_schema_serializer(component_name="TournamentSeat")
class SeatOutput(serializers.Serializer[Any]):
    seat = serializers.IntegerField()
    entry = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True)


class TableGameOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    deal = serializers.IntegerField()
    game = serializers.UUIDField(allow_null=True)
    ended = serializers.CharField(allow_null=True)
    scores = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), allow_null=True
    )


class TableOutput(serializers.Serializer[Any]):
    table = serializers.IntegerField()
    seats = SeatOutput(many=True)
    games = TableGameOutput(many=True)


class RoundOutput(RoundLine):
    tables = TableOutput(many=True)


class RoundsOutput(serializers.Serializer[Any]):
    results = RoundLine(many=True)


class StandingOutput(serializers.Serializer[Any]):
    place = serializers.IntegerField()
    entry = serializers.IntegerField()
    totals = serializers.ListField(child=serializers.IntegerField())
    games = serializers.IntegerField()
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True)
    prize = serializers.IntegerField(allow_null=True)


class StandingsOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    status = serializers.CharField()
    rounds_closed = serializers.IntegerField()
    measures = MeasureOutput(many=True)
    standings = StandingOutput(many=True)


@extend_schema_serializer(component_name="TournamentEvent")
class EventOutput(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    type = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True)
    data = serializers.DictField()  # type: ignore[assignment]
    private = serializers.DictField(allow_null=True)
    seal = serializers.CharField(allow_null=True)
    at = serializers.CharField()
    prev = serializers.CharField()
    hash = serializers.CharField()


@extend_schema_serializer(component_name="TournamentEvents")
class EventsOutput(serializers.Serializer[Any]):
    events = EventOutput(many=True)
    next = serializers.IntegerField(
        allow_null=True, help_text="`after` of the next page; null: there is none yet"
    )


# --- views ---------------------------------------------------------------------------------------------


def _checked(serializer: type[StrictSerializer], request: Request) -> dict[str, Any]:
    judged = serializer(data=request.data)
    judged.is_valid(raise_exception=True)
    checked: dict[str, Any] = judged.validated_data
    return checked


def _caller(request: Request) -> Player:
    assert isinstance(request.user, Player)
    return request.user


def _shown(request: Request, tournament_id: UUID, *, status: int = status.HTTP_200_OK) -> Response:
    tournament = selectors.visible(request.user, tournament_id)
    return Response(selectors.document(tournament, request.user), status=status)


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
            OpenApiParameter(
                "cursor",
                OpenApiTypes.STR,
                description="Where to go on; taken from `next` of the page before.",
            ),
            OpenApiParameter("limit", OpenApiTypes.INT),
        ],
    )
    def get(self, request: Request) -> Response:
        wanted = query(request, "status", *PAGE)
        found = selectors.visible_tournaments(request.user)
        if "status" in wanted:
            found = found.filter(status=_status(wanted["status"]))
        pages = NewestFirst()
        page = pages.paginate_queryset(found, request, self)
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
        caller = _caller(request)
        selectors.require_organizer(caller)
        given = {"currency": settings.RACECARD_CURRENCY, **_checked(TermsInput, request)}
        terms = Terms(**{field.name: given[field.name] for field in fields(Terms) if field.name in given})
        created = services.create(organizer=caller, terms=terms, now=timezone.now())
        response = _shown(request, created.pk, status=status.HTTP_201_CREATED)
        response["Location"] = reverse("api-tournament", args=[created.pk])
        return response


def _status(text: str) -> str:
    if text not in Status.values:
        raise serializers.ValidationError({"status": [f"One of {', '.join(Status.values)}."]})
    return text


class TournamentView(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("tournaments_get", "A tournament and how far it has come", response=TournamentOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        return _shown(request, tournament_id)


class Publish(APIView):
    @describe(
        "tournaments_publish",
        "Commit to the seed and open the entries",
        request=NothingInput,
        response=TournamentOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        selectors.managed(request.user, tournament_id)
        _checked(NothingInput, request)
        services.publish(tournament_id=tournament_id, actor=_caller(request), now=timezone.now())
        return _shown(request, tournament_id)


class Start(APIView):
    @describe(
        "tournaments_start",
        "Close the entries and open the first round",
        request=NothingInput,
        response=TournamentOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        selectors.managed(request.user, tournament_id)
        _checked(NothingInput, request)
        services.start(tournament_id=tournament_id, actor=_caller(request), now=timezone.now())
        return _shown(request, tournament_id)


class Cancel(APIView):
    @describe(
        "tournaments_cancel",
        "Call it off and give the fees back",
        request=ReasonInput,
        response=TournamentOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        selectors.managed(request.user, tournament_id)
        given = _checked(ReasonInput, request)
        services.cancel(
            tournament_id=tournament_id, actor=_caller(request), reason=given["reason"], now=timezone.now()
        )
        return _shown(request, tournament_id)


class Resume(APIView):
    @describe(
        "tournaments_resume",
        "Have the step that failed tried again",
        request=NothingInput,
        response=TournamentOutput,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        selectors.managed(request.user, tournament_id)
        _checked(NothingInput, request)
        services.resume(tournament_id=tournament_id, actor=_caller(request), now=timezone.now())
        return _shown(request, tournament_id)


class Entries(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_entries_list",
        "Who has entered, in entry order",
        response=EntryOutput(many=True),
        parameters=Cursor().get_schema_operation_parameters(None),
        filters=False,
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = selectors.visible(request.user, tournament_id)
        pages = EntryOrder()
        page = pages.paginate_queryset(selectors.entries(tournament), request, self)
        return pages.get_paginated_response([selectors.entry_document(entry, request.user) for entry in page])

    @describe(
        "tournament_entries_create",
        "Enter, pay the fee, and contribute to the deals",
        request=EntryInput,
        response=EntryOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request, tournament_id: UUID) -> Response:
        selectors.visible(request.user, tournament_id)
        given = _checked(EntryInput, request)
        entry = services.enter(
            tournament_id=tournament_id,
            player=_caller(request),
            client_seed=given["client_seed"],
            now=timezone.now(),
        )
        return Response(
            selectors.entry_document(entry, request.user),
            status=status.HTTP_201_CREATED,
            headers={"Location": reverse("api-tournament", args=[tournament_id])},
        )

    @describe("tournament_entries_withdraw", "Withdraw before the start; the fee comes back", status=204)
    def delete(self, request: Request, tournament_id: UUID) -> Response:
        selectors.visible(request.user, tournament_id)
        services.withdraw(tournament_id=tournament_id, player=_caller(request), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class EntryOrder(Cursor):
    ordering = ("number",)


class Rounds(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe("tournament_rounds_list", "The rounds so far, and how far each has come", response=RoundsOutput)
    def get(self, request: Request, tournament_id: UUID) -> Response:
        tournament = selectors.visible(request.user, tournament_id)
        return Response({"results": selectors.rounds(tournament)})


class RoundView(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_rounds_get", "A round's tables; scores once it has been closed", response=RoundOutput
    )
    def get(self, request: Request, tournament_id: UUID, number: int) -> Response:
        return Response(
            selectors.round_document(selectors.visible(request.user, tournament_id), number, request.user)
        )


class Standings(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_standings",
        "The standings, now or as of an event",
        response=StandingsOutput,
        parameters=[
            OpenApiParameter("at", OpenApiTypes.INT, description="version of an event of the tournament")
        ],
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        text = query(request, "at").get("at")
        tournament = selectors.visible(request.user, tournament_id)
        at = None if text is None else whole_number(text, "at", least=1, most=LARGEST_INTEGER)
        return Response(selectors.standings(tournament, request.user, at=at))


class Events(APIView):
    permission_classes = [IsAuthenticatedOrReadOnly]

    @describe(
        "tournament_events",
        "What has happened, event by event",
        response=EventsOutput,
        parameters=[
            OpenApiParameter("after", OpenApiTypes.INT, description="version of the last event seen")
        ],
    )
    def get(self, request: Request, tournament_id: UUID) -> Response:
        after = whole_number(
            query(request, "after").get("after", "0"), "after", least=0, most=LARGEST_INTEGER
        )
        events = selectors.events_for(request.user, tournament_id, after, until=after + selectors.PAGE)
        more = len(events) == selectors.PAGE
        return Response({"events": events, "next": events[-1]["version"] if more else None})
