from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        from eventstore.triggers import register_append_only
        from tournaments import parts, reconciliation, reconciliation_play, schema  # noqa: F401 - parts tells the games who has a part in them

        reconciliation.register()
        reconciliation_play.register()
        schema.register()
        register_append_only("tournaments_secretseed", unique=(("tournament_id",),))
        register_append_only("tournaments_award", unique=(("entry_id",),))
        register_append_only("tournaments_correctedaward", unique=(("id",), ("award_id", "number")))
