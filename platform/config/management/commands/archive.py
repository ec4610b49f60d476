from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Count, Sum
from django.utils import timezone

from audit.report import sorted_faults
from audit.services import verify_archive
from config.parallel import spread_over_cores
from core.errors import Problem
from eventstore import archive as packs
from eventstore.models import ArchivedStream, ArchivePack
from eventstore.packs.form import DamagedPack
from games import archive


class Command(BaseCommand):
    help = "Move settled games into packs outside of the database, check the packs, and restore games."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_subparsers(dest="what", required=True)
        run = what.add_parser("run", help="archive all games that are due now")
        run.add_argument("--dry-run", action="store_true", help="only count the games that are due")
        run.add_argument("--most", type=int, help="stop after this number of games")
        what.add_parser("status", help="print what is in the archive")
        what.add_parser("verify", help="read every pack, and check every archived game in it")
        what.add_parser("orphans", help="list files in the store that the database does not know")
        show = what.add_parser("show", help="print the place of an archived game")
        show.add_argument("game", type=UUID)
        restore = what.add_parser("restore", help="write the events of games back into the database")
        restore.add_argument("game", type=UUID, nargs="+")

    def handle(self, *args: Any, what: str, **options: Any) -> None:
        with _explained():
            match what:
                case "run":
                    self._run(dry=options["dry_run"], most=options["most"])
                case "status":
                    self._status()
                case "verify":
                    self._verify()
                case "orphans":
                    self._orphans()
                case "show":
                    self._show(options["game"])
                case "restore":
                    self._restore(options["game"])

    def _run(self, *, dry: bool, most: int | None) -> None:
        now = timezone.now()
        if dry:
            counted = sum(1 for _ in archive.due(now=now))
            self.stdout.write(
                f"{counted:,} games are due; they ended before {archive.ended_before(now):%Y-%m-%d}."
            )
            return
        if resumed := archive.resume(now=now):
            self.stdout.write(f"{resumed:,} games of an earlier run archived.")
        left = most
        while left is None or left > 0:
            done = archive.run(now=now, most=left)
            if not done.streams:
                break
            left = None if left is None else left - done.streams
            self.stdout.write(f"{done.streams:,} games archived in a pack of {done.bytes:,} bytes.")
        self._status()

    def _status(self) -> None:
        made = ArchivePack.objects.aggregate(packs=Count("pk"), bytes=Sum("bytes"))
        games = ArchivedStream.objects.count()
        open_ = ArchivePack.objects.filter(finished_at=None).count()
        self.stdout.write(
            f"{games:,} archived games; {made['packs']:,} packs of {made['bytes'] or 0:,} bytes, "
            f"{open_} of them not finished."
        )

    def _verify(self) -> None:
        report = verify_archive(spread=spread_over_cores)
        self.stdout.write(
            f"{report.counted['streams']:,} archived games and {report.counted['events']:,} events read: "
            + ("faults found" if report.faults else "no faults")
        )
        if report.faults:
            raise CommandError("\n".join(map(str, sorted_faults(report.faults))))

    def _orphans(self) -> None:
        found = list(packs.orphans())
        for name in found:
            self.stdout.write(name)
        self.stdout.write(f"{len(found)} files in the store that the database does not know.")

    def _show(self, game: UUID) -> None:
        place = ArchivedStream.objects.filter(stream=game).first()
        if place is None:
            raise CommandError(f"{game} is not archived.")
        self.stdout.write(
            f"game {game} with {place.version} events is in pack {place.pack_id}, bytes {place.offset} to "
            f"{place.offset + place.length - 1}, since {place.archived_at:%Y-%m-%d %H:%M:%S}Z"
        )

    def _restore(self, games: list[UUID]) -> None:
        for game in games:
            events = archive.restore(game_id=game, now=timezone.now())
            self.stdout.write(f"game {game}: {events} events restored")


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except Problem as problem:
        raise CommandError(f"{problem.title}: {problem}") from None
    except (DamagedPack, ValueError) as error:
        raise CommandError(str(error)) from None
