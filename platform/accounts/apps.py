from typing import Any

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate

from eventstore.triggers import register_append_only
from staff.actions import set_action_recorder


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        # Models can be imported only after all apps are loaded.
        from accounts.services import StaffActionRecorder

        register_append_only("accounts_staffaction", unique=[("key",)])
        set_action_recorder(StaffActionRecorder())
        post_migrate.connect(make_groups_last, dispatch_uid="accounts.make_groups")


def make_groups_last(sender: AppConfig, **kwargs: Any) -> None:
    """Create the groups last. They use permissions of other apps, which exist after the last app's signal."""
    if sender is [config for config in apps.get_app_configs() if config.models_module is not None][-1]:
        from accounts.roles import make_groups  # models can be imported only after all apps are loaded

        make_groups()
