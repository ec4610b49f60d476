from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self) -> None:
        # Every process that schedules must know the kinds, not only workers.
        autodiscover_modules("tasks")
