"""What the views of webhooks take and answer."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from api.fields import StrictSerializer, StrictTextField, StrictUUIDField
from webhooks.models import State
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
    disabled_why = serializers.CharField(allow_null=True)


class NewWebhookOutput(WebhookOutput):
    secret = serializers.CharField(help_text="`whsec_` and the key in base64; shown this once")


class AttemptOutput(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True, help_text="null: there was no answer")
    error = serializers.CharField(allow_null=True)
    answer = serializers.CharField(help_text="its first 200 characters")
    took = serializers.IntegerField(help_text="milliseconds")


class DeliveryOutput(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="`webhook-id` of every attempt")
    type = serializers.CharField()
    tournament = serializers.UUIDField()
    version = serializers.IntegerField(help_text="of the event in the tournament's stream")
    state = serializers.ChoiceField(choices=State.choices)
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    attempts = AttemptOutput(many=True)
