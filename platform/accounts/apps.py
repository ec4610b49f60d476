from typing import Any

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate

from api.deeds import keep_deeds_by
from eventstore.triggers import register_append_only


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import schema  # noqa: F401  # registers itself with the description of the API
        from accounts.kept_deeds import KeptDeeds  # models may be imported only once all apps are loaded

        register_append_only("accounts_staffaction", unique=[("key",)])
        keep_deeds_by(KeptDeeds())
        post_migrate.connect(make_groups_last, dispatch_uid="accounts.make_groups")


def make_groups_last(sender: AppConfig, **kwargs: Any) -> None:
    """The groups name other apps' permissions, which are there once the last app's signal has come."""
    if sender is [config for config in apps.get_app_configs() if config.models_module is not None][-1]:
        from accounts.roles import make_groups  # models may be imported only once all apps are loaded

        make_groups()
