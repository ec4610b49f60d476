from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments import ratings
from tournaments.models import RatingChange


class Command(BaseCommand):
    help = (
        "Derive all ratings and their changes again from the event streams of the tournaments, and list the "
        "differences from the stored ones."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(ratings.differences())
        for each in found:
            self.stderr.write(each)
        if found:
            raise CommandError(f"{len(found)} differences in the ratings.")
        self.stdout.write(f"{RatingChange.objects.count():,} rating changes follow from the events.")
