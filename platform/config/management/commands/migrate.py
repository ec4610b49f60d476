from typing import Any

from django.core.management.commands import migrate

from core import triggers


class Command(migrate.Command):
    """Django's own, which may also run on a database whose triggers are gone: it puts them back."""

    def check(self, *args: Any, **options: Any) -> None:
        with triggers.repairing():
            super().check(*args, **options)
