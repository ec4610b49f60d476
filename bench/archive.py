"""The bytes of a game in the database and in the archive, and the time to archive and to read it.

The games of all rules are simulated between bots and loaded with their events (BENCH_GAMES).
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from statistics import median
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Sum
from django.test import override_settings
from django.utils import timezone

from audit.services import audit_installation
from bench._common import size
from config.archive import archive_storage
from eventstore import store
from eventstore.checkpoints import service as checkpoint
from eventstore.models import ArchivedStream, ArchivePack
from eventstore.packs import reading
from games import archive
from tests.audit.installation import load
from tests.audit.mixed_games import simulated_games

GAMES = int(os.environ.get("BENCH_GAMES", size(2_000, 20)))
READ = size(200, 5)

EVENTS = ("eventstore_event",)
INDEX = ("eventstore_archivedstream", "eventstore_archivedhead", "eventstore_archivepack")

TARGETS = {"times_smaller": 4.0}


def measure() -> dict[str, Any]:
    """Return bytes a game before and after, the rate of archiving, and the time of a read."""
    now = timezone.now() + timedelta(days=3650)
    with (
        tempfile.TemporaryDirectory() as folder,
        override_settings(
            RACECARD_ARCHIVE_AFTER=30,
            STORAGES=settings.STORAGES | {"archive": archive_storage(folder)},
        ),
    ):
        events = load(simulated_games(range(GAMES)))
        while checkpoint.make(timezone.now()):
            pass
        before = _size(EVENTS)
        streams = list(_streams())
        in_table = _reads(streams[:READ], store.read)
        took = _archive(now)
        moved = ArchivedStream.objects.count()
        packed = ArchivePack.objects.aggregate(bytes=Sum("bytes"))["bytes"]
        index = _size(INDEX)
        reading.forget()
        archived = list(ArchivedStream.objects.values_list("stream", flat=True)[:READ])
        from_pack, from_cache = _reads(archived, store.read), _reads(archived[-5:], store.read)
        report = audit_installation()
        assert report.ok, report.faults[:3]
    figures = {
        "database": connection.vendor,
        "games": moved,
        "events_a_game": round(events / GAMES),
        "bytes_a_game_in_the_table": round(before / GAMES),
        "bytes_a_game_in_the_pack": round(packed / moved),
        "bytes_a_game_in_the_index": round(index / moved),
        "times_smaller": round(before / GAMES / ((packed + index) / moved), 2),
        "database_times_smaller": round(before / GAMES / (index / moved), 1),
        "games_archived_a_second": round(moved / took),
        "read_from_the_table_ms": round(in_table, 2),
        "read_from_the_pack_ms": round(from_pack, 2),
        "read_from_the_cache_ms": round(from_cache, 2),
    }
    for name, value in figures.items():
        print(f"  {name.replace('_', ' '):<32} {value}")
    return figures


def _archive(now: Any) -> float:
    began = time.perf_counter()
    while archive.run(now=now).streams:
        pass
    return time.perf_counter() - began


def _streams() -> Sequence[UUID]:
    from games.models import GameRecord

    return list(GameRecord.objects.order_by("ended_at").values_list("pk", flat=True))


def _reads(streams: Sequence[UUID], read: Callable[[UUID], Any]) -> float:
    """Return the median time of a read in milliseconds."""
    times = []
    for stream in streams:
        began = time.perf_counter()
        read(stream)
        times.append((time.perf_counter() - began) * 1000)
    return median(times)


def _size(tables: Sequence[str]) -> int:
    """Return the bytes of tables with their indexes."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("VACUUM")
            cursor.execute(
                "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE oid = ANY(%s::text[]::regclass[]) "
                "OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = ANY(%s::text[]::regclass[]))",
                [list(tables), list(tables)],
            )
        else:
            marks = ", ".join(["%s"] * len(tables))
            cursor.execute(
                "SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_master "
                f"WHERE tbl_name IN ({marks}))",
                list(tables),
            )
        return int(cursor.fetchone()[0])
