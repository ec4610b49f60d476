from django.apps import AppConfig
from django.core import checks
from django.db.models.signals import post_migrate

from eventstore.audits import Checks, Part, register


class EventStoreConfig(AppConfig):
    name = "eventstore"

    def ready(self) -> None:
        from core import triggers
        from eventstore import months, schema

        schema.register()
        register(audit_checks)
        checks.register(triggers.check_triggers, checks.Tags.database)
        # Sent after all apps migrate, so once is enough.
        post_migrate.connect(triggers.install_after_migrate, sender=self, dispatch_uid="eventstore.triggers")
        post_migrate.connect(months.make_after_migrate, sender=self, dispatch_uid="eventstore.months")


def audit_checks() -> Checks:
    from core import triggers
    from eventstore.checks import archive, checkpoints, streams

    return Checks(
        {
            triggers.PART: triggers.CHECKS,
            "checkpoints": checkpoints.CHECKS,
            "streams": streams.CHECKS,
            archive.PART: archive.CHECKS,
        },
        [
            Part("streams", streams.audit, streams.pieces, storage=True),
            Part(archive.PART, archive.audit, archive.pieces, storage=True),
            Part("checkpoints", checkpoints.audit, checkpoints.pieces, storage=True),
            Part("published", checkpoints.audit_published, checkpoints.published_pieces, storage=True),
            Part("database", triggers.audit, storage=True),
        ],
    )
