from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """An app for the sake of its management commands; it has no models."""

    name = "config"
