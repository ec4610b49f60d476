"""The staff site: Django's admin site with the dashboard."""
