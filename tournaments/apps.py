from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        from eventstore.triggers import register_append_only
        from tournaments import (
            parts,
            reconciliation,
            reconciliation_play,
            replacements,
            schema,
        )

        parts.register()
        reconciliation.register()
        reconciliation_play.register()
        schema.register()
        replacements.register()
        register_append_only("tournaments_secretseed", unique=(("tournament_id",),))
        register_append_only("tournaments_award", unique=(("entry_id",),))
        register_append_only("tournaments_correctedaward", unique=(("id",), ("award_id", "number")))
