from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ledger import selectors
from ledger.money import money
from ledger.reconciliation.services import reconcile_and_store


class Command(BaseCommand):
    help = (
        "Print the trial balance, compare every balance with the transfers and every transfer with the events that "
        "explain it, and store the report."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--replay",
            action="store_true",
            help="fold every staked game move by move instead of using the outcome in its stream",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for currency in selectors.currencies():
            self._print(selectors.trial_balance(currency))
        kept = reconcile_and_store(at=timezone.now(), replay=options["replay"])
        for each in kept.report["checked"]:
            self.stdout.write(f"checked      {each['what']}: {each['number']:,} {each['of']}")
        for each in kept.report["not_checked"]:
            self.stdout.write(f"not checked  {each['number']:,} {each['of']} {each['why']}")
        for each in kept.named():
            self.stderr.write(str(each))
        if kept.differences:
            raise CommandError(f"{kept.differences} differences in the ledger.")
        self.stdout.write("Every balance follows from the transfers, and every transfer from an event.")

    def _print(self, balance: selectors.TrialBalance) -> None:
        for row in balance.rows:
            name = f"{row['kind']}/{row['purpose']}"
            self.stdout.write(f"{name:24} {money(row['balance'], balance.currency):>24}")
        self.stdout.write(f"{'total':24} {money(balance.total, balance.currency):>24}")
