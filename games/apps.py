from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        from games import (
            market_parts,  # noqa: F401 - who has bet on a race, and who may not
            reconciliation,
            reconciliation_pots,
            stakes,
        )
        from games.evidence import schema as evidence

        evidence.register()
        reconciliation.register()
        reconciliation_pots.register()
        stakes.register_kinds()
