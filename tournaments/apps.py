from django.apps import AppConfig

from eventstore.audits import Checks, Part, register


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        from accounts.hooks import register_anonymous
        from core.triggers import register_append_only
        from games import hooks
        from tournaments import notices, ratings, reconciliation, schema, selectors
        from tournaments.betting import participants
        from tournaments.prizes import names
        from tournaments.rounds import replacements

        register(audit_checks)
        participants.register()
        names.register()
        reconciliation.register()
        reconciliation.register_play_money()
        schema.register()
        notices.register()
        replacements.register()
        register_anonymous(ratings.anonymous)
        hooks.register_needed(selectors.needed)
        register_append_only("tournaments_secretseed", unique=(("tournament_id",),))
        register_append_only("tournaments_award", unique=(("entry_id",),))
        register_append_only("tournaments_correctedaward", unique=(("id",), ("award_id", "number")))


def audit_checks() -> Checks:
    from eventstore.checks import checkpoints
    from tournaments import record
    from tournaments.checks import tournaments

    return Checks(
        {tournaments.PART: {**tournaments.CHECKS, **checkpoints.OF_A_STREAM}},
        [Part(tournaments.PART, tournaments.audit, tournaments.pieces)],
        {record.KIND: tournaments.records_in},
    )
