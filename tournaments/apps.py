from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        from eventstore.triggers import register_append_only
        from tournaments import reconciliation, schema
        from tournaments.betting import participants
        from tournaments.rounds import replacements

        participants.register()
        reconciliation.register()
        reconciliation.register_play_money()
        schema.register()
        replacements.register()
        register_append_only("tournaments_secretseed", unique=(("tournament_id",),))
        register_append_only("tournaments_award", unique=(("entry_id",),))
        register_append_only("tournaments_correctedaward", unique=(("id",), ("award_id", "number")))
