"""The ledger as an application: what it registers at start-up."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.db.models.signals import post_migrate

from eventstore.audits import Checks, Part, register


class LedgerConfig(AppConfig):
    name = "ledger"

    def ready(self) -> None:
        from core.triggers import register_append_only
        from eventstore.checkpoints.service import register_leaves
        from ledger.betting import schema as betting_schema
        from ledger.core import schema
        from ledger.core.checkpoint_entries import TransferLeaves
        from ledger.limits import schema as limits_schema
        from ledger.limits.protection import default_limits
        from ledger.payouts import notices
        from ledger.payouts import schema as payouts_schema
        from ledger.reconciliation import subjects
        from ledger.stakes import schema as stakes_schema
        from ledger.stakes.tables import create_initial_tables

        for triggers in (schema, betting_schema, limits_schema, stakes_schema, payouts_schema):
            triggers.register()
        register_append_only("ledger_reconciliation", unique=[("id",)])
        subjects.register()
        notices.register()
        register(audit_checks)
        register_leaves("transfers", TransferLeaves())
        checks.register(check_currency)
        default_limits()  # a malformed setting stops the start
        post_migrate.connect(create_initial_tables, sender=self, dispatch_uid="ledger.stakes.tables")


def audit_checks() -> Checks:
    from ledger.reconciliation import services
    from ledger.reconciliation.models import PART

    return Checks(
        {PART: services.checks()},
        [Part(PART, services.reconcile_part, services.pieces, early=True, storage=True)],
    )


def check_currency(**_: Any) -> list[checks.CheckMessage]:
    """Check that the installation's currency is not that of play money."""
    from ledger.betting.terms import PLAY_CURRENCY

    if settings.RACECARD_CURRENCY != PLAY_CURRENCY:
        return []
    return [
        checks.Error(
            f"RACECARD_CURRENCY is {PLAY_CURRENCY}, which is the play money of meetings.",
            hint="XTS is ISO 4217's code for testing.",
            id="ledger.E001",
        )
    ]
