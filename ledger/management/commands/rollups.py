from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from ledger.models import FlowRollup
from ledger.reports import rollups


class Command(BaseCommand):
    help = (
        "Delete the daily sums that reports read and make them again from the transfers, in batches. "
        "The site may run meanwhile, and the reports stay right."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        rollups.rebuild()
        self.stdout.write(f"{FlowRollup.objects.count():,} daily sums were made from the transfers.")
