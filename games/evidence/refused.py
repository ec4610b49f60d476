"""Keeping the moves that were refused, without making anybody wait for it.

A refusal is handed to a writer of the process, which puts all that came within a moment into one transaction: on SQLite
accepted moves wait for a writer seldom, and a database that does not take a refusal changes no answer. What a process
had not yet written when it was killed is lost; so is what comes faster than `WAITING` can hold.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import structlog
from django.db import Error, close_old_connections, transaction

from api.errors import Problem
from api.metrics import Counter
from eventstore.store import Command
from games.errors import RefusedMove
from games.evidence.models import RefusedCommand
from games.rules import Refused

KEPT = 100
"""Of one player in one game: the latest."""
LONGEST_MOVE = 2_000
"""Characters of JSON; of a longer one it is kept that there was one."""
LONGEST_TEXT = 500
GATHERING = 0.1
"""Seconds."""
WAITING = 5_000

LOST = Counter("racecard_refused_commands_lost", "Refused commands that could not be kept")
log = structlog.get_logger(__name__)


def refused_command(
    *,
    game_id: UUID,
    player: UUID,
    seat: int | None,
    version: int,
    move: object,
    refusal: Refused | Problem,
    command: Command | None,
    at: datetime,
) -> RefusedCommand:
    """The row of a refusal; nothing is written."""
    problem = RefusedMove(refusal) if isinstance(refusal, Refused) else refusal
    origin = command.origin if command else None
    return RefusedCommand(
        game_id=game_id,
        player_id=player,
        at=at,
        seat=seat,
        version=version,
        code=problem.code[:64],
        rule=_text(problem.extra.get("rule")),
        fact=_text(problem.extra.get("fact")),
        move=_json(move),
        command_id=command.id if command else None,
        token=origin.token if origin else None,
        client_at=origin.client_at if origin else None,
    )


def keep(row: RefusedCommand) -> None:
    """Have it written soon."""
    _writer().put(row)


def write(rows: Sequence[RefusedCommand]) -> None:
    """Write refusals, and let go of each player's older ones. A database that refuses is told of in the log alone."""
    try:
        with transaction.atomic():
            RefusedCommand.objects.bulk_create(rows)
            for game, player in {(row.game_id, row.player_id) for row in rows}:
                _forget_older(game, player)
    except Error as error:
        LOST.inc(len(rows))
        log.warning("refused_commands_lost", commands=len(rows), error=type(error).__name__)


def _forget_older(game: UUID, player: UUID) -> None:
    theirs = RefusedCommand.objects.filter(game=game, player=player)
    oldest_kept = theirs.order_by("-id").values_list("id", flat=True)[KEPT - 1 : KEPT].first()
    if oldest_kept is not None:
        theirs.filter(id__lt=oldest_kept).delete()


def _text(value: Any) -> str:
    # PostgreSQL keeps no NUL.
    return str(value or "").replace("\0", "\N{REPLACEMENT CHARACTER}")[:LONGEST_TEXT]


def _json(move: object) -> str | None:
    try:
        # In ASCII, so that every database takes every character that was sent.
        text = json.dumps(move, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= LONGEST_MOVE else None


class Writer:
    """A thread that writes what is put, all that comes within a moment at once."""

    def __init__(self) -> None:
        self._waiting: deque[RefusedCommand] = deque()
        self._something = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="refused-commands", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def put(self, row: RefusedCommand) -> None:
        if len(self._waiting) >= WAITING:
            LOST.inc()
            return
        self._waiting.append(row)
        self._something.set()

    def close(self) -> None:
        """Write what waits and end."""
        self._stopping.set()
        self._something.set()
        self._thread.join(GATHERING * 50)
        atexit.unregister(self.close)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._something.wait()
                self._stopping.wait(GATHERING)
                self._something.clear()
                self._write()
            self._write()
        finally:
            close_old_connections()

    def _write(self) -> None:
        rows = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if rows:
            close_old_connections()
            write(rows)


@cache
def _writer() -> Writer:
    return Writer()


# A process that forks leaves its threads behind.
os.register_at_fork(after_in_child=_writer.cache_clear)
