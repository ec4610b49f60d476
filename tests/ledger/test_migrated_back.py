"""Every migration of the ledger can be taken back, triggers or not, and made again."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection

from eventstore import triggers
from ledger.models import StakeTable

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_ledger_goes_back_to_nothing_and_comes_again() -> None:
    try:
        call_command("migrate", "ledger", "zero", verbosity=0)
        assert not [name for name in connection.introspection.table_names() if name.startswith("ledger_")]
    finally:
        call_command("migrate", verbosity=0)
    assert triggers.missing() == []
    assert StakeTable.objects.filter(slug="vegas-classic").exists()
