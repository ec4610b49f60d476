from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        from games import market_parts, reconciliation, stakes  # noqa: F401 - who has bet on a race, and who may not

        reconciliation.register()
        stakes.register_kinds()
