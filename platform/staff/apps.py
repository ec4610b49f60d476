from django.apps import AppConfig

from core.triggers import register_append_only


class StaffConfig(AppConfig):
    name = "staff"
    verbose_name = "Staff"

    def ready(self) -> None:
        register_append_only("staff_actionrecord", unique=[("key",)])
