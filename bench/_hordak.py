"""django-hordak, posting as in its documentation, in a separate installation on the same server.

Used by `python -m bench postings`, with the same settings for durability and connections as the ledger.
"""

from __future__ import annotations

import os
import random

import django
from django.conf import settings

from config import settings as ours

if not settings.configured:
    address = {**ours.DATABASES["default"], "NAME": os.environ["HORDAK_DATABASE"]}
    settings.configure(
        DATABASES={"default": address},
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "mptt", "hordak"],
        SECRET_KEY="bench",
        USE_TZ=True,
        CURRENCIES=["EUR"],
        HORDAK_CURRENCIES=["EUR"],
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    )
    django.setup()

from django.core.management import call_command
from django.db import transaction
from hordak.models import Account, AccountType
from hordak.utilities.currency import Balance
from moneyed import Money

from bench._posters import ACCOUNTS, serve

FUNDS = 1_000_000


def prepare() -> None:
    call_command("migrate", verbosity=0)
    bank = _account("bank", AccountType.asset)
    _account("busy", AccountType.liability)
    for number in range(ACCOUNTS):
        _account(f"player {number}", AccountType.liability).transfer_to(bank, Money(FUNDS, "EUR"))


def _account(name: str, type: AccountType) -> Account:
    return Account.objects.create(name=name, type=type, currencies=["EUR"])


class Poster:
    def __init__(self) -> None:
        self.players = list(Account.objects.filter(name__startswith="player").order_by("pk"))
        self.busy = Account.objects.get(name="busy")
        self.chance = random.Random(os.getpid())

    def transfer(self) -> None:
        """Call `transfer_to` alone, in a transaction, because the database refuses single legs."""
        payer, payee = self.chance.sample(self.players, 2)
        with transaction.atomic():
            payee.transfer_to(payer, Money("0.05", "EUR"))  # liabilities grow on the credit side

    def checked(self) -> None:
        """Lock the account, check its balance, and transfer."""
        payer, payee = self.chance.sample(self.players, 2)
        with transaction.atomic():
            locked = Account.objects.select_for_update().get(pk=payer.pk)
            if locked.get_balance() < Balance("0.05", "EUR"):
                raise AssertionError("insufficient funds")
            payee.transfer_to(locked, Money("0.05", "EUR"))


if __name__ == "__main__":
    serve(prepare, Poster)
