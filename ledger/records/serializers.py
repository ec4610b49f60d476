"""What the records' views answer. All amounts are pence."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from ledger.records import history


class HistoryOutput(serializers.Serializer[Any]):
    kind = serializers.CharField(help_text=", ".join(history.KINDS))
    id = serializers.CharField(source="key", help_text="of the bet, game or tournament")
    subject = serializers.CharField(help_text="as the transfers name it")
    about = serializers.CharField(help_text="of a bet: what was bet on, such as game:…; else the subject")
    on = serializers.CharField(help_text="the runner of a bet, the stake table of a game; or empty")
    stake = serializers.IntegerField()
    returned = serializers.IntegerField(allow_null=True, help_text="null while it is open")
    net = serializers.IntegerField(allow_null=True)
    state = serializers.CharField(help_text=", ".join(history.STATES))
    at = serializers.DateTimeField(help_text="when it was staked")


class TotalsOutput(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    stake = serializers.IntegerField()
    returned = serializers.IntegerField()
    net = serializers.IntegerField(help_text="of what is decided")
    open = serializers.IntegerField(help_text="staked on what is not decided yet")


class HistoryPageOutput(serializers.Serializer[Any]):
    totals = TotalsOutput(help_text="of all that is asked for, not of the page")
    results = HistoryOutput(many=True)
    next = serializers.URLField(allow_null=True)


class HouseFiguresOutput(serializers.Serializer[Any]):
    games = serializers.IntegerField()
    bets = serializers.IntegerField()
    entries = serializers.IntegerField()
    players = serializers.IntegerField(
        allow_null=True, help_text="null in a total: one may be in several rows"
    )
    stakes = serializers.IntegerField()
    refunds = serializers.IntegerField()
    turnover = serializers.IntegerField(help_text="stakes less refunds")
    winnings = serializers.IntegerField()
    bank = serializers.IntegerField()
    rake = serializers.IntegerField()
    takeout = serializers.IntegerField()
    breakage = serializers.IntegerField()
    margin = serializers.IntegerField(help_text="bank, rake, takeout and breakage together")
    margin_rate = serializers.IntegerField(
        allow_null=True, help_text="margin in basis points of the turnover; null without turnover"
    )
    promotion = serializers.IntegerField()
    overlay = serializers.IntegerField(help_text="what was added to guaranteed prizes: negative")
    liability = serializers.IntegerField(help_text="by how much more is at stake than before")


class DayOutput(serializers.Serializer[Any]):
    day = serializers.DateField(source="day.date")
    begins = serializers.DateTimeField(source="day.begins")
    ends = serializers.DateTimeField(source="day.ends")
    figures = HouseFiguresOutput()
    deposits = serializers.IntegerField()
    withdrawals = serializers.IntegerField()
    changes = serializers.DictField(child=serializers.IntegerField(), help_text="by side; together zero")
    closing = serializers.DictField(
        child=serializers.IntegerField(), help_text="by side, as the day ended; together zero"
    )
    reserved = serializers.IntegerField(help_text="held on banks as the day ended")
    liability = serializers.IntegerField(help_text="at stake as the day ended")


class GamesOutput(serializers.Serializer[Any]):
    rules = serializers.CharField(help_text="slug of the game; empty for what has no stake table")
    figures = HouseFiguresOutput()
    open = serializers.IntegerField(help_text="at stake now")


class SubjectOutput(serializers.Serializer[Any]):
    subject = serializers.CharField()
    about = serializers.CharField(help_text="of a market: what was bet on; else the subject")
    rules = serializers.CharField()
    stake_table = serializers.CharField()
    figures = HouseFiguresOutput()
    open = serializers.IntegerField(help_text="at stake now")


class TableReportOutput(serializers.Serializer[Any]):
    table = serializers.CharField()
    rules = serializers.CharField()
    figures = HouseFiguresOutput()
    bank = serializers.IntegerField(help_text="what the bank has now")
    reserved = serializers.IntegerField(help_text="what of it is held now")
    bank_limit = serializers.IntegerField(allow_null=True)
    open = serializers.IntegerField(help_text="at stake now")


class _ReportOutput(serializers.Serializer[Any]):
    currency = serializers.CharField()
    total = HouseFiguresOutput(help_text="of all rows")


class DaysReportOutput(_ReportOutput):
    results = DayOutput(many=True)


class GamesReportOutput(_ReportOutput):
    results = GamesOutput(many=True)


class TablesReportOutput(_ReportOutput):
    results = TableReportOutput(many=True)
