from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.utils import timezone

from eventstore import months
from eventstore.months import Month, MonthInUse


class Command(BaseCommand):
    help = "List the partitions of events by month, make those of the next months, or remove an empty one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        what.add_parser("list", help="print each partition with its streams, events, and megabytes")
        what.add_parser("make", help="make those of the next months now, instead of within a day")
        remove = what.add_parser("remove", help="detach and drop a past month whose games were all archived")
        remove.add_argument("month", help="such as 2026-03")

    def handle(self, *args: Any, what: str, **options: Any) -> None:
        if not months.partitioned():
            raise CommandError("Only PostgreSQL has partitions.")
        try:
            match what:
                case "list":
                    self._list()
                case "make":
                    made = months.make_due(timezone.now())
                    self.stdout.write(f"made: {', '.join(map(str, made)) or 'none'}")
                case "remove":
                    month = _month(options["month"])
                    months.remove(month, now=timezone.now())
                    self.stdout.write(f"{month} removed")
        except MonthInUse as refused:
            raise CommandError(str(refused)) from None
        except OperationalError as error:
            raise CommandError(f"The events are in use; try again. ({error})") from None

    def _list(self) -> None:
        self.stdout.write(f"{'month':10} {'streams':>12} {'events':>12} {'MB':>8}")
        for one in months.partitions():
            self.stdout.write(f"{one.name:10} {one.streams:>12,} {one.events:>12,} {one.bytes / 1e6:>8,.1f}")


def _month(text: str) -> Month:
    try:
        return Month.parse(text)
    except ValueError:
        raise CommandError(f"{text} is no month such as 2026-03.") from None
