"""The metrics of this machine's processes, as at `/metrics`, for machines without a web process."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from core import metrics


class Command(BaseCommand):
    help = "Print the metrics of this machine's processes in Prometheus' text format."
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(metrics.exposition().decode(), ending="")
