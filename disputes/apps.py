from django.apps import AppConfig


class DisputesConfig(AppConfig):
    name = "disputes"

    def ready(self) -> None:
        from disputes import bundles, holds, reconciliation, schema
        from games import log, selectors_proof

        schema.register()
        reconciliation.register()
        selectors_proof.register_rulings(bundles.rulings_on)
        log.register_end(holds.when_ended)
