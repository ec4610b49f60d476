"""Archive games: which may leave the database, and the job that moves them into packs.

A game is archived when it ended longer ago than `RACECARD_ARCHIVE_AFTER` days, a checkpoint covers it, its money is
settled, and no other package needs it (`hooks.register_needed`): disputes that are open or can be appealed, and
tournaments that have not ended.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.core import checks
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.errors import NotFound, Problem
from eventstore import archive
from eventstore.archive import Archived, Subject
from eventstore.models import ArchivedStream, ArchivePack, RestoredStream
from games import hooks
from games.access import is_disclosed
from games.evidence.proof import archived_bundle
from games.models import GameRecord, MatchStatus, Status
from games.money.reconciliation import POT_EVENTS, STAKE_EVENTS
from games.rules.table import UNFOLDABLE
from ledger.selectors import unsettled

log = structlog.get_logger(__name__)

LOOKED_AT = 500
"""Games of one query."""

FEW = 500
"""With fewer games than this, the job writes a pack at most once a day."""

SECONDS = 120
"""The time in which a run of the job begins further games."""

OUTLINED = frozenset({*STAKE_EVENTS, *POT_EVENTS})
"""Types of events that lists and the reconciliation read, which therefore work without the pack."""


def is_on() -> bool:
    return bool(settings.RACECARD_ARCHIVE_AFTER)


def ended_before(now: datetime) -> datetime:
    """Return the time before which a game must have ended. Raises ValueError if the archive is off."""
    if not is_on():
        raise ValueError("RACECARD_ARCHIVE_AFTER is not set")
    return now - timedelta(days=settings.RACECARD_ARCHIVE_AFTER)


def run_due(*, now: datetime) -> Archived:
    """Archive what is due, as the hourly job does: for a limited time, and small packs at most once a day."""
    if not is_on():
        return Archived(0, 0, 0)
    resumed = resume(now=now)
    recent = ArchivePack.objects.filter(made_at__gt=now - timedelta(days=1)).exists()
    if recent and len(list(islice(due(now=now), FEW))) < FEW:
        return Archived(0, resumed, 0)
    return run(now=now, seconds=SECONDS)


def resume(*, now: datetime) -> int:
    """Finish the packs of processes that ended too early, and return the number of games that were moved."""
    return archive.resume(still_over=partial(_locked_still_over, now=now), outlined=OUTLINED, now=now)


def run(*, now: datetime, seconds: float | None = None, most: int | None = None) -> Archived:
    """Write one pack of the games that ended first: until it is full, `seconds` have passed, or it has `most` games.

    Do not call it in a transaction. Raises ArchiveUnavailable, DamagedPack.
    """
    until = None if seconds is None else time.monotonic() + seconds
    return archive.archive(
        _subjects(now, until, most),
        still_over=partial(_locked_still_over, now=now),
        outlined=OUTLINED,
        now=now,
    )


def _subjects(now: datetime, until: float | None, most: int | None) -> Iterator[Subject]:
    given = 0
    for game in due(now=now):
        if given == most or (until is not None and time.monotonic() > until):
            return
        try:
            bundle = archived_bundle(game)
        except (Problem, *UNFOLDABLE) as refused:
            # Such as a game that no checkpoint covers yet, or whose events were changed.
            log.warning("game_not_archived", game=str(game.pk), why=getattr(refused, "code", repr(refused)))
            continue
        given += 1
        yield Subject(game.pk, bundle)


def due(*, now: datetime) -> Iterator[GameRecord]:
    """Yield the games that may be archived, in the order in which they ended."""
    waiting, after = _waiting(ended_before(now)).order_by("ended_at", "pk"), Q()
    while page := list(waiting.filter(after)[:LOOKED_AT]):
        free = still_over([game.pk for game in page], now=now)
        yield from (game for game in page if game.pk in free)
        last = page[-1]
        after = Q(ended_at__gte=last.ended_at) & (Q(ended_at__gt=last.ended_at) | Q(pk__gt=last.pk))


def still_over(games: Sequence[UUID], *, now: datetime) -> Collection[UUID]:
    """Return those of the games that may be archived."""
    before = ended_before(now)
    found = _waiting(before).filter(pk__in=games).exclude(match__status=MatchStatus.RUNNING)
    ended = {game.pk for game in found if is_disclosed(game)}
    owners = {f"game:{game}": game for game in ended}
    return ended - {owners[subject] for subject in unsettled(owners)} - hooks.needed(ended, before)


def _locked_still_over(games: Sequence[UUID], *, now: datetime) -> Collection[UUID]:
    """Lock the games, so that no dispute is opened meanwhile, and return those that may be archived."""
    rows = GameRecord.objects.select_for_update(of=("self",)).filter(pk__in=games)
    return still_over(list(rows.order_by("pk").values_list("pk", flat=True)), now=now)


def _waiting(before: datetime) -> QuerySet[GameRecord]:
    """Return the games that ended before a time and are in no pack, and were not restored since."""
    archived = ArchivedStream.objects.filter(stream=OuterRef("pk"))
    restored = RestoredStream.objects.filter(stream=OuterRef("pk"), at__gte=before)
    ended = GameRecord.objects.filter(ended_at__lt=before, status__in=(Status.FINISHED, Status.VOID))
    return ended.filter(~Exists(archived), ~Exists(restored))


def restore(*, game_id: UUID, now: datetime) -> int:
    """Write the events of an archived game back into the database, and return their number. It stays there as long as a
    game that has just ended.

    Raises NotFound, NotArchived, ArchiveUnavailable, ArchiveDamaged.
    """
    if not GameRecord.objects.filter(pk=game_id).exists():
        raise NotFound
    return archive.restore(game_id, now=now)


def check_settings(
    app_configs: Any, databases: Sequence[str] | None = None, **_: Any
) -> list[checks.CheckMessage]:
    """Check that a game can neither be disputed nor appealed when it is archived."""
    least = settings.RACECARD_DISPUTE_DAYS + settings.RACECARD_APPEAL_DAYS
    if not is_on() or least < settings.RACECARD_ARCHIVE_AFTER:
        return []
    return [
        checks.Error(
            f"RACECARD_ARCHIVE_AFTER is {settings.RACECARD_ARCHIVE_AFTER} days, in which a game can be disputed.",
            hint=f"Set it to more than {least}, the sum of RACECARD_DISPUTE_DAYS and RACECARD_APPEAL_DAYS.",
            id="games.E002",
        )
    ]
