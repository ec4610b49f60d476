"""REST of the browsers that receive push messages."""

from __future__ import annotations

from typing import Annotated, TypedDict
from uuid import UUID

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rest.documents import Moment, Uuid, moment
from rest.fields import StrictSerializer, StrictTextField, checked
from rest.idempotency import idempotent
from rest.schema import describe
from rest.scopes import Scope
from webhooks.targets import MOST_URL
from webpush import sending, services
from webpush.models import Subscription


class PushSubscriptionInput(StrictSerializer):
    endpoint = StrictTextField(max_length=MOST_URL, help_text="`endpoint` of the browser's PushSubscription")
    p256dh = StrictTextField(max_length=100, help_text="its key `p256dh`, base64url")
    auth = StrictTextField(max_length=40, help_text="its key `auth`, base64url")
    name = StrictTextField(max_length=60, help_text="what the browser is called in the list")


class PushSubscriptionOutput(TypedDict):
    id: Uuid
    name: str
    endpoint: str
    created_at: Moment
    used_at: Annotated[Moment | None, "the last time that the push service took a message"]


class PushOutput(TypedDict):
    public_key: Annotated[str, "`applicationServerKey` for the browser's subscription, base64url"]
    subscriptions: list[PushSubscriptionOutput]


def _document(subscription: Subscription) -> PushSubscriptionOutput:
    return {
        "id": str(subscription.pk),
        "name": subscription.name,
        "endpoint": subscription.endpoint,
        "created_at": moment(subscription.created_at),
        "used_at": moment(subscription.used_at),
    }


def _caller(request: Request) -> UUID:
    return UUID(str(request.user.pk))


class PushSubscriptions(APIView):
    @describe(
        "push_subscriptions_list",
        "List the caller's browsers that receive push messages, with the key to subscribe",
        scope=Scope.ACCOUNT,
        response=PushOutput,
    )
    def get(self, request: Request) -> Response:
        held = Subscription.objects.filter(owner=_caller(request))
        output: PushOutput = {
            "public_key": sending.public_key(),
            "subscriptions": [_document(one) for one in held],
        }
        return Response(output)

    @describe(
        "push_subscriptions_create",
        "Send push messages to a browser",
        scope=Scope.ACCOUNT,
        request=PushSubscriptionInput,
        response=PushSubscriptionOutput,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        given = checked(PushSubscriptionInput, request)
        made = services.subscribe(owner=_caller(request), **given, now=timezone.now())
        return Response(_document(made), status=status.HTTP_201_CREATED)


class OnePushSubscription(APIView):
    @describe(
        "push_subscriptions_delete",
        "Stop push messages to a browser",
        scope=Scope.ACCOUNT,
        status=204,
    )
    def delete(self, request: Request, subscription_id: UUID) -> Response:
        services.unsubscribe(owner=_caller(request), subscription_id=subscription_id)
        return Response(status=status.HTTP_204_NO_CONTENT)
