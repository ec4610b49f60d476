"""REST endpoints of webhooks."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import NotFound
from games.api import me
from rest.documents import Uuid, one_of
from rest.fields import NothingInput, StrictSerializer, StrictTextField, StrictUUIDField, checked
from rest.idempotency import idempotent
from rest.pagination import PagedView
from rest.schema import describe
from rest.scopes import Scope
from tournaments import access
from webhooks import services
from webhooks.models import Delivery, Hook, State
from webhooks.targets import MOST_URL


class WebhookInput(StrictSerializer):
    url = StrictTextField(max_length=MOST_URL, help_text="https, a public host, port 443 or one from 1024 on")
    tournament = StrictUUIDField(
        required=False, allow_null=True, help_text="null: every tournament that the caller organizes"
    )


NO_STORE = {"Cache-Control": "no-store"}


def _own(request: Request, hook_id: UUID) -> Hook:
    """Return the caller's webhook. Raises Forbidden, SecondFactorNeeded, NotFound."""
    access.require_organizer(request.user)
    found = services.others(me(request).pk).filter(pk=hook_id).first()
    if found is None:
        raise NotFound
    return found


class WebhookOutput(TypedDict):
    id: Uuid
    url: str
    tournament: Uuid | None
    created_at: datetime
    disabled_at: datetime | None
    disabled_reason: str | None


class NewWebhookOutput(WebhookOutput):
    secret: Annotated[str, "`whsec_` and the key in base64; shown only once"]


def _document(hook: Hook) -> WebhookOutput:
    return {
        "id": str(hook.pk),
        "url": hook.url,
        "tournament": hook.subject.partition(":")[2] or None,
        "created_at": hook.created_at,
        "disabled_at": hook.disabled_at,
        "disabled_reason": hook.disabled_why or None,
    }


class AttemptOutput(TypedDict):
    number: int
    at: datetime
    status: Annotated[int | None, "null: no response"]
    error: str | None
    response: Annotated[str, "its first 200 characters"]
    duration_ms: int


class DeliveryOutput(TypedDict):
    id: Annotated[Uuid, "`webhook-id` of every attempt"]
    type: str
    tournament: Uuid
    version: Annotated[int, "of the event in the tournament's stream"]
    state: Annotated[str, one_of(State)]
    created_at: datetime
    ended_at: datetime | None
    attempts: list[AttemptOutput]


def _delivery(delivery: Delivery) -> DeliveryOutput:
    return {
        "id": str(delivery.pk),
        "type": delivery.type,
        "tournament": delivery.subject.partition(":")[2],
        "version": delivery.position,
        "state": delivery.state,
        "created_at": delivery.created_at,
        "ended_at": delivery.ended_at,
        "attempts": [
            {
                "number": attempt.number,
                "at": attempt.at,
                "status": attempt.status,
                "error": attempt.error or None,
                "response": attempt.answer,
                "duration_ms": attempt.took,
            }
            for attempt in delivery.attempts.all()
        ],
    }


class Webhooks(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "webhooks_list",
        "List the caller's webhooks (organizers)",
        scope=Scope.ORGANIZE,
        response=list[WebhookOutput],
    )
    def get(self, request: Request) -> Response:
        access.require_organizer(request.user)
        return Response([_document(hook) for hook in services.others(me(request).pk)])

    @describe(
        "webhooks_create",
        "Register a webhook (organizers)",
        scope=Scope.ORGANIZE,
        request=WebhookInput,
        response=NewWebhookOutput,
        status=201,
    )
    def post(self, request: Request) -> Response:
        """Create a webhook. The response is not stored for idempotent retries, since it contains the secret."""
        access.require_organizer(request.user)
        given = checked(WebhookInput, request)
        wanted = given.get("tournament")
        subject = access.managed(request.user, wanted).subject if wanted else ""
        hook, secret = services.register(
            owner=me(request).pk, url=given["url"], subject=subject, now=timezone.now()
        )
        created: NewWebhookOutput = {**_document(hook), "secret": secret}
        return Response(
            created,
            status=status.HTTP_201_CREATED,
            headers={"Location": reverse("webhook", args=[hook.pk]), **NO_STORE},
        )


class Webhook(APIView):
    permission_classes = [IsAuthenticated]

    @describe("webhooks_get", "Get a webhook of the caller", scope=Scope.ORGANIZE, response=WebhookOutput)
    def get(self, request: Request, hook_id: UUID) -> Response:
        return Response(_document(_own(request, hook_id)))

    @describe("webhooks_remove", "Delete a webhook", scope=Scope.ORGANIZE, status=204)
    def delete(self, request: Request, hook_id: UUID) -> Response:
        services.remove(_own(request, hook_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class Enable(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "webhooks_enable",
        "Enable a webhook; waiting deliveries are sent first",
        scope=Scope.ORGANIZE,
        request=NothingInput,
        response=WebhookOutput,
    )
    @idempotent
    def post(self, request: Request, hook_id: UUID) -> Response:
        hook = _own(request, hook_id)
        checked(NothingInput, request)
        return Response(_document(services.enable(hook_id=hook.pk, now=timezone.now())))


class Deliveries(PagedView):
    permission_classes = [IsAuthenticated]
    ordering = ("-created_at", "-id")

    @describe(
        "webhook_deliveries_list",
        "List the deliveries of a webhook, newest first",
        scope=Scope.ORGANIZE,
        response=list[DeliveryOutput],
        filters=False,
    )
    def get(self, request: Request, hook_id: UUID) -> Response:
        return self.page(_deliveries(_own(request, hook_id)), _delivery)


class Redeliver(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "webhook_deliveries_redeliver",
        "Send an ended delivery again with the same id",
        scope=Scope.ORGANIZE,
        request=NothingInput,
        response=DeliveryOutput,
    )
    @idempotent
    def post(self, request: Request, hook_id: UUID, delivery_id: UUID) -> Response:
        found = _deliveries(_own(request, hook_id)).filter(pk=delivery_id).first()
        checked(NothingInput, request)
        if found is None:
            raise NotFound
        services.redeliver(delivery_id=found.pk, now=timezone.now())
        found.refresh_from_db()
        return Response(_delivery(found))


def _deliveries(hook: Hook) -> QuerySet[Delivery]:
    return hook.deliveries.prefetch_related("attempts")
