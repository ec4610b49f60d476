"""Verification of games that are too long to be judged while a request waits: a job makes a report, which is kept.

A game of up to `AT_ONCE` events is verified by the request that asks. A report on a longer one is of its head when the
job ran, and is renewed when it is asked for after the game has moved on or the report has become old.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from eventstore import store
from eventstore.chain import format_at
from eventstore.store import Head
from games import particulars
from games.access import is_open_book
from games.evidence.judgement import judge
from games.models import GameRecord, StoredVerification
from games.selectors_proof import verification
from jobs import services as jobs
from jobs.models import Job

VERIFY = "games.verify"

AT_ONCE = 1_000
"""Events."""

RENEWED_AFTER = timedelta(hours=1)
"""A report on a game that has not moved is made again after so long: what is stored may have been changed."""

BETWEEN = timedelta(seconds=60)
"""At least so long lies between two verifications of one game."""

SECONDS_PER_EVENT = 1e-4
"""Processor time of the job, about; charged to the caller whose request schedules it."""


def is_long(head: Head) -> bool:
    return head.version > AT_ONCE


def latest(game: GameRecord, *, head: Head, now: datetime) -> tuple[StoredVerification | None, float]:
    """The report on a long game that holds now, and the seconds of processor time that a new one will take.

    While none is there, and when it should be renewed, a job is scheduled that makes one. Of a running game it may be
    of an earlier version.
    """
    opened = is_open_book(game)
    found = StoredVerification.objects.filter(game=game).first()
    if found is None or not _holds(found, game, head, opened):
        return None, _schedule(game, head, opened, now)
    moved = (found.version, found.hash) != (head.version, head.hash)
    if now - found.at >= (BETWEEN if moved else RENEWED_AFTER):
        return found, _schedule(game, head, opened, now)
    return found, 0.0


def _holds(found: StoredVerification, game: GameRecord, head: Head, opened: bool) -> bool:
    if found.opened != opened:
        return False
    if (found.version, found.hash) == (head.version, head.hash):
        return True
    return not game.ended and found.version < head.version


def _schedule(game: GameRecord, head: Head, opened: bool, now: datetime) -> float:
    """What it will cost; nothing if it has been scheduled already."""
    key = f"{VERIFY}:{game.pk}:{int(opened)}:{int(now.timestamp() // BETWEEN.total_seconds())}"
    if Job.objects.filter(key=key).exists():
        return 0.0
    jobs.schedule(kind=VERIFY, key=key, payload={"game": str(game.pk)}, due=now)
    return head.version * SECONDS_PER_EVENT


def document(found: StoredVerification) -> dict[str, Any]:
    return {**found.report, "verified_at": format_at(found.at)}


def report(game: GameRecord, *, now: datetime) -> tuple[dict[str, Any] | None, float]:
    """The report that is shown of a game, None while a job makes it; and what that job will cost."""
    head = store.head(game.pk)
    if not is_long(head):
        return {**verification(game), "verified_at": format_at(now)}, 0.0
    found, cost = latest(game, head=head, now=now)
    return None if found is None else document(found), cost


def carry_out(game_id: UUID, *, now: datetime) -> None:
    """Verify a game and keep the report. Not to be called within a transaction: it reads for long."""
    game = GameRecord.objects.get(pk=game_id)
    opened, head = is_open_book(game), store.head(game_id)
    made = {
        "version": head.version,
        "hash": head.hash,
        "opened": opened,
        "at": now,
        "report": verification(game),
        "divergence": _divergence(game, head, opened),
    }
    StoredVerification.objects.update_or_create(game=game, defaults=made)


def _divergence(game: GameRecord, head: Head, opened: bool) -> dict[str, Any] | None:
    """The first event that could not have been, with what an auditor may see of a running game."""
    events = store.read(game.pk, until=head.version)
    verdicts = judge(about(game, opened=opened), (event.full() for event in events))
    return next((judged.divergence for judged in verdicts if judged.divergence), None)


def about(game: GameRecord, *, opened: bool) -> Mapping[str, Any]:
    """The game as `judge` takes it."""
    return {
        "id": str(game.pk),
        "rules": game.rules,
        "rules_version": game.rules_version,
        "config": game.config,
        "commitment": game.commitment,
        "server_seed": particulars.server_seed(game.pk).hex() if opened else None,
    }
