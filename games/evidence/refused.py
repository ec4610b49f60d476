"""Stores refused moves without delaying the response.

A writer thread collects refusals and writes them in one transaction, so that accepted moves on SQLite rarely wait. A
failing write changes no response. Refusals are lost if the process is killed first, or if more than `WAITING` are
queued.
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

from core.commands import Command
from core.errors import Problem
from core.metrics import Counter
from core.triggers import register_triggers
from games.errors import refused_move
from games.models import RefusedCommand
from games.rules import Refused

KEPT = 100
"""The latest refusals of one player in one game that are stored."""
LONGEST_MOVE = 2_000
"""Characters of JSON; a longer move is stored as null."""
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
    """Return the row of a refusal without writing it."""
    problem = refused_move(refusal) if isinstance(refusal, Refused) else refusal
    origin = command.origin if command else None
    ground = problem.extra.get("ground")
    return RefusedCommand(
        game_id=game_id,
        player_id=player,
        at=at,
        seat=seat,
        version=version,
        code=problem.code[:64],
        rule=_text(problem.extra.get("rule")),
        fact=_text(problem.extra.get("fact")),
        ground=None if ground is None else _json(ground),
        move=_json(move),
        command_id=command.id if command else None,
        token=origin.token if origin else None,
        client_at=origin.client_at if origin else None,
    )


def keep(row: RefusedCommand) -> None:
    """Queue the row for writing."""
    _writer().put(row)


def write(rows: Sequence[RefusedCommand]) -> None:
    """Write refusals and delete each player's oldest ones. A database error is only logged."""
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
    # PostgreSQL text cannot contain NUL.
    return str(value or "").replace("\0", "\N{REPLACEMENT CHARACTER}")[:LONGEST_TEXT]


def _json(value: object) -> str | None:
    try:
        # ASCII, so that every database accepts it.
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= LONGEST_MOVE else None


class Writer:
    """A thread that writes queued rows together."""

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
        """Write the queued rows and stop."""
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


# A forked process has no writer thread.
os.register_at_fork(after_in_child=_writer.cache_clear)


TABLE = "games_refusedcommand"


def register() -> None:
    """Register the trigger that makes refused commands immutable; old ones may be deleted."""
    register_triggers(
        TABLE,
        sqlite=[
            f"CREATE TRIGGER {TABLE}_final BEFORE UPDATE ON {TABLE} "
            "BEGIN SELECT RAISE(ABORT, 'a refused command is kept as it was'); END"
        ],
        postgresql=[
            """
CREATE OR REPLACE FUNCTION racecard_refused_command_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a refused command is kept as it was' USING ERRCODE = 'integrity_constraint_violation';
END $$""",
            f"CREATE TRIGGER {TABLE}_final BEFORE UPDATE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION racecard_refused_command_final()",
        ],
    )
