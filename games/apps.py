from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        from games.evidence import refused
        from games.money import markets, reconciliation, stakes

        refused.register()
        markets.register()
        reconciliation.register()
        stakes.register_staked_games()
