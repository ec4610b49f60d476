from django.apps import AppConfig

from eventstore.audits import Checks, Part, register


class DisputesConfig(AppConfig):
    name = "disputes"

    def ready(self) -> None:
        from disputes import money, notices, reconciliation, schema, selectors
        from games import hooks

        register(audit_checks)
        schema.register()
        notices.register()
        reconciliation.register()
        hooks.register_rulings(selectors.rulings_on)
        hooks.register_end(money.schedule_hold)
        hooks.register_needed(selectors.needed)


def audit_checks() -> Checks:
    from disputes import checks, stream

    return Checks(
        {checks.PART: checks.CHECKS},
        [Part(checks.PART, checks.audit, checks.pieces)],
        {stream.KIND: checks.records_in},
    )
