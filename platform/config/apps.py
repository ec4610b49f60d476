from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.core import checks
from django.utils.module_loading import autodiscover_modules


class ConfigConfig(AppConfig):
    """The app of the management commands. It has no models."""

    name = "config"

    def ready(self) -> None:
        from accounts.hooks import register_sign_up
        from ledger.services import credit_new_player

        autodiscover_modules("gauges")
        register_sign_up(credit_new_player)
        checks.register(check_installation, "installation", deploy=True)


def check_installation(**_: Any) -> list[checks.CheckMessage]:
    """System check of `manage.py check --deploy`: what `racecard doctor` finds besides Django's own checks."""
    from config.doctor.examination import own_messages

    return own_messages()


class StaffSiteConfig(AdminConfig):
    """Django's admin with `StaffSite` as the default site."""

    default_site = "config.staff_site.StaffSite"
