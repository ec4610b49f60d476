import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from audit.report import counts, sorted_faults
from audit.services import verify_storage
from config import checkpoints
from config.parallel import spread_over_cores
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.service import WrongKey


class Command(BaseCommand):
    help = "Sign, export, or verify the checkpoints and the whole log."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        what.add_parser("make", help="sign new rows now, instead of within a minute")
        export = what.add_parser("export", help="print checkpoints, one JSON document per line")
        export.add_argument("--since", type=int, default=0, help="only those after this number")
        what.add_parser("key", help="print the public key and the earlier ones")
        what.add_parser("rotate", help="hand over to a new key; the current one signs it and is destroyed")
        lost = what.add_parser(
            "lost-key", help="continue with the present key after the earlier one was lost"
        )
        lost.add_argument(
            "--yes",
            action="store_true",
            help="confirm that the key is permanently lost",
        )
        check = what.add_parser(
            "verify", help="recompute every hash of the log, every checkpoint, and every balance"
        )
        check.add_argument("--published", type=Path, help="also compare with an exported file")

    def handle(self, *args: Any, what: str, **options: Any) -> None:
        match what:
            case "make":
                self._make()
            case "export":
                for document in checkpoint.export(options["since"]):
                    self.stdout.write(json.dumps(document))
            case "key":
                self._print_keys()
            case "rotate":
                self._rotate()
            case "lost-key":
                self._give_up_key(sure=options["yes"])
            case "verify":
                self._verify(options["published"])

    def _make(self) -> None:
        made = checkpoints.make_and_publish(timezone.now())
        if made is None:
            self.stdout.write("Another process signs the new rows at the moment.")
        else:
            self.stdout.write(f"{made} checkpoints signed by {checkpoint.public_key()}")

    def _print_keys(self) -> None:
        for one in checkpoint.handovers():
            self.stdout.write(
                f"{one.key} until checkpoint {one.number}, where it handed over to {one.successor}"
            )
        self.stdout.write(checkpoint.public_key())

    def _rotate(self) -> None:
        try:
            made = checkpoints.hand_over(timezone.now())
        except WrongKey as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"Checkpoint {made.number} hands over to {checkpoint.public_key()}. Publish that key now."
        )

    def _give_up_key(self, *, sure: bool) -> None:
        if not sure:
            raise CommandError(
                "Look for a backup of the key first (docs/checkpoints.md). If there is none, use --yes."
            )
        made = checkpoints.declare_lost(timezone.now())
        if made is None:
            raise CommandError("The signing key is present; it is not lost.")
        self.stdout.write(
            f"Checkpoint {made.number} continues with {made.key}. Publish that key and the reason for the change."
        )

    def _verify(self, published: Path | None) -> None:
        known = checkpoints.read_published(published)
        report = verify_storage(known=known, spread=spread_over_cores)
        self.stdout.write(f"{counts(report)}: " + ("faults found" if report.faults else "no faults"))
        if report.faults:
            raise CommandError("\n".join(map(str, sorted_faults(report.faults))))
