"""REST of challenges, and their documents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.hooks import anonymous
from accounts.models import NameShown, Player, name_for
from accounts.roles import sees_all_names
from games import state
from games.api import CLIENT_TIME, me
from games.challenges import services as challenges
from games.models import Challenge, ChallengeStatus, DeclineReason, Status
from games.rules import table as tables
from games.selectors import OwnerOutput, Suit, kind_of, owner_document
from games.serializers import LONGEST_SEED_TEXT, MOST_SEATS, SLOWEST_DRAW, SUIT_HELP, PlayedTableInput
from rest.documents import Moment, Object, Uuid, moment, one_of
from rest.fields import (
    NothingInput,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StrictListField,
    StrictSerializer,
    StrictTextField,
    checked,
)
from rest.idempotency import idempotent, recorded_command
from rest.pagination import query
from rest.schema import describe
from rest.scopes import Scope
from rest.throttles import ChallengeThrottle


class ChallengerOutput(TypedDict):
    id: Uuid
    name: Annotated[str | None, "null for a player with an anonymous entry in a tournament"]
    kind: Annotated[str, one_of(["human", "guest", "bot"])]
    owner: Annotated[OwnerOutput | None, "of a bot that a player's program plays: that player"]


class ChallengedOutput(ChallengerOutput):
    accepted: bool


class ChallengeOutput(TypedDict):
    key: Annotated[str, "names the item among what waits"]
    id: Uuid
    status: Annotated[str, one_of(ChallengeStatus)]
    challenger: ChallengerOutput
    opponents: list[ChallengedOutput]
    game: Annotated[Uuid, "the private table, which its players see"]
    rules: str
    config: Object
    seats: int
    free_suits: Annotated[
        list[Suit] | None, "of which one is chosen to accept; null where seats have no suit"
    ]
    move_limit: int | None
    game_limit: int | None
    reason: Annotated[str, one_of(DeclineReason)] | None
    created: Moment
    expires: Moment
    yours: Annotated[bool, "whether the caller has made it"]


def document(challenge: Challenge, viewer: UUID) -> ChallengeOutput:
    """Return a challenge as one of its players sees it."""
    [found] = documents([challenge], viewer)
    return found


def documents(some: Sequence[Challenge], viewer: UUID) -> list[ChallengeOutput]:
    """Return challenges as one of their players sees them."""
    people = {
        player.pk: player
        for challenge in some
        for player in (challenge.challenger, *(one.player for one in challenge.invitations.all()))
    }
    hidden = anonymous([pk for pk in people if pk != viewer])
    if hidden and sees_all_names(people[viewer]):
        hidden = set()
    return [_document(challenge, people[viewer], hidden) for challenge in some]


def _document(challenge: Challenge, viewer: Player, hidden: Collection[UUID]) -> ChallengeOutput:
    game = challenge.game
    return {
        "key": f"challenge:{challenge.pk}",
        "id": str(challenge.pk),
        "status": challenge.status,
        "challenger": _player(challenge.challenger, viewer, hidden),
        "opponents": [
            {**_player(one.player, viewer, hidden), "accepted": one.accepted_at is not None}
            for one in sorted(challenge.invitations.all(), key=lambda each: each.pk)
        ],
        "game": str(game.pk),
        "rules": game.rules,
        "config": game.config,
        "seats": game.seats,
        "free_suits": _free_suits(challenge),
        "move_limit": game.move_limit,
        "game_limit": game.game_limit,
        "reason": challenge.reason or None,
        "created": moment(challenge.created_at),
        "expires": moment(challenge.expires_at),
        "yours": challenge.challenger_id == viewer.pk,
    }


def _player(player: Player, viewer: Player, hidden: Collection[UUID]) -> ChallengerOutput:
    shown = NameShown.ANONYMOUS if player.pk in hidden else NameShown.MEMBERS
    return {
        "id": str(player.pk),
        "name": name_for(viewer, player, shown),
        "kind": kind_of(player),
        "owner": owner_document(player, viewer),
    }


def _free_suits(challenge: Challenge) -> list[str] | None:
    if challenge.game.status != Status.OPEN:
        return None
    _, table = state.load(challenge.game_id)
    taken = [who.suit for who in table.seats.values() if who.suit is not None]
    return tables.free_suits(table.game, table.config, taken, challenge.game.seats)


class ChallengeInput(PlayedTableInput):
    draw_every = StrictIntegerField(min=1, max=SLOWEST_DRAW, required=False, allow_null=True, default=None)
    hints = StrictBooleanField(required=False, allow_null=True, default=None)
    opponents = StrictListField(
        child=StrictTextField(max_length=150),
        min_length=1,
        max_length=MOST_SEATS - 1,
        help_text="ids or usernames; with the caller and `bots` as many as the game has seats",
    )
    client_seed = StrictTextField(max_length=LONGEST_SEED_TEXT, allow_blank=True, required=False, default="")
    suit = StrictTextField(max_length=16, required=False, allow_null=True, default=None, help_text=SUIT_HELP)


class Challenges(APIView):
    permission_classes = [IsAuthenticated]

    def get_throttles(self) -> list[Any]:
        throttles = super().get_throttles()
        return [*throttles, ChallengeThrottle()] if self.request.method == "POST" else throttles

    @describe(
        "challenges_list",
        "The open challenges by and to the caller, oldest first",
        scope=Scope.READ,
        response=list[ChallengeOutput],
    )
    def get(self, request: Request) -> Response:
        query(request)
        player = me(request)
        return Response(documents(challenges.open_challenges([player.pk])[player.pk], player.pk))

    @describe(
        "challenges_create",
        "Challenge players to a game for points",
        scope=Scope.PLAY,
        request=ChallengeInput,
        response=ChallengeOutput,
        status=201,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given, player = checked(ChallengeInput, request), me(request)
        made = challenges.challenge(
            challenger=player, command=recorded_command(request), now=timezone.now(), **given
        )
        return Response(
            document(challenges.visible(player, made.pk), player.pk),
            status=status.HTTP_201_CREATED,
            headers={"Location": reverse("challenge", args=[made.pk])},
        )


class OneChallenge(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "challenges_read", "A challenge by or to the caller", scope=Scope.READ, response=ChallengeOutput
    )
    def get(self, request: Request, challenge_id: UUID) -> Response:
        query(request)
        return Response(document(challenges.visible(me(request), challenge_id), me(request).pk))


class AcceptInput(StrictSerializer):
    client_seed = StrictTextField(max_length=LONGEST_SEED_TEXT, allow_blank=True, required=False, default="")
    suit = StrictTextField(max_length=16, required=False, allow_null=True, default=None, help_text=SUIT_HELP)


class Acceptance(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "challenges_accept",
        "Accept a challenge: take a seat, and start the game if all others have accepted",
        scope=Scope.PLAY,
        request=AcceptInput,
        response=ChallengeOutput,
        parameters=[CLIENT_TIME],
    )
    @idempotent
    def post(self, request: Request, challenge_id: UUID) -> Response:
        given, player = checked(AcceptInput, request), me(request)
        found = challenges.accept(
            challenge_id=challenge_id,
            player=player,
            command=recorded_command(request),
            now=timezone.now(),
            **given,
        )
        return Response(document(found, player.pk))


class DeclineInput(StrictSerializer):
    reason = StrictChoiceField(
        choices=DeclineReason.choices, required=False, default=DeclineReason.GENERIC.value
    )


class Declining(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "challenges_decline",
        "Decline a challenge, which ends it for all",
        scope=Scope.PLAY,
        request=DeclineInput,
        response=ChallengeOutput,
    )
    @idempotent
    def post(self, request: Request, challenge_id: UUID) -> Response:
        given, player = checked(DeclineInput, request), me(request)
        found = challenges.decline(
            challenge_id=challenge_id,
            player=player,
            reason=DeclineReason(given["reason"]),
            now=timezone.now(),
        )
        return Response(document(found, player.pk))


class Withdrawing(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "challenges_withdraw",
        "Withdraw a challenge of the caller",
        scope=Scope.PLAY,
        request=NothingInput,
        response=ChallengeOutput,
    )
    @idempotent
    def post(self, request: Request, challenge_id: UUID) -> Response:
        checked(NothingInput, request)
        found = challenges.withdraw(challenge_id=challenge_id, player=me(request), now=timezone.now())
        return Response(document(found, me(request).pk))
