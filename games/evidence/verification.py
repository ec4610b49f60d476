"""Verification of games, and pages of their events with a verdict on each.

A game of up to `AT_ONCE` events is verified within the request. The report on a longer game is made by a job and
stored. It is of the game's head when the job ran, and is renewed on request after the game has moved on or the report
is old. Events that it does not cover are *not-run*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, TypedDict, cast
from uuid import UUID

from core.errors import NoSuchVersion
from eventstore import store
from eventstore.chain import format_at
from eventstore.store import Caused, Head, StoredEvent
from games import context
from games.access import is_disclosed
from games.evidence.judgement import Judged, Verdict, judge
from games.evidence.proof import verification
from games.evidence.recording import table_at, tables_after
from games.models import GameRecord, StoredVerification
from jobs import services as jobs
from jobs.models import Job
from rest.documents import Uuid, one_of

VERIFY = "games.verify"

AT_ONCE = 1_000
"""Events."""

RENEWED_AFTER = timedelta(hours=1)
"""Age at which the report on an unchanged game is renewed, since stored data may have been changed."""

BETWEEN = timedelta(seconds=60)
"""The least time between two verifications of one game."""

SECONDS_PER_EVENT = 1e-4
"""Approximate processor time of the job, charged to the caller whose request schedules it."""


def is_long(head: Head) -> bool:
    return head.version > AT_ONCE


def latest(game: GameRecord, *, head: Head, now: datetime) -> tuple[StoredVerification | None, float]:
    """Return the valid report on a long game, and the processor seconds of a newly scheduled one.

    A job is scheduled if there is no report or it should be renewed. The report on a running game may be of an earlier
    version.
    """
    opened = is_disclosed(game)
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
    """Return the cost of the job; 0 if it was already scheduled."""
    key = f"{VERIFY}:{game.pk}:{int(opened)}:{int(now.timestamp() // BETWEEN.total_seconds())}"
    if Job.objects.filter(key=key).exists():
        return 0.0
    jobs.schedule(kind=VERIFY, key=key, payload={"game": str(game.pk)}, due=now)
    return head.version * SECONDS_PER_EVENT


class FaultOutput(TypedDict):
    check: str
    version: int | None
    why: str


class VerificationOutput(TypedDict):
    ok: bool
    game: Uuid
    events: int
    ended: bool
    version: int | None
    why: str | None
    checks: dict[str, Annotated[str, one_of(["passed", "failed", "not-run"])]]
    faults: list[FaultOutput]
    verified_at: Annotated[str, "when the checks were made; of a long game maybe earlier than now"]


class VerificationPendingOutput(TypedDict):
    """A job is making the report of a long game. Request it again after `Retry-After` seconds."""

    game: Uuid
    pending: bool


def _document(report: dict[str, Any], at: datetime) -> VerificationOutput:
    return cast("VerificationOutput", {**report, "verified_at": format_at(at)})


def report(game: GameRecord, *, now: datetime) -> tuple[VerificationOutput | None, float]:
    """Return the report to show (None while a job makes it), and the cost of that job."""
    head = store.head(game.pk)
    if not is_long(head):
        return _document(verification(game), now), 0.0
    found, cost = latest(game, head=head, now=now)
    return None if found is None else _document(found.report, found.at), cost


def run(game_id: UUID, *, now: datetime) -> None:
    """Verify a game and store the report. Do not call it within a transaction: it reads for long."""
    game = GameRecord.objects.get(pk=game_id)
    opened, head = is_disclosed(game), store.head(game_id)
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
    """Return the first failed event, with what an auditor may see of a running game."""
    events = store.read(game.pk, until=head.version)
    verdicts = judge(judge_input(game, opened=opened), (event.full() for event in events))
    return next((judged.divergence for judged in verdicts if judged.divergence), None)


def judge_input(game: GameRecord, *, opened: bool) -> Mapping[str, Any]:
    """Return the game as `judge` expects it."""
    return {
        "id": str(game.pk),
        "rules": game.rules,
        "rules_version": game.rules_version,
        "config": game.config,
        "commitment": game.commitment,
        "server_seed": context.server_seed(game.pk).hex() if opened else None,
    }


# --- events with verdicts --------------------------------------------------------------------------


class EvidencePage:
    """The events after version `after`, at most `limit` (None: all events of a short game)."""

    def __init__(self, game: GameRecord, *, now: datetime, after: int = 0, limit: int | None = None) -> None:
        self.game = game
        self.opened = is_disclosed(game)
        """Whether the seed is disclosed, so that deal, seals, and shuffles are judged too."""
        head = store.head(game.pk)
        self.version = head.version
        self.caused = 0.0
        """Processor seconds of the job that this has scheduled."""
        self.verified_at: datetime | None = now
        """The time of the verdicts; None while a job makes them."""
        self.divergence: dict[str, Any] | None = None
        """The first failed event: `version`, `check`, `why`."""
        if is_long(head):
            limit = AT_ONCE if limit is None else limit
            found, self.caused = latest(game, head=head, now=now)
            self.stored = store.read(game.pk, after=after, limit=limit)
            self.verified_at = None if found is None else found.at
            self.divergence = None if found is None else found.divergence
            self.judged = list(_with_verdicts(game, self.stored, found))
        else:
            events = store.read(game.pk, until=head.version)
            about = judge_input(game, opened=self.opened)
            judged = list(judge(about, [event.full() for event in events]))
            self.divergence = next((one.divergence for one in judged if one.divergence), None)
            page = slice(after, None if limit is None else after + limit)
            self.stored, self.judged = events[page], judged[page]

    def causes(self) -> dict[int, Caused]:
        """Return the command of each event of the page that has one."""
        if not self.stored:
            return {}
        first, last = self.stored[0].version, self.stored[-1].version
        found = store.causes(self.game.pk, first=first, until=last)
        return {version: cause for cause in found for version in range(cause.first, cause.last + 1)}


def single(game: GameRecord, version: int, *, now: datetime) -> EvidencePage:
    """Return a page with one event. Raises NoSuchVersion."""
    page = EvidencePage(game, now=now, after=version - 1, limit=1)
    if version < 1 or not page.stored:
        raise NoSuchVersion
    return page


def _with_verdicts(
    game: GameRecord, events: Sequence[StoredEvent], found: StoredVerification | None
) -> Iterator[Judged]:
    before = table_at(game, events[0].version - 1) if events else None
    for event, after in zip(events, tables_after(before, events), strict=True):
        chain, rules, check, why = _verdict(event.version, found)
        yield Judged(event.full(), chain, rules, check, why, before, after)
        before = after


def _verdict(
    version: int, found: StoredVerification | None
) -> tuple[Verdict, Verdict, str | None, str | None]:
    if found is None or version > found.version:
        return "not-run", "not-run", None, None
    wrong = found.divergence
    if wrong is None or version < wrong["version"]:
        return "passed", "passed", None, None
    if version > wrong["version"]:
        return "not-run", "not-run", None, None
    chained = wrong["check"] != "chain"
    return "passed" if chained else "failed", "failed" if chained else "not-run", wrong["check"], wrong["why"]
