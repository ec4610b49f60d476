from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        from eventstore.triggers import register_append_only
        from tournaments import (
            parts,  # noqa: F401 - tells the games who has a part in them
            reconciliation,
            reconciliation_play,
            replacements,
            schema,
        )

        reconciliation.register()
        reconciliation_play.register()
        schema.register()
        replacements.register()
        register_append_only("tournaments_secretseed", unique=(("tournament_id",),))
        register_append_only("tournaments_award", unique=(("entry_id",),))
        register_append_only("tournaments_correctedaward", unique=(("id",), ("award_id", "number")))
