from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self) -> None:
        # Whoever schedules must know the kinds, not the worker alone.
        autodiscover_modules("tasks")
