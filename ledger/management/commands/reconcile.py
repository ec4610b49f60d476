from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ledger import selectors
from ledger.formats import money


class Command(BaseCommand):
    help = "Print the trial balance, derive every balance anew from the transfers, and name each difference."

    def handle(self, *args: Any, **options: Any) -> None:
        for currency in selectors.currencies():
            self._print(selectors.trial_balance(currency))
        differences = 0
        for difference in selectors.reconcile():
            differences += 1
            self.stderr.write(str(difference))
        if differences:
            raise CommandError(f"{differences} differences between the balances and the transfers.")
        self.stdout.write("Every balance follows from the transfers.")

    def _print(self, balance: selectors.TrialBalance) -> None:
        for row in balance.rows:
            name = f"{row.kind}/{row.purpose}"
            self.stdout.write(f"{name:24} {row.accounts:>8} {money(row.balance, balance.currency):>24}")
        self.stdout.write(f"{'total':24} {'':8} {money(balance.total, balance.currency):>24}")
