from django.apps import AppConfig


class DisputesConfig(AppConfig):
    name = "disputes"

    def ready(self) -> None:
        from disputes import holds, schema, selectors, verification
        from games import hooks

        schema.register()
        verification.register()
        hooks.register_rulings(selectors.rulings_on)
        hooks.register_end(holds.schedule_hold)
