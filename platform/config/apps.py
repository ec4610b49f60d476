from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.utils.module_loading import autodiscover_modules


class ConfigConfig(AppConfig):
    """The app of the management commands. It has no models."""

    name = "config"

    def ready(self) -> None:
        autodiscover_modules("gauges")


class StaffSiteConfig(AdminConfig):
    """Django's admin with `StaffSite` as the default site."""

    default_site = "config.staff_site.StaffSite"
