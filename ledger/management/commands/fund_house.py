from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ledger.core.selectors import balance
from ledger.errors import BadAmount
from ledger.models import Purpose
from ledger.services import fund_house


class Command(BaseCommand):
    help = "Fund an account of the site: the bank for guaranteed prizes, or promotion for the stakes of bots."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("account", choices=[Purpose.BANK.value, Purpose.PROMOTION.value])
        parser.add_argument("amount", type=int, help="in pence")
        parser.add_argument("--reason", required=True, help="the reason of the transfer")
        parser.add_argument("--key", help="an idempotency key: the same key pays once")

    def handle(self, *args: Any, **options: Any) -> None:
        purpose, currency = Purpose(options["account"]), settings.RACECARD_CURRENCY
        try:
            fund_house(
                purpose=purpose,
                amount=options["amount"],
                currency=currency,
                key=f"system:fund-house:{options['key'] or uuid4()}",
                actor="operator",
                reason=options["reason"],
                at=timezone.now(),
            )
        except BadAmount as error:
            raise CommandError(str(error)) from None
        has = balance(owner="house", purpose=purpose, currency=currency)
        self.stdout.write(f"house/{purpose.value} has {has.total} pence {currency}, {has.held} of it held")
