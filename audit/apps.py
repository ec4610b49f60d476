from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        from core.triggers import register_append_only

        register_append_only("audit_auditreport", unique=[("id",)])
