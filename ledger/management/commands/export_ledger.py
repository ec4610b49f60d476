from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from ledger.reports.export import FORMATS, export


class Command(BaseCommand):
    help = "Export the ledger as a journal for hledger or beancount."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--format", choices=sorted(FORMATS), required=True)
        parser.add_argument("--out", type=Path, help="the file to write; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        pieces = export(options["format"])
        if options["out"] is None:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        with options["out"].open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        print(f"racecard: {options['out']}", file=sys.stderr)
