import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config import checkpoints
from eventstore import checkpoint, verify


class Command(BaseCommand):
    help = "Sign, export or verify the checkpoints, and with them the whole log."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        what.add_parser("make", help="sign what is new now, instead of within a minute")
        export = what.add_parser("export", help="print checkpoints, one JSON document a line")
        export.add_argument("--since", type=int, default=0, help="only those behind this number")
        check = what.add_parser("verify", help="recompute every hash of the log and every checkpoint")
        check.add_argument("--published", type=Path, help="also compare with an exported file")

    def handle(self, *args: Any, what: str, **options: Any) -> None:
        match what:
            case "make":
                made = checkpoints.make_and_publish(timezone.now())
                self.stdout.write(f"{made} checkpoints signed by {checkpoint.public_key()}")
            case "export":
                for document in checkpoint.export(options["since"]):
                    self.stdout.write(json.dumps(document))
            case "verify":
                self._verify(options["published"])

    def _verify(self, published: Path | None) -> None:
        report = verify.verify_all()
        for known in checkpoints.read_published(published):
            if fault := checkpoint.verify_against(known):
                report.add(fault)
        self.stdout.write(
            f"{report.events} events in {report.streams} streams, {report.checkpoints} checkpoints: "
            + ("whole" if report.ok else "NOT WHOLE")
        )
        if report.faults:
            raise CommandError("\n".join(map(str, report.faults)))
