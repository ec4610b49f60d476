from django.apps import AppConfig
from django.db.models.signals import post_migrate


class LedgerConfig(AppConfig):
    name = "ledger"

    def ready(self) -> None:
        from django.core import checks

        from eventstore.checkpoint import register_leaves
        from eventstore.triggers import register_append_only
        from ledger import schema, seed
        from ledger.betting import checks as betting_checks
        from ledger.betting import schema as betting_schema
        from ledger.buyins import schema as buyins_schema
        from ledger.leaves import TransferLeaves
        from ledger.limits import defaults
        from ledger.limits import schema as limits_schema
        from ledger.payouts import reconciliation as payouts_reconciliation
        from ledger.payouts import schema as payouts_schema
        from ledger.reconciliation import own as own_reconciliation
        from ledger.stakes import schema as stakes_schema

        checks.register(betting_checks.own_currency_is_money)
        schema.register()
        betting_schema.register()
        buyins_schema.register()
        limits_schema.register()
        stakes_schema.register()
        payouts_schema.register()
        defaults.of_everybody()
        register_append_only("ledger_reconciliation", unique=[("id",)])
        own_reconciliation.register()
        payouts_reconciliation.register()
        register_leaves("transfers", TransferLeaves())
        post_migrate.connect(seed.stake_tables, sender=self, dispatch_uid="ledger.seed")
