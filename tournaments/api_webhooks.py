"""REST of webhooks: organizers have themselves told what happens in their tournaments."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import NotFound
from api.fields import checked
from api.idempotency import idempotent
from api.pagination import Cursor
from api.schema import describe
from games.api import me
from tournaments import access
from tournaments.serializers import NothingInput
from tournaments.serializers_webhooks import DeliveryOutput, NewWebhookOutput, WebhookInput, WebhookOutput
from webhooks import services
from webhooks.models import Delivery, Hook

NO_STORE = {"Cache-Control": "no-store"}


def _own(request: Request, hook_id: UUID) -> Hook:
    """The caller's hook. Raises Forbidden, EnrolmentNeeded, NotFound."""
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
        "disabled_why": hook.disabled_why or None,
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
                "answer": attempt.answer,
                "took": attempt.took,
            }
            for attempt in delivery.attempts.all()
        ],
    }


class Webhooks(APIView):
    permission_classes = [IsAuthenticated]

    @describe("webhooks_list", "The caller's webhooks (organizers)", response=WebhookOutput(many=True))
    def get(self, request: Request) -> Response:
        access.require_organizer(request.user)
        return Response([_document(hook) for hook in Hook.objects.filter(owner=me(request))])

    @describe(
        "webhooks_create",
        "Be told what happens in one's tournaments (organizers)",
        request=WebhookInput,
        response=NewWebhookOutput,
        status=201,
        idempotency=False,
    )
    def post(self, request: Request) -> Response:
        """Not kept for a second request of the same key: the secret is told once."""
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

    @describe("webhooks_get", "A webhook of the caller", response=WebhookOutput)
    def get(self, request: Request, hook_id: UUID) -> Response:
        return Response(_document(_own(request, hook_id)))

    @describe("webhooks_remove", "Be told nothing more there", status=204)
    def delete(self, request: Request, hook_id: UUID) -> Response:
        services.remove(_own(request, hook_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class Enable(APIView):
    permission_classes = [IsAuthenticated]

    @describe(
        "webhooks_enable",
        "Be told again, first of what waits since it was disabled",
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
        "What was sent to a webhook and what came of it, newest first",
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
        "Send a delivery that has ended once more, under its id",
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
