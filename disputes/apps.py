from django.apps import AppConfig


class DisputesConfig(AppConfig):
    name = "disputes"

    def ready(self) -> None:
        from disputes import holds, schema
        from games import log

        schema.register()
        log.register_end(holds.when_ended)
