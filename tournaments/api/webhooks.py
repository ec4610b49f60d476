"""REST endpoints of webhooks."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.errors import NotFound
from games.api import me
from rest.fields import StrictSerializer, StrictTextField, StrictUUIDField, checked
from rest.idempotency import idempotent
from rest.pagination import Cursor
from rest.schema import describe
from tournaments import access
from tournaments.api.serializers import NothingInput
from webhooks import services
from webhooks.models import Delivery, Hook, State
from webhooks.targets import MOST_URL


class WebhookInput(StrictSerializer):
    url = StrictTextField(max_length=MOST_URL, help_text="https, a public host, port 443 or one from 1024 on")
    tournament = StrictUUIDField(
        required=False, allow_null=True, help_text="null: every tournament that the caller organizes"
    )


class WebhookOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    url = serializers.CharField()
    tournament = serializers.UUIDField(allow_null=True)
    created_at = serializers.DateTimeField()
    disabled_at = serializers.DateTimeField(allow_null=True)
    disabled_reason = serializers.CharField(allow_null=True)


class NewWebhookOutput(WebhookOutput):
    secret = serializers.CharField(help_text="`whsec_` and the key in base64; shown only once")


class AttemptOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True, help_text="null: no response")
    error = serializers.CharField(allow_null=True)
    response = serializers.CharField(help_text="its first 200 characters")
    duration_ms = serializers.IntegerField()


class DeliveryOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="`webhook-id` of every attempt")
    type = serializers.CharField()
    tournament = serializers.UUIDField()
    version = serializers.IntegerField(help_text="of the event in the tournament's stream")
    state = serializers.ChoiceField(choices=State.choices)
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    attempts = AttemptOutput(many=True)


# --- views -------------------------------------------------------------------------------------------


NO_STORE = {"Cache-Control": "no-store"}


def _own(request: Request, hook_id: UUID) -> Hook:
    """Return the caller's webhook. Raises Forbidden, EnrolmentNeeded, NotFound."""
    access.require_organizer(request.user)
    found = Hook.objects.filter(owner=me(request), pk=hook_id).first()
    if found is None:
        raise NotFound
    return found


def _document(hook: Hook) -> dict[str, Any]:
    return {
        "id": str(hook.pk),
        "url": hook.url,
        "tournament": hook.subject.partition(":")[2] or None,
        "created_at": hook.created_at,
        "disabled_at": hook.disabled_at,
        "disabled_reason": hook.disabled_why or None,
    }


def _delivery(delivery: Delivery) -> dict[str, Any]:
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

    @describe("webhooks_list", "List the caller's webhooks (organizers)", response=WebhookOutput(many=True))
    def get(self, request: Request) -> Response:
        access.require_organizer(request.user)
        return Response([_document(hook) for hook in Hook.objects.filter(owner=me(request))])

    @describe(
        "webhooks_create",
        "Register a webhook (organizers)",
        request=WebhookInput,
        response=NewWebhookOutput,
        status=201,
        idempotency=False,
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
        return Response(
            {**_document(hook), "secret": secret},
            status=status.HTTP_201_CREATED,
            headers={"Location": reverse("webhook", args=[hook.pk]), **NO_STORE},
        )


class Webhook(APIView):
    permission_classes = [IsAuthenticated]

    @describe("webhooks_get", "Get a webhook of the caller", response=WebhookOutput)
    def get(self, request: Request, hook_id: UUID) -> Response:
        return Response(_document(_own(request, hook_id)))

    @describe("webhooks_remove", "Delete a webhook", status=204)
    def delete(self, request: Request, hook_id: UUID) -> Response:
        services.remove(_own(request, hook_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class Enable(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "webhooks_enable",
        "Enable a webhook; waiting deliveries are sent first",
        request=NothingInput,
        response=WebhookOutput,
    )
    @idempotent
    def post(self, request: Request, hook_id: UUID) -> Response:
        hook = _own(request, hook_id)
        checked(NothingInput, request)
        return Response(_document(services.enable(hook_id=hook.pk, now=timezone.now())))


class NewestFirst(Cursor):
    ordering = ("-created_at", "-id")


class Deliveries(APIView):
    permission_classes = [IsAuthenticated]
    pagination_class = NewestFirst

    @describe(
        "webhook_deliveries_list",
        "List the deliveries of a webhook, newest first",
        response=DeliveryOutput(many=True),
        parameters=Cursor().get_schema_operation_parameters(None),
        filters=False,
    )
    def get(self, request: Request, hook_id: UUID) -> Response:
        pages = NewestFirst()
        page = pages.paginate_queryset(_deliveries(_own(request, hook_id)), request, self)
        return pages.get_paginated_response([_delivery(one) for one in page])


class Redeliver(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "webhook_deliveries_redeliver",
        "Send an ended delivery again with the same id",
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
