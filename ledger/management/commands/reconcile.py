from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ledger import selectors
from ledger.formats import money
from ledger.reconciliation.run import reconcile_and_keep


class Command(BaseCommand):
    help = (
        "Print the trial balance, derive every balance anew from the transfers and every transfer from what happened, "
        "count what was checked, name what was not and each difference, and keep the report."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--replay",
            action="store_true",
            help="fold every staked game again move by move; without it the outcomes that the streams tell are taken",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for currency in selectors.currencies():
            self._print(selectors.trial_balance(currency))
        kept = reconcile_and_keep(at=timezone.now(), replay=options["replay"])
        for each in kept.report["checked"]:
            self.stdout.write(f"checked      {each['what']}: {each['number']:,} {each['of']}")
        for each in kept.report["not_checked"]:
            self.stdout.write(f"not checked  {each['number']:,} {each['of']} {each['why']}")
        for each in kept.named():
            self.stderr.write(str(each))
        if kept.differences:
            raise CommandError(f"{kept.differences} differences in the books.")
        self.stdout.write("Every balance follows from the transfers, every transfer from what happened.")

    def _print(self, balance: selectors.TrialBalance) -> None:
        for row in balance.rows:
            name = f"{row.kind}/{row.purpose}"
            self.stdout.write(f"{name:24} {row.accounts:>8} {money(row.balance, balance.currency):>24}")
        self.stdout.write(f"{'total':24} {'':8} {money(balance.total, balance.currency):>24}")
