"""What the views of audits take and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from api.fields import StrictChoiceField, StrictIntegerField, StrictSerializer, StrictUUIDField
from audit.models import AuditReport, Scope
from audit.report import FORMAT

VERDICTS = ("passed", "failed", "in-part", "not-run")
LARGEST_ID = 2**63 - 1


@extend_schema_serializer(component_name="AuditInput")
class AuditInput(StrictSerializer):
    scope = StrictChoiceField(choices=Scope.choices, default=Scope.INSTALLATION)
    subject = StrictUUIDField(required=False, help_text="of a game or tournament: its id")
    since = StrictIntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST_ID,
        help_text="of the installation: only what came after the checkpoint of this number",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A subject where there must be one, and nowhere else."""
        of_one = attrs["scope"] in (Scope.GAME, Scope.TOURNAMENT)
        if of_one != ("subject" in attrs):
            why = "is needed for a game or a tournament" if of_one else "is for a game or a tournament"
            raise serializers.ValidationError({"subject": [f"This {why}."]})
        if "since" in attrs and attrs["scope"] != Scope.INSTALLATION:
            raise serializers.ValidationError({"since": ["This is for the whole installation."]})
        return attrs


@extend_schema_serializer(component_name="AuditAsked")
class AskedOutput(serializers.Serializer[Any]):
    scope = serializers.ChoiceField(choices=Scope.choices)
    subject = serializers.UUIDField(allow_null=True)
    since = serializers.IntegerField(allow_null=True)


@extend_schema_serializer(component_name="AuditFault")
class FaultOutput(serializers.Serializer[Any]):
    part = serializers.CharField()
    check = serializers.CharField()
    subject = serializers.CharField(help_text="such as game:ID; empty where it is no subject's")
    why = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="the event of the subject's stream")
    checkpoint = serializers.IntegerField(allow_null=True)


@extend_schema_serializer(component_name="AuditWhyNot")
class WhyNotOutput(serializers.Serializer[Any]):
    why = serializers.CharField()
    number = serializers.IntegerField()


@extend_schema_serializer(component_name="AuditCheck")
class CheckOutput(serializers.Serializer[Any]):
    part = serializers.CharField(help_text="database, checkpoints, streams, games, tournaments or ledger")
    check = serializers.CharField()
    about = serializers.CharField(help_text="what has passed when it has; the ledger's say it by their names")
    verdict = serializers.ChoiceField(choices=VERDICTS)
    passed = serializers.IntegerField(help_text="how many subjects have")
    failed = serializers.IntegerField()
    not_run = serializers.IntegerField()
    why_not = WhyNotOutput(many=True)
    first = FaultOutput(allow_null=True, help_text="the place of the first fault")


@extend_schema_serializer(component_name="AuditDocument")
class DocumentOutput(serializers.Serializer[Any]):
    format = serializers.ChoiceField(choices=[FORMAT])
    scope = serializers.CharField()
    subject = serializers.CharField()
    ok = serializers.BooleanField(help_text="nothing is wrong, and something was checked")
    counted = serializers.DictField(child=serializers.IntegerField(), help_text="what was looked at")
    checks = CheckOutput(many=True)
    faults = FaultOutput(many=True, help_text="the first thousand")
    faults_in_all = serializers.IntegerField()


@extend_schema_serializer(component_name="AuditReportSummary")
class SummaryOutput(serializers.Serializer[AuditReport]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField(help_text="when it began")
    seconds = serializers.IntegerField(help_text="that it took")
    scope = serializers.ChoiceField(choices=Scope.choices)
    subject = serializers.UUIDField(allow_null=True)
    since = serializers.IntegerField(allow_null=True)
    asked_by = serializers.UUIDField(source="asked_by_id", allow_null=True, help_text="null: the nightly one")
    ok = serializers.BooleanField()
    events = serializers.IntegerField(help_text="that were judged")
    faults = serializers.IntegerField()


@extend_schema_serializer(component_name="AuditReport")
class ReportOutput(SummaryOutput):
    report = DocumentOutput()
