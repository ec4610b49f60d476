"""REST of the bots of players. The token of a bot is shown once and never stored."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict
from uuid import UUID

from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import bots, services
from accounts.api import IssuedTokenOutput, TokenOutput, TokenTermsInput, issued, me, token_document
from accounts.models import Player, Token
from accounts.names import LONGEST_DISPLAY_NAME
from rest.documents import Moment, Uuid, moment, one_of
from rest.fields import StrictChoiceField, StrictListField, StrictSerializer, StrictTextField, checked
from rest.idempotency import idempotent
from rest.schema import describe
from rest.scopes import BOT_SCOPES, Scope
from rest.throttles import BotThrottle

ACCEPTS: tuple[Literal["anyone"], Literal["owner"]] = ("anyone", "owner")
"""Whose challenges a bot takes."""


class BotOutput(TypedDict):
    id: Uuid
    username: str
    name: str
    accepts: Annotated[str, one_of(ACCEPTS)]
    suspended: Annotated[str | None, "the reason, if staff have suspended the bot"]
    created: Moment


def bot_document(bot: Player) -> BotOutput:
    return {
        "id": str(bot.pk),
        "username": bot.username,
        "name": bot.display_name,
        "accepts": "owner" if bot.owner_only else "anyone",
        "suspended": bot.suspended_for or None,
        "created": moment(bot.date_joined),
    }


class BotChangeInput(StrictSerializer):
    accepts = StrictChoiceField(choices=list(ACCEPTS), help_text="whose challenges it takes")


class BotInput(StrictSerializer):
    name = StrictTextField(max_length=LONGEST_DISPLAY_NAME)
    accepts = StrictChoiceField(choices=list(ACCEPTS), required=False, default="anyone")


class Bots(APIView):
    def get_throttles(self) -> list[Any]:
        throttles = super().get_throttles()
        return [*throttles, BotThrottle()] if self.request.method == "POST" else throttles

    @describe("players_me_bots", "The caller's bots", scope=Scope.ACCOUNT, response=list[BotOutput])
    def get(self, request: Request) -> Response:
        return Response([bot_document(bot) for bot in bots.bots_of(me(request))])

    @describe(
        "players_me_bots_create",
        "Create a bot, an account with which a program plays for points",
        scope=Scope.ACCOUNT,
        request=BotInput,
        response=BotOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(BotInput, request)
        owner_only = given["accepts"] == "owner"
        bot = bots.create(owner=me(request), name=given["name"], owner_only=owner_only, now=timezone.now())
        return Response(bot_document(bot), status=status.HTTP_201_CREATED)


class OneBot(APIView):
    @describe(
        "players_me_bots_change",
        "Change whose challenges a bot takes",
        scope=Scope.ACCOUNT,
        request=BotChangeInput,
        response=BotOutput,
    )
    def patch(self, request: Request, bot_id: UUID) -> Response:
        given = checked(BotChangeInput, request)
        bot = bots.bot_of(me(request), bot_id)
        return Response(bot_document(bots.change(bot=bot, owner_only=given["accepts"] == "owner")))

    @describe("players_me_bots_retire", "Retire a bot: its tokens end", scope=Scope.ACCOUNT, status=204)
    def delete(self, request: Request, bot_id: UUID) -> Response:
        bots.retire(bot=bots.bot_of(me(request), bot_id), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class BotTokenInput(TokenTermsInput):
    scopes = StrictListField(
        child=StrictChoiceField(choices=list(Scope)),
        required=False,
        min_length=1,
        max_length=len(BOT_SCOPES),
        default=list(BOT_SCOPES),
        help_text=f"of {' and '.join(BOT_SCOPES)}",
    )


class BotTokens(APIView):
    @describe(
        "players_me_bots_tokens",
        "The tokens of one of the caller's bots",
        scope=Scope.ACCOUNT,
        response=list[TokenOutput],
    )
    def get(self, request: Request, bot_id: UUID) -> Response:
        bot = bots.bot_of(me(request), bot_id)
        held = Token.objects.filter(player=bot, expires__gt=timezone.now()).order_by("-created")
        names = services.token_names(token.token_key for token in held)
        return Response([token_document(token, names) for token in held])

    @describe(
        "players_me_bots_tokens_create",
        "Create a token for one of the caller's bots",
        scope=Scope.ACCOUNT,
        request=BotTokenInput,
        response=IssuedTokenOutput,
        status=201,
    )
    def post(self, request: Request, bot_id: UUID) -> Response:
        given = checked(BotTokenInput, request)
        return issued(bots.bot_of(me(request), bot_id), given)


class OneBotToken(APIView):
    @describe(
        "players_me_bots_tokens_revoke",
        "Revoke a token of one of the caller's bots",
        scope=Scope.ACCOUNT,
        status=204,
    )
    def delete(self, request: Request, bot_id: UUID, token_id: str) -> Response:
        held = Token.objects.filter(player=bots.bot_of(me(request), bot_id), token_key=token_id)
        if not held.delete()[0]:
            raise NotFound()
        return Response(status=status.HTTP_204_NO_CONTENT)
