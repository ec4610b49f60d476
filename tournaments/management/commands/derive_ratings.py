from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments import ratings
from tournaments.models_ratings import RatingChange


class Command(BaseCommand):
    help = (
        "Derive every rating and each of its changes anew from the tournaments' event streams, and name each that is "
        "kept otherwise."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(ratings.differences())
        for each in found:
            self.stderr.write(each)
        if found:
            raise CommandError(f"{len(found)} differences in the ratings.")
        self.stdout.write(f"{RatingChange.objects.count():,} changes of ratings follow from what happened.")
