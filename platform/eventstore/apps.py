from django.apps import AppConfig
from django.core import checks
from django.db.models.signals import post_migrate


class EventStoreConfig(AppConfig):
    name = "eventstore"

    def ready(self) -> None:
        from eventstore import schema, triggers

        schema.register()
        checks.register(triggers.check_triggers, checks.Tags.database)
        # This signal is sent when every app has migrated, so once is enough.
        post_migrate.connect(triggers.install_after_migrate, sender=self, dispatch_uid="eventstore.triggers")
