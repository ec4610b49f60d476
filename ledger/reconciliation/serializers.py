from __future__ import annotations

from rest_framework import serializers

from ledger.reconciliation.models import Reconciliation


class CheckedOutput(serializers.Serializer[object]):
    what = serializers.CharField(help_text="what was held against what it follows from")
    of = serializers.CharField(help_text="what is counted")
    number = serializers.IntegerField()


class NotCheckedOutput(serializers.Serializer[object]):
    number = serializers.IntegerField()
    of = serializers.CharField(help_text="what is counted")
    why = serializers.CharField()


class DifferenceOutput(serializers.Serializer[object]):
    subject = serializers.CharField(help_text="such as game:…; empty for an account alone")
    account = serializers.CharField(help_text="an account, two of them, or a transfer by its key")
    currency = serializers.CharField()
    what = serializers.CharField()
    found = serializers.CharField()
    expected = serializers.CharField()
    event = serializers.IntegerField(allow_null=True, help_text="version in the subject's stream")


class ReportOutput(serializers.Serializer[object]):
    checked = CheckedOutput(many=True)
    not_checked = NotCheckedOutput(many=True)
    differences = DifferenceOutput(many=True, help_text="the first thousand")


class ReconciliationOutput(serializers.Serializer[Reconciliation]):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    seconds = serializers.IntegerField(help_text="that it took")
    replayed = serializers.BooleanField(help_text="games were folded again move by move")
    differences = serializers.IntegerField(help_text="how many in all; 0: every penny is accounted for")
    report = ReportOutput()
