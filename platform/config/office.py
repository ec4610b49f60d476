from django.contrib.admin.apps import AdminConfig


class OfficeConfig(AdminConfig):
    """Django's admin, with our site in place of the default one."""

    default_site = "config.admin.Office"
