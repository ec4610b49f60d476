from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        from games import (
            market_parts,
            reconciliation,
            reconciliation_pots,
            stakes,
        )
        from games.evidence import schema as evidence

        evidence.register()
        market_parts.register()
        reconciliation.register()
        reconciliation_pots.register()
        stakes.register_kinds()
