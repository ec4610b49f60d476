from typing import Any

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import schema

        schema.register()
        post_migrate.connect(make_groups_last, dispatch_uid="accounts.make_groups")


def make_groups_last(sender: AppConfig, **kwargs: Any) -> None:
    """Create the groups last. They use permissions of other apps, which exist after the last app's signal."""
    if sender is [config for config in apps.get_app_configs() if config.models_module is not None][-1]:
        from accounts.roles import make_groups  # models can be imported only after all apps are loaded

        make_groups()
