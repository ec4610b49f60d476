"""REST of accounts. Responses with a secret (a token, a link for a new password) are never stored."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, TypedDict
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth import login, update_session_auth_hash
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.authentication import SessionScheme
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import services, sign_in
from accounts.authentication import WebSession
from accounts.errors import EmailNeeded, NotAGuest, RecentSignInNeeded
from accounts.models import Player, Token
from accounts.names import LONGEST_USERNAME
from accounts.roles import IsAdministrator, PlayerBackend, Role, has_second_factor, roles_of
from accounts.sign_in import GuestThrottle, SignInThrottle, SignUpThrottle
from accounts.staff import Erase, PlayerAction, ResetSignIn, SetRoles
from core.errors import Conflict, InvalidInput
from rest.documents import Moment, Uuid, moment
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
from rest.schema import describe
from rest.scopes import ANY_CALLER, GUEST_SCOPES, NO_TOKEN, PERMITS, Scope
from staff.actions import AlreadyDone, perform, record_action, register_name, resource_key

PASSWORD_BOUND = 256
BACKEND = f"{PlayerBackend.__module__}.{PlayerBackend.__qualname__}"
EXPORT = register_name("export-player", "Export player")
"""The name in the log of staff actions."""


class SignUpInput(StrictSerializer):
    username = StrictTextField(max_length=LONGEST_USERNAME)
    password = StrictTextField(max_length=PASSWORD_BOUND, write_only=True)
    display_name = StrictTextField(max_length=60, required=False, allow_blank=True)


class PlayerOutput(TypedDict):
    id: Uuid
    username: str
    display_name: str
    email: str
    roles: list[str]
    guest_until: Annotated[Moment | None, "of a guest: when the account ends, unless it has played since"]
    second_factor: Annotated[bool, "whether signing in takes a code or a passkey as well"]
    has_password: Annotated[bool, "false if the account signs in by a passkey or another site alone"]
    joined: Moment


def player_document(player: Player) -> PlayerOutput:
    return {
        "id": str(player.pk),
        "username": player.username,
        "display_name": player.display_name,
        "email": player.email,
        "roles": sorted(roles_of(player)),
        "guest_until": moment(player.guest_until),
        "second_factor": has_second_factor(player),
        "has_password": player.has_usable_password(),
        "joined": moment(player.date_joined),
    }


class Players(APIView):
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    throttle_classes = [SignUpThrottle]

    @describe(
        "players_create",
        "Sign up without e-mail",
        scope=ANY_CALLER,
        request=SignUpInput,
        response=PlayerOutput,
        status=201,
    )
    def post(self, request: Request) -> Response:
        if settings.REQUIRE_EMAIL:
            raise EmailNeeded
        given = checked(SignUpInput, request)
        player = services.sign_up(**given, now=timezone.now())
        return Response(
            player_document(player),
            status=status.HTTP_201_CREATED,
            headers={"Location": reverse("player-me")},
        )


class SessionInput(StrictSerializer):
    username = StrictTextField(max_length=150)
    password = StrictTextField(max_length=PASSWORD_BOUND, write_only=True)
    otp = StrictTextField(max_length=12, required=False)


class TokenTermsInput(StrictSerializer):
    name = StrictTextField(
        max_length=60,
        required=False,
        allow_blank=True,
        default="",
        help_text="what the token is called in lists",
    )
    scopes = StrictListField(
        child=StrictChoiceField(choices=list(Scope)),
        required=False,
        min_length=1,
        max_length=len(Scope),
        default=list(services.DEFAULT_SCOPES),
        help_text="; ".join(f"`{scope}`: {what}" for scope, what in PERMITS.items()),
    )
    days = StrictIntegerField(
        min_value=1,
        max_value=services.LONGEST_TOKEN_DAYS,
        required=False,
        default=services.TOKEN_DAYS,
        help_text="days until it expires",
    )


class TokenInput(SessionInput, TokenTermsInput):
    pass


class TokenOutput(TypedDict):
    id: str
    name: str
    scopes: list[str]
    created: Moment
    expires: Moment
    last_used: Annotated[Moment | None, "to within an hour"]


class IssuedTokenOutput(TypedDict):
    token: Annotated[str, "shown once"]
    scopes: list[str]
    expires: Moment
    player: Uuid


class CurrentTokenOutput(TokenOutput):
    player: Uuid
    bot: Annotated[bool, "whether the player is a bot"]


def token_document(token: Token, names: Mapping[str, str]) -> TokenOutput:
    return {
        "id": token.token_key,
        "name": names.get(token.token_key, ""),
        "scopes": token.scopes.split(),
        "created": moment(token.created),
        "expires": moment(token.expires),
        "last_used": moment(token.last_used),
    }


class Tokens(APIView):
    def get_permissions(self) -> list[Any]:
        return [AllowAny() if self.request.method == "POST" else IsAuthenticated()]

    def get_authenticators(self) -> list[Any]:
        if self.request is not None and self.request.method == "POST":
            return []
        return super().get_authenticators()

    def get_throttles(self) -> list[Any]:
        return [SignInThrottle()] if self.request.method == "POST" else super().get_throttles()

    @describe(
        "tokens_create",
        "Sign in",
        scope=ANY_CALLER,
        request=TokenInput,
        response=IssuedTokenOutput,
        status=201,
    )
    def post(self, request: Request) -> Response:
        given = checked(TokenInput, request)
        return issued(_signed_in(request, given), given)

    @describe("tokens_list", "The caller's tokens", scope=Scope.ACCOUNT, response=list[TokenOutput])
    def get(self, request: Request) -> Response:
        held = Token.objects.filter(player=me(request), expires__gt=timezone.now()).order_by("-created")
        names = services.token_names(token.token_key for token in held)
        return Response([token_document(token, names) for token in held])

    @describe("tokens_revoke_all", "Revoke every token of the caller", scope=Scope.ACCOUNT, status=204)
    def delete(self, request: Request) -> Response:
        services.revoke_tokens(player=me(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class OwnTokens(APIView):
    @describe(
        "players_me_tokens_create",
        "Create a token by the session of the web client, which has confirmed its identity recently",
        scope=NO_TOKEN,
        request=TokenTermsInput,
        response=IssuedTokenOutput,
        status=201,
    )
    def post(self, request: Request) -> Response:
        given = checked(TokenTermsInput, request)
        if not sign_in.confirmed_recently(request._request):
            raise RecentSignInNeeded
        return issued(me(request), given)


def issued(player: Player, given: Mapping[str, Any]) -> Response:
    record, token = services.issue_token(
        player=player, name=given["name"], scopes=given["scopes"], days=given["days"]
    )
    issued: IssuedTokenOutput = {
        "token": token,
        "scopes": record.scopes.split(),
        "expires": moment(record.expires),
        "player": str(player.pk),
    }
    return Response(issued, status=status.HTTP_201_CREATED)


GUEST_TOKEN: Mapping[str, Any] = {"name": "", "scopes": list(GUEST_SCOPES), "days": services.TOKEN_DAYS}


class Guests(APIView):
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    throttle_classes = [GuestThrottle]

    @describe(
        "guests_create",
        "Play as a guest: an account without a password, and a token for it",
        scope=ANY_CALLER,
        request=NothingInput,
        response=IssuedTokenOutput,
        status=201,
    )
    def post(self, request: Request) -> Response:
        checked(NothingInput, request)
        with transaction.atomic():
            guest = services.create_guest(now=timezone.now())
            return issued(guest, GUEST_TOKEN)


class GuestSession(APIView):
    permission_classes = [AllowAny]
    throttle_classes = [GuestThrottle]

    @describe(
        "guests_session_create",
        "Play as a guest in the web client",
        scope=NO_TOKEN,
        request=NothingInput,
        response=PlayerOutput,
        status=201,
    )
    def post(self, request: Request) -> Response:
        checked(NothingInput, request)
        if request.user.is_authenticated:
            raise Conflict("This session is signed in already.")
        WebSession().enforce_csrf(request)
        with transaction.atomic():
            guest = services.create_guest(now=timezone.now())
            login(request._request, guest, backend=BACKEND)
        return Response(player_document(guest), status=status.HTTP_201_CREATED)


class GuestSignUp(APIView):
    throttle_classes = [SignUpThrottle]

    @describe(
        "guests_sign_up",
        "Sign up without e-mail as the guest that the caller is, and keep the guest's games",
        scope=Scope.PLAY,
        request=SignUpInput,
        response=PlayerOutput,
    )
    def post(self, request: Request) -> Response:
        guest = me(request)
        if not guest.is_guest:
            raise NotAGuest
        if settings.REQUIRE_EMAIL:
            raise EmailNeeded
        given = checked(SignUpInput, request)
        player = services.sign_up_guest(player=guest, **given)
        if request.auth is None:
            update_session_auth_hash(request._request, player)
        return Response(player_document(player))


class CurrentToken(APIView):
    @describe("tokens_current", "The token of this request", scope=ANY_CALLER, response=CurrentTokenOutput)
    def get(self, request: Request) -> Response:
        token = _token(request)
        document = token_document(token, services.token_names([token.token_key]))
        current: CurrentTokenOutput = {
            **document,
            "player": str(token.player_id),
            "bot": token.player.is_bot,
        }
        return Response(current)

    @describe("tokens_revoke_current", "Revoke the token of this request", scope=ANY_CALLER, status=204)
    def delete(self, request: Request) -> Response:
        _token(request).delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


def _token(request: Request) -> Token:
    """Raises Conflict."""
    if not isinstance(request.auth, Token):
        raise Conflict("This request came with a session, not with a token.")
    return request.auth


class OneToken(APIView):
    @describe("tokens_revoke", "Revoke one of the caller's tokens", scope=Scope.ACCOUNT, status=204)
    def delete(self, request: Request, token_id: str) -> Response:
        held = Token.objects.filter(player=me(request), token_key=token_id)
        if not held.delete()[0]:
            raise NotFound()
        return Response(status=status.HTTP_204_NO_CONTENT)


class ProfileInput(StrictSerializer):
    display_name = StrictTextField(max_length=60, allow_blank=True)


class EraseInput(StrictSerializer):
    password = StrictTextField(
        max_length=PASSWORD_BOUND,
        write_only=True,
        required=False,
        help_text="not needed in a session that confirmed its identity in the last half hour",
    )


class Me(APIView):
    @describe(
        "players_me", "The caller's own account", scope=Scope.ACCOUNT, response=PlayerOutput, guests=True
    )
    def get(self, request: Request) -> Response:
        return Response(player_document(me(request)))

    @describe(
        "players_me_change",
        "Change the caller's display name",
        scope=Scope.ACCOUNT,
        request=ProfileInput,
        response=PlayerOutput,
    )
    def patch(self, request: Request) -> Response:
        given = checked(ProfileInput, request)
        return Response(player_document(services.change_profile(player=me(request), **given)))

    @describe(
        "players_me_erase",
        "Erase the caller's account permanently",
        scope=Scope.ACCOUNT,
        request=EraseInput,
        status=204,
    )
    def delete(self, request: Request) -> Response:
        player = me(request)
        given = checked(EraseInput, request)
        self._check_identity(request, player, given)
        now, subject = timezone.now(), f"player:{player.pk}"
        with transaction.atomic():
            services.erase_player(player=player, now=now)
            reason = "at the player's own wish"
            record_action(actor=player, action=Erase.name, subject=subject, at=now, reason=reason)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def _check_identity(self, request: Request, player: Player, given: dict[str, Any]) -> None:
        """Raises SignInRefused, SignInLocked, RecentSignInNeeded, InvalidInput."""
        if "password" in given:
            password = given["password"]
            sign_in.check_own_password(request=request._request, player=player, password=password)
        elif request.auth is not None:
            raise InvalidInput("password: a request with a token needs it.", field="password")
        elif not sign_in.confirmed_recently(request._request):
            raise RecentSignInNeeded


class Export(APIView):
    @describe(
        "players_me_export", "All personal data of the caller", scope=Scope.ACCOUNT, response=dict[str, Any]
    )
    def get(self, request: Request) -> Response:
        return Response(services.export_player(player=me(request)))


class ResetInput(StrictSerializer):
    second_factors = StrictBooleanField(
        required=False, default=False, help_text="remove the authenticator app, passkeys, and recovery codes"
    )
    reason = StrictTextField(max_length=500, required=False, allow_blank=True)


class ResetOutput(TypedDict):
    url: Annotated[str, "The page that sets a new password, good once and for a day"]


class SignInReset(APIView):
    permission_classes = [IsAdministrator]

    @describe(
        "players_recovery_link",
        "Create a link for a new password, and remove second factors (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=ResetInput,
        response=ResetOutput,
        status=201,
    )
    def post(self, request: Request, player_id: UUID) -> Response:
        given = checked(ResetInput, request)
        # Every request makes a link: it is not stored, so no response can be given again.
        action = ResetSignIn.open(me(request), player_id)
        (link, _), _ = perform(action, given, key=f"request:{uuid4().hex}")
        made: ResetOutput = {"url": request.build_absolute_uri(link)}
        return Response(made, status=status.HTTP_201_CREATED)


class RolesInput(StrictSerializer):
    roles = StrictListField(child=StrictTextField(max_length=20), max_length=len(Role))
    reason = StrictTextField(max_length=500, required=False, allow_blank=True)


class Roles(APIView):
    permission_classes = [IsAdministrator]

    @describe(
        "players_roles",
        "Give a player exactly these roles (administrators)",
        scope=Scope.ADMINISTRATOR,
        request=RolesInput,
        response=PlayerOutput,
    )
    def put(self, request: Request, player_id: UUID) -> Response:
        given = checked(RolesInput, request)
        action = SetRoles.open(me(request), player_id)
        _perform(action, {**given, "roles": sorted({_role(name) for name in given["roles"]})})
        return Response(player_document(action.row))


class PlayerExport(APIView):
    permission_classes = [IsAdministrator]

    @describe(
        "players_export",
        "All personal data of a player (administrators)",
        scope=Scope.ADMINISTRATOR,
        response=dict[str, Any],
    )
    def get(self, request: Request, player_id: UUID) -> Response:
        player = known_player(player_id)
        subject = f"player:{player.pk}"
        record_action(actor=me(request), action=EXPORT, subject=subject, at=timezone.now())
        return Response(services.export_player(player=player))


class OnePlayer(APIView):
    permission_classes = [IsAdministrator]

    @describe(
        "players_erase",
        "Erase a player's personal data (administrators)",
        scope=Scope.ADMINISTRATOR,
        status=204,
    )
    def delete(self, request: Request, player_id: UUID) -> Response:
        _perform(Erase.open(me(request), player_id), {})
        return Response(status=status.HTTP_204_NO_CONTENT)


def _perform(action: PlayerAction, data: dict[str, Any]) -> None:
    """Perform the action of a PUT or DELETE, unless the player is in that state already."""
    with suppress(AlreadyDone):
        perform(action, data, key=resource_key(action, action.subject, data))


def known_player(player_id: UUID) -> Player:
    player = Player.objects.filter(pk=player_id).first()
    if player is None:
        raise NotFound()
    return player


def _role(name: str) -> Role:
    try:
        return Role(name)
    except ValueError:
        raise InvalidInput(f"roles: {', '.join(Role)} are the roles.") from None


def me(request: Request) -> Player:
    assert isinstance(request.user, Player)
    return request.user


def _signed_in(request: Request, given: dict[str, Any]) -> Player:
    return sign_in.sign_in(
        request=request._request,
        username=given["username"],
        password=given["password"],
        code=given.get("otp", ""),
    )


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The name of the authentication by token in the OpenAPI document."""

    target_class = "accounts.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token from POST tokens/."}


class WebSessionScheme(SessionScheme):  # type: ignore[no-untyped-call]
    target_class = "accounts.authentication.WebSession"
    name = "session"
