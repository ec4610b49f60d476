"""What the views of judges and helpers take and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import StrictChoiceField, StrictSerializer, StrictUUIDField
from tournaments.models_roles import Office


@extend_schema_serializer(component_name="TournamentRoleInput")
class RoleInput(StrictSerializer):
    player = StrictUUIDField()
    role = StrictChoiceField(choices=Office.choices)


@extend_schema_serializer(component_name="TournamentRole")
class RoleOutput(serializers.Serializer[Any]):
    player = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null to those who have not signed in")
    role = serializers.ChoiceField(choices=Office.choices)
    given_at = serializers.DateTimeField()


@extend_schema_serializer(component_name="TournamentRoles")
class RolesOutput(serializers.Serializer[Any]):
    results = RoleOutput(many=True)
