from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from config import demo


class Command(BaseCommand):
    help = "Fill an empty installation: four people with passwords made for it, a funded bank, a tournament."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing, silently, if there are people"
        )

    def handle(self, *args: Any, if_empty: bool, **options: Any) -> None:
        if not demo.is_empty():
            if not if_empty:
                self.stdout.write("There are people already; demo data is for an empty installation.")
            return
        passwords = demo.fill(now=timezone.now())
        kept = demo.keep(passwords)
        self.stdout.write(
            f"racecard | Demo accounts, shown this once (and kept in {kept}, readable by you alone):"
        )
        for username, password in passwords.items():
            self.stdout.write(f"racecard |   {username:14} {password}")
        self.stdout.flush()
