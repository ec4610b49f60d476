"""REST of the web client's session: who comes in by it, and goes again. Programs use tokens instead."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import login, logout
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_protect
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import signin
from accounts.api import PASSWORD_BOUND, PlayerOutput
from api.errors import Conflict
from api.fields import StrictSerializer, StrictTextField, checked
from api.schema import describe
from api.throttles import SignInThrottle

BACKEND = "accounts.backends.PlayerBackend"


class SessionInput(StrictSerializer):
    username = StrictTextField(max_length=150)
    password = StrictTextField(max_length=PASSWORD_BOUND, write_only=True)
    otp = StrictTextField(max_length=12, required=False)


# A page of somebody else's must not sign a reader in either: what is entered then would be entered into their account.
@method_decorator(csrf_protect, name="dispatch")
class WebSessions(APIView):
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    throttle_classes = [SignInThrottle]

    @describe(
        "session_open",
        "Sign in to the web client: a cookie instead of a token",
        request=SessionInput,
        response=PlayerOutput,
        status=201,
        idempotency=False,
    )
    def post(self, request: Request) -> Response:
        _require_no_token(request)
        given = checked(SessionInput, request)
        player = signin.sign_in(
            request=request._request,
            username=given["username"],
            password=given["password"],
            code=given.get("otp", ""),
        )
        login(request._request, player, backend=BACKEND)
        return Response(
            PlayerOutput(player).data,
            status=status.HTTP_201_CREATED,
            headers={"Cache-Control": "no-store"},
        )

    @describe("session_close", "Sign out of the web client; without a session nothing happens", status=204)
    def delete(self, request: Request) -> Response:
        _require_no_token(request)
        logout(request._request)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _require_no_token(request: Request) -> None:
    """A request with a token has no session, whatever cookie comes with it. Raises Conflict."""
    if not hasattr(request._request, "session"):
        raise Conflict(
            "This request bears a token; the web client's session is opened and closed without one."
        )
